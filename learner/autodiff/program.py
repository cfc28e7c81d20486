"""The list of kernel calls of one step, how it is recorded, and how it runs again."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from learner.autodiff.guards import Watch
from learner.autodiff.modes import Switch, modes
from learner.autodiff.recorder import Recorder
from learner.autodiff.table import Array, Op, takes_out
from learner.autodiff.tape import Leaf, Node, compute, kernel_of
from learner.autodiff.tensor import Tensor

Run = Callable[[], Any]


class Program:
    """What a step did: kernel calls on fixed arrays, in order."""

    def __init__(self, tracer: Tracer, result: Any, watch: Watch) -> None:
        self.watch = watch
        self._inputs = [t.array if isinstance(t, Tensor) else None for t in tracer.inputs]
        self._runs = tracer.runs
        self._trace = tracer.trace
        self._outside = [(t, t.array, t.node) for t in tracer.outside_tensors.values()]
        self._grads = [(node, g, node.grad is g) for node, g in tracer.grads.items()]
        self._result = result
        self._count = 0
        self.next_check = 4
        """After so many replays the step runs as written once more; doubled every time."""

    def fits(self) -> bool:
        """Whether all tensors from outside still are what they were when recorded."""
        return all(t.array is array and t.node is node for t, array, node in self._outside)

    def due(self) -> bool:
        """Whether it is time to run the step as written once more, to see that it still does the same."""
        self._count += 1
        if self._count < self.next_check:
            return False
        self._count, self.next_check = 0, 2 * self.next_check
        return True

    def run(self, arguments: list[Any]) -> Any:
        """Do it all again with other arguments."""
        for buffer, argument in zip(self._inputs, arguments, strict=True):
            if buffer is not None:
                buffer[...] = argument.array
        for node, g, _ in self._grads:
            node.grad = g
        with np.errstate(all="ignore"):
            for run in self._runs:
                run()
        for node, _, kept in self._grads:
            if not kept:
                node.grad = None
        return self.results()

    def results(self) -> Any:
        """What the step returned, in copies."""
        return _map(self._result, lambda t: Tensor(t.array.copy()))

    def difference(self, other: Program) -> str | None:
        """How two recordings of the same step differ, in words."""
        for (name, told), (other_name, other_told) in zip(self._trace, other._trace, strict=False):
            if name != other_name:
                return f"it ran '{name}' in one call and '{other_name}' in the next"
            if told != other_told:
                return (
                    f"'{name}' was called with {told} in one call and {other_told} in the next; pass what changes as a "
                    f"tensor argument"
                )
        if len(self._trace) != len(other._trace):
            return f"it made {len(self._trace)} operations in one call and {len(other._trace)} in the next"
        return None


class Tracer(Recorder):
    """Listens to a step that runs as written, and turns what it hears into a Program."""

    def __init__(self, arguments: list[Any]) -> None:
        self.inputs = [_buffer(a) if isinstance(a, Tensor) else a for a in arguments]
        self.runs: list[Run] = []
        self.trace: list[tuple[str, Any]] = []
        self.outside_tensors: dict[int, Tensor] = {}
        self.grads: dict[Node, Tensor] = {}
        self.reason: str | None = None
        self._made = {id(t) for t in self.inputs if isinstance(t, Tensor)}
        self._alive: list[Any] = []  # ids stay unique only while what they name lives
        self._given: set[int] = set()
        self._narrow = False

    def ran(
        self, op: Op, operands: tuple[Any, ...], arrays: list[Any], settings: dict[str, Any], result: Any, aux: Any
    ) -> None:
        for operand in operands:
            if isinstance(operand, Tensor) and id(operand) not in self._made:
                self.outside_tensors.setdefault(id(operand), operand)
        results = result if isinstance(result, tuple) else (result,)
        self._made.update(id(t) for t in results)
        self._alive.append((operands, result))
        self.trace.append((op.name, _told(arrays, settings)))
        outs = tuple(t.array for t in results)
        if op.view and np.may_share_memory(outs[0], arrays[0]):
            return
        for out in outs:
            out.setflags(write=True)
        kernel = kernel_of(op)
        if self._narrow:
            self._narrow = False
            self.runs.append(partial(_again_narrowed, op, modes.fixed, arrays, settings, outs[0]))
        elif isinstance(result, tuple) or op.aux:
            kept = outs if isinstance(result, tuple) else (outs[0], *(aux if isinstance(aux, tuple) else (aux,)))
            if takes_out(kernel):
                self.runs.append(partial(kernel, *arrays, out=kept, **settings))
            else:
                self.runs.append(partial(_again_several, op, kernel, arrays, settings, kept))
        else:
            kernel = getattr(kernel, "raw", kernel)
            if takes_out(kernel):
                self.runs.append(partial(kernel, *arrays, out=outs[0], **settings))
            else:
                self.runs.append(partial(_again, kernel, arrays, settings, outs[0]))

    def narrowed(self) -> None:
        self._narrow = True

    def outside(self, what: str) -> None:
        self.refuse(f"{what} inside the step would be frozen at its first value; make it an argument of the step")

    def seen(self, how: str) -> None:
        self.refuse(f"{how} shows Python a value, which may decide what happens next; return the tensor instead")

    def changed(self, how: str) -> None:
        self.refuse(f"{how} changes a tensor in place inside the step")

    def refuse(self, reason: str) -> None:
        self.reason = self.reason or reason

    def call(self, function: Callable[[], Any]) -> None:
        self.trace.append(("call", getattr(function, "__qualname__", "")))
        self.runs.append(function)

    def gradient(self, node: Node, g: Tensor, before: Tensor | None) -> Tensor:
        if before is not None and self.grads.get(node) is not before:
            self.refuse("gradients add up from step to step; call optimizer.zero_grad() inside the step")
        if g.array.base is not None or id(g.array) in self._given or id(g) not in self._made:
            g = g.clone()  # nobody else's memory
        self._given.add(id(g.array))
        self._send_home(node, g)
        g.array.setflags(write=True)
        g.cell = [0]
        self.grads[node] = g
        return g

    def _send_home(self, node: Node, g: Tensor) -> None:
        """Have a gradient computed right in its place in the optimizer's buffer, which saves the copy."""
        home = node.home if isinstance(node, Leaf) else None
        for i in range(len(self.runs) - 1, -1, -1):
            run = self.runs[i]
            if home is None or not isinstance(run, partial):
                continue
            if run.keywords.get("out") is g.array and home.dtype == g.array.dtype:
                self.runs[i] = partial(run.func, *run.args, **{**run.keywords, "out": home})
                home[...] = g.array
                self._alive.append(g.array)
                g.array = home
                return

    def finish(self, result: Any, watch: Watch) -> Program:
        _map(result, lambda t: t)
        return Program(self, result, watch)


def _buffer(argument: Tensor) -> Tensor:
    """A private copy of an argument, for replays to copy theirs into."""
    return Tensor(argument.array.copy(), argument.requires_grad and argument.is_leaf)


def _again(kernel: Callable[..., Any], arrays: list[Any], settings: dict[str, Any], out: Array) -> None:
    out[...] = kernel(*arrays, **settings)


def _again_narrowed(op: Op, fixed: bool, arrays: list[Any], settings: dict[str, Any], out: Array) -> None:
    with Switch("fixed", fixed):
        out[...] = compute(op, arrays, settings)[0]


def _again_several(
    op: Op, kernel: Callable[..., Any], arrays: list[Any], settings: dict[str, Any], kept: tuple[Array, ...]
) -> None:
    made = kernel(*arrays, **settings)
    if op.aux:
        made = (made[0], *(made[1] if isinstance(made[1], tuple) else (made[1],)))
    for old, new in zip(kept, made, strict=True):
        old[...] = new


def _told(arrays: list[Any], settings: dict[str, Any]) -> Any:
    """What of a call must be equal in two recordings: numbers, shapes, settings."""
    numbers = tuple(a if not isinstance(a, np.ndarray) else (a.shape, a.dtype.str) for a in arrays)
    return numbers, tuple((k, v if _plain(v) else type(v).__name__) for k, v in settings.items())


def _plain(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(_plain(v) for v in value)
    return value is None or isinstance(value, int | float | str | bool)


def _map(result: Any, function: Callable[[Tensor], Any]) -> Any:
    """A result with every tensor in it replaced."""
    if isinstance(result, Tensor):
        return function(result)
    if isinstance(result, tuple | list):
        return type(result)(_map(r, function) for r in result)
    if isinstance(result, dict):
        return {key: _map(value, function) for key, value in result.items()}
    if result is None or isinstance(result, int | float | str | bool):
        return result
    raise TypeError(
        f"a compiled step returns tensors, alone or in tuples, lists and dicts, not {type(result).__name__}"
    )
