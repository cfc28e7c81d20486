"""Hebbian learning: what fires together wires together, held in bounds by Oja's rule; only a readout sees labels."""

from __future__ import annotations

import numpy as np

from learner import optim
from learner.autodiff.table import Array
from learner.compare.method import Method, Step, activations, nbytes, output_error


class Hebbian(Method):
    """ΔW = y (x − Wᵀy)ᵀ with y = W (x − mean): the hidden layers find the directions in which their input varies most.

    That is the subspace of principal components, found without any error. Biases keep y centred. The readout is
    trained by the delta rule, which needs nothing but its own input and error.
    """

    name = "Hebbian (Oja)"
    paper = "Hebb 1949; Oja 1982, Journal of Mathematical Biology 15, 267–273, and 1989 (subspace rule)"
    lr = 0.2
    readout = 20.0
    """The delta rule's steps are this many times larger."""

    def optimizer(self) -> optim.Optimizer:
        """The rule says how far to go, so plain steps."""
        return optim.SGD(self.weights, lr=self.lr)

    def direction(self, x: Array, classes: Array, rng: np.random.Generator) -> Step:
        """Minus Oja's changes; a layer's input and output are kept, one layer at a time."""
        weights = [w.array for w in self.weights]
        values = activations(x, weights)
        found: list[Array] = []
        kept = 0
        for below, W, b in zip(values, weights[:-2:2], weights[1:-2:2], strict=False):
            mean = below.mean(0)
            centred = below - mean
            y = centred @ W.T
            found += [(y.T @ y @ W - y.T @ centred) / np.float32(len(x)), b + W @ mean]
            kept = max(kept, nbytes(centred, y))
        error = output_error(values[-1], classes) * np.float32(self.readout)
        found += [error.T @ values[-2], error.sum(0)]
        return Step(found, max(kept, nbytes(values[-2], error)))
