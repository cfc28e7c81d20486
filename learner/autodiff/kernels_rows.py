"""Compiled loops over rows: cross-entropy, softmax, layer normalisation, GELU. Each has a NumPy form beside it.

exp stays in NumPy, whose vectorised one beats a compiled loop's, so these come in halves with the exponential between
them. Sums inside a row run in order, means and variances in float64.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from learner.autodiff.kernels import compiled
from learner.autodiff.table import Array

# --- softmax along the last axis of (rows, width)


@compiled
def _shift(x: Array, out: Array) -> None:
    for i in range(x.shape[0]):
        peak = x[i, 0]
        for j in range(1, x.shape[1]):
            peak = x[i, j] if x[i, j] > peak or x[i, j] != x[i, j] else peak
        for j in range(x.shape[1]):
            out[i, j] = x[i, j] - peak


@compiled
def _normalise(e: Array) -> None:
    for i in range(e.shape[0]):
        total = e[i, 0]
        for j in range(1, e.shape[1]):
            total += e[i, j]
        factor = e.dtype.type(1) / total
        for j in range(e.shape[1]):
            e[i, j] *= factor


@compiled
def _softmax_backward(g: Array, o: Array, out: Array) -> None:
    for i in range(g.shape[0]):
        total = g[i, 0] * o[i, 0]
        for j in range(1, g.shape[1]):
            total += g[i, j] * o[i, j]
        for j in range(g.shape[1]):
            out[i, j] = o[i, j] * (g[i, j] - total)


def shift(x: Array, out: Array | None) -> Array:
    """x minus the maximum of its row, for x of two or more axes, rows along the last."""
    if _shift is None or not x.flags.c_contiguous or not x.size:
        with np.errstate(over="ignore", invalid="ignore"):
            result: Array = np.subtract(x, np.max(x, axis=-1, keepdims=True), out=out)
            return result
    out = np.empty_like(x) if out is None else out
    _shift(x.reshape(-1, x.shape[-1]), out.reshape(-1, x.shape[-1]))
    return out


def softmax(x: Array, out: Array | None = None) -> Array:
    """e^x / sum(e^x) along the last axis."""
    out = shift(x, out)
    np.exp(out, out=out)
    if _normalise is None or not out.flags.c_contiguous or not x.size:
        out /= np.add.reduce(out, axis=-1, keepdims=True)
    else:
        _normalise(out.reshape(-1, x.shape[-1]))
    return out


def softmax_backward(g: Array, o: Array, out: Any = None) -> Array:
    """o (g - sum(g o)) along the last axis."""
    if _softmax_backward is None or not (g.flags.c_contiguous and o.flags.c_contiguous) or not g.size:
        result: Array = np.multiply(o, g - np.add.reduce(g * o, axis=-1, keepdims=True), out=out)
        return result
    out = np.empty_like(g) if out is None else out
    width = g.shape[-1]
    _softmax_backward(g.reshape(-1, width), o.reshape(-1, width), out.reshape(-1, width))
    made: Array = out
    return made


# --- mean cross-entropy of class indices


@compiled
def _cross_entropy(shifted: Array, p: Array, target: Array, ignore_index: int) -> float:
    """p holds e^shifted and becomes the gradient. Returns the mean loss, or -1 - row for a row with a wrong target."""
    rows, classes = p.shape
    count = 0
    for i in range(rows):
        if target[i] != ignore_index:
            if target[i] < 0 or target[i] >= classes:
                return -1.0 - i
            count += 1
    loss = 0.0
    share = p.dtype.type(1.0 / max(count, 1))
    for i in range(rows):
        if target[i] == ignore_index:
            for j in range(classes):
                p[i, j] = 0
            continue
        total = p[i, 0]
        for j in range(1, classes):
            total += p[i, j]
        loss += math.log(total) - shifted[i, target[i]]
        factor = share / total
        for j in range(classes):
            p[i, j] *= factor
        p[i, target[i]] -= share
    return loss / count if count else np.nan


def cross_entropy(logits: Array, target: Array, ignore_index: int, out: Any = None) -> tuple[Array, Array] | None:
    """(mean loss, gradient), or None without numba. Raises ValueError where a target is no class."""
    if _cross_entropy is None or not logits.flags.c_contiguous or not logits.size:
        return None
    loss, p = out or (np.empty((), logits.dtype), None)
    shifted = shift(logits, None)
    p = np.exp(shifted, out=p)
    value = _cross_entropy(shifted, p, target, ignore_index)
    if value <= -1.0:
        wrong = target[int(-1.0 - value)]
        raise ValueError(f"target {wrong} is outside the classes 0..{logits.shape[1] - 1}")
    loss[...] = value
    return loss, p


# --- layer normalisation of (rows, width)


@compiled
def _layer_norm(x: Array, w: Array, b: Array, eps: float, out: Array, mean: Array, scale: Array) -> None:
    rows, width = x.shape
    for i in range(rows):
        total = 0.0
        for j in range(width):
            total += x[i, j]
        middle = total / width
        squares = 0.0
        for j in range(width):
            d = x[i, j] - middle
            squares += d * d
        factor = 1.0 / math.sqrt(squares / width + eps)
        mean[i, 0] = middle
        scale[i, 0] = factor
        for j in range(width):
            out[i, j] = (x[i, j] - middle) * factor * w[j] + b[j]


@compiled
def _layer_norm_backward(
    g: Array, x: Array, w: Array, mean: Array, scale: Array, dx: Array, dw: Array, db: Array
) -> None:
    rows, width = x.shape
    for i in range(rows):
        m, s = mean[i, 0], scale[i, 0]
        along_one = 0.0
        along_x = 0.0
        for j in range(width):
            n = (x[i, j] - m) * s
            d = g[i, j] * w[j]
            along_one += d
            along_x += d * n
            dw[j] += g[i, j] * n
            db[j] += g[i, j]
        along_one /= width
        along_x /= width
        for j in range(width):
            n = (x[i, j] - m) * s
            dx[i, j] = (g[i, j] * w[j] - along_one - n * along_x) * s


def layer_norm(x: Array, w: Array, b: Array, eps: float, out: Any = None) -> tuple[Array, Array, Array]:
    """(output, mean, 1 / sqrt(var + eps)) of x (rows, width)."""
    if out is None:
        out = np.empty(x.shape, x.dtype), np.empty((len(x), 1), x.dtype), np.empty((len(x), 1), x.dtype)
    result, mean, scale = out
    if _layer_norm is not None:
        _layer_norm(x, w, b, eps, result, mean, scale)
    else:
        middle = np.mean(x, axis=-1, keepdims=True, dtype=np.float64)
        centred = x - middle
        factor = 1.0 / np.sqrt(np.mean(centred * centred, axis=-1, keepdims=True) + eps)
        result[...], mean[...], scale[...] = centred * factor * w + b, middle, factor
    return result, mean, scale


def layer_norm_backward(
    g: Array, x: Array, w: Array, mean: Array, scale: Array, out: Any = None
) -> tuple[Array, Array, Array]:
    """Gradients of (x, weight, bias)."""
    if out is None:
        out = np.empty(x.shape, x.dtype), np.empty(w.shape, x.dtype), np.empty(w.shape, x.dtype)
    dx, dw, db = out
    if _layer_norm_backward is not None:
        sums = np.zeros((2, len(w)))
        _layer_norm_backward(g, x, w, mean, scale, dx, sums[0], sums[1])
        dw[...], db[...] = sums
    else:
        n, d = (x - mean) * scale, g * w
        dx[...] = (d - np.mean(d, -1, keepdims=True) - n * np.mean(d * n, -1, keepdims=True)) * scale
        dw[...], db[...] = np.sum(g * n, axis=0), np.sum(g, axis=0)
    return dx, dw, db


# --- GELU: x Phi(x), and its derivative Phi(x) + x phi(x) for backward

# erf(x) on [-4, 4] as an odd polynomial over an even one; within 3e-7, float32's own precision (Eigen's coefficients)
_P = (-2.72614225801306e-10, 2.77068142495902e-08, -2.10102402082508e-06, -5.69250639462346e-05,
      -7.34990630326855e-04, -2.95459980854025e-03, -1.60960333262415e-02)  # fmt: skip
_Q = (-1.45660718464996e-05, -2.13374055278905e-04, -1.68282697438203e-03, -7.37332916720468e-03,
      -1.42647390514189e-02)  # fmt: skip


@compiled
def _gelu32(x: Array, density: Array, out: Array, slope: Array, p: Array, q: Array) -> None:
    half, one, root, edge = np.float32(0.5), np.float32(1.0), np.float32(math.sqrt(0.5)), np.float32(4.0)
    for i in range(x.size):
        z = min(max(x[i] * root, -edge), edge)
        s = z * z
        above = ((((((p[0] * s + p[1]) * s + p[2]) * s + p[3]) * s + p[4]) * s + p[5]) * s + p[6]) * z
        below = (((q[0] * s + q[1]) * s + q[2]) * s + q[3]) * s + q[4]
        phi = half * (one + above / below)
        out[i] = x[i] * phi
        slope[i] = phi + x[i] * density[i]


def gelu32(x: Array, out: Any = None) -> tuple[Array, Array] | None:
    """(x Phi(x), its derivative) for a contiguous float32 x, or None where the compiled loop does not apply."""
    if _gelu32 is None or x.dtype != np.float32 or not x.flags.c_contiguous:
        return None
    result, slope = out or (np.empty_like(x), np.empty_like(x))
    density = np.multiply(x, x)
    density *= np.float32(-0.5)
    np.exp(density, out=density)
    density *= np.float32(1.0 / math.sqrt(2.0 * math.pi))
    p, q = np.array(_P, np.float32), np.array(_Q, np.float32)
    _gelu32(x.reshape(-1), density.reshape(-1), result.reshape(-1), slope.reshape(-1), p, q)
    return result, slope
