"""The ReLU's mask left out of a backward pass written by hand: training goes wrong, and a gradient check says so."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from learner import svg
from learner.autodiff.table import Array
from learner.byhand import Layer, Linear, MeanSquaredError, Network, ReLU
from learner.lessons.differences import central_differences
from learner.lessons.failing.dead import INPUTS, WIDTH, examples
from learner.lessons.lesson import Lesson, Picture, Table

RATE, STEPS = 0.05, 400
CHECKED = 32
"""Examples in the gradient check."""


class Forgetful(ReLU):
    """A ReLU whose backward pass lets everything through."""

    def backward(self, delta: Array) -> Array:
        return delta


def network(relu: type[ReLU], seed: int, dtype: type = np.float32) -> Network:
    """Two hidden layers; equal seeds give equal weights."""
    rng, sizes = np.random.default_rng(seed), [INPUTS, WIDTH, WIDTH, 1]
    layers: list[Layer] = []
    for inputs, outputs in pairwise(sizes):
        made = Linear.random(inputs, outputs, rng)
        layers += [Linear(made.weight.astype(dtype), made.bias.astype(dtype)), relu()]
    return Network(layers[:-1])


def train(relu: type[ReLU], seed: int, steps: int = STEPS) -> list[float]:
    """Half the mean squared error, step by step."""
    net, criterion, losses = network(relu, seed), MeanSquaredError(), []
    x, y = (t.numpy() for t in examples(seed))
    for _ in range(steps):
        losses.append(criterion.forward(net.forward(x), y))
        net.backward(criterion.backward())
        net.descend(RATE)
    return losses


def mismatches(relu: type[ReLU], seed: int) -> list[float]:
    """For each weight matrix, the input's first: the largest distance between backward and central differences, beside
    the largest difference quotient. In float64."""
    net, criterion = network(relu, seed, np.float64), MeanSquaredError()
    x, y = (t.numpy()[:CHECKED].astype(np.float64) for t in examples(seed))
    criterion.forward(net.forward(x), y)
    net.backward(criterion.backward())
    told = [(values, gradient.copy()) for values, gradient in net.parameters()[::2]]
    numeric = [central_differences(lambda: criterion.forward(net.forward(x), y), values) for values, _ in told]
    return [float(np.abs(slopes - gradient).max() / np.abs(slopes).max())
            for slopes, (_, gradient) in zip(numeric, told, strict=True)]


def run(seed: int) -> Lesson:
    """With the mask, and without it."""
    kinds = {"with the mask": ReLU, "mask forgotten": Forgetful}
    with np.errstate(all="ignore"):
        losses = {name: train(relu, seed) for name, relu in kinds.items()}
    apart = {name: mismatches(relu, seed) for name, relu in kinds.items()}
    ends = {name: found[-1] for name, found in losses.items()}
    return Lesson(
        [Table("A ReLU's backward pass by hand", ["backward", f"loss after {STEPS} steps",
               "gradient check, layer 1", "layer 2", "layer 3"],
               [[name, ends[name], *(f"{a:.1e}" for a in apart[name])] for name in kinds])],
        [Picture("mask", svg.picture([svg.lines("Training", {n: list(enumerate(found)) for n, found in losses.items()},
                                                "step", "loss", log_y=True)]))],
        [f"With the mask the loss is {ends['with the mask']:.3g} after {STEPS} steps, without it "
         f"{ends['mask forgotten']:.3g}. A gradient check finds it before any training: the first layer's gradient is "
         f"off by {apart['mask forgotten'][0]:.0%} of its largest element ({apart['with the mask'][0]:.0e} with the "
         f"mask), the last layer's, behind which there is no ReLU, by {apart['mask forgotten'][2]:.0e}."])
