"""Matrix products, of all nine kinds of operands, and the linear layer's fused product."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from learner.autodiff.modes import modes
from learner.autodiff.ops.shaping import as_tensor, reshape
from learner.autodiff.table import Array, op

if TYPE_CHECKING:
    from learner.autodiff.tensor import Tensor

STEADY_ROWS = 8
"""Rows of a product at a time inside `steady_rows`: one tile, in which all rows are treated alike."""


def steady_matmul(x: Array, y: Array, out: Any = None) -> Any:
    """x @ y; inside `steady_rows` a 2-D x goes through BLAS a tile of rows at a time."""
    if not modes.steady or x.ndim != 2 or y.ndim != 2:
        return np.matmul(x, y, out=out)
    rows, inner = x.shape
    whole = -(-rows // STEADY_ROWS) * STEADY_ROWS
    if whole != rows:
        x = np.concatenate([x, np.zeros((whole - rows, inner), x.dtype)])
    product = np.matmul(np.ascontiguousarray(x).reshape(-1, STEADY_ROWS, inner), y).reshape(whole, -1)[:rows]
    if out is None:
        return product
    out[...] = product
    return out


_matmul = op(
    "matmul",
    steady_matmul,
    lambda g, y: g @ y.mT,
    lambda g, x: x.mT @ g,
    hint="the last axis of the first operand must equal the last but one of the second; transpose one with .mT?",
)


def matmul(x: Tensor, y: Tensor) -> Tensor:
    """x @ y as in NumPy and PyTorch: either may be 1-D, 2-D, or batched with leading axes that broadcast."""
    x, y = as_tensor(x), as_tensor(y)
    if x.ndim == 0 or y.ndim == 0:
        raise ValueError(f"matmul{x.shape, y.shape}: operands need at least one axis; multiply by a number with *")
    if x.ndim == 1:
        row = matmul(reshape(x, (1, -1)), y)
        return reshape(row, row.shape[:-1] if y.ndim == 1 else row.shape[:-2] + row.shape[-1:])
    if y.ndim == 1:
        column = matmul(x, reshape(y, (-1, 1)))
        return reshape(column, column.shape[:-1])
    if x.ndim > 2 and y.ndim == 2 and x.shape[-1] == y.shape[0]:
        # one large product in place of many small ones, and no per-batch gradients of y to be summed afterwards
        flat = _matmul(reshape(x, (_size(x.shape[:-1]), x.shape[-1])), y)
        return reshape(flat, x.shape[:-1] + y.shape[1:])
    return _matmul(x, y)


def _size(shape: tuple[int, ...]) -> int:
    size = 1
    for n in shape:
        size *= n
    return size


def _linear(x: Array, w: Array, b: Array, out: Any = None) -> Any:
    out = steady_matmul(x, w.mT, out=out)
    out += b
    return out


_linear_row = op(
    "linear",
    _linear,
    lambda g, y: g @ y,
    lambda g, x: g.mT @ x,
    lambda g: g,
    reference=lambda f, x, w, b: f.matmul(x, f.transpose(w, dim0=-2, dim1=-1)) + b,
    hint="linear(x, weight, bias): x is (..., in_features), weight (out_features, in_features), bias (out_features,)",
)


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x @ weight.T + bias, for x (..., in_features), weight (out_features, in_features), bias (out_features,)."""
    if bias is None:
        return matmul(x, weight.mT)
    if x.ndim != 2 and x.ndim and x.shape[-1] == weight.shape[-1]:
        flat = _linear_row(reshape(x, (_size(x.shape[:-1]), x.shape[-1])), weight, bias)
        return reshape(flat, (*x.shape[:-1], weight.shape[0]))
    return _linear_row(x, weight, bias)


def dot(x: Tensor, y: Tensor) -> Tensor:
    """Inner product of two vectors of equal length."""
    return matmul(x, y)


def outer(x: Tensor, y: Tensor) -> Tensor:
    """Products of every element of x (n,) with every element of y (m,): (n, m)."""
    return reshape(x, (-1, 1)) * reshape(y, (1, -1))
