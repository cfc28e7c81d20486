"""Operations that make axes disappear: sums, means, extremes, products, variances, and running sums.

`dim` is None (all axes), an int or a tuple of ints; `keepdim` keeps reduced axes with length 1. As in PyTorch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from learner.autodiff.kernels import sum_between
from learner.autodiff.ops.elementwise import exp, log, mul, sqrt, square, sub
from learner.autodiff.table import Array, op
from learner.autodiff.tape import frozen

if TYPE_CHECKING:
    from learner.autodiff.tensor import Tensor

Dim = int | Sequence[int] | None


class Extremes(NamedTuple):
    """What max, min, sort and topk return along one axis."""

    values: Tensor
    indices: Tensor


def _axes(dim: Dim) -> Any:
    return tuple(dim) if isinstance(dim, list) else dim


def spread(f: Any, g: Any, shape: tuple[int, ...], dim: Any, keepdim: bool) -> Any:
    """Give a reduced gradient its lost axes back (length 1) and repeat it along them to `shape`."""
    if not keepdim and g.ndim != len(shape):
        g = f.reshape(g, shape=kept_shape(shape, dim))
    return f.expand(g, shape=shape)


def kept_shape(shape: tuple[int, ...], dim: Any) -> tuple[int, ...]:
    """The shape that a reduction over `dim` would have with keepdim."""
    lost = range(len(shape)) if dim is None else {d % len(shape) for d in (dim if isinstance(dim, tuple) else (dim,))}
    return tuple(1 if i in lost else n for i, n in enumerate(shape))


def _sum(x: Array, dim: Any, keepdim: bool, out: Any = None) -> Any:
    if dim is not None and x.ndim > 1 and x.dtype.char in "fd" and x.flags.c_contiguous:
        dims = tuple(d % x.ndim for d in dim) if isinstance(dim, tuple) else (dim % x.ndim,)
        first, last = dims[0], dims[-1] + 1
        if last < x.ndim and dims == tuple(range(first, last)):
            shape = x.shape[:first] + ((1,) * len(dims) if keepdim else ()) + x.shape[last:]
            made = sum_between(x, first, last, np.empty(shape, x.dtype) if out is None else out)
            if made is not None:
                return made
    dtype = x.dtype if x.dtype.kind == "f" else None
    return np.add.reduce(x, axis=dim, dtype=dtype, keepdims=keepdim, out=out)


def _mean(x: Array, dim: Any, keepdim: bool, out: Any = None) -> Any:
    total = _sum(x, dim, keepdim, out)
    count = x.size // total.size if total.size else count_along(x.shape, dim)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.true_divide(total, count, out=out)


def count_along(shape: tuple[int, ...], dim: Any) -> int:
    """How many elements each output of a reduction over `dim` is made of."""
    axes = range(len(shape)) if dim is None else dim if isinstance(dim, tuple) else (dim,)
    count = 1
    for axis in axes:
        count *= shape[axis]
    return count


def _share(f: Any, g: Any, x: Any, o: Any, dim: Any, keepdim: bool) -> Any:
    """The gradient of an extreme: to where x attains it, ties sharing equally, so that the shares sum to 1."""
    attained = f.cast(x == spread(f, o, x.shape, dim, keepdim), dtype=g.dtype)
    ties = f.sum(attained, dim=dim, keepdim=True)
    return spread(f, g, x.shape, dim, keepdim) * attained / ties


def _prod_rule(f: Any, g: Any, x: Any, dim: int, keepdim: bool) -> Any:
    """Each element's gradient is the product of all the others, so that zeros need no division: the products of the
    rows of a square in which every row is x with one element replaced by 1."""
    last = f.transpose(x, dim0=dim, dim1=-1)
    n = last.shape[-1]
    square = f.expand(f.reshape(last, shape=(*last.shape[:-1], 1, n)), shape=(*last.shape, n))
    others = f.prod(f.where(frozen(np.eye(n, dtype=bool)), 1.0, square), dim=-1, keepdim=False)
    return spread(f, g, x.shape, dim, keepdim) * f.transpose(others, dim0=dim, dim1=-1)


_sum_row = op("sum", _sum, lambda f, g, shapes, dim, keepdim: spread(f, g, shapes[0], dim, keepdim))
_mean_row = op(
    "mean",
    _mean,
    lambda f, g, shapes, dim, keepdim: spread(f, g / count_along(shapes[0], dim), shapes[0], dim, keepdim),
)
_amax = op("amax", lambda x, dim, keepdim, out=None: np.max(x, axis=dim, keepdims=keepdim, out=out), _share)
_amin = op("amin", lambda x, dim, keepdim, out=None: np.min(x, axis=dim, keepdims=keepdim, out=out), _share)
_prod_row = op(
    "prod",
    lambda x, dim, keepdim, out=None: np.multiply.reduce(x, axis=dim, keepdims=keepdim, out=out),
    _prod_rule,
)
_cumsum_row = op(
    "cumsum",
    lambda x, dim, out=None: np.cumsum(x, axis=dim, dtype=x.dtype if x.dtype.kind == "f" else None, out=out),
    lambda f, g, dim: f.flip(f.cumsum(f.flip(g, dims=(dim,)), dim=dim), dims=(dim,)),
)
_argmax = op("argmax", lambda x, dim, keepdim: np.argmax(x, axis=dim, keepdims=keepdim))
_argmin = op("argmin", lambda x, dim, keepdim: np.argmin(x, axis=dim, keepdims=keepdim))
_all = op("all", lambda x, dim, keepdim: np.all(x, axis=dim, keepdims=keepdim))
_any = op("any", lambda x, dim, keepdim: np.any(x, axis=dim, keepdims=keepdim))


def sum(x: Tensor, dim: Dim = None, keepdim: bool = False) -> Tensor:
    """Sum over `dim`, in x's dtype (integers and booleans sum to int64)."""
    return _sum_row(x, dim=_axes(dim), keepdim=keepdim)


def mean(x: Tensor, dim: Dim = None, keepdim: bool = False) -> Tensor:
    """Mean over `dim`; over nothing it is NaN, as in PyTorch."""
    return _mean_row(x, dim=_axes(dim), keepdim=keepdim)


def amax(x: Tensor, dim: Dim = None, keepdim: bool = False) -> Tensor:
    """Largest element over `dim`; ties share the gradient equally."""
    return _amax(x, dim=_axes(dim), keepdim=keepdim)


def amin(x: Tensor, dim: Dim = None, keepdim: bool = False) -> Tensor:
    """Smallest element over `dim`; ties share the gradient equally."""
    return _amin(x, dim=_axes(dim), keepdim=keepdim)


def max(x: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The largest element (a tensor), or with `dim` a pair (values, indices). Ties share the gradient equally, where
    PyTorch's max(dim) gives it all to the index it returns."""
    if dim is None:
        return amax(x)
    return Extremes(amax(x, dim, keepdim), argmax(x, dim, keepdim))


def min(x: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The smallest element, or with `dim` a pair (values, indices); see max."""
    if dim is None:
        return amin(x)
    return Extremes(amin(x, dim, keepdim), argmin(x, dim, keepdim))


def argmax(x: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Index (int64) of the first largest element, of all or along `dim`."""
    return _argmax(x, dim=dim, keepdim=keepdim)


def argmin(x: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Index (int64) of the first smallest element, of all or along `dim`."""
    return _argmin(x, dim=dim, keepdim=keepdim)


def all(x: Tensor, dim: Dim = None, keepdim: bool = False) -> Tensor:
    """Whether every element is true or non-zero."""
    return _all(x, dim=_axes(dim), keepdim=keepdim)


def any(x: Tensor, dim: Dim = None, keepdim: bool = False) -> Tensor:
    """Whether some element is true or non-zero."""
    return _any(x, dim=_axes(dim), keepdim=keepdim)


def prod(x: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Product of all elements or along `dim`. Its gradient is right at zeros too."""
    if dim is None:
        return _prod_row(x.reshape(-1), dim=0, keepdim=False)
    return _prod_row(x, dim=dim, keepdim=keepdim)


def cumsum(x: Tensor, dim: int) -> Tensor:
    """Running sums along `dim`."""
    return _cumsum_row(x, dim=dim)


def var(x: Tensor, dim: Dim = None, correction: int = 1, keepdim: bool = False) -> Tensor:
    """Variance over `dim`: the mean square distance from the mean, divided by n - correction instead of n."""
    axes = _axes(dim)
    count = count_along(x.shape, axes)
    squares = square(sub(x, mean(x, axes, keepdim=True)))
    with np.errstate(divide="ignore"):
        factor = float(np.float64(1.0) / np.maximum(count - correction, 0))
    return mul(sum(squares, axes, keepdim), factor)


def std(x: Tensor, dim: Dim = None, correction: int = 1, keepdim: bool = False) -> Tensor:
    """Square root of `var`."""
    return sqrt(var(x, dim, correction, keepdim))


def logsumexp(x: Tensor, dim: Dim = None, keepdim: bool = False) -> Tensor:
    """log(sum(exp(x))) over `dim`, shifted by the maximum so that nothing overflows; -inf where all are -inf."""
    axes = _axes(dim)
    peak = amax(x.detach(), axes, keepdim=True)
    peak = peak.masked_fill(~peak.isfinite(), 0.0)
    total = log(sum(exp(sub(x, peak)), axes, keepdim))
    return total + (peak if keepdim else peak.reshape(total.shape))


def norm(x: Tensor, dim: Dim = None, keepdim: bool = False) -> Tensor:
    """Euclidean length over `dim`, summed in float64. Its gradient is x / norm, and 0 at the origin."""
    return _norm_row(x, dim=_axes(dim), keepdim=keepdim)


def _norm(x: Array, dim: Any, keepdim: bool) -> Any:
    wide = x.astype(np.float64, copy=False)
    return np.asarray(np.sqrt(np.sum(wide * wide, axis=dim, keepdims=keepdim))).astype(x.dtype)


def _norm_rule(f: Any, g: Any, x: Any, o: Any, dim: Any, keepdim: bool) -> Any:
    length = spread(f, o, x.shape, dim, keepdim)
    return spread(f, g, x.shape, dim, keepdim) * (x / f.where(length == 0.0, 1.0, length))


_norm_row = op("norm", _norm, _norm_rule)
