"""The measurement of self-play: shares are shares, products are counted truly, a missing peer is seen."""

from __future__ import annotations

import numpy as np
import pytest

from learner.agent import Agent
from learner.autodiff.modes import Switch
from learner.bench import Effort, Row, selfplay
from learner.policies.acting import AgentPlayer
from learner.rl.rollout import Lab, Rollouts


@pytest.fixture(scope="module")
def rows():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(selfplay, "MATCHES", 6)
        patch.setattr(selfplay.maskable, "build", lambda *args: None)
        told = []
        found = selfplay.measure(Effort(repeats=1), told.append)
    assert told == [row.work for row in found]
    return found


def test_shares_add_up(rows):
    blas, engine, rest, choosing, gradients = (row.ours for row in rows[:5])
    assert blas + engine + rest == pytest.approx(1)
    assert min(blas, engine, choosing, gradients) > 0
    assert choosing + gradients < rest


def test_rollouts_are_slower_than_their_products(rows):
    row = next(row for row in rows if row.goal == 0.3)
    assert 0 < row.ratio < 1
    assert row.met == (row.ratio >= 0.3)
    assert row.as_dict()["ratio"] == row.ratio


def test_a_peer_that_is_missing_is_seen(rows):
    training = [row for row in rows if row.goal == 8]
    assert len(training) == 2
    for row in training:
        assert "not installed" in row.peer
        assert row.ratio is row.met is None
        assert row.ours > 0


def test_the_goal_for_a_ratio_of_rates_is_a_least():
    assert Row("x", "decisions/s", 9.0, "peer", 1.0, goal=8, goal_for="ratio").met
    assert not Row("x", "decisions/s", 7.0, "peer", 1.0, goal=8, goal_for="ratio").met
    assert Row("x", "us", 7.0, "peer", 10.0, goal=0.8, goal_for="ratio").met


def test_nothing_stays_wrapped_and_nothing_changes(one_round, cards):
    """The same matches with and without the stopwatch, and the products of one block are the network's."""
    before = AgentPlayer.choose
    watch = selfplay.Stopwatch()
    with Rollouts(1, cards) as rollouts, selfplay._watching(watch):
        again = rollouts.play(one_round.labs, one_round.pairings)
    assert AgentPlayer.choose is before
    assert [p.steps for p in again.played] == [p.steps for p in one_round.collected.played]
    agent, shapes = Agent(0, cards), selfplay._Shapes()
    encoded = agent.encoder.encode(np.zeros((64, one_round.requests[0].observation.size), np.int32))
    with Switch("recorder", shapes):
        agent.player(encoded)
    inputs = agent.player.trunk1.weight.shape[1]
    assert shapes.found[(64, inputs), (inputs, 128)] == 1
    assert sum(shapes.found.values()) == 14  # thirteen layers, and cards at tokens


def test_every_product_is_repeated(one_round, monkeypatch):
    shapes = selfplay.Counter({((8, 4), (4, 2)): 5, ((2, 8, 4), (2, 4, 3)): 7})
    calls = []
    real = np.matmul
    monkeypatch.setattr(np, "matmul", lambda x, y, out=None: calls.append(x.shape) or real(x, y, out=out))
    assert selfplay._alone(shapes) > 0
    assert calls.count((8, 4)) == 6
    assert calls.count((2, 8, 4)) == 8
    assert isinstance(one_round.labs[0], Lab)


def test_theirs_learns():
    pytest.importorskip("sb3_contrib")
    from learner.bench import maskable
    from learner.rl.ppo import Config

    peer = maskable.build(100_000, Config(minibatch_size=64), 0)
    assert abs(peer.parameters - 100_000) < 5_000
    assert peer.learn() == 64
