"""Compiled loops for where NumPy makes many passes over memory. Without numba each has a NumPy form with equal results.

Nothing is compiled with fastmath: NaN and infinity must be seen, and both forms must round alike.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from learner.autodiff.table import Array

_njit: Callable[..., Any] | None
try:
    if os.environ.get("LEARNER_NUMBA") == "0":
        raise ImportError("switched off by LEARNER_NUMBA=0")
    from numba import njit

    _njit = njit
except ImportError:
    _njit = None

COMPILED = _njit is not None
"""Whether numba is there. LEARNER_NUMBA=0 switches it off, which tests use."""


def compiled(loop: Callable[..., Any]) -> Callable[..., Any] | None:
    """The loop compiled at its first call and cached on disk, or None without numba."""
    if _njit is None:
        return None
    jitted: Callable[..., Any] = _njit(cache=True, error_model="numpy", nogil=True)(loop)
    return jitted


@compiled
def _add_rows(out: Array, index: Array, rows: Array) -> None:
    for i in range(index.size):
        row = index[i]
        for j in range(rows.shape[1]):
            out[row, j] += rows[i, j]


def add_rows(out: Array, index: Array, rows: Array) -> None:
    """out[index] += rows, adding every time where an index repeats. index: (...); rows: (...) + out.shape[1:]."""
    flat = index.reshape(-1)
    if _add_rows is None or out.ndim == 1:
        np.add.at(out, flat, rows.reshape((flat.size, *out.shape[1:])))
        return
    width = int(np.prod(out.shape[1:]))
    flat = np.where(flat < 0, flat + out.shape[0], flat)
    _add_rows(out.reshape(out.shape[0], width), flat, np.ascontiguousarray(rows).reshape(flat.size, width))
