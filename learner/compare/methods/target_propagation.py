"""Difference target propagation: layers get targets instead of gradients, through inverses that are learned too."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from learner import optim
from learner.autodiff import Tensor
from learner.autodiff.table import Array
from learner.compare.method import Method, Step, activations, nbytes, output_error, parameter


class TargetPropagation(Method):
    """ĥ of the last hidden layer is a step down its gradient; below, ĥᵢ = hᵢ + g(ĥᵢ₊₁) − g(hᵢ₊₁).

    The difference corrects for an inverse g that isn't exact. Each layer moves towards its target, each inverse towards
    undoing its layer near where it stands: both losses reach over a single layer.
    """

    name = "target propagation"
    paper = "Lee, Zhang, Fischer and Bengio 2015, ECML PKDD (difference target propagation)"
    lr = 0.01
    reach = 0.5
    """How far the first target lies down the gradient of the summed loss with respect to the last hidden layer."""
    noise = 0.3
    """Standard deviation of the disturbances with which inverses are trained."""

    def __init__(self, sizes: Sequence[int], rng: np.random.Generator) -> None:
        super().__init__(sizes, rng)
        self.inverses: list[Tensor] = []
        for below, above in itertools.pairwise(sizes[1:-1]):
            bound = np.sqrt(6.0 / (below + above))
            self.inverses += [parameter(rng.uniform(-bound, bound, (below, above))), parameter(np.zeros(below))]
        self.inverse_optimizer = optim.Adam(self.inverses, lr=self.lr)

    def inverse(self, layer: int, above: Array) -> Array:
        """Hidden layer ``layer`` (from 0) as it must have been for the one above it to be ``above``."""
        V, c = self.inverses[2 * layer].array, self.inverses[2 * layer + 1].array
        return np.asarray(np.tanh(above @ V.T + c))

    def targets(self, values: Sequence[Array], error: Array) -> list[Array]:
        """For every hidden layer, from the top down, given in their own order."""
        hidden = values[1:-1]
        pull = len(error) * (error @ self.weights[-2].array)  # of each example's own loss, not of the mean
        found = [hidden[-1] - np.float32(self.reach) * pull]
        for layer in range(len(hidden) - 2, -1, -1):
            found.insert(0, hidden[layer] + self.inverse(layer, found[0]) - self.inverse(layer, hidden[layer + 1]))
        return found

    def direction(self, x: Array, classes: Array, rng: np.random.Generator) -> Step:
        """The gradient of ½|h − ĥ|² within each layer; kept are activations, targets and inverses."""
        values = activations(x, [w.array for w in self.weights])
        error = output_error(values[-1], classes)
        targets = self.targets(values, error)
        found: list[Array] = []
        for below, h, target in zip(values, values[1:-1], targets, strict=False):
            delta = (h - target) * (1.0 - h * h) / np.float32(len(x))
            found += [delta.T @ below, delta.sum(0)]
        found += [error.T @ values[-2], error.sum(0)]
        return Step(found, nbytes(*values[1:-1], error, *targets, *[v.array for v in self.inverses]))

    def adapt(self, x: Array, rng: np.random.Generator) -> None:
        """One step of every inverse on ½|g(f(h + ε)) − (h + ε)|², ε drawn anew."""
        weights = [w.array for w in self.weights]
        hidden = activations(x, weights)[1:-1]
        for layer in range(len(hidden) - 1):
            aim = hidden[layer] + rng.normal(0.0, self.noise, hidden[layer].shape).astype(np.float32)
            above = np.tanh(aim @ weights[2 * layer + 2].T + weights[2 * layer + 3])
            found = self.inverse(layer, above)
            delta = (found - aim) * (1.0 - found * found) / np.float32(len(x))
            self.inverses[2 * layer].grad = Tensor(delta.T @ above)
            self.inverses[2 * layer + 1].grad = Tensor(delta.sum(0))
        self.inverse_optimizer.step()
