"""Gradients by finite differences: change one number a little, run the model again, see how far the loss moved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from learner.autodiff.table import Array

EPS = 1e-6
"""In float64 the curvature's error, EPS², and rounding's, 10⁻¹⁶/EPS, are about in balance."""


def central_differences(loss: Callable[[], float], values: Array, eps: float = EPS) -> Array:
    """dloss/dvalues, from two calls of ``loss`` for each element. float64.

    ``loss`` reads ``values``, which are changed in place one after the other and put back.
    """
    places = list(np.ndindex(values.shape))
    return slopes_at(loss, values, places, eps).reshape(values.shape)


def slopes_at(loss: Callable[[], float], values: Array, places: Sequence[Any] | Array, eps: float = EPS) -> Array:
    """The same for the elements at these indices alone, in their order: float64 ``(len(places),)``."""
    slopes = np.zeros(len(places))
    for n, place in enumerate(places):
        kept = values[place]
        values[place] = kept + eps
        above = loss()
        values[place] = kept - eps
        slopes[n] = (above - loss()) / (2.0 * eps)
        values[place] = kept
    return slopes
