"""What every way of learning has to answer: in which direction the weights shall go, and what was kept for that."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

import learner.autodiff as torch
from learner import optim
from learner.autodiff import Tensor
from learner.autodiff.table import Array
from learner.byhand.network import SoftmaxCrossEntropy
from learner.compare.glyphs import CLASSES, PIXELS

SIZES = (PIXELS + CLASSES, 32, 32, 32, CLASSES)
"""Units by layer, the same for all. Ten inputs more than pixels: Forward-Forward writes a label there, for all others
they are 0."""


@dataclass(frozen=True)
class Step:
    """Where to go: arrays like the weights, to be subtracted; and the bytes that had to be kept to know it.

    Kept is what was computed in the forward pass and needed later, and what a method has besides the weights (feedback
    weights, inverses, disturbances); not the weights, the batch, the optimizer's state or the direction itself.
    """

    direction: list[Array]
    kept: int


class Method:
    """A network of fixed shapes and a way to train it.

    weights: W₁, b₁, W₂, b₂, …; W (outputs, inputs), float32. Subclasses give ``direction``; those whose network isn't
    a plain one of tanh units give ``logits`` and ``predict`` too.
    """

    name: ClassVar[str]
    paper: ClassVar[str]
    lr: ClassVar[float]
    share: ClassVar[float] = 1.0
    """How many of the race's steps the method makes; less than all only for what would take hours."""

    def __init__(self, sizes: Sequence[int], rng: np.random.Generator) -> None:
        self.weights: list[Tensor] = []
        for inputs, outputs in itertools.pairwise(sizes):
            bound = np.sqrt(6.0 / (inputs + outputs))  # Glorot and Bengio 2010
            self.weights += [parameter(rng.uniform(-bound, bound, (outputs, inputs))), parameter(np.zeros(outputs))]

    def optimizer(self) -> optim.Optimizer:
        """What turns directions into steps: Adam, unless the method is a rule for steps itself."""
        return optim.Adam(self.weights, lr=self.lr)

    def direction(self, x: Array, classes: Array, rng: np.random.Generator) -> Step:
        """What to subtract, for a batch (batch, inputs) and its classes. Changes nothing but ``rng``."""
        raise NotImplementedError(f"{type(self).__name__} must say in which direction")

    def adapt(self, x: Array, rng: np.random.Generator) -> None:
        """Train what the method has besides the weights, once a step."""

    def logits(self, x: Tensor, weights: Sequence[Tensor]) -> Tensor:
        """The network with smooth units; its cross-entropy's gradient is the true one."""
        for W, b in zip(weights[:-2:2], weights[1:-2:2], strict=True):
            x = torch.tanh(torch.linear(x, W, b))
        return torch.linear(x, weights[-2], weights[-1])

    def predict(self, x: Array, rng: np.random.Generator) -> Array:
        """Classes (batch,)."""
        with torch.no_grad():
            return np.asarray(self.logits(torch.tensor(x), self.weights).array.argmax(1))

    def true_gradient(self, x: Array, classes: Array) -> list[Array]:
        """Of the mean cross-entropy, by backpropagation through ``logits``."""
        slopes = torch.grad(torch.cross_entropy(self.logits(torch.tensor(x), self.weights), torch.tensor(classes)),
                            self.weights, allow_unused=True)
        return [np.zeros(w.shape) if g is None else g.array for g, w in zip(slopes, self.weights, strict=True)]


def parameter(values: Array) -> Tensor:
    """A float32 leaf that an optimizer may move."""
    return torch.tensor(np.asarray(values, np.float32), requires_grad=True)


def activations(x: Array, weights: Sequence[Array]) -> list[Array]:
    """Input, hidden values and logits of a network of tanh units, on arrays."""
    found = [x]
    for W, b in zip(weights[:-2:2], weights[1:-2:2], strict=True):
        found.append(np.tanh(found[-1] @ W.T + b))
    return [*found, found[-1] @ weights[-2].T + weights[-1]]


def loss_of(x: Array, classes: Array, weights: Sequence[Array]) -> float:
    """The mean cross-entropy of a network of tanh units."""
    return SoftmaxCrossEntropy().forward(activations(x, weights)[-1], classes)


def output_error(logits: Array, classes: Array) -> Array:
    """d(mean cross-entropy)/dlogits: (p − onehot) / batch."""
    loss = SoftmaxCrossEntropy()
    loss.forward(logits, classes)
    return loss.backward()


def flat(arrays: Sequence[Array]) -> Array:
    """All numbers in a row, float64."""
    return np.concatenate([array.ravel().astype(np.float64) for array in arrays])


def cosine(a: Array, b: Array) -> float:
    """Of the angle between two flat vectors; 0 where one of them is 0."""
    lengths = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / lengths if lengths > 0.0 else 0.0


def nbytes(*arrays: Array) -> int:
    """Of all of them together."""
    return sum(array.nbytes for array in arrays)
