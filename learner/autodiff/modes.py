"""What is switched on in this thread: recording for backward, fixed order of summation, a recorder for replay."""

from __future__ import annotations

import threading
from contextlib import ContextDecorator
from typing import Any


class Modes(threading.local):
    """The switches of one thread. The class attributes are every new thread's defaults."""

    grad = True
    """Operations on tensors that require a gradient leave a node behind."""
    special = 0
    """How many switches other than `grad` are on: one look tells an operation that nothing unusual is asked of it."""
    fixed = False
    """Kernels whose order of summation is fixed stand in for the fast ones (learner.autodiff.fixed)."""
    steady = False
    """Matrix products don't let a row's place in its batch decide its last bits (`steady_rows`)."""
    recorder: Any = None
    """Whoever wants to hear of every kernel call (replay, the tape debugger, diagnose), or None."""
    draws: Any = None
    """Whoever notes down, or repeats, the states that random masks are drawn from (checkpoint), or None."""
    packing: Any = None
    """How arrays saved for backward are stored (learner.autodiff.precision), or None for as they are."""
    batching: Any = None
    """Who runs operations on batches of examples as one (learner.autodiff.vmap), or None."""


modes = Modes()


class Switch(ContextDecorator):
    """Sets one attribute of `modes` for the length of a `with` block or of a decorated function."""

    def __init__(self, name: str, value: Any) -> None:
        self._name, self._value = name, value
        self._before: list[Any] = []  # a stack, because one decorated function may call itself

    def __enter__(self) -> Switch:
        self._before.append(getattr(modes, self._name))
        setattr(modes, self._name, self._value)
        modes.special += self._name != "grad"
        return self

    def __exit__(self, *exc: object) -> None:
        setattr(modes, self._name, self._before.pop())
        modes.special -= self._name != "grad"


def steady_rows() -> Switch:
    """Inside, row i of x @ w is the same to the bit wherever in x it stands, on one machine. Block or decorator.

    BLAS cuts a matrix into tiles whose kernels round differently, so otherwise a row's bits depend on its place.
    Unlike `fixed_order` this is nearly as fast as without; bits may differ from those of another processor.
    """
    return Switch("steady", True)


def no_grad() -> Switch:
    """Nothing computed inside is recorded: results do not require a gradient. Block or decorator."""
    return Switch("grad", False)


def enable_grad() -> Switch:
    """Recording switched on again inside a `no_grad` block."""
    return Switch("grad", True)


def is_grad_enabled() -> bool:
    """Whether operations are being recorded in this thread."""
    return modes.grad
