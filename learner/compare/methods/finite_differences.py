"""Finite differences: move one weight at a time, and run the network twice for it."""

from __future__ import annotations

import numpy as np

from learner.autodiff.table import Array
from learner.compare.method import Method, Step, loss_of
from learner.lessons.differences import central_differences


class FiniteDifferences(Method):
    """(L(w + ε) − L(w − ε)) / 2ε for every weight: the gradient, almost to the last digit, at an absurd price."""

    name = "finite differences"
    paper = "central differences, a numerical method older than networks"
    lr = 0.03
    share = 0.01

    def direction(self, x: Array, classes: Array, rng: np.random.Generator) -> Step:
        """Two forward passes a weight, in float64; kept is one number."""
        weights = [w.array.astype(np.float64) for w in self.weights]
        wide = x.astype(np.float64)
        found = [central_differences(lambda: loss_of(wide, classes, weights), array) for array in weights]
        return Step([slopes.astype(np.float32) for slopes in found], np.dtype(np.float64).itemsize)
