"""A run's snapshots: as its agents were, whatever happened to them afterwards."""

from __future__ import annotations

import numpy as np
import pytest

from game.errors import GameError
from learner.agent import Agent
from learner.rl import snapshots
from learner.rl.plan import Plan
from learner.rl.season import Season


def test_each_is_the_agent_of_its_round(tmp_path, cards):
    weights = {}
    with Season.create(tmp_path / "run", Plan(seed=5, matches=6, past_every=2)) as season:
        weights[0] = season.learners[0].agent.state()
        for _ in range(4):
            season.round()
            weights[season.done] = season.learners[0].agent.state()
    found = snapshots.kept(tmp_path / "run")
    assert list(found) == ["agent"]
    assert list(found["agent"]) == [0, 2, 4]
    for number, file in found["agent"].items():
        state = Agent.load(file, cards).state()
        assert all(np.array_equal(state[name], array) for name, array in weights[number].items())


def test_two_labs_have_their_own(pair_run):
    assert set(snapshots.kept(pair_run)) == {"A", "B"}


def test_a_folder_without_any(tmp_path):
    with pytest.raises(GameError, match="no snapshots"):
        snapshots.kept(tmp_path)


@pytest.mark.parametrize(("rounds", "most", "chosen"), [
    ([0, 8, 16], 10, [0, 8, 16]), (list(range(0, 81, 8)), 3, [0, 40, 80]), ([0, 8, 16, 24], 1, [24]), ([0], 5, [0]),
    (list(range(101)), 11, list(range(0, 101, 10)))])
def test_evenly_spread_with_both_ends(rounds, most, chosen):
    assert snapshots.spread(rounds, most) == chosen
