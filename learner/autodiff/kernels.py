"""Compiled loops for where NumPy makes many passes over memory. Without numba each has a NumPy form with equal results.

Nothing is compiled with fastmath: NaN and infinity must be seen, and both forms must round alike.
"""

from __future__ import annotations

import math
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


@compiled
def _sum_between(x: Array, out: Array) -> None:
    for a in range(x.shape[0]):
        for j in range(x.shape[2]):
            out[a, j] = 0  # as NumPy begins, so that minus zeros alone add up to plus zero
        for i in range(x.shape[1]):
            for j in range(x.shape[2]):
                out[a, j] += x[a, i, j]


def sum_between(x: Array, first: int, last: int, out: Array) -> Array | None:
    """The sum of a contiguous x over its axes first..last - 1, none of them its last axis, into `out`.

    NumPy adds in the same order, one row after the other, but takes four times as long. None where the compiled loop
    does not apply: without numba, and where what is left behind the axes is a single number, which NumPy adds in pairs.
    """
    before, count, after = (math.prod(part) for part in (x.shape[:first], x.shape[first:last], x.shape[last:]))
    if _sum_between is None or after < 2 or not out.flags.c_contiguous:
        return None
    _sum_between(x.reshape(before, count, after), out.reshape(before, after))
    return out


@compiled
def _lstm_gates(a: Array, squashed: Array, before: Array, after: Array) -> None:
    half = a.dtype.type(0.5)
    width = before.shape[1]
    for row in range(before.shape[0]):
        for j in range(width):
            i = half * squashed[row, j] + half
            f = half * squashed[row, width + j] + half
            g = squashed[row, 2 * width + j]
            a[row, j] = i
            a[row, width + j] = f
            a[row, 2 * width + j] = g
            a[row, 3 * width + j] = half * squashed[row, 3 * width + j] + half
            after[row, j] = f * before[row, j] + i * g


def lstm_gates(a: Array, before: Array, after: Array) -> None:
    """Turn pre-activations a (B, 4H), in place, into the gates i, f, g, o, and the cells `before` (B, H) into `after`.

    sigmoid(x) = tanh(x/2)/2 + 1/2, so one tanh, which NumPy vectorises, serves all four gates.
    """
    half, width = a.dtype.type(0.5), before.shape[1]
    a[:, : 2 * width] *= half
    a[:, 3 * width :] *= half
    squashed = np.tanh(a)
    if _lstm_gates is not None:
        _lstm_gates(a, squashed, before, after)
        return
    np.multiply(squashed, half, out=a)
    a += half
    a[:, 2 * width : 3 * width] = squashed[:, 2 * width : 3 * width]
    after[...] = a[:, width : 2 * width] * before + a[:, :width] * a[:, 2 * width : 3 * width]


@compiled
def _lstm_gates_backward(gates: Array, before: Array, squashed: Array, dh: Array, dc: Array, da: Array) -> None:
    one = gates.dtype.type(1)
    width = before.shape[1]
    for row in range(before.shape[0]):
        for j in range(width):
            i, f = gates[row, j], gates[row, width + j]
            g, o = gates[row, 2 * width + j], gates[row, 3 * width + j]
            s = squashed[row, j]
            d = dc[row, j] + dh[row, j] * o * (one - s * s)
            da[row, j] = d * g * (i * (one - i))
            da[row, width + j] = d * before[row, j] * (f * (one - f))
            da[row, 2 * width + j] = d * i * (one - g * g)
            da[row, 3 * width + j] = dh[row, j] * s * (o * (one - o))
            dc[row, j] = d * f


def lstm_gates_backward(gates: Array, before: Array, squashed: Array, dh: Array, dc: Array, da: Array) -> None:
    """One step of back-propagation through time: da (B, 4H), the pre-activations' gradient, is written, and dc (B, H),
    the cells' gradient, becomes that of the cells before."""
    if _lstm_gates_backward is not None:
        _lstm_gates_backward(gates, before, squashed, dh, dc, da)
        return
    i, f, g, o = np.split(gates, 4, axis=1)
    dc += dh * o * (1 - squashed * squashed)
    np.concatenate([dc * g * (i * (1 - i)), dc * before * (f * (1 - f)), dc * i * (1 - g * g),
                    dh * squashed * (o * (1 - o))], axis=1, out=da)  # fmt: skip
    dc *= f
