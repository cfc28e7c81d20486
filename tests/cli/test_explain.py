"""backprop explain: tables, documents, pictures, and refusals in one line."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import pytest

from learner.ledger.store import Store


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    from learner.cli.main import main

    path = tmp_path_factory.mktemp("explain") / "run"
    assert main(["train", "--out", str(path), "--workers", "1", "--rounds", "2", "--matches", "6"]) == 0
    return path


def document(ran):
    assert ran.code == 0, ran
    return json.loads(ran.out)


def test_shapes(backprop):
    found = document(backprop("explain", "--shapes", "--json"))["networks"]
    assert list(found) == ["player", "perceptron", "mlp", "convnet", "recurrent", "transformer"]
    assert found["mlp"]["shapes"]["hidden2.weight"] == "32 × 48"
    assert "hidden2.weight" in backprop("explain", "--shapes").out


def test_an_update_of_a_run(backprop, run, tmp_path):
    with Store(run / "ledger.sqlite") as store:
        row = store.entries()[-1]
        ordinal = int(row["row"]) - 256 * int(row["match"])
    picture = tmp_path / "update.svg"
    found = document(backprop("explain", run, "--update", row["row"], "--plot", picture, "--json"))
    assert (found["prediction"], found["loss"], found["norm"]) == (row["prediction"], row["loss"], row["norm"])
    assert found["outcome"] == found["recorded"] == "learned"
    assert found["network"] == row["family"]
    assert ET.parse(picture).getroot().tag.endswith("svg")
    again = document(backprop("explain", run, "--match", row["match"], "--update", ordinal, "--json"))
    assert again["loss"] == found["loss"]
    told = backprop("explain", run, "--update", row["row"]).out
    for word in (f"ledger entry {row['row']}", "predicted", "learned", "|∂/∂weights|", "damage"):
        assert word in told


def test_a_decision_of_a_run_and_of_a_replay(backprop, run, tmp_path):
    found = document(backprop("explain", run, "--match", 11, "--decision", 6, "--network", "player", "--json"))
    assert found["network"] == "player"
    assert 0 < found["probability"] <= 1
    assert sum(found["probabilities"].values()) == pytest.approx(1, abs=1e-3)
    with Store(run / "ledger.sqlite") as store:
        text = store.replay_text(list(store.matches())[11])
    (tmp_path / "match.json").write_text(text, "utf-8")
    again = document(backprop("explain", tmp_path / "match.json", "--decision", 6, "--network", "player",
                              "--agent", run, "--json"))
    assert set(again["probabilities"]) == set(found["probabilities"])
    assert "today" in backprop("explain", run, "--match", 0, "--decision", 6).out


@pytest.mark.parametrize(("line", "word"), [
    ("{run}", "--shapes"), ("--update 1", "name a run"), ("{run}/nothing --update 1", "no such run"),
    ("{run} --update 1", "no ledger entry 1"), ("{run} --decision 1", "--match"),
    ("{run} --match 99 --decision 1", "no match 99"),
    ("{run} --match 0 --decision 99999", "decisions 1 to"), ("{run} --match 0 --update 999", "updates"),
    ("{run} --match 0 --decision 1 --network model", "no Model"),
    ("{run} --match 0 --decision 1 --plot x.png", ".svg"), ("{replay} --decision 1", "--agent")])
def test_refusals(backprop, run, tmp_path, line, word):
    replay = tmp_path / "replay.json"
    replay.write_text("{}", "utf-8")
    ran = backprop("explain", *line.format(run=run, replay=replay).split())
    assert ran.code == 2
    assert ran.out == ""
    assert word in ran.err
