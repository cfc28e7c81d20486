"""Running an operation and, where a gradient is wanted, leaving a node on the tape.

A Node refers to its parents and to saved arrays, never to a Tensor and never to its children, so the graph has no
cycles and dies with the last tensor that needs it. Nodes carry creation-order ids: a parent's id is always smaller
than its child's, which makes "largest id first" a valid backward order without sorting or recursion.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from learner.autodiff.modes import modes
from learner.autodiff.table import TABLE, Array, Op

if TYPE_CHECKING:
    from learner.autodiff.tensor import Tensor

switches = [0]
"""Counts every train() and eval() anywhere, so that replays notice."""
FLOAT64 = np.dtype(np.float64)
_NUMBERS = (float, int, bool)
_count = itertools.count()
_default = np.dtype(np.float32)

tensor_type: Any = None
"""Set by tensor.py: the tape makes tensors, tensors use the tape, and this name is the one knot between the two."""


class Node:
    """One recorded operation: how to get from its output's gradient to its operands' gradients."""

    __slots__ = ("__weakref__", "aux", "dtype", "grad", "hooks", "id", "op", "out", "packed", "parents", "retains",
                 "settings", "shape", "shapes", "versions", "xs")  # fmt: skip

    xs: tuple[Any, ...]
    """The operands' arrays, None in place of those that no rule reads."""
    out: Array | None
    aux: Any
    shapes: tuple[tuple[int, ...], ...]
    settings: dict[str, Any]
    versions: Sequence[tuple[list[int], int]]
    """(counter, its value then) of every kept operand whose memory can change."""

    def __init__(self, op: Op | None, parents: tuple[Node | None, ...], shape: tuple[int, ...], dtype: Any) -> None:
        self.id = next(_count)
        self.op = op
        self.parents = parents
        self.shape, self.dtype = shape, dtype
        self.grad: Tensor | None = None
        self.hooks: list[Callable[[Tensor], Tensor | None]] | None = None
        self.retains = False
        self.packed = False


class Leaf(Node):
    """The end of a path: a tensor made by the user that requires a gradient. `grad` is that tensor's `.grad`."""

    __slots__ = ("cell", "home", "name")

    def __init__(self, shape: tuple[int, ...], dtype: Any, cell: list[int] | None) -> None:
        super().__init__(None, (), shape, dtype)
        self.cell = cell  # the tensor's version counter; the tensor itself would make a cycle
        self.home: Array | None = None  # where in an optimizer's flat buffer this leaf's gradient belongs
        self.name = ""
        self.retains = True


class Packed:
    """An array kept in fewer bits until backward needs it; see learner.autodiff.precision."""

    __slots__ = ("__weakref__", "array", "dtype")

    def __init__(self, array: Array, dtype: Any) -> None:
        self.array, self.dtype = array, dtype


def unpacked(saved: Any) -> Any:
    """A saved array as it was, up to the bits it lost."""
    return saved.array.astype(saved.dtype) if isinstance(saved, Packed) else saved


def next_id() -> int:
    """An id between those of all nodes so far and all to come."""
    return next(_count)


def apply(op: Op, *operands: Any, **settings: Any) -> Tensor:
    """Run a row of the table on tensors, arrays and Python numbers; the result is a tensor.

    This is the only place where a tensor's values are computed.
    """
    if modes.special:
        otherwise = _otherwise(op, operands, settings)
        if otherwise is not None:
            return otherwise
    arrays: list[Any] = []
    parents: list[Node | None] = []
    cells: list[list[int] | None] = []
    tracked = False
    for operand in operands:
        if isinstance(operand, tensor_type):
            node = operand.node
            tracked = tracked or node is not None
            arrays.append(operand.array)
            parents.append(node)
            cells.append(operand.cell)
        else:
            arrays.append(operand if type(operand) in _NUMBERS else constant(operand))
            parents.append(None)
            cells.append(None)
    out, aux = compute(op, arrays, settings)
    if type(out) is tuple:
        several: Any = _several(op, operands, arrays, settings, out)
        return several  # type: ignore[no-any-return]
    result: Tensor = tensor_type.__new__(tensor_type)
    result.array, result.node = out, None
    result.cell = cells[0] if op.view else None
    if tracked and modes.grad and op.differentiable:
        keeps = op.keeps(tuple([parent is not None for parent in parents]))
        result.node = node = Node(op, tuple(parents), out.shape, out.dtype)
        node.xs = (
            tuple(arrays)
            if keeps.all
            else tuple([a if k else None for a, k in zip(arrays, keeps.operands, strict=True)])
        )
        node.versions = [(c, c[0]) for c, kept in zip(cells, keeps.operands, strict=True) if kept and c is not None]
        node.out = out if keeps.output else None
        node.shapes = tuple([getattr(a, "shape", ()) for a in arrays]) if keeps.shapes else ()
        node.aux, node.settings = aux, settings
        if modes.packing is not None:
            modes.packing.pack_node(node)
    if modes.recorder is not None:
        modes.recorder.ran(op, operands, arrays, settings, result, aux)
    return result


def _otherwise(op: Op, operands: tuple[Any, ...], settings: dict[str, Any]) -> Tensor | None:
    """The result where a mode has it computed in another way: as primitives in fixed order, or on a batch at once."""
    if modes.fixed and op.fixed is None and op.reference is not None:
        composed: Tensor = op.reference(TENSORS, *operands, **settings)
        return composed
    if modes.batching is not None:
        batched: Tensor | None = modes.batching(op, operands, settings)
        return batched
    return None


def _several(op: Op, operands: tuple[Any, ...], arrays: list[Any], settings: dict[str, Any], outs: Any) -> Any:
    """The results of a row that returns several arrays, as the backward halves of fused rows do. Not differentiable."""
    results = []
    for out in outs:
        result: Tensor = tensor_type.__new__(tensor_type)
        result.array, result.node, result.cell = out, None, None
        results.append(result)
    if modes.recorder is not None:
        modes.recorder.ran(op, operands, arrays, settings, tuple(results), None)
    return tuple(results)


def kernel_of(op: Op) -> Callable[..., Any]:
    """The kernel that runs a row now: its fixed-order one where that is asked for and there is one."""
    return op.fixed if op.fixed is not None and modes.fixed else op.kernel


def compute(op: Op, arrays: list[Any], settings: dict[str, Any]) -> tuple[Any, Any]:
    """The output array, read-only, and what the kernel kept for backward."""
    try:
        out = kernel_of(op)(*arrays, **settings)
    except (ValueError, TypeError, IndexError, np.exceptions.AxisError) as error:
        raise type_of(error)(explain(op, arrays, settings, error)) from error
    aux = None
    if op.aux:
        out, aux = out
    elif type(out) is tuple:
        return out, None
    if type(out) is not np.ndarray:
        out = np.asarray(out)  # NumPy turns 0-d results into scalars
    if out.dtype is FLOAT64 and not op.exact and all(getattr(a, "dtype", None) is not FLOAT64 for a in arrays):
        if modes.recorder is not None:
            modes.recorder.narrowed()
        return compute(op, [_floating(a) for a in arrays], settings)
    if op.view and out is arrays[0]:
        out = out.view()  # never lock the caller's own array
    out.setflags(write=False)
    return out, aux


def constant(value: Any) -> Any:
    """An operand that is not a tensor, as a kernel may keep it.

    A writable array is copied: whoever owns it may change it before backward reads it. NumPy scalars become Python
    numbers, so that an np.float64 does not turn float32 results into float64.
    """
    if isinstance(value, np.ndarray):
        if not value.flags.writeable:
            return value
        if modes.recorder is not None:
            modes.recorder.outside("an array")
        return value.copy()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, bool | int | float):
        return value
    raise TypeError(
        f"an operand is {type(value).__name__!r}; operations take tensors, NumPy arrays and Python numbers - "
        f"build a tensor from it first with tensor(...)"
    )


def _floating(a: Any) -> Any:
    """An integer operand of a floating-point operation, in the default dtype as in PyTorch."""
    return a.astype(_default) if isinstance(a, np.ndarray) and a.dtype.kind in "iub" else _narrow(a)


def _narrow(a: Any) -> Any:
    # a lone Python number (0-d result of two numbers) also counts as the default dtype
    return _default.type(a) if isinstance(a, int | float) else a


def type_of(error: Exception) -> type[Exception]:
    """The class to re-raise an operand error with: NumPy's own subclasses take other arguments."""
    return IndexError if isinstance(error, IndexError) else TypeError if isinstance(error, TypeError) else ValueError


def frozen(array: Array) -> Array:
    """A constant array made for good: read-only, so that operations need neither copy nor question it."""
    array.setflags(write=False)
    return array


def explain(op: Op, arrays: list[Any], settings: dict[str, Any], error: Exception) -> str:
    """An error message that names the operation, its operands and the remedy."""
    operands = ", ".join(
        f"{a.dtype} {tuple(a.shape)}" if isinstance(a, np.ndarray) else f"{type(a).__name__} {a}" for a in arrays
    )
    given = "".join(f", {name}={value}" for name, value in settings.items())
    return f"{op.name}({operands}{given}): {error}" + (f". {op.hint}" if op.hint else "")


def get_default_dtype() -> Any:
    """The dtype of tensors made from Python floats, and of results computed from integers."""
    return _default


def set_default_dtype(dtype: Any) -> None:
    """Choose the floating-point dtype of new tensors (float32 at the start)."""
    global _default
    if np.dtype(dtype).kind != "f":
        raise TypeError(f"the default dtype must be floating point, got {np.dtype(dtype)}")
    _default = np.dtype(dtype)


class _Tensors(SimpleNamespace):
    """`f` of every reading but the plain one: the rows as functions on tensors, recorded like any other call."""

    def __getattr__(self, name: str) -> Callable[..., Tensor]:
        row = TABLE[name]

        def call(*operands: Any, **settings: Any) -> Tensor:
            return apply(row, *operands, **settings)

        setattr(self, name, call)
        return call


TENSORS = _Tensors()
Op.run = apply
