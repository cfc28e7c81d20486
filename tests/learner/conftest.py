"""Small runs that are made once and only read; tests that spoil a run copy it."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from game.cards import first_set
from game.engine import compiled
from learner.agent import Agent
from learner.rl.plan import Plan
from learner.rl.rollout import Lab, Rollouts, deck_pairs, make_pairings
from learner.rl.season import Season

LEAGUE = Plan(seed=3, matches=20, past_every=1, past_most=2, past_share=0.5)
"""A run whose past selves play from the second round on."""
PAIR = Plan(seed=4, labs=("A", "B"), matches=20)
TIMES = ("seconds", "seconds_rollout", "seconds_card", "seconds_ppo", "decisions_per_second",
         "rollout_decisions_per_second")


@pytest.fixture(scope="session", autouse=True)
def _compiled_once() -> None:
    """So that no test waits for it, or finds its message in an output."""
    compiled.prepare()


@pytest.fixture(scope="session")
def cards() -> Any:
    return first_set()


def _run(path: Path, plan: Plan, rounds: int) -> Path:
    with Season.create(path, plan) as season:
        for _ in range(rounds):
            season.round()
    return path


@pytest.fixture(scope="session")
def league_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three rounds of one lab that plays itself and its past."""
    return _run(tmp_path_factory.mktemp("runs") / "league", LEAGUE, 3)


@pytest.fixture(scope="session")
def small_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As ``league_run``, but of a few matches only."""
    return _run(tmp_path_factory.mktemp("runs") / "small", replace(LEAGUE, matches=6), 3)


@pytest.fixture(scope="session")
def pair_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three rounds of two labs."""
    return _run(tmp_path_factory.mktemp("runs") / "pair", PAIR, 3)


@pytest.fixture(scope="session")
def one_round(cards: Any) -> Any:
    """24 matches between two fresh labs: ``agents``, ``labs``, ``pairings``, ``collected``, ``requests``."""
    agents = [Agent(11, cards, "a"), Agent(12, cards, "b")]
    labs = [Lab("a", agents[0], remembers=True), Lab("b", agents[1], remembers=True)]
    pairings = make_pairings(0, 24, 9, deck_pairs((), cards, 9), [(0, 1), (1, 0)])
    with Rollouts(1, cards) as rollouts:
        collected = rollouts.play(labs, pairings)
    requests = [request for played in collected.played for _, request, _ in played.updates]
    assert requests
    assert all(request.observation is not None for request in requests)
    return SimpleNamespace(agents=agents, labs=labs, pairings=pairings, collected=collected, requests=requests)


@pytest.fixture
def contents() -> Any:
    """All that a run's folder holds, without times: equal for runs that went the same way."""

    def read(path: Path) -> dict[str, Any]:
        db = sqlite3.connect(path / "ledger.sqlite")
        found: dict[str, Any] = {
            table: db.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall()
            for table in ("meta", "matches", "entries", "steps", "weights")}
        lines = [json.loads(row[0]) for row in db.execute("SELECT document FROM metrics ORDER BY round")]
        db.close()
        text = [json.loads(line) for line in (path / "metrics.jsonl").read_text("utf-8").splitlines()]
        assert text == lines
        found["metrics"] = [{key: value for key, value in line.items() if key not in TIMES} for line in lines]
        found["files"] = {str(file.relative_to(path)): hashlib.sha256(file.read_bytes()).hexdigest()
                          for file in sorted(path.rglob("*.safetensors"))}
        return found

    return read
