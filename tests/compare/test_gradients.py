"""Methods that find or estimate the gradient: how near they come to it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import learner.autodiff as torch
from learner.compare.method import Method, cosine, flat, loss_of
from learner.compare.methods import METHODS
from learner.compare.methods.backpropagation import Backpropagation
from learner.compare.methods.evolution import EvolutionStrategies
from learner.compare.methods.finite_differences import FiniteDifferences
from learner.compare.methods.forward_forward import ForwardForward
from learner.compare.methods.reinforce import Reinforce, advantages, chance
from learner.compare.methods.straight_through import StraightThrough
from learner.lessons.differences import central_differences
from tests.compare.conftest import SIZES


def test_the_true_gradient_is_that_of_the_loss(batch, rng):
    method = Method(SIZES, rng)
    weights = [w.array.astype(np.float64) for w in method.weights]
    x = batch[0].astype(np.float64)
    slopes = [central_differences(lambda: loss_of(x, batch[1], weights), w) for w in weights]
    np.testing.assert_allclose(flat(method.true_gradient(*batch)), flat(slopes), atol=1e-6)


@pytest.mark.parametrize("kind", [Backpropagation, FiniteDifferences])
def test_exact_methods_are_exact(batch, rng, kind):
    method = kind(SIZES, rng)
    found = method.direction(*batch, rng)
    np.testing.assert_allclose(flat(found.direction), flat(method.true_gradient(*batch)), atol=1e-6)


def test_evolution_sees_more_with_more_pairs(batch, rng):
    method = EvolutionStrategies(SIZES, rng)
    true = flat(method.true_gradient(*batch))
    seen = []
    for pairs in (4, 64, 1024, 4096):
        method.pairs = pairs
        seen.append(cosine(flat(method.direction(*batch, rng).direction), true))
        assert seen[-1] == pytest.approx(np.sqrt(pairs / (pairs + len(true))), abs=0.2)
    assert seen == sorted(seen)
    assert seen[-1] > 0.98


def test_reinforce_is_right_on_average(rng):
    """Against the gradient of the expected cost, summed over every possible toss of the hidden coins."""
    sizes = (3, 2, 2, 3)
    x, classes = rng.standard_normal((4, 3)), rng.integers(0, 3, 4)
    method = Reinforce(sizes, rng)
    weights = [w.array.astype(np.float64) for w in method.weights]

    def expected() -> float:
        W1, b1, W2, b2, W3, b3 = weights
        total = 0.0
        for first, second in itertools.product(itertools.product((-1, 1), repeat=2), repeat=2):
            h1, h2 = np.tile(first, (4, 1)), np.tile(second, (4, 1))
            up1, up2 = chance(x @ W1.T + b1), chance(h1 @ W2.T + b2)
            p = np.where(h1 > 0, up1, 1 - up1).prod(1) * np.where(h2 > 0, up2, 1 - up2).prod(1)
            logits = h2 @ W3.T + b3
            total += float((p * (np.log(np.exp(logits).sum(1)) - logits[np.arange(4), classes])).mean())
        return total

    true = flat([central_differences(expected, w) for w in weights])
    draws = np.stack([flat(method.direction(x.astype(np.float32), classes, rng).direction) for _ in range(4000)])
    error = draws.std(0) / np.sqrt(len(draws))
    assert (np.abs(draws.mean(0) - true) < 5 * error + 1e-6).all()
    assert cosine(draws.mean(0), true) > 0.99


def test_a_baseline_is_the_mean_of_the_other_tries():
    cost = np.array([[1.0, 5.0], [2.0, 5.0], [6.0, 5.0]])
    assert advantages(cost).tolist() == [[-3.0, 0.0], [-1.5, 0.0], [4.5, 0.0]]


def test_straight_through_is_binary_ahead_and_clipped_back(batch, rng):
    method = StraightThrough((6, 5, 3), rng)
    x, classes = batch
    W, b, V, c = (w.array for w in method.weights)
    z = x @ W.T + b
    h = np.where(z > 0, 1.0, -1.0)
    logits = method.binary_logits(torch.tensor(x)).array
    np.testing.assert_allclose(logits, h @ V.T + c, rtol=1e-5, atol=1e-5)
    e = np.exp(logits - logits.max(1, keepdims=True))
    error = (e / e.sum(1, keepdims=True) - np.eye(3)[classes]) / len(x)
    delta = error @ V * (np.abs(z) <= 1.0)
    found = method.direction(x, classes, rng).direction
    np.testing.assert_allclose(found[0], delta.T @ x, atol=1e-5)
    np.testing.assert_allclose(found[2], error.T @ h, atol=1e-5)


@pytest.mark.parametrize("kind", [kind for kind in METHODS if kind is not ForwardForward], ids=lambda kind: kind.name)
def test_directions_repeat_change_nothing_and_fit_the_weights(batch, kind):
    method = kind(SIZES, np.random.default_rng(1))
    before = [w.array.copy() for w in method.weights]
    steps = [method.direction(*batch, np.random.default_rng(2)) for _ in range(2)]
    assert np.array_equal(flat(steps[0].direction), flat(steps[1].direction))
    assert [d.shape for d in steps[0].direction] == [w.shape for w in method.weights]
    assert all(np.array_equal(w.array, old) for w, old in zip(method.weights, before, strict=True))
    assert steps[0].kept > 0
