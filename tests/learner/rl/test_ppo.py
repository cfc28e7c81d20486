"""PPO against plain restatements of its parts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from learner import autodiff as ad
from learner.agent import Agent
from learner.autodiff import tensor
from learner.health import TrainingError
from learner.policies.model import FAR_BELOW
from learner.policies.player import END_CHOICE
from learner.rl.ppo import (
    Config,
    _factor,
    make_batch,
    make_optimizers,
    minibatch_loss,
    minibatches,
    normalised,
    ppo_update,
    unreached,
)

CONFIG = Config(minibatch_size=400)


@pytest.fixture(scope="module")
def rewards(one_round):
    return {(p.pairing.number, seat): p.reward(seat) for p in one_round.collected.played for seat in (0, 1)}


@pytest.fixture(scope="module")
def batch(one_round, rewards):
    return make_batch(one_round.collected.memories[0], rewards, CONFIG)


@pytest.fixture
def agent(one_round):
    return one_round.agents[0].copy()


def test_both_seats_are_trained_on(one_round, batch):
    """Each match once, in the seat the lab had in it; in alternate matches another."""
    seats = {(int(batch.data["matches"][part.start]), int(batch.data["seats"][part.start]))
             for part in batch.sequences}
    assert seats == {(p.pairing.number, p.pairing.seats.index(0)) for p in one_round.collected.played}
    assert {seat for _, seat in seats} == {0, 1}
    for part in batch.sequences:
        assert len({(m, s) for m, s in zip(batch.data["matches"][part], batch.data["seats"][part], strict=True)}) == 1


def test_advantages_are_generalised_advantage_estimates(batch, rewards):
    """The double sum of Schulman et al. (2016), equation 16, with γ = 1."""
    lam = CONFIG.gae_lambda
    for part in batch.sequences:
        values = batch.data["values"][part].astype(np.float64)
        key = int(batch.data["matches"][part.start]), int(batch.data["seats"][part.start])
        n = len(values)
        reward = [0.0] * (n - 1) + [rewards[key]]
        delta = [reward[t] + (values[t + 1] if t + 1 < n else 0.0) - values[t] for t in range(n)]
        naive = np.array([sum(lam ** (k - t) * delta[k] for k in range(t, n)) for t in range(n)])
        np.testing.assert_allclose(batch.advantages[part], naive, rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(batch.returns[part], naive + values, rtol=1e-4, atol=1e-6)


def test_the_order_of_parts_changes_nothing(one_round, rewards, batch):
    (part,) = one_round.collected.memories[0]
    halves = [{name: array[place] for name, array in part.items()}
              for place in (part["matches"] % 3 == 0, part["matches"] % 3 != 0)]
    again = make_batch(halves, rewards, CONFIG)
    assert again.sequences == batch.sequences
    for name, array in batch.data.items():
        assert (again.data[name] == array).all()
    assert (again.advantages == batch.advantages).all()


@pytest.mark.parametrize("size", [1, 100, 400, 10**6])
def test_minibatches_are_whole_and_hold_every_decision_once(batch, size):
    parts = minibatches(batch, size, np.random.default_rng(0))
    assert sorted(np.concatenate(parts).tolist()) == list(range(len(batch)))
    for sequence in batch.sequences:
        assert sum(sequence.start in part for part in parts) == 1
        holder = next(part for part in parts if sequence.start in part)
        assert set(range(sequence.start, sequence.stop)) <= set(holder.tolist())
    assert len(parts) == (1 if size == 10**6 else len(parts))
    if size == 100:
        assert len(parts) > 3
        assert all(len(part) >= 50 for part in parts)


def factor(logits, legal, choice, old, advantage, config=CONFIG):
    x = tensor(np.float32([logits]), requires_grad=True)
    legal = np.array([legal], bool)
    masked = ad.where(tensor(legal), x, FAR_BELOW)
    surrogate, entropy, kl = _factor(ad.log_softmax(masked, 1), legal, np.array([choice]), np.float32([old]),
                                     np.float32([advantage]), config)
    return x, surrogate, entropy, kl


def test_masked_entries_have_no_probability_and_no_gradient():
    x, surrogate, entropy, _ = factor([1.0, 50.0, 0.0, 2.0], [1, 0, 1, 1], 0, -1.0, 1.0)
    p = np.exp([1.0, 0.0, 2.0]) / np.exp([1.0, 0.0, 2.0]).sum()
    assert float(entropy.item()) == pytest.approx(-(p * np.log(p)).sum(), rel=1e-5)
    (surrogate + entropy).backward()
    assert x.grad.numpy()[0, 1] == 0.0
    assert (x.grad.numpy()[0, [0, 2, 3]] != 0).all()


@pytest.mark.parametrize("logits", [[3.0, 1e8, -1e8], [-1e8, 0.0, 1e8], [0.0, 0.0, 0.0]])
def test_a_single_legal_choice_has_no_entropy_and_a_finite_gradient(logits):
    x, surrogate, entropy, kl = factor(logits, [1, 0, 0], 0, 0.0, 1.0)
    assert float(entropy.item()) == 0.0
    assert kl == 0.0
    (surrogate - entropy).backward()
    assert (x.grad.numpy() == 0).all()


@pytest.mark.parametrize(("advantage", "old_ratio", "moves"), [
    (1.0, 1.0, True), (1.0, 1.19, True), (1.0, 1.25, False), (1.0, 0.5, True),
    (-1.0, 1.0, True), (-1.0, 0.81, True), (-1.0, 0.75, False), (-1.0, 2.0, True)])
def test_clipping(advantage, old_ratio, moves):
    """Beyond 1 ± 0.2 the surrogate stands still, but only in the direction that it would pay."""
    logp = float(np.log(0.5))
    x, surrogate, _, _ = factor([0.0, 0.0], [1, 1], 0, logp - np.log(old_ratio), advantage)
    clipped = np.clip(old_ratio, 0.8, 1.2)
    assert float(surrogate.item()) == pytest.approx(-min(old_ratio * advantage, clipped * advantage), rel=1e-5)
    surrogate.backward()
    assert bool(x.grad.numpy().any()) == moves


def test_the_kl_estimate():
    old, new = np.float64([0.2, 0.5, 0.3]), np.float64([0.25, 0.35, 0.4])
    generator = np.random.default_rng(0)
    choices = generator.choice(3, 200_000, p=old)
    _, _, kl = _factor(tensor(np.tile(np.log(new).astype(np.float32), (200_000, 1))), np.ones((200_000, 3), bool),
                       choices, np.log(old)[choices].astype(np.float32), np.zeros(200_000, np.float32), CONFIG)
    assert kl == pytest.approx((old * np.log(old / new)).sum(), rel=0.03)


def test_the_first_minibatch_compares_with_the_policy_that_played(agent, batch):
    index = np.arange(len(batch))
    losses = minibatch_loss(agent, batch, index, normalised(batch.advantages[index]), CONFIG)
    kls = {name: value for name, value in losses.figures.items() if name.startswith("kl/")}
    assert set(kls) == {"kl/player", "kl/source", "kl/card_target", *(f"kl/{family}" for family in agent.models)}
    assert all(abs(kl) < 1e-9 for kl in kls.values())


def test_a_batch_of_one_decision_gives_no_nan(agent, batch):
    assert normalised(np.float32([3.0])).tolist() == [3.0]
    assert normalised(np.float32([0.5, 0.5])).tolist() == [0.5, 0.5]
    for i in range(0, len(batch), 60):
        losses = minibatch_loss(agent, batch, np.array([i]), normalised(batch.advantages[[i]]), CONFIG)
        losses.total.backward()
        assert np.isfinite(losses.total.item())
        for module in agent.networks.values():
            assert all(np.isfinite(p.grad.numpy()).all() for p in module.parameters() if p.grad is not None)
            module.zero_grad()


def test_every_parameter_is_reached(agent, batch):
    assert unreached(agent, batch, CONFIG) == []
    agent.player.trunk2.load_state_dict({name: np.full_like(array, -1.0) for name, array in
                                         agent.player.trunk2.state_dict().items()})
    assert any(name.startswith("player/trunk2") for name in unreached(agent, batch, CONFIG))


def test_ppo_moves_every_network_but_no_damage_prediction(agent, batch):
    before = agent.state()
    figures = ppo_update(agent, make_optimizers(agent, CONFIG), batch, CONFIG, np.random.default_rng(0))
    after = agent.state()
    for name, array in before.items():
        assert (array == after[name]).all() == ("/damage" in name), name
    assert 0 < figures["kl/player"] < 1
    assert figures["epochs"] >= 1


def test_ppo_learns_what_pays(agent, batch):
    """What had a positive advantage, ending the turn here, becomes more likely, and the rest less."""
    config = replace(CONFIG, ent_coef=0.0, update_epochs=2)
    wide = np.where(batch.data["choices"] == END_CHOICE, 1.0, -1.0).astype(np.float32)
    ours = replace(batch, advantages=wide)
    before = _logp(agent, batch)
    ppo_update(agent, make_optimizers(agent, config), ours, config, np.random.default_rng(0))
    moved = _logp(agent, batch) - before
    several = batch.data["masks"].sum(axis=1) > 1
    assert moved[several & (wide > 0)].mean() > moved[several & (wide < 0)].mean() + 0.01


def _logp(agent, batch):
    logits = np.where(batch.data["masks"], agent.player(agent.encoder.encode(
        batch.data["observations"]))[0].detach().numpy().astype(np.float64), -np.inf)
    top = logits.max(1, keepdims=True)
    return logits[np.arange(len(batch)), batch.data["choices"]] - (
        top[:, 0] + np.log(np.exp(logits - top).sum(1)))


def test_opponents_and_the_other_lab_stand_still(one_round, rewards, batch):
    mine, other = one_round.agents[0].copy(), one_round.agents[1]
    digests = {name: other.digest(name) for name in other.networks}
    ppo_update(mine, make_optimizers(mine, CONFIG), batch, CONFIG, np.random.default_rng(0))
    assert {name: other.digest(name) for name in other.networks} == digests


@pytest.mark.parametrize("kind", ["value", "advantage", "old log-probability"])
def test_a_loss_that_is_no_number_stops_training_and_changes_nothing(agent, batch, kind):
    spoilt = replace(batch, data=dict(batch.data), advantages=batch.advantages.copy(), returns=batch.returns.copy())
    if kind == "value":
        spoilt.returns[5] = np.nan
    elif kind == "advantage":
        spoilt.advantages[5] = np.inf
    else:
        spoilt.data["player_logp"] = batch.data["player_logp"].copy()
        spoilt.data["player_logp"][5] = -np.inf
    before = agent.state()
    optimizers = make_optimizers(agent, CONFIG)
    with np.errstate(all="ignore"), pytest.raises(TrainingError, match="loss"):
        ppo_update(agent, optimizers, spoilt, CONFIG, np.random.default_rng(0))
    after = agent.state()
    assert all((before[name] == after[name]).all() for name in before)
    assert all(parameter.grad is None for module in agent.networks.values() for parameter in module.parameters())


def test_the_same_generator_gives_the_same_weights(one_round, batch):
    digests = []
    for _ in range(2):
        agent = one_round.agents[0].copy()
        ppo_update(agent, make_optimizers(agent, CONFIG), batch, CONFIG, np.random.default_rng(4))
        digests.append({name: agent.digest(name) for name in agent.networks})
    assert digests[0] == digests[1]
    assert isinstance(one_round.agents[0], Agent)
