"""Training against a frozen player: it stands still, its entries are measurements, and the run goes on exactly."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import pytest

from game.errors import GameError
from learner.agent import Agent
from learner.ledger.audit import audit
from learner.ledger.store import Store
from learner.rl.counterfactual import counterfactual
from learner.rl.labs import players_in
from learner.rl.plan import OPPONENT, Plan
from learner.rl.season import Season

PLAN = Plan(seed=6, matches=12, past_every=1, against="everything")


def play(path, plan=PLAN, rounds=3):
    with Season.create(path, plan) as season:
        for _ in range(rounds):
            season.round()
    return path


@pytest.fixture(scope="module", params=["everything", "agent"])
def plan(request, tmp_path_factory, cards):
    if request.param == "everything":
        return PLAN
    file = tmp_path_factory.mktemp("frozen") / "agent.safetensors"  # its name is the learner's own
    Agent(77, cards, "agent").save(file)
    return replace(PLAN, against=str(file))


@pytest.fixture(scope="module")
def straight(tmp_path_factory, plan):
    return play(tmp_path_factory.mktemp("straight") / "run", plan)


def test_every_match_is_against_the_opponent_in_both_seats(straight):
    with Store(straight / "ledger.sqlite") as store:
        seats = [tuple(json.loads(row["labs"])) for row in store.matches()]
        figures = store.metrics()
    assert set(seats) == {("agent", OPPONENT), (OPPONENT, "agent")}
    assert seats.count(("agent", OPPONENT)) == len(seats) // 2
    for line in figures:
        assert line["league"] == 0
        assert line["last_past"] is line["score_against_last_past"] is None
    with Store(straight / "ledger.sqlite") as store:
        rows = [row for row in store.matches() if row["round"] == 3]
    won = [0.5 if row["winner"] is None else json.loads(row["labs"])[row["winner"]] == "agent" for row in rows]
    assert figures[-1]["score_against_opponent"] == pytest.approx(sum(won) / len(won))


def test_only_the_agents_entries_reach_weights_and_the_audit_agrees(straight, cards):
    with Store(straight / "ledger.sqlite") as store:
        statuses = {(row["owner"], row["status"]) for row in store.entries()}
        assert {step["owner"] for step in store.steps()} == {"agent"}
        assert store.count("entries", "arrays IS NOT NULL") == 0
    assert statuses == {("agent", "applied"), (OPPONENT, "measurement")}
    report = audit(straight, cards)
    assert report.wrong == []
    assert report.measurements > 0
    assert report.applied > 0


@pytest.mark.parametrize(("change", "words"), [
    ("UPDATE entries SET status = 'measurement' WHERE owner = 'agent'", "every gradient is applied"),
    ("UPDATE entries SET status = 'applied' WHERE owner = 'opponent'", "every gradient of the opponent is meas")])
def test_the_audit_sees_a_status_that_cannot_be(straight, tmp_path, cards, change, words):
    import sqlite3

    run = tmp_path / "run"
    shutil.copytree(straight, run)
    db = sqlite3.connect(run / "ledger.sqlite")
    with db:
        db.execute(change)
    db.close()
    assert any(words in line for line in audit(run, cards).wrong)


def test_the_opponent_stands_still_while_the_agent_learns(straight, cards):
    labs = [{lab.owner: lab for lab in players_in(straight / "checkpoints" / f"{number:06d}.safetensors", cards)}
            for number in (2, 3)]
    for before, after in [(labs[0][owner].agent, labs[1][owner].agent) for owner in (OPPONENT, "agent")]:
        same = [before.digest(name) == after.digest(name) for name in before.networks]
        assert all(same) if before.name == OPPONENT else not any(same)


@pytest.mark.parametrize("first", [0, 2])
def test_resumed_equals_never_stopped_though_the_file_is_gone(tmp_path, straight, plan, contents, first):
    run = play(tmp_path / "run", plan, first)
    if plan is PLAN:
        moved = None
    else:
        from pathlib import Path

        moved = Path(plan.against).rename(tmp_path / "moved")
    try:
        with Season.resume(run) as season:
            while season.done < 3:
                season.round()
    finally:
        if moved is not None:
            moved.rename(plan.against)
    assert contents(run) == contents(straight)


def test_casts_are_played_on_with_the_same_opponent(straight, cards):
    report = counterfactual(straight, 4, continuations=1, cards=cards)
    assert report.as_recorded == report.worth.casts > 0


def test_an_opponent_that_is_not_there_leaves_nothing(tmp_path):
    with pytest.raises(GameError, match="unknown agent"):
        Season.create(tmp_path / "run", replace(PLAN, against="nobody"))
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("labs", [("A", "B"), (OPPONENT,)])
def test_whom_nobody_can_train_against(labs):
    with pytest.raises(GameError, match="one learning lab"):
        Plan(labs=labs, against="greedy")
