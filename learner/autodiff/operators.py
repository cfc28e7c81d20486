"""What a tensor can do: Python's operators, and every operation of the table as a method, under PyTorch's names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from learner.autodiff.ops import activations, elementwise, indexing, products, reductions, shaping
from learner.autodiff.tape import apply

if TYPE_CHECKING:
    from learner.autodiff.tensor import Tensor

_add, _sub, _mul, _div = elementwise.add, elementwise.sub, elementwise.mul, elementwise.div
_Any = Any


class Operators:
    """Mixed into Tensor. `__array_ufunc__ = None` makes `array + tensor` come here rather than to NumPy."""

    __slots__ = ()
    __array_ufunc__ = None

    def __add__(self, other: Any) -> Tensor:
        return apply(_add, self, other)

    def __radd__(self, other: Any) -> Tensor:
        return apply(_add, other, self)

    def __sub__(self, other: Any) -> Tensor:
        return apply(_sub, self, other)

    def __rsub__(self, other: Any) -> Tensor:
        return apply(_sub, other, self)

    def __mul__(self, other: Any) -> Tensor:
        return apply(_mul, self, other)

    def __rmul__(self, other: Any) -> Tensor:
        return apply(_mul, other, self)

    def __truediv__(self, other: Any) -> Tensor:
        return apply(_div, self, other)

    def __rtruediv__(self, other: Any) -> Tensor:
        return apply(_div, other, self)

    def __floordiv__(self, other: Any) -> Tensor:
        return apply(elementwise.floor_divide, self, other)

    def __mod__(self, other: Any) -> Tensor:
        return apply(elementwise.remainder, self, other)

    def __neg__(self) -> Tensor:
        return apply(elementwise.neg, self)

    def __pow__(self, exponent: Any) -> Tensor:
        return elementwise.pow(self, exponent)

    def __rpow__(self, base: Any) -> Tensor:
        return elementwise.pow(base, self)

    def __matmul__(self: Any, other: Any) -> Tensor:
        return products.matmul(self, other)

    def __rmatmul__(self: Any, other: Any) -> Tensor:
        return products.matmul(other, self)

    def __abs__(self) -> Tensor:
        return apply(elementwise.abs, self)

    def __eq__(self, other: object) -> Tensor:  # type: ignore[override]
        return apply(elementwise.eq, self, other)

    def __ne__(self, other: object) -> Tensor:  # type: ignore[override]
        return apply(elementwise.ne, self, other)

    def __lt__(self, other: Any) -> Tensor:
        return apply(elementwise.lt, self, other)

    def __le__(self, other: Any) -> Tensor:
        return apply(elementwise.le, self, other)

    def __gt__(self, other: Any) -> Tensor:
        return apply(elementwise.gt, self, other)

    def __ge__(self, other: Any) -> Tensor:
        return apply(elementwise.ge, self, other)

    def __and__(self, other: Any) -> Tensor:
        return apply(elementwise.logical_and, self, other)

    def __or__(self, other: Any) -> Tensor:
        return apply(elementwise.logical_or, self, other)

    def __invert__(self) -> Tensor:
        return apply(elementwise.logical_not, self)

    def __getitem__(self: Any, key: Any) -> Tensor:
        return indexing.getitem(self, key)

    __hash__ = object.__hash__  # tensors are keys by identity, as in PyTorch, although == compares elements

    exp, expm1, log, log1p, log2 = (
        elementwise.exp,
        elementwise.expm1,
        elementwise.log,
        elementwise.log1p,
        elementwise.log2,
    )
    sin, cos, tan, arctan = elementwise.sin, elementwise.cos, elementwise.tan, elementwise.arctan
    tanh, sigmoid, erf = elementwise.tanh, elementwise.sigmoid, elementwise.erf
    abs, sign, neg, square = elementwise.abs, elementwise.sign, elementwise.neg, elementwise.square
    sqrt, rsqrt, reciprocal = elementwise.sqrt, elementwise.rsqrt, elementwise.reciprocal
    floor, ceil, round = elementwise.floor, elementwise.ceil, elementwise.round
    add, sub, mul, div, pow = elementwise.add, elementwise.sub, elementwise.mul, elementwise.div, elementwise.pow
    maximum, minimum = elementwise.maximum, elementwise.minimum
    clip, clamp = elementwise.clip, elementwise.clamp
    isnan, isfinite, logical_not = elementwise.isnan, elementwise.isfinite, elementwise.logical_not

    relu = activations.relu
    softmax, log_softmax = activations.softmax, activations.log_softmax

    sum, mean, prod, cumsum = reductions.sum, reductions.mean, reductions.prod, reductions.cumsum
    max, min, amax, amin = reductions.max, reductions.min, reductions.amax, reductions.amin
    argmax, argmin = reductions.argmax, reductions.argmin
    all, any = reductions.all, reductions.any
    var, std, norm, logsumexp = reductions.var, reductions.std, reductions.norm, reductions.logsumexp

    matmul, dot = products.matmul, products.dot

    reshape, view, flatten = shaping.reshape, shaping.reshape, shaping.flatten
    transpose, permute = shaping.transpose, shaping.permute
    squeeze, unsqueeze, expand, broadcast_to = shaping.squeeze, shaping.unsqueeze, shaping.expand, shaping.expand
    flip, narrow, split, chunk, unbind = shaping.flip, shaping.narrow, shaping.split, shaping.chunk, shaping.unbind
    tril = shaping.tril

    gather, scatter_add, index_select = indexing.gather, indexing.scatter_add, indexing.index_select
    masked_fill, sort, argsort, topk = indexing.masked_fill, indexing.sort, indexing.argsort, indexing.topk

    @property
    def mT(self: Any) -> Tensor:  # noqa: N802 - PyTorch's and NumPy's name
        """The last two axes exchanged."""
        return shaping.transpose(self, -1, -2)

    @property
    def T(self: Any) -> Tensor:  # noqa: N802
        """All axes in reverse order."""
        return shaping.permute(self, *reversed(range(self.ndim)))
