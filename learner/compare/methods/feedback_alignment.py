"""Direct feedback alignment: the output's error goes to every layer at once, through fixed random weights."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from learner.autodiff.table import Array
from learner.compare.method import Method, Step, activations, nbytes, output_error


class DirectFeedbackAlignment(Method):
    """δᵢ = (Bᵢ e) ⊙ f′(zᵢ) with e the error of the logits and Bᵢ drawn once: no layer needs another one's weights.

    The weights come to fit the feedback ("alignment"), so the angle to the true gradient shrinks while it learns.
    """

    name = "direct feedback alignment"
    paper = "Nøkland 2016, NIPS; after Lillicrap et al. 2016, Nature Communications 7, 13276"
    lr = 0.01

    def __init__(self, sizes: Sequence[int], rng: np.random.Generator) -> None:
        super().__init__(sizes, rng)
        self.feedback = [rng.uniform(-1.0, 1.0, (sizes[-1], size)).astype(np.float32) / np.sqrt(np.float32(sizes[-1]))
                         for size in sizes[1:-1]]

    def direction(self, x: Array, classes: Array, rng: np.random.Generator) -> Step:
        """Local products of a layer's input and the error sent to it; kept are activations and feedback weights."""
        values = activations(x, [w.array for w in self.weights])
        error = output_error(values[-1], classes)
        found: list[Array] = []
        for below, h, B in zip(values, values[1:-1], self.feedback, strict=False):
            delta = (error @ B) * (1.0 - h * h)  # tanh′ = 1 − tanh²
            found += [delta.T @ below, delta.sum(0)]
        found += [error.T @ values[-2], error.sum(0)]
        return Step(found, nbytes(*values[1:-1], error, *self.feedback))
