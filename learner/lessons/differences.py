"""Gradients by finite differences: change one number a little, run the model again, see how far the loss moved."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from learner.autodiff.table import Array

EPS = 1e-6
"""In float64 the curvature's error, EPS², and rounding's, 10⁻¹⁶/EPS, are about in balance."""


def central_differences(loss: Callable[[], float], values: Array, eps: float = EPS) -> Array:
    """dloss/dvalues, from two calls of ``loss`` for each element. float64.

    ``loss`` reads ``values``, which are changed in place one after the other and put back.
    """
    slopes = np.zeros(values.shape)
    for place in np.ndindex(values.shape):
        kept = values[place]
        values[place] = kept + eps
        above = loss()
        values[place] = kept - eps
        slopes[place] = (above - loss()) / (2.0 * eps)
        values[place] = kept
    return slopes
