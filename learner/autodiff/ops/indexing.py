"""Reading and writing by index: x[key] with every kind of key, gather, scatter, embedding, masked fill, sort.

An index that occurs twice adds both gradients. Index arrays are operands, so that a replayed step can change them;
slices, integers, None and ... are settings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from learner.autodiff import tape
from learner.autodiff.kernels import add_rows
from learner.autodiff.modes import modes
from learner.autodiff.ops.elementwise import cast, where
from learner.autodiff.ops.reductions import Extremes
from learner.autodiff.ops.shaping import as_tensor, narrow, unsqueeze
from learner.autodiff.table import Array, op

if TYPE_CHECKING:
    from learner.autodiff.tensor import Tensor


class Slot:
    """Stands in a key for the index array that is passed as an operand."""

    def __repr__(self) -> str:
        return "array"


SLOT = Slot()
Key = tuple[Any, ...]


def _key(key: Key, indices: tuple[Array, ...]) -> Key:
    arrays = iter(indices)
    return tuple(next(arrays) if part is SLOT else part for part in key)


def _put_add(g: Array, *indices: Array, key: Key, shape: tuple[int, ...]) -> Array:
    """Zeros of `shape` with g added at key, once for every time an element is named."""
    out = np.zeros(shape, g.dtype)
    if not indices:
        out[key] = g
    elif key == (SLOT,) and indices[0].dtype.kind in "iu":
        add_rows(out, indices[0], g)
    else:
        np.add.at(out, _key(key, indices), g)
    return out


_getitem = op(
    "getitem",
    lambda x, *indices, key: x[_key(key, indices)],
    joint=lambda f, g, xs, shapes, key: [f.put_add(g, *xs[1:], key=key, shape=shapes[0])] + [None] * (len(xs) - 1),
)
_view = op(
    "slice",
    lambda x, key: x[key],
    lambda f, g, shapes, key: f.put_add(g, key=key, shape=shapes[0]),
    view=True,
)
op(
    "put_add",
    _put_add,
    joint=lambda f, g, xs, key: (
        [f.getitem(g, *xs[1:], key=key) if xs[1:] else f.slice(g, key=key)] + [None] * (len(xs) - 1)
    ),
)


def getitem(x: Tensor, key: Any) -> Tensor:
    """x[key] as in NumPy: integers, slices, None, ..., integer arrays (repeats allowed) and boolean masks, mixed.

    Slices and integers give a view; arrays give a copy. Index arrays may be tensors, arrays or lists.
    """
    template: list[Any] = []
    indices: list[Any] = []
    for part in key if isinstance(key, tuple) else (key,):
        if isinstance(part, np.integer):
            part = int(part)
        if part is None or part is Ellipsis or isinstance(part, slice) or type(part) is int:
            template.append(part)
            continue
        index = part if isinstance(part, tape.tensor_type) else np.asarray(part)
        if index.dtype.kind not in "iub":
            raise IndexError(
                f"an index of dtype {index.dtype} is neither integer nor boolean; convert it with .long() or compare it"
            )
        if index.dtype.kind == "b" and modes.recorder is not None:
            modes.recorder.refuse("a boolean mask picks as many elements as its values say; use where or masked_fill")
        template.append(SLOT)
        indices.append(index)
    if indices:
        return _getitem(x, *indices, key=tuple(template))
    return _view(x, key=tuple(template))


_gather = op(
    "gather",
    lambda x, index, dim: np.take_along_axis(x, index, dim),
    lambda f, g, y, shapes, dim: f.scatter_zeros(y, g, dim=dim, shape=shapes[0]),
    None,
    hint="index is integer, of x's number of axes, and no larger than x except along dim",
)


def _scatter_zeros(index: Array, g: Array, dim: int, shape: tuple[int, ...]) -> Array:
    out = np.zeros(shape, g.dtype)
    places = [np.arange(n).reshape([-1 if i == axis else 1 for i in range(index.ndim)])
              for axis, n in enumerate(index.shape)]  # fmt: skip
    places[dim] = index
    np.add.at(out, tuple(places), g)
    return out


op("scatter_zeros", _scatter_zeros, None, lambda f, g, x, dim: f.gather(g, x, dim=dim))


def gather(x: Tensor, dim: int, index: Any) -> Tensor:
    """out[i][j] = x[i][index[i][j]] for dim=1, and likewise for other dims. Repeated indices add their gradients."""
    return _gather(x, _indices(index), dim=dim % x.ndim)


def scatter_add(x: Tensor, dim: int, index: Any, source: Tensor) -> Tensor:
    """x with source added at x[i][index[i][j]] for dim=1: the transpose of gather."""
    added: Tensor = tape.TENSORS.scatter_zeros(_indices(index), source, dim=dim % x.ndim, shape=x.shape)
    return x + added


def scatter(x: Tensor, dim: int, index: Any, source: Tensor) -> Tensor:
    """x with source put at x[i][index[i][j]] for dim=1. An index may not repeat: which source wins would be open."""
    dim, index = dim % x.ndim, _indices(index)
    f = tape.TENSORS
    here = f.scatter_zeros(index, f.cast(index == index, dtype=x.dtype), dim=dim, shape=x.shape)
    put: Tensor = f.scatter_zeros(index, source, dim=dim, shape=x.shape)
    return where(here > 0, put, x)


def index_select(x: Tensor, dim: int, index: Any) -> Tensor:
    """The slices of x along `dim` that a 1-D index names, in its order."""
    return getitem(x, (slice(None),) * (dim % x.ndim) + (_indices(index),))


def _indices(index: Any) -> Tensor:
    places = as_tensor(np.asarray(index) if isinstance(index, list) else index)
    if places.dtype.kind not in "iu":
        raise IndexError(f"an index must be integer, got {places.dtype}; convert it with .long()")
    return places


def embedding(index: Any, weight: Tensor) -> Tensor:
    """Row `index` of weight (rows, width), for every element of an integer index (...): (..., width)."""
    return _getitem(weight, _indices(index), key=(SLOT,))


def masked_fill(x: Tensor, mask: Any, value: float) -> Tensor:
    """x with `value` wherever the boolean mask, which broadcasts, is true; no gradient flows there."""
    return where(mask, value, x)


def take_along_dim(x: Tensor, index: Any, dim: int) -> Tensor:
    """NumPy's take_along_axis."""
    return gather(x, dim, index)


_argsort = op("argsort", lambda x, dim, descending: np.argsort(-x if descending else x, dim, kind="stable"), exact=True)


def argsort(x: Tensor, dim: int = -1, descending: bool = False) -> Tensor:
    """Indices (int64) that sort x along `dim`; equal elements keep their order."""
    return _argsort(x, dim=dim % max(x.ndim, 1), descending=descending)


def sort(x: Tensor, dim: int = -1, descending: bool = False) -> Extremes:
    """(values, indices) in order along `dim`; equal elements keep their order; gradients go back to their places."""
    indices = argsort(x, dim, descending)
    return Extremes(gather(x, dim, indices), indices)


def topk(x: Tensor, k: int, dim: int = -1, largest: bool = True) -> Extremes:
    """(values, indices) of the k largest (or smallest) elements along `dim`, in order."""
    dim %= x.ndim
    if not 0 <= k <= x.shape[dim]:
        raise ValueError(f"topk: k = {k} is outside [0, {x.shape[dim]}], the length of axis {dim} of shape {x.shape}")
    indices = narrow(argsort(x, dim, descending=largest), dim, 0, k)
    return Extremes(gather(x, dim, indices), indices)


def one_hot(index: Any, num_classes: int) -> Tensor:
    """Rows of zeros with a one at each index (...): (..., num_classes), in the default dtype."""
    index = _indices(index)
    return cast(unsqueeze(index, -1) == tape.frozen(np.arange(num_classes)), tape.get_default_dtype())
