"""selfplay, train, ladder and audit: figures that agree, odd input refused in one line, clean ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from game.replay import Replay
from learner.ledger.store import Store

ROOT = Path(__file__).resolve().parents[2]


def refused(ran, *words):
    """One line on standard error, nothing on standard output, exit code 2."""
    assert ran.code == 2, ran
    assert ran.out == ""
    assert len(ran.err.splitlines()) == 1, ran.err
    for word in words:
        assert word in ran.err


def document(ran):
    """The one JSON document of a run that went well."""
    assert ran.code == 0, ran
    found = json.loads(ran.out)
    assert isinstance(found, dict)
    return found


# ---- what they do --------------------------------------------------------------------------------


def test_selfplay_learns_and_its_figures_agree(backprop, tmp_path):
    out = tmp_path / "out"
    found = document(backprop("selfplay", "--matches", 6, "--workers", 1, "--out", out, "--json"))
    assert {"matches", "decisions_per_second", "mean_decisions", "results", "end_reasons", "updates", "buffs",
            "ledger_rows"} <= set(found)
    updates = found["updates"]
    assert updates["learned"] == updates["applied"] == found["buffs"] == found["ledger_rows"] > 0
    assert updates["cast"] == updates["learned"] + updates["vanished"] + updates["exploded"]
    assert found["matches"] == sum(found["end_reasons"].values()) == 6
    assert sum(row["matches"] for row in found["results"]) == 12
    assert sum(row["wins"] for row in found["results"]) + sum(row["draws"] for row in found["results"]) / 2 == 6
    assert {name: score["pairs"] for name, score in found["against_start"].items()} == {"A": 6, "B": 6}
    assert json.loads((out / "figures.json").read_text("utf-8")) == found
    replays = sorted((out / "replays").iterdir())
    assert len(replays) == 6
    assert sum(step[0] == "learned" for path in replays for step in Replay.read(path).steps
               if isinstance(step, tuple)) == updates["learned"]
    assert document(backprop("audit", out, "--json"))["ok"]


@pytest.mark.parametrize("matches", [1, 2, 3])
def test_selfplay_plays_as_many_matches_as_asked_for(backprop, matches):
    found = document(backprop("selfplay", "--matches", matches, "--workers", 1, "--json"))
    assert found["matches"] == matches
    assert found["updates"]["applied"] == found["ledger_rows"] == found["buffs"]


def test_selfplay_measures_agents_whose_weights_stand_still(backprop, tmp_path):
    args = ("selfplay", "--agents", "greedy,everything", "--matches", 6, "--workers", 1, "--seed", 5)
    found = document(backprop(*args, "--out", tmp_path / "out", "--json"))
    assert found["score"]["pairs"] == 3
    assert found["updates"]["applied"] == 0
    assert found["updates"]["learned"] == found["buffs"] == found["ledger_rows"]
    report = document(backprop("audit", tmp_path / "out", "--json"))
    assert report["ok"]
    assert report["measurements"] == found["ledger_rows"]
    again = document(backprop(*args, "--json"))
    assert again["score"] == found["score"]
    assert again["results"] == found["results"]


@pytest.mark.parametrize("agents", ["fresh,fresh", "greedy,greedy", "fresh:3,fresh:3"])
def test_selfplay_of_one_agent_with_itself_is_exactly_one_half(backprop, agents):
    found = document(backprop("selfplay", "--agents", agents, "--matches", 8, "--workers", 1, "--json"))
    assert found["score"]["score"] == 0.5
    assert backprop("selfplay", "--agents", agents, "--matches", 2, "--workers", 1).code == 0


def test_train_resume_ladder_and_audit(backprop, tmp_path):
    run = tmp_path / "run"
    args = ("train", "--out", run, "--workers", 1, "--json")
    first = document(backprop(*args, "--rounds", 1, "--matches", 6, "--seed", 3))
    assert (first["rounds"], first["matches"]) == (1, 6)
    second = document(backprop(*args, "--rounds", 2, "--resume"))
    assert (second["rounds"], second["rounds_now"], second["matches"]) == (2, 1, 12)
    updates = second["updates"]
    assert updates["learned"] == updates["applied"] == second["buffs"] == second["ledger_rows"] > 0
    assert updates["cast"] >= updates["learned"]
    assert document(backprop(*args, "--rounds", 2, "--resume"))["agents"] == second["agents"]
    straight = document(backprop("train", "--out", tmp_path / "straight", "--workers", 1, "--json", "--rounds", 2,
                                 "--matches", 6, "--seed", 3))
    assert straight["agents"] == second["agents"] != first["agents"]
    table = document(backprop("ladder", "--agents", f"{run},random,{run / 'agent.safetensors'}", "--pairs", 2,
                              "--workers", 1, "--out", tmp_path / "ladder", "--json"))
    assert table["ratings"]["random"] == {"elo": 0.0, "error": 0.0}
    same = next(s for s in table["scores"] if {s["agent"], s["against"]} == {str(run), str(run / "agent.safetensors")})
    assert same["score"] == 0.5
    for folder in (run, tmp_path / "ladder"):
        assert document(backprop("audit", folder, "--json"))["ok"]


def test_audit_says_what_is_wrong_and_leaves_with_1(backprop, tmp_path):
    run = tmp_path / "run"
    backprop("train", "--out", run, "--workers", 1, "--rounds", 1, "--matches", 4)
    store = Store(run / "ledger.sqlite")
    store._db.execute("UPDATE entries SET damage = damage + 1 WHERE \"row\" = (SELECT MIN(\"row\") FROM entries)")
    store.close()
    ran = backprop("audit", run)
    assert ran.code == 1
    assert "WRONG" in ran.out
    ran = backprop("audit", run, "--json")
    assert ran.code == 1
    assert json.loads(ran.out)["ok"] is False


# ---- odd input -----------------------------------------------------------------------------------


def test_train_against_a_bot(backprop, tmp_path):
    args = ("train", "--out", tmp_path / "run", "--workers", 1)
    first = document(backprop(*args, "--rounds", 1, "--matches", 6, "--against", "everything", "--json"))
    assert first["against"] == "everything"
    assert 0 < first["updates"]["applied"] < first["ledger_rows"]
    ran = backprop(*args, "--rounds", 2, "--resume")
    assert "all of the agent's applied: yes" in ran.out
    assert "won against the opponent" in ran.err


@pytest.mark.parametrize("args", [
    "selfplay --agents nobody,random", "selfplay --agents random", "selfplay --agents random,greedy,everything",
    "selfplay --agents random,", "selfplay --matches 0", "selfplay --matches -1", "selfplay --matches abc",
    "selfplay --matches 1.5", "selfplay --decks nosuch", "selfplay --workers 0", "selfplay --seed -1",
    "selfplay --seed 99999999999999999999", "selfplay --agents fresh:x,random", "selfplay --agents random,greedy "
    "--decks nosuch", "train --out {new}", "train --rounds 1", "train --rounds 0 --out {new}",
    "train --minutes 0 --out {new}", "train --minutes nan --out {new}", "train --minutes 1 --rounds 1 --out {new}",
    "train --rounds 1 --matches 1 --out {new}", "train --rounds 1 --decks nosuch --out {new}",
    "train --rounds 1 --resume --out {new}", "train --rounds 1 --resume --seed 3 --out {new}",
    "train --rounds 1 --against nobody --out {new}", "train --rounds 1 --resume --against greedy --out {new}",
    "ladder --agents random", "ladder --agents random,random", "ladder --agents random,nobody", "ladder",
    "ladder --agents random,greedy --pairs 0", "ladder --agents random,greedy --decks nosuch --out {new}",
    "audit {new}", "audit"])
@pytest.mark.parametrize("json_too", [False, True], ids=["", "json"])
def test_odd_arguments_are_refused_and_leave_nothing(backprop, tmp_path, args, json_too):
    words = args.format(new=tmp_path / "new").split()
    if words[0] == "selfplay":
        words += ["--out", tmp_path / "new"]
    refused(backprop(*words, *(["--json"] if json_too else [])))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", ["selfplay --matches 2 --workers 1", "selfplay --agents random,greedy --matches 2",
                                     "train --rounds 1 --workers 1", "ladder --agents random,greedy --pairs 1"])
@pytest.mark.parametrize("place", ["file", "full", "below a file", "device"])
def test_output_that_cant_be_written_there(backprop, tmp_path, command, place):
    (tmp_path / "file").write_text("mine")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").write_text("mine")
    path = {"file": tmp_path / "file", "full": tmp_path / "full", "below a file": tmp_path / "file" / "new",
            "device": Path("/dev/full")}[place]
    refused(backprop(*command.split(), "--out", path))
    assert (tmp_path / "file").read_text() == (tmp_path / "full" / "mine").read_text() == "mine"
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["file", "full", "mine"]


@pytest.mark.parametrize("name", ["ledger.sqlite", "agent.safetensors"])
@pytest.mark.parametrize("content", [b"", b"nonsense" * 300])
def test_files_that_are_no_runs_and_no_agents(backprop, tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    refused(backprop("audit", tmp_path), str(tmp_path))
    refused(backprop("train", "--rounds", 1, "--resume", "--out", tmp_path), str(tmp_path))
    refused(backprop("ladder", "--agents", f"{tmp_path},random"), str(tmp_path))
    refused(backprop("ladder", "--agents", f"{tmp_path / name},random"), str(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == [name]


# ---- ending early --------------------------------------------------------------------------------


def begin(*args, **more):
    """A command in a process group of its own, as a terminal gives it."""
    return subprocess.Popen([sys.executable, "-m", "learner.cli.main", *map(str, args)], start_new_session=True,
                            env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, encoding="utf-8", **more)


def rounds(run):
    """Whole rounds of a run, −1 before it has begun."""
    try:
        store = Store(run / "ledger.sqlite")
    except ValueError:
        return -1
    done = store.meta("round")
    store.close()
    return -1 if done is None else done


def wait_for(condition, process, seconds=120):
    end = time.monotonic() + seconds
    while not condition() and process.poll() is None and time.monotonic() < end:
        time.sleep(0.02)
    assert condition(), process.communicate()


def members(group):
    """Processes of a group that still run."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[2]) == group and fields[0] != "Z":
                found.append(int(entry.name))
    return found


def gone(group, seconds=20):
    end = time.monotonic() + seconds
    while members(group) and time.monotonic() < end:
        time.sleep(0.05)
    return not members(group)


on_linux = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")


@on_linux
@pytest.mark.parametrize(("workers", "delay"), [(1, 0.7), (2, 0.0), pytest.param(2, 1.5, marks=pytest.mark.slow)])
def test_ctrl_c_in_training_ends_at_a_whole_round(backprop, tmp_path, workers, delay):
    run = tmp_path / "run"
    process = begin("train", "--out", run, "--minutes", 5, "--matches", 8, "--workers", workers, "--json")
    wait_for(lambda: rounds(run) >= 0, process)
    time.sleep(delay)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert "--resume" in err.splitlines()[-1]
    assert gone(process.pid)
    done = rounds(run)
    assert json.loads(out)["rounds"] == done
    assert document(backprop("train", "--out", run, "--rounds", done + 1, "--resume", "--workers", 1,
                             "--json"))["rounds"] == done + 1
    assert document(backprop("audit", run, "--json"))["ok"]


@on_linux
def test_a_second_ctrl_c_ends_at_once_and_leaves_no_worker(tmp_path):
    run = tmp_path / "run"
    process = begin("train", "--out", run, "--minutes", 5, "--matches", 2000, "--workers", 2)
    wait_for(lambda: rounds(run) >= 0 and len(members(process.pid)) >= 3, process)
    time.sleep(1)
    for _ in range(2):
        os.killpg(process.pid, signal.SIGINT)
        time.sleep(0.5)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert gone(process.pid)
    assert rounds(run) == 0


@on_linux
def test_workers_end_with_a_killed_parent(tmp_path):
    run = tmp_path / "run"
    process = begin("train", "--out", run, "--minutes", 5, "--matches", 2000, "--workers", 2)
    wait_for(lambda: rounds(run) >= 0 and len(members(process.pid)) >= 3, process)
    time.sleep(2)
    process.kill()
    process.communicate(timeout=60)
    assert gone(process.pid, 60), members(process.pid)


@on_linux
@pytest.mark.parametrize("args", [pytest.param("selfplay --matches 100000", marks=pytest.mark.slow),
                                  "selfplay --agents random,greedy --matches 100000",
                                  "ladder --agents random,greedy --pairs 100000"])
def test_ctrl_c_elsewhere(tmp_path, args):
    process = begin(*args.split(), "--workers", 2, "--out", tmp_path / "out")
    wait_for(lambda: len(members(process.pid)) >= 3, process)
    time.sleep(1.5)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert err.splitlines()[-1].startswith("backprop: stopped")
    assert gone(process.pid)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("json_too", [[], ["--json"]], ids=["", "json"])
def test_a_full_disk_behind_standard_output(json_too):
    with open("/dev/full", "w") as full:
        done = subprocess.run([sys.executable, "-m", "learner.cli.main", "selfplay", "--agents", "random,greedy",
                               "--matches", "2", "--workers", "1", *json_too], stdout=full, stderr=subprocess.PIPE,
                              env={**os.environ, "PYTHONPATH": str(ROOT)}, encoding="utf-8", check=False)
    assert done.returncode == 2, done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert "space" in done.stderr


def test_what_an_update_was_worth(backprop, tmp_path):
    run = tmp_path / "run"
    backprop("train", "--out", run, "--workers", 1, "--rounds", 1, "--matches", 6, "--json")
    ran = backprop("audit", run, "--counterfactual", 3, "--continuations", 2, "--workers", 1, "--json")
    found = document(ran)
    assert found["worth"]["casts"] == found["as_recorded"] == 3
    assert found["worth"]["low"] <= found["worth"]["mean"] <= found["worth"]["high"]
    told = backprop("audit", run, "--counterfactual", 3, "--continuations", 2, "--workers", 1)
    assert f"worth {found['worth']['mean']:+.3f} wins" in told.out
    refused(backprop("audit", run, "--continuations", 2), "--counterfactual")
    refused(backprop("audit", run, "--counterfactual", 0), "whole number")
