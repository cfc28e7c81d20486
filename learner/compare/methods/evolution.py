"""Evolution strategies: disturb all weights at once, see which way the loss goes, and lean that way."""

from __future__ import annotations

import numpy as np

from learner.autodiff.table import Array
from learner.compare.method import Method, Step, flat, loss_of


class EvolutionStrategies(Method):
    """g ≈ mean over ε of (L(θ + σε) − L(θ − σε)) / 2σ · ε, ε from a standard normal.

    Both signs of each ε are tried (antithetic), which cancels the loss itself and its curvature. In d dimensions n
    pairs see n directions: the cosine to the gradient is about √(n / (n + d)).
    """

    name = "evolution strategies"
    paper = "Salimans et al. 2017, arXiv:1703.03864; Rechenberg 1973"
    lr = 0.01
    pairs = 32
    sigma = 0.02

    def direction(self, x: Array, classes: Array, rng: np.random.Generator) -> Step:
        """2 · pairs forward passes; kept is one disturbance at a time."""
        weights = [w.array for w in self.weights]
        here = flat(weights).astype(np.float32)
        total = np.zeros_like(here)
        for _ in range(self.pairs):
            noise = rng.standard_normal(here.size, np.float32)
            up = loss_of(x, classes, shaped(here + np.float32(self.sigma) * noise, weights))
            down = loss_of(x, classes, shaped(here - np.float32(self.sigma) * noise, weights))
            total += np.float32((up - down) / (2.0 * self.sigma * self.pairs)) * noise
        return Step(shaped(total, weights), here.nbytes)


def shaped(row: Array, like: list[Array]) -> list[Array]:
    """A flat row cut into arrays of the given ones' shapes."""
    ends = np.cumsum([array.size for array in like])[:-1]
    return [part.reshape(array.shape) for part, array in zip(np.split(row, ends), like, strict=True)]
