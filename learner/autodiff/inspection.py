"""A recorded program: every operation of a function, its operands, value, gradient and source line.

The drawing and the tape debugger are made of it. A Tape can run again with some values changed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from learner.autodiff.engine import gradients_of
from learner.autodiff.modes import Switch
from learner.autodiff.recorder import Recorder
from learner.autodiff.table import Array, Op
from learner.autodiff.tape import apply
from learner.autodiff.tensor import Tensor

_OWN = Path(__file__).resolve().parent.parent
_INSIDE = tuple(str(_OWN / part) for part in ("autodiff", "nn", "optim"))


def place() -> str:
    """Where in the user's code we are: file:line of the innermost frame outside this library."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_INSIDE):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


class Index(int):
    """An operand that is another entry, as opposed to a Python integer."""


@dataclass
class Entry:
    """One value of a recorded program: the result of an operation, or (op None) something that came from outside."""

    index: int
    op: Op | None
    operands: tuple[Any, ...]
    """Each an Index of an earlier entry, or a Python number."""
    settings: dict[str, Any]
    tensor: Tensor
    place: str
    name: str = ""

    @property
    def label(self) -> str:
        return self.name or (self.op.name if self.op is not None else "input")


class _Listener(Recorder):
    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self._index: dict[int, int] = {}

    def ran(
        self, op: Op, operands: tuple[Any, ...], arrays: list[Any], settings: dict[str, Any], result: Any, aux: Any
    ) -> None:
        if isinstance(result, tuple):
            return
        inputs = tuple(self._enter(o, a) for o, a in zip(operands, arrays, strict=True))
        self._add(op, inputs, settings, result)

    def made(self, tensor: Tensor) -> bool:
        return id(tensor) in self._index

    def index(self, tensor: Tensor) -> int:
        return self._index[id(tensor)]

    def _enter(self, operand: Any, array: Any) -> Any:
        if not isinstance(array, np.ndarray):
            return array
        if not isinstance(operand, Tensor):
            return self._add(None, (), {}, Tensor(array))
        known = self._index.get(id(operand))
        return self._add(None, (), {}, operand) if known is None else Index(known)

    def _add(self, op: Op | None, operands: tuple[Any, ...], settings: dict[str, Any], tensor: Tensor) -> Index:
        index = len(self.entries)
        self.entries.append(Entry(index, op, operands, settings, tensor, place()))
        self._index[id(tensor)] = index
        return Index(index)


class Tape:
    """A recorded program with its values and gradients, one Entry a value, in the order of computation."""

    def __init__(self, entries: list[Entry], result: int) -> None:
        self.entries, self.at = entries, result
        self.result = entries[result].tensor
        self.gradients = _gradients(self.result, [e.tensor for e in entries])

    @classmethod
    def record(cls, function: Callable[..., Tensor], *inputs: Tensor, names: Mapping[str, Any] | None = None) -> Tape:
        """Run function(*inputs) and keep everything it computed. names: what to call tensors from outside."""
        listener = _Listener()
        with Switch("recorder", listener):
            result = function(*inputs)
        if not isinstance(result, Tensor) or not listener.made(result):
            raise ValueError("the function must return a tensor that it computed; there is nothing to show otherwise")
        by_id = {id(t): name for name, t in (names or {}).items()}
        for entry in listener.entries:
            entry.name = by_id.get(id(entry.tensor), "")
        return cls(listener.entries, listener.index(result))

    def rerun(self, changes: Mapping[int, Array]) -> Tape:
        """The same program with the values of some entries replaced: what follows from them is computed anew."""
        made: list[Tensor] = []
        entries = []
        for entry in self.entries:
            if entry.index in changes:
                old = entry.tensor
                value = np.asarray(changes[entry.index], old.dtype)
                tensor = Tensor(np.broadcast_to(value, old.shape).copy(), requires_grad=old.requires_grad)
            elif entry.op is None:
                tensor = entry.tensor
            else:
                given = [made[o] if isinstance(o, Index) else o for o in entry.operands]
                tensor = apply(entry.op, *given, **entry.settings)
            made.append(tensor)
            op = None if entry.index in changes else entry.op
            operands = entry.operands if op is not None else ()
            entries.append(Entry(entry.index, op, operands, entry.settings, tensor, entry.place, entry.name))
        return Tape(entries, self.at)


def _gradients(result: Tensor, tensors: list[Tensor]) -> dict[int, Array]:
    """{position: gradient of the result} for every tensor that it depends on; empty where it is no single number."""
    if result.node is None or result.numel() != 1:
        return {}
    found = gradients_of(result, {t.node for t in tensors if t.node is not None})
    return {i: found[t.node] for i, t in enumerate(tensors) if t.node is not None and t.node in found}


def summary(array: Array) -> str:
    """A value in a few characters: the number itself, or its range."""
    if array.size == 0:
        return "empty"
    if array.size == 1:
        return f"{array.item():.4g}" if array.dtype.kind == "f" else str(array.item())
    if array.dtype.kind == "b":
        return f"{int(array.sum())} of {array.size} true"
    return f"{array.min():.3g} .. {array.max():.3g}"
