"""Layers by hand: each against finite differences, and all together against the tape."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import learner.autodiff as ad
import learner.nn as nn
from learner import byhand

RNG = np.random.default_rng(0)

PAIRS: list[tuple[str, Any, Any]] = [
    ("ReLU", byhand.ReLU, nn.ReLU),
    ("LeakyReLU", lambda: byhand.LeakyReLU(0.1), lambda: nn.LeakyReLU(0.1)),
    ("GELU", byhand.GELU, nn.GELU),
    ("Tanh", byhand.Tanh, nn.Tanh),
    ("Sigmoid", byhand.Sigmoid, nn.Sigmoid),
    ("Linear", lambda: byhand.Linear(np.arange(8.0).reshape(2, 4) / 8.0, np.ones(2)), None),
]


@pytest.mark.parametrize(("name", "build", "other"), PAIRS, ids=[p[0] for p in PAIRS])
def test_each_layer_against_finite_differences(name: str, build: Any, other: Any) -> None:
    layer, x = build(), RNG.standard_normal((3, 4))
    weights = RNG.standard_normal(layer.forward(x).shape)

    def loss() -> float:
        return float(np.sum(layer.forward(x) * weights))

    loss()
    deltas = [layer.backward(weights), *(gradient.copy() for _, gradient in layer.parameters())]
    for array, gradient in zip([x, *(values for values, _ in layer.parameters())], deltas, strict=True):
        for index in np.ndindex(array.shape):
            before = array[index]
            array[index] = before + 1e-6
            up = loss()
            array[index] = before - 1e-6
            down = loss()
            array[index] = before
            np.testing.assert_allclose(gradient[index], (up - down) / 2e-6, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize(("name", "build", "other"), PAIRS[:5], ids=[p[0] for p in PAIRS[:5]])
@pytest.mark.parametrize("task", ["classes", "values"])
def test_a_network_by_hand_equals_the_tape(name: str, build: Any, other: Any, task: str) -> None:
    rng = np.random.default_rng(1)
    first, second = byhand.Linear.random(6, 9, rng), byhand.Linear.random(9, 4, rng)
    network = byhand.Network([first, build(), second])
    x = rng.standard_normal((8, 6)).astype(np.float32)
    model = nn.Sequential(nn.Linear(6, 9), other(), nn.Linear(9, 4))
    model.load_state_dict({"0.weight": first.weight, "0.bias": first.bias, "2.weight": second.weight,
                           "2.bias": second.bias})  # fmt: skip
    tracked = ad.tensor(x, requires_grad=True)
    if task == "classes":
        target = rng.integers(0, 4, 8)
        loss: Any = byhand.SoftmaxCrossEntropy()
        expected = ad.cross_entropy(model(tracked), target)
    else:
        target = rng.standard_normal((8, 4)).astype(np.float32)
        loss = byhand.MeanSquaredError()
        expected = 2.0 * ad.mse_loss(model(tracked), target)
    assert loss.forward(network.forward(x), target) == pytest.approx(expected.item(), abs=1e-6)
    delta = network.backward(loss.backward())
    expected.backward()
    assert tracked.grad is not None
    np.testing.assert_allclose(delta, tracked.grad.numpy(), atol=1e-6)
    for (_, gradient), parameter in zip(network.parameters(), model.parameters(), strict=True):
        assert gradient.dtype == np.float32
        assert parameter.grad is not None
        np.testing.assert_allclose(gradient, parameter.grad.numpy(), atol=1e-6)


def test_descent_by_hand_learns() -> None:
    rng = np.random.default_rng(2)
    network = byhand.Network([byhand.Linear.random(2, 16, rng), byhand.Tanh(), byhand.Linear.random(16, 2, rng)])
    x = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], np.float32)
    loss = byhand.SoftmaxCrossEntropy()
    for _ in range(500):
        loss.forward(network.forward(x), np.array([0, 1, 1, 0]))
        network.backward(loss.backward())
        network.descend(0.5)
    assert network.forward(x).argmax(1).tolist() == [0, 1, 1, 0]  # XOR, which no single layer can compute


def test_the_worked_example_of_three_logits() -> None:
    """z = (2.0, 1.0, 0.1), class 0: p = (0.659, 0.242, 0.099), loss 0.417, gradient p - onehot."""
    loss = byhand.SoftmaxCrossEntropy()
    value = loss.forward(np.array([[2.0, 1.0, 0.1]]), np.array([0]))
    assert value == pytest.approx(0.417, abs=5e-4)
    np.testing.assert_allclose(loss.backward(), [[-0.341, 0.242, 0.099]], atol=5e-4)
