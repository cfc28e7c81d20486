"""A round's figures: named, documented, true, told; and with a part switched off."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from game.errors import GameError
from learner.agent import NETWORKS
from learner.ledger.audit import audit
from learner.ledger.store import Store
from learner.rl import tensorboard
from learner.rl.metrics import FACTORS, MEANINGS, progress_lines
from learner.rl.plan import Plan
from learner.rl.season import Season

ROOT = Path(__file__).resolve().parents[3]
PLAN = Plan(seed=5, matches=8)


def rounds(run):
    return [json.loads(line) for line in (run / "metrics.jsonl").read_text("utf-8").splitlines()]


def patterns():
    places = {"<lab>": "(agent|A|B)", "<network>": f"({'|'.join(NETWORKS)})", "<factor>": f"({'|'.join(FACTORS)})",
              "<family>": f"({'|'.join(NETWORKS[1:])})"}
    return [re.sub("<[a-z]+>", lambda found: places[found.group()], name) for name in MEANINGS]


def test_every_figure_has_a_meaning_and_every_meaning_a_figure(league_run, pair_run):
    names = {name for run in (league_run, pair_run) for figures in rounds(run) for name in figures}
    for name in names:
        assert sum(bool(re.fullmatch(pattern, name)) for pattern in patterns()) == 1, name
    for pattern in patterns():
        assert any(re.fullmatch(pattern, name) for name in names), pattern


def test_the_page_shows_the_table():
    table = "".join(f"| `{name}` | {text} |\n" for name, text in MEANINGS.items())
    assert (ROOT / "docs" / "training.md").read_text("utf-8").endswith("| --- | --- |\n" + table)


def test_counts_agree_with_the_ledger(league_run):
    store = Store(league_run / "ledger.sqlite")
    figures = rounds(league_run)
    assert figures[-1]["ledger_rows"] == store.count("entries") == sum(f["learned"] for f in figures)
    assert sum(f["card_steps"] for f in figures) == store.count("steps")
    for f in figures:
        assert f["cast"] == f["learned"] + f["vanished"] + f["exploded"]
        assert f["seconds"] >= f["seconds_rollout"] + f["seconds_card"] + f["seconds_ppo"]
        own = store.entries("owner = 'agent' AND match / 20 = ?", f["round"] - 1)
        assert sum(f.get(f"agent/card/entries/{family}", 0) for family in NETWORKS[1:]) == len(own)
        assert (f["last_past"] is None) == (f["round"] == 1)
    one = store.steps()[0]
    before, after = store.weights(one["before"]), store.weights(one["after"])
    moved = sum(((after[name].astype(float) - before[name]) ** 2).sum() for name in before) ** 0.5
    assert figures[0][f"agent/card/grad_norm/{one['family']}"] == pytest.approx(moved / one["lr"])
    store.close()


def test_progress_tells_all_that_is_asked_for(league_run):
    text = "\n".join(progress_lines(rounds(league_run)[-1], "agent"))
    for word in ("20 matches", "decisions/s", "won against agent@2", "learned", "vanished", "exploded", "entries",
                 "card: ", "PPO: ", "gradient norm", "entropy: source", "KL: source", "card target", *NETWORKS):
        assert word in text, word
    assert "no past self yet" in progress_lines(rounds(league_run)[0], "agent")[0]


@pytest.mark.parametrize("without", ["ppo", "ledger"])
def test_a_run_without_a_part(tmp_path, without):
    """Without PPO only the card's steps move weights; without the ledger only PPO does, and entries say so."""
    run = tmp_path / "run"
    with Season.create(run, replace(PLAN, without=without)) as season:
        start = {name: season.learners[0].agent.digest(name) for name in NETWORKS}
        season.round()
    with Season.resume(run) as season:
        figures = season.round()
        moved = {name for name in NETWORKS if season.learners[0].agent.digest(name) != start[name]}
        damage = season.learners[0].agent.models["mlp"].damage.weight.detach().numpy().copy()
        statuses = {row["status"] for row in season.store.entries()}
        assert season.store.count("entries") == season.store.total("buffs") > 0
    assert statuses == {"applied" if without == "ppo" else "measurement"}
    assert ("player" in moved) == (without == "ledger")
    assert "mlp" in moved
    assert damage.any() == (without == "ppo")
    assert ("agent/ppo_steps" in figures) == (without == "ledger")
    assert (figures["card_steps"] > 0) == (without == "ppo")
    assert any(line.startswith("card: " if without == "ppo" else "PPO: ") for line in progress_lines(figures, "agent"))
    assert not audit(run).wrong
    store = Store(run / "ledger.sqlite")
    store.set_meta("plan", {**store.meta("plan"), "without": "ledger" if without == "ppo" else ""})
    store.close()
    assert any("every gradient is" in line for line in audit(run).wrong)


def test_an_unknown_part_is_refused():
    with pytest.raises(GameError, match="without"):
        replace(PLAN, without="rules")


# ---- TensorBoard ---------------------------------------------------------------------------------


@pytest.fixture
def stand_in(monkeypatch):
    """What Board asks of TensorBoard, keeping events in a list; the real library is tried where it is installed."""
    events = []

    class Writer:
        def __init__(self, folder):
            self.file = Path(folder) / "events.out.tfevents.1"
            self.file.write_bytes(b"events")

        def add_event(self, event):
            events.append(event)

        def flush(self):
            pass

        close = flush

    def message(**fields):
        return SimpleNamespace(**fields)

    message.Value = message
    for name, content in (("summary.writer.event_file_writer", {"EventFileWriter": Writer}),
                          ("compat.proto.event_pb2", {"Event": message}),
                          ("compat.proto.summary_pb2", {"Summary": message})):
        module = ModuleType(f"tensorboard.{name}")
        module.__dict__.update(content)
        monkeypatch.setitem(sys.modules, f"tensorboard.{name}", module)
    return events


def test_tensorboard_gets_every_number(league_run, tmp_path, stand_in):
    figures = rounds(league_run)
    folder = tmp_path / "tensorboard"
    folder.mkdir()
    (folder / "events.out.tfevents.0").write_bytes(b"of a round that was never whole")
    board = tensorboard.Board(folder, figures[:2])
    board.add(figures[2])
    board.close()
    assert [event.step for event in stand_in] == [1, 2, 3]
    assert [path.name for path in folder.iterdir()] == ["events.out.tfevents.1"]
    values = {value.tag: value.simple_value for value in stand_in[2].summary.value}
    assert values == {name: value for name, value in figures[2].items()
                      if isinstance(value, (int, float)) and name != "round"}


def test_tensorboard_itself(league_run, tmp_path):
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    tensorboard.Board(tmp_path / "tensorboard", rounds(league_run)).close()
    found = EventAccumulator(str(tmp_path / "tensorboard"))
    found.Reload()
    scalars = found.Scalars("agent/entropy/source")
    assert [scalar.step for scalar in scalars] == [1, 2, 3]
    assert [scalar.value for scalar in scalars] == pytest.approx(
        [figures["agent/entropy/source"] for figures in rounds(league_run)])
