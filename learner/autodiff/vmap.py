"""Functions of one example, run on a whole batch at once: vmap, and per-sample gradients without a loop.

A Batched tensor shows the shape of one example and holds the arrays of all of them, batch first. Every primitive has a
batching rule that turns a call on examples into one call on batches: elementwise operations line up the axes, products
broadcast, operations along axes move one axis over, fused operations run as the primitives they stand for. What is
recorded are plain calls on plain arrays, so backward, second derivatives and the rest need to know nothing of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from learner.autodiff.engine import grad
from learner.autodiff.modes import Switch
from learner.autodiff.ops.indexing import SLOT
from learner.autodiff.ops.shaping import as_tensor
from learner.autodiff.table import Array, Op
from learner.autodiff.tape import TENSORS, apply, frozen
from learner.autodiff.tensor import Tensor

Rule = Callable[..., Tensor]
_RULES: dict[str, Rule] = {}


class Batched(Tensor):
    """A tensor for each example of a batch, in one array with the batch axis first."""

    __slots__ = ("whole",)

    whole: Tensor
    """The batch as a plain tensor."""

    @classmethod
    def of(cls, whole: Tensor) -> Batched:
        self = cls.__new__(cls)
        self.whole, self.array, self.node, self.cell = whole, whole.array, whole.node, whole.cell
        return self

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape[1:]

    @property
    def ndim(self) -> int:
        return self.array.ndim - 1

    def numel(self) -> int:
        return math.prod(self.shape)

    def size(self, dim: int | None = None) -> Any:
        return self.shape if dim is None else self.shape[dim]

    def __len__(self) -> int:
        return self.shape[0]

    def detach(self) -> Tensor:
        return Batched.of(self.whole.detach())

    def clone(self) -> Tensor:
        return Batched.of(self.whole.clone())

    def __bool__(self) -> bool:
        return bool(self._seen("bool()"))

    def item(self) -> Any:
        return self._seen("item()")

    def _seen(self, how: str) -> Array:
        raise RuntimeError(f"{how} of one example inside vmap: there is a value for every example; use where() instead")


def run_batched(op: Op, operands: tuple[Any, ...], settings: dict[str, Any]) -> Tensor | None:
    """What `apply` does where an operand is Batched; None where none is."""
    if not any(isinstance(operand, Batched) for operand in operands):
        return None
    if op.reference is not None:
        composed: Tensor = op.reference(TENSORS, *map(as_operand, operands), **settings)
        return composed
    size = next(o.array.shape[0] for o in operands if isinstance(o, Batched))
    with Switch("batching", None):
        rule = _RULES.get(op.name)
        if rule is not None:
            return Batched.of(rule(op, size, operands, **settings))
        if settings and "dim" in settings:
            return Batched.of(_along_dim(op, size, operands, **settings))
        if set(settings) & {"kernel", "shape", "dims", "key", "inputs"}:
            raise NotImplementedError(f"'{op.name}' has no batching rule; run it outside vmap or in a loop")
        return Batched.of(apply(op, *_lined_up(operands), **settings))


def as_operand(operand: Any) -> Any:
    return operand if isinstance(operand, Tensor) or not isinstance(operand, np.ndarray) else as_tensor(operand)


def _lined_up(operands: tuple[Any, ...]) -> list[Any]:
    """Operands with axes of length 1 behind the batch axis, so that examples' axes meet as they would without batch."""
    ndim = max(np.ndim(o.array if isinstance(o, Tensor) else o) - isinstance(o, Batched) for o in operands)
    lined = []
    for operand in operands:
        if isinstance(operand, Batched) and operand.ndim < ndim:
            whole = operand.whole
            operand = whole.reshape(whole.shape[0], *(1,) * (ndim - operand.ndim), *whole.shape[1:])
        lined.append(operand.whole if isinstance(operand, Batched) else operand)
    return lined


def _batch(operand: Any, size: int) -> Tensor:
    """The operand with a batch axis, repeated along it if it is the same for all examples."""
    if isinstance(operand, Batched):
        return operand.whole
    tensor = as_tensor(operand)
    return tensor.expand(size, *tensor.shape)


def _rule(*names: str) -> Callable[[Rule], Rule]:
    def register(rule: Rule) -> Rule:
        for name in names:
            _RULES[name] = rule
        return rule

    return register


def _moved(dim: Any, ndim: int) -> Any:
    """An axis, or several, of an example as axes of the batch."""
    if isinstance(dim, tuple):
        return tuple(_moved(d, ndim) for d in dim)
    return dim % max(ndim, 1) + 1


def _along_dim(op: Op, size: int, operands: tuple[Any, ...], dim: Any, **settings: Any) -> Tensor:
    ndim = max(np.ndim(o.array if isinstance(o, Tensor) else o) - isinstance(o, Batched) for o in operands)
    whole = tuple(range(1, ndim + 1)) if dim is None else _moved(dim, ndim)
    return apply(op, *(_batch(o, size) for o in operands), dim=whole, **settings)


@_rule("argmax", "argmin", "amax", "amin")
def _extreme(op: Op, size: int, operands: tuple[Any, ...], dim: Any, keepdim: bool) -> Tensor:
    if dim is None and op.name.startswith("arg"):
        return apply(op, operands[0].whole.reshape(size, -1), dim=1, keepdim=False)
    return _along_dim(op, size, operands, dim=dim, keepdim=keepdim)


@_rule("matmul")
def _matmul(op: Op, size: int, operands: tuple[Any, ...]) -> Tensor:
    return apply(op, *_lined_up(operands))


@_rule("reshape", "expand")
def _reshape(op: Op, size: int, operands: tuple[Any, ...], shape: tuple[int, ...]) -> Tensor:
    whole = operands[0].whole
    if op.name == "expand":
        whole = whole.reshape(size, *(1,) * (len(shape) + 1 - whole.ndim), *whole.shape[1:])
    elif -1 in shape:
        known = -math.prod(shape)
        shape = tuple(math.prod(whole.shape[1:]) // known if n == -1 else n for n in shape)
    return apply(op, whole, shape=(size, *shape))


@_rule("transpose")
def _transpose(op: Op, size: int, operands: tuple[Any, ...], dim0: int, dim1: int) -> Tensor:
    ndim = operands[0].ndim
    return apply(op, operands[0].whole, dim0=_moved(dim0, ndim), dim1=_moved(dim1, ndim))


@_rule("permute")
def _permute(op: Op, size: int, operands: tuple[Any, ...], dims: tuple[int, ...]) -> Tensor:
    return apply(op, operands[0].whole, dims=(0, *_moved(dims, len(dims))))


@_rule("scatter_zeros")
def _scatter(op: Op, size: int, operands: tuple[Any, ...], dim: int, shape: tuple[int, ...]) -> Tensor:
    return apply(op, *(_batch(o, size) for o in operands), dim=_moved(dim, len(shape)), shape=(size, *shape))


@_rule("flip")
def _flip(op: Op, size: int, operands: tuple[Any, ...], dims: tuple[int, ...]) -> Tensor:
    return apply(op, operands[0].whole, dims=_moved(dims, operands[0].ndim))


@_rule("slice")
def _slice(op: Op, size: int, operands: tuple[Any, ...], key: tuple[Any, ...]) -> Tensor:
    return apply(op, operands[0].whole, key=(slice(None), *key))


@_rule("getitem")
def _getitem(op: Op, size: int, operands: tuple[Any, ...], key: tuple[Any, ...]) -> Tensor:
    """An index array in front of the example's picks each example's own elements: one more index names the example."""
    x, *indices = operands
    if not any(isinstance(index, Batched) for index in indices) and len(indices) == 1:
        return apply(op, x.whole, *indices, key=(slice(None), *key))
    first = next(i for i, part in enumerate(key) if part is SLOT)
    if any(isinstance(part, type(None) | type(Ellipsis)) or (part is not SLOT and first == 0) for part in key) or first:
        raise NotImplementedError("inside vmap, index arrays must come first in an index and alone")
    wide = [_batch(index, size) for index in indices]
    each = frozen(np.arange(size).reshape(size, *(1,) * (max(w.ndim for w in wide) - 1)))
    return apply(op, _batch(x, size), as_tensor(each), *wide, key=(SLOT, *key))


@_rule("einsum")
def _einsum(op: Op, size: int, operands: tuple[Any, ...], inputs: tuple[str, ...], output: str) -> Tensor:
    free = next(c for c in "ZYXWVUTSRQPONMLKJIHGFEDCBA" if c not in "".join(inputs))
    letters = tuple(free + i if isinstance(o, Batched) else i for o, i in zip(operands, inputs, strict=True))
    whole = [o.whole if isinstance(o, Batched) else o for o in operands]
    return apply(op, *whole, inputs=letters, output=free + output)


@_rule("unfold")
def _unfold(op: Op, size: int, operands: tuple[Any, ...], **settings: Any) -> Tensor:
    """Examples' rows join the batch for the unfolding, and leave it again."""
    whole = operands[0].whole
    joined = apply(op, whole.reshape(-1, *whole.shape[2:]), **settings)
    apart = joined.reshape(*joined.shape[:-1], size, whole.shape[1])
    return apart.permute(apart.ndim - 2, *range(apart.ndim - 2), apart.ndim - 1)


def vmap(function: Callable[..., Tensor], *batches: Any, in_dims: tuple[bool, ...] | None = None) -> Tensor:
    """function(example, ...) for all examples of the batches at once, stacked.

    in_dims: for each argument whether it has a batch axis (first); all have by default.
    """
    flags = in_dims or (True,) * len(batches)
    arguments = [Batched.of(as_tensor(b)) if flag else as_tensor(b) for b, flag in zip(batches, flags, strict=True)]
    with Switch("batching", run_batched):
        out = function(*arguments)
    size = next(a.array.shape[0] for a in arguments if isinstance(a, Batched))
    return _batch(out, size)


def per_sample_gradients(model: Any, loss: Callable[..., Tensor], *batch: Any) -> dict[str, Array]:
    """The gradient of every example's own loss: {parameter: (batch, *shape)}, from one forward and backward pass.

    loss(model, *rows) gets batches of one row each and returns one number. Works for models of primitives with a
    batching rule; batch normalisation has no gradient of one example alone.
    """
    tensors = [as_tensor(b) for b in batch]
    size = tensors[0].shape[0]
    named = {name: p for name, p in model.named_parameters() if p.requires_grad}
    copies = {name: Tensor(np.broadcast_to(p.array, (size, *p.shape)), requires_grad=True) for name, p in named.items()}
    with _Swapped(model, {id(p): Batched.of(copies[name]) for name, p in named.items()}):
        rows = [t.reshape(size, 1, *t.shape[1:]) for t in tensors]
        losses = vmap(lambda *row: loss(model, *row), *rows)
    grads = grad(losses.sum(), list(copies.values()), allow_unused=True)
    return {
        name: np.zeros(copies[name].shape, copies[name].dtype) if g is None else np.ascontiguousarray(g.array)
        for name, g in zip(copies, grads, strict=True)
    }


def per_sample_norms(model: Any, loss: Callable[..., Tensor], *batch: Any) -> Array:
    """The Euclidean norm of every example's gradient over all parameters: (batch,), in float64."""
    grads = per_sample_gradients(model, loss, *batch).values()
    squares = [np.sum(np.square(g, dtype=np.float64), axis=tuple(range(1, g.ndim))) for g in grads]
    return np.asarray(np.sqrt(np.sum(squares, axis=0)))


class _Swapped:
    """Parameters of a model replaced for the length of a `with` block."""

    def __init__(self, model: Any, replacements: dict[int, Tensor]) -> None:
        self._slots = [
            (vars(module), name, value, replacements[id(value)])
            for module in model.modules()
            for name, value in vars(module).items()
            if id(value) in replacements
        ]

    def __enter__(self) -> None:
        for attributes, name, _, new in self._slots:
            attributes[name] = new

    def __exit__(self, *exc: object) -> None:
        for attributes, name, old, _ in self._slots:
            attributes[name] = old
