"""The card's gradient against computations that share nothing with the autodiff engine."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from learner.agent import Agent
from learner.ledger.updates import GradientSource, Lesson, card_gradient
from learner.policies.features import aim_mask, encode_actor

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def agent(cards):
    """Networks whose damage prediction isn't zero any more, so that the trunk gets a gradient."""
    agent = Agent(21, cards)
    generator = np.random.default_rng(0)
    for policy in agent.models.values():
        state = policy.state_dict()
        for name in state:
            if name.startswith("damage"):
                state[name] = generator.normal(0, 0.1, state[name].shape).astype(np.float32)
        policy.load_state_dict(state)
    return agent


def pick(requests, kind, family):
    """A real request of the kind wanted, moved to the family wanted (whose network takes any observation)."""
    fits = {"attacked": lambda q: q.target >= 0,
            "didn't attack": lambda q: q.target < 0 and q.damage > 0,
            "fine-tuned unhurt": lambda q: q.damage == 0 and q.cause == "fine-tuning"}[kind]
    return replace(next(q for q in requests if fits(q)), family=family)


def inputs_of(agent, request):
    """The network's input, float64, and the targets whose prediction counts."""
    rows, slots = request.observation[None], np.array([request.slot])
    tokens = agent.encoder.encode(rows).tokens
    x = np.concatenate([tokens, encode_actor(rows, slots)], axis=2).reshape(-1).astype(np.float64)
    legal = np.flatnonzero(aim_mask(rows, slots)[0]).tolist()
    assert legal
    return x, [request.target] if request.target >= 0 else legal


def loss_of(weights, x, targets, damage):
    """½(prediction − damage)² in float64, by hand; a network without hidden layers is the perceptron."""
    h = x
    for layer in ("hidden1", "hidden2"):
        if f"{layer}.weight" in weights:
            h = np.maximum(weights[f"{layer}.weight"] @ h + weights[f"{layer}.bias"], 0)
    predicted = weights["damage.weight"] @ h + weights["damage.bias"]
    prediction = sum(predicted[t] for t in targets) / len(targets)
    return prediction, 0.5 * (prediction - damage) ** 2


@pytest.mark.parametrize("family", ["perceptron", "mlp"])
@pytest.mark.parametrize("kind", ["attacked", "didn't attack", "fine-tuned unhurt"])
def test_against_finite_differences(agent, one_round, kind, family):
    request = pick(one_round.requests, kind, family)
    policy = agent.models[family]
    found = card_gradient(policy, agent.encoder, Lesson.of(request, policy))
    weights = {name: array.astype(np.float64) for name, array in policy.state_dict().items()}
    x, targets = inputs_of(agent, request)
    if kind == "attacked":
        assert targets == [request.target]
    prediction, loss = loss_of(weights, x, targets, request.damage)
    assert found.prediction == pytest.approx(prediction, rel=1e-4, abs=1e-5)
    assert found.loss == pytest.approx(loss, rel=1e-4, abs=1e-5)
    generator, squares = np.random.default_rng(1), 0.0
    for name, array in weights.items():
        if name.startswith("scores"):
            assert name not in found.arrays or not found.arrays[name].any()
            continue
        flat = array.reshape(-1)
        gradient = found.arrays[name].reshape(-1)
        squares += float((gradient.astype(np.float64) ** 2).sum())
        places = {*generator.integers(flat.size, size=25).tolist(), int(np.abs(gradient).argmax())}
        for place in places:
            kept, step = flat[place], 1e-6
            flat[place] = kept + step
            above = loss_of(weights, x, targets, request.damage)[1]
            flat[place] = kept - step
            below = loss_of(weights, x, targets, request.damage)[1]
            flat[place] = kept
            assert gradient[place] == pytest.approx((above - below) / (2 * step), rel=2e-3, abs=1e-5), (name, place)
    assert found.norm == pytest.approx(np.sqrt(squares), rel=1e-6)
    assert found.outcome == "learned"


@pytest.mark.oracle
@pytest.mark.parametrize("kind", ["attacked", "didn't attack", "fine-tuned unhurt"])
def test_against_pytorch(agent, one_round, kind):
    torch = pytest.importorskip("torch")
    request = pick(one_round.requests, kind, "mlp")
    policy = agent.models["mlp"]
    found = card_gradient(policy, agent.encoder, Lesson.of(request, policy))
    weights = {name: torch.tensor(array, requires_grad=True) for name, array in policy.state_dict().items()}
    x, targets = inputs_of(agent, request)
    h = torch.tensor(x, dtype=torch.float32)
    for layer in ("hidden1", "hidden2"):
        h = torch.relu(weights[f"{layer}.weight"] @ h + weights[f"{layer}.bias"])
    prediction = (weights["damage.weight"] @ h + weights["damage.bias"])[targets].mean()
    (0.5 * (prediction - request.damage) ** 2).backward()
    for name, array in found.arrays.items():
        np.testing.assert_allclose(array, weights[name].grad.numpy(), rtol=1e-4, atol=1e-6, err_msg=name)
    assert {name for name in weights if weights[name].grad is not None} <= set(found.arrays)


def distinct(requests):
    """One request of each match."""
    return list({request.number: request for request in requests}.values())


PROGRAM = """
import sys
import numpy as np
from learner.agent import Agent
from learner.autodiff.kernels import COMPILED
from learner.ledger.updates import Lesson, card_gradient
data = np.load(sys.argv[1])
agent = Agent(21)
found = []
for family, policy in agent.models.items():
    state = policy.state_dict()
    generator = np.random.default_rng(7)
    policy.load_state_dict({name: generator.normal(0, 0.1, array.shape).astype(np.float32)
                            for name, array in state.items()})
    for row, slot, target, damage in zip(data["rows"], *data["facts"].T.tolist(), strict=True):
        found.append(card_gradient(
            agent.models[family], agent.encoder, Lesson(row, tuple(data["rows"][:2]), slot, target, damage)).digest)
print(int(COMPILED), *found)
"""


def test_same_bits_with_and_without_numba_and_at_any_thread_number(one_round, tmp_path):
    chosen = distinct(one_round.requests)[:6]
    np.savez(tmp_path / "cases.npz", rows=np.stack([q.observation for q in chosen]),
             facts=np.array([(q.slot, q.target, q.damage) for q in chosen]))
    found = {}
    for numba, threads in (("1", "1"), ("0", "1"), ("0", "2")):
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "LEARNER_NUMBA": numba, "OPENBLAS_NUM_THREADS": threads}
        done = subprocess.run([sys.executable, "-c", PROGRAM, str(tmp_path / "cases.npz")], capture_output=True,
                              text=True, check=True, env=environment)
        compiled, *digests = done.stdout.split()
        assert compiled == numba
        assert len(set(digests)) == len(digests) == 30
        found[numba, threads] = digests
    assert len(set(map(tuple, found.values()))) == 1


def test_same_bits_whichever_other_updates_wait(agent, one_round):
    requests = one_round.requests[:20]

    def digests(order):
        source = GradientSource(agent, "me")
        return {number: source.update(requests[number]).gradient for number in order}

    forward = digests(range(20))
    assert digests(reversed(range(20))) == forward
    assert {number: digests([number])[number] for number in (0, 7, 19)} == {n: forward[n] for n in (0, 7, 19)}
    assert len(set(forward.values())) > 10
