"""Operations that move elements and compute nothing: reshape, transpose, expand, join, split, flip, pad."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from learner.autodiff import tape
from learner.autodiff.table import Array, op

if TYPE_CHECKING:
    from learner.autodiff.tensor import Tensor


def as_tensor(value: Any) -> Tensor:
    """The tensor itself, or a constant tensor around an array or number."""
    if not isinstance(value, tape.tensor_type):
        value = tape.tensor_type(np.asarray(tape.constant(value)))
    result: Tensor = value
    return result


def _expand(x: Array, shape: tuple[int, ...]) -> Array:
    return np.broadcast_to(x, shape)


_reshape = op(
    "reshape",
    lambda x, shape: np.reshape(x, shape),
    lambda f, g, shapes: f.reshape(g, shape=shapes[0]),
    view=True,
    hint="the sizes of both shapes must have the same product; one may be -1",
)
_expand_row = op(
    "expand",
    _expand,
    lambda g: g,
    view=True,
    hint="only axes of length 1 can be repeated",
)
_transpose = op(
    "transpose",
    lambda x, dim0, dim1: np.swapaxes(x, dim0, dim1),
    lambda f, g, dim0, dim1: f.transpose(g, dim0=dim0, dim1=dim1),
    view=True,
)
_permute = op(
    "permute",
    lambda x, dims: np.transpose(x, dims),
    lambda f, g, dims: f.permute(
        g, dims=tuple(sorted(range(len(dims)), key=[d % len(dims) for d in dims].__getitem__))
    ),
    view=True,
    hint="dims must name every axis once",
)
_flip = op("flip", lambda x, dims: np.flip(x, dims), lambda f, g, dims: f.flip(g, dims=dims), view=True)
_cat = op(
    "cat",
    lambda *xs, dim, out=None: np.concatenate(xs, axis=dim, out=out),
    joint=lambda f, g, shapes, need, dim: [
        f.narrow(g, dim=dim, start=start, length=shape[dim]) if needed else None
        for start, shape, needed in zip(_starts(shapes, dim), shapes, need, strict=True)
    ],
    hint="the shapes must be equal except along dim",
)
_narrow = op(
    "narrow",
    lambda x, dim, start, length: x[_slice(x.ndim, dim, start, start + length)],
    lambda f, g, shapes, dim, start, length: f.pad(
        g, dim=dim, before=start, after=shapes[0][dim] - start - length, value=0.0
    ),
    view=True,
)


def _pad_kernel(x: Array, dim: int, before: int, after: int, value: float) -> Array:
    shape = list(x.shape)
    shape[dim] += before + after
    out = np.full(shape, value, x.dtype)
    out[_slice(x.ndim, dim, before, before + x.shape[dim])] = x
    return out


_pad = op(
    "pad",
    _pad_kernel,
    lambda f, g, shapes, dim, before: f.narrow(g, dim=dim, start=before, length=shapes[0][dim]),
)


def _slice(ndim: int, dim: int, start: int, stop: int) -> tuple[slice, ...]:
    index = [slice(None)] * ndim
    index[dim] = slice(start, stop)
    return tuple(index)


def _starts(shapes: Sequence[tuple[int, ...]], dim: int) -> list[int]:
    starts = [0]
    for shape in shapes[:-1]:
        starts.append(starts[-1] + shape[dim])
    return starts


def sizes(shape: tuple[Any, ...]) -> tuple[int, ...]:
    """Sizes given one by one or as one sequence: f(2, 3) and f((2, 3)) mean the same."""
    return tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], tuple | list) else shape


def reshape(x: Tensor, *shape: Any) -> Tensor:
    """The same elements in another shape; one size may be -1. A view where memory allows."""
    return _reshape(x, shape=sizes(shape))


def flatten(x: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """The axes from start_dim to end_dim, both included, become one."""
    start, end = start_dim % max(x.ndim, 1), end_dim % max(x.ndim, 1)
    joined = int(np.prod(x.shape[start : end + 1]))
    return reshape(x, (*x.shape[:start], joined, *x.shape[end + 1 :]))


def transpose(x: Tensor, dim0: int, dim1: int) -> Tensor:
    """Two axes exchanged: a view."""
    return _transpose(x, dim0=dim0, dim1=dim1)


def permute(x: Tensor, *dims: Any) -> Tensor:
    """The axes in the order of `dims`: a view."""
    return _permute(x, dims=sizes(dims))


def squeeze(x: Tensor, dim: int | None = None) -> Tensor:
    """Without axes of length 1: all of them, or `dim` if its length is 1."""
    if dim is None:
        return reshape(x, tuple(n for n in x.shape if n != 1))
    dim %= max(x.ndim, 1)
    return reshape(x, x.shape[:dim] + x.shape[dim + 1 :]) if x.shape[dim] == 1 else x


def unsqueeze(x: Tensor, dim: int) -> Tensor:
    """With a new axis of length 1 at `dim`."""
    dim %= x.ndim + 1
    return reshape(x, (*x.shape[:dim], 1, *x.shape[dim:]))


def expand(x: Tensor, *shape: Any) -> Tensor:
    """Axes of length 1 repeated, without copying, to `shape`; -1 leaves an axis as it is. New axes come first."""
    wanted = sizes(shape)
    lead = len(wanted) - x.ndim
    return _expand_row(x, shape=tuple(x.shape[i - lead] if n == -1 else n for i, n in enumerate(wanted)))


broadcast_to = expand


def flip(x: Tensor, *dims: Any) -> Tensor:
    """The order along each of `dims` reversed."""
    return _flip(x, dims=sizes(dims))


def cat(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Tensors joined along an existing axis; their other axes agree."""
    tensors = [as_tensor(t) for t in tensors]
    if not tensors:
        raise ValueError("cat needs at least one tensor")
    return _cat(*tensors, dim=dim if dim >= 0 else dim + tensors[0].ndim)


concatenate = cat


def stack(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Tensors of one shape joined along a new axis at `dim`."""
    return cat([unsqueeze(as_tensor(t), dim) for t in tensors], dim)


def narrow(x: Tensor, dim: int, start: int, length: int) -> Tensor:
    """`length` elements along `dim` from `start` on: a view."""
    dim, start = dim % x.ndim, start % (x.shape[dim] + 1)
    if length < 0 or start + length > x.shape[dim]:
        raise ValueError(f"narrow: [{start}, {start + length}) reaches outside axis {dim} of shape {x.shape}")
    return _narrow(x, dim=dim, start=start, length=length)


def split(x: Tensor, split_size: int | Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
    """x cut along `dim` into pieces of `split_size` (the last may be shorter), or into the listed sizes."""
    length = x.shape[dim]
    if isinstance(split_size, int):
        split_size = [min(split_size, length - i) for i in range(0, length, split_size)]
    if sum(split_size) != length:
        raise ValueError(f"split: the sizes {list(split_size)} sum to {sum(split_size)}, axis {dim} has {length}")
    starts = np.cumsum([0, *split_size])
    return tuple(narrow(x, dim, int(start), size) for start, size in zip(starts, split_size, strict=False))


def chunk(x: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """x cut along `dim` into at most `chunks` pieces of equal size (the last may be smaller)."""
    return split(x, -(-x.shape[dim] // chunks), dim)


def unbind(x: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """The slices of x along `dim`, one by one."""
    return tuple(squeeze(piece, dim) for piece in split(x, 1, dim))


def pad(x: Tensor, padding: Sequence[int], value: float = 0.0) -> Tensor:
    """x surrounded by `value`: padding is (before, after) of the last axis, then of the last but one, as in PyTorch."""
    for i in range(0, len(padding), 2):
        dim, (before, after) = x.ndim - 1 - i // 2, padding[i : i + 2]
        if before < 0 or after < 0:
            raise ValueError(f"pad: amounts must not be negative, got {list(padding)}; cut with narrow or a slice")
        x = _pad(x, dim=dim, before=before, after=after, value=value)
    return x


def tril(x: Tensor, diagonal: int = 0) -> Tensor:
    """The lower triangle of the last two axes; zeros above the diagonal."""
    return x * tape.frozen(np.tri(x.shape[-2], x.shape[-1], diagonal, dtype=x.dtype))
