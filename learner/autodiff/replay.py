"""compile(step): run a training step once, keep the list of kernel calls, and repeat that list without the Python.

    @compile
    def step(x, y):
        loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

The first two calls run as written and are recorded; from then on the recorded kernels run into the arrays they filled
the first time, with the arguments copied in. Results are copies and equal the written step's bit for bit.

A replay must never give a wrong number. What it cannot repeat - Python looking at values, data that is no argument,
shapes that depend on values, gradients that add up from step to step, numbers that change from call to call - makes the
step run as written for good, with a warning and a `reason`. What merely changes the program - shapes and dtypes of
arguments, train and eval, frozen or replaced parameters, variables of the step - makes it record anew. Python's own
doings (printing, counting) are not repeated.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from learner.autodiff.guards import Watch
from learner.autodiff.modes import Switch, modes
from learner.autodiff.program import Program, Tracer
from learner.autodiff.tape import switches
from learner.autodiff.tensor import Tensor


class ReplayWarning(UserWarning):
    """A compiled step runs as written, and the warning says why."""


class Compiled:
    """A step that replays; see `compile`.

    reason: why it runs as written, or None. replays, recordings: how often it did either.
    """

    def __init__(self, step: Callable[..., Any]) -> None:
        self._step = step
        self._programs: dict[Any, Program] = {}
        self._drafts: dict[Any, Program] = {}
        self.reason: str | None = None
        self.replays = self.recordings = 0
        functools.update_wrapper(self, step)

    def __call__(self, *args: Any) -> Any:
        if self.reason is not None or modes.recorder is not None or modes.fixed or not modes.grad:
            return self._step(*args)
        tensors = [Tensor(a) if isinstance(a, np.ndarray) else a for a in args]
        key = (switches[0], *[_kind(t) for t in tensors])
        program = self._programs.get(key)
        if program is not None and program.fits() and program.watch.same():
            if not program.due():
                self.replays += 1
                return program.run(tensors)
        return self._record(key, tensors)

    def _record(self, key: Any, tensors: list[Any]) -> Any:
        """Run the step as written and keep what it did; it becomes a program when done twice alike."""
        self.recordings += 1
        if self.recordings > 64:
            self._give_up("its program changed more than 64 times")
            return self._step(*tensors)
        watch = Watch(self._step)
        tracer = Tracer(tensors)
        with Switch("recorder", tracer):
            result = self._step(*tracer.inputs)
        program = tracer.finish(result, watch)
        if tracer.reason is not None:
            self._give_up(tracer.reason)
            return program.results()
        draft = self._programs.pop(key, None) or self._drafts.pop(key, None)
        if draft is not None and draft.watch.same():
            difference = draft.difference(program)
            if difference is not None:
                self._give_up(difference)
                return program.results()
            program.next_check = draft.next_check
            self._programs[key] = program
        else:
            self._drafts[key] = program
        return program.results()

    def _give_up(self, reason: str) -> None:
        self.reason = reason
        self._programs.clear()
        self._drafts.clear()
        name = getattr(self._step, "__name__", "the step")
        warnings.warn(f"{name} runs as written and is not replayed: {reason}", ReplayWarning, stacklevel=4)


def compile(step: Callable[..., Any]) -> Compiled:
    """A step that is recorded and replayed. Its arguments are tensors (arrays become tensors) and plain constants;
    it returns tensors, alone or in tuples, lists and dicts."""
    return Compiled(step)


def _kind(argument: Any) -> Any:
    """What a program depends on in an argument: a tensor's shape and dtype, a constant's value."""
    if isinstance(argument, Tensor):
        return argument.array.shape, argument.array.dtype, argument.node is not None
    if isinstance(argument, int | float | str | bool) or argument is None:
        return type(argument), argument
    raise TypeError(f"a compiled step takes tensors, arrays, numbers and strings, not {type(argument).__name__}")
