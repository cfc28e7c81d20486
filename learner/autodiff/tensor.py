"""The Tensor: a NumPy array, its place on the tape, and PyTorch's names for what one does with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from learner.autodiff import tape
from learner.autodiff.modes import modes
from learner.autodiff.operators import Operators
from learner.autodiff.ops import elementwise
from learner.autodiff.table import Array, op
from learner.autodiff.tape import Leaf, Node

_ALIAS = op("detach", lambda x: x, view=True)


class Tensor(Operators):
    """An n-dimensional array that can remember how it was computed.

    array: the values. Read it freely; to write, use the in-place methods, which tell the tape.
    node: the place on the tape, None where no gradient is wanted.
    cell: the version counter [n] of the memory, shared by all views of it; None for results of operations, which are
        read-only for good.

    Tensor(array) wraps an array without copying it; `tensor(data)` copies, as in PyTorch.
    """

    __slots__ = ("__weakref__", "array", "cell", "node")

    array: Array
    node: Node | None
    cell: list[int] | None

    def __init__(self, array: Any, requires_grad: bool = False) -> None:
        self.array = np.asarray(array)
        self.node = None
        self.cell = [0]
        if requires_grad:
            self.requires_grad_()

    @classmethod
    def _at(cls, array: Array, node: Node | None) -> Tensor:
        """A tensor at an existing place on the tape."""
        self = Tensor.__new__(Tensor)
        self.array, self.node, self.cell = array, node, None
        return self

    @classmethod
    def _plain(cls, array: Array) -> Tensor:
        """A leaf around an array, as Tensor(array) makes it, without looking at what the array is."""
        self = Tensor.__new__(Tensor)
        self.array, self.node, self.cell = array, None, [0]
        return self

    # --- what it is

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.array.dtype

    @property
    def ndim(self) -> int:
        return self.array.ndim

    def dim(self) -> int:
        return self.array.ndim

    def size(self, dim: int | None = None) -> Any:
        """The shape, or the length of one axis."""
        return self.array.shape if dim is None else self.array.shape[dim]

    def numel(self) -> int:
        """The number of elements."""
        return self.array.size

    def is_floating_point(self) -> bool:
        return self.array.dtype.kind == "f" or self.array.dtype.name == "bfloat16"

    def __len__(self) -> int:
        if not self.array.ndim:
            raise TypeError("a 0-d tensor has no length")
        return len(self.array)

    def __iter__(self) -> Iterator[Tensor]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        values = np.array2string(self.array, separator=", ", precision=4, prefix="tensor(")
        extra = "" if self.array.dtype in (np.float32, np.int64, np.bool_) else f", dtype={self.array.dtype}"
        if self.node is not None:
            extra += ", requires_grad=True" if self.node.op is None else f", grad_fn=<{self.node.op.name}>"
        return f"tensor({values}{extra})"

    # --- its values, for Python

    def _seen(self, how: str) -> Array:
        if modes.recorder is not None:
            modes.recorder.seen(how)
        return self.array

    def numpy(self) -> Array:
        """The values as a read-only view. Raises RuntimeError on a tensor that requires a gradient."""
        if self.requires_grad:
            raise RuntimeError(
                "numpy() on a tensor that requires a gradient would lose the gradient's path; "
                "say tensor.detach().numpy() if that is meant"
            )
        view = self._seen("numpy()").view()
        view.setflags(write=False)
        return view

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        array = self.numpy()
        return np.array(array, dtype) if copy or (dtype is not None and dtype != array.dtype) else array

    def item(self) -> Any:
        """The only element, as a Python number. Raises ValueError if there are several."""
        if self.array.size != 1:
            raise ValueError(f"item() needs a tensor of one element, this one has shape {self.shape}; index it first")
        return self._seen("item()").item()

    def tolist(self) -> Any:
        """The values as nested lists of Python numbers."""
        return self._seen("tolist()").tolist()

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __index__(self) -> int:
        if self.array.dtype.kind not in "iu":
            raise TypeError(f"only an integer tensor can be an index, this one is {self.dtype}")
        return int(self.item())

    def __bool__(self) -> bool:
        if self.array.size != 1:
            raise ValueError(
                f"the truth of a tensor of shape {self.shape} is ambiguous; use .any() or .all(), or where() to choose "
                f"element by element"
            )
        return bool(self._seen("bool()").item())

    # --- gradients

    @property
    def requires_grad(self) -> bool:
        return self.node is not None

    @requires_grad.setter
    def requires_grad(self, wanted: bool) -> None:
        self.requires_grad_(wanted)

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Ask for (or give up) this leaf's gradient. Only floating-point leaves have one."""
        if self.node is not None and self.node.op is not None:
            raise RuntimeError(
                f"this tensor is the result of '{self.node.op.name}', not a leaf; detach() gives one without a gradient"
            )
        if not requires_grad:
            self.node = None
        elif self.node is None:
            if not self.is_floating_point():
                raise TypeError(f"only floating-point tensors have gradients, not {self.dtype}; convert it first")
            self.node = Leaf(self.array.shape, self.array.dtype, self.cell)
        return self

    @property
    def is_leaf(self) -> bool:
        return self.node is None or self.node.op is None

    @property
    def grad(self) -> Tensor | None:
        """The accumulated gradient of a leaf, or of a tensor on which retain_grad() was called."""
        return None if self.node is None else self.node.grad

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        if self.node is None:
            if value is not None:
                raise RuntimeError("this tensor requires no gradient; call requires_grad_() before setting .grad")
            return
        if value is not None and (value.shape != self.shape or value.dtype != self.dtype):
            raise ValueError(
                f"a gradient of {value.dtype} {value.shape} does not fit a tensor of {self.dtype} {self.shape}"
            )
        self.node.grad = value

    def retain_grad(self) -> None:
        """Keep the gradient that passes through this result in `.grad`, as leaves do."""
        if self.node is None:
            raise RuntimeError("retain_grad() on a tensor that does not require a gradient")
        self.node.retains = True

    def register_hook(self, hook: Callable[[Tensor], Tensor | None]) -> Callable[[], None]:
        """Call hook(gradient) when this tensor's gradient is complete; a tensor it returns takes the gradient's place.
        Returns a function that removes the hook."""
        if self.node is None:
            raise RuntimeError("register_hook() on a tensor that does not require a gradient")
        hooks = self.node.hooks = self.node.hooks if self.node.hooks is not None else []
        hooks.append(hook)
        return lambda: hooks.remove(hook)

    def backward(self, gradient: Any = None, retain_graph: bool = False, create_graph: bool = False) -> None:
        """Add the gradient of this tensor to the `.grad` of every leaf it was computed from.

        gradient: of the loss with respect to this tensor; may be left out for a tensor of one element (then 1).
        retain_graph: keep the saved arrays, so that backward can be called again.
        create_graph: record the backward pass itself, for second derivatives; implies retain_graph.
        """
        from learner.autodiff.engine import backward  # the engine is written over tensors

        backward([self], [gradient], retain_graph=retain_graph, create_graph=create_graph)

    def detach(self) -> Tensor:
        """The same memory (and version counter), off the tape."""
        off = Tensor._at(self.array, None)
        off.cell = self.cell
        if modes.recorder is not None:
            modes.recorder.ran(_ALIAS, (self,), [self.array], {}, off, None)
        return off

    def clone(self) -> Tensor:
        """A copy. Off the tape it is a fresh leaf that can be written to; on it, a recorded operation."""
        if (self.node is not None and modes.grad) or modes.recorder is not None:
            return elementwise.clone(self)
        return Tensor(self.array.copy())

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        """A leaf of its own with a copy of the values; gradients are not copied."""
        if not self.is_leaf:
            raise RuntimeError(f"deepcopy of {self!r}, a result on the tape; copy detach() of it instead")
        copied = type(self)(self.array.copy(), self.requires_grad)
        memo[id(self)] = copied
        return copied

    def __reduce__(self) -> Any:
        """Pickles as its values: a leaf."""
        return type(self), (self.array, self.requires_grad and self.is_leaf)

    # --- dtypes

    def to(self, dtype: Any) -> Tensor:
        """This tensor in another dtype; itself if it has that dtype already."""
        return self if self.array.dtype == dtype else elementwise.cast(self, dtype)

    def float(self) -> Tensor:
        return self.to(np.float32)

    def double(self) -> Tensor:
        return self.to(np.float64)

    def long(self) -> Tensor:
        return self.to(np.int64)

    def bool(self) -> Tensor:
        return self.to(np.bool_)

    # --- in place: leaves only, and every change is counted so that backward can refuse a stale operand

    def _writable(self, method: str) -> Array:
        if self.cell is None or not self.array.flags.writeable:
            raise RuntimeError(
                f"{method} on the result of an operation, which is read-only for good; take a clone() of detach() and "
                f"change that, or use an operation that returns a new tensor"
            )
        if self.node is not None and modes.grad:
            raise RuntimeError(f"{method} on a leaf that requires a gradient; do it inside `with no_grad():`")
        if modes.recorder is not None:
            modes.recorder.changed(method)
        self.cell[0] += 1
        return self.array

    def copy_(self, source: Any) -> Tensor:
        """Overwrite the values with those of `source`, which must have this shape or broadcast to it."""
        np.copyto(self._writable("copy_"), _values(source), casting="same_kind")
        return self

    def fill_(self, value: Any) -> Tensor:
        self._writable("fill_").fill(value)
        return self

    def zero_(self) -> Tensor:
        return self.fill_(0)

    def add_(self, other: Any, alpha: Any = 1) -> Tensor:
        """self += alpha * other."""
        array = self._writable("add_")
        np.add(array, _values(other) if alpha == 1 else alpha * _values(other), out=array, casting="same_kind")
        return self

    def mul_(self, other: Any) -> Tensor:
        array = self._writable("mul_")
        np.multiply(array, _values(other), out=array, casting="same_kind")
        return self

    def __setitem__(self, key: Any, value: Any) -> None:
        parts = key if isinstance(key, tuple) else (key,)
        self._writable("item assignment")[tuple(_values(p) for p in parts)] = _values(value)


def _values(x: Any) -> Any:
    return x.array if isinstance(x, Tensor) else x


tape.tensor_type = Tensor
