"""A debugger for the tape: step a recorded program both ways, change a value, watch what follows.

debug(lambda: criterion(model(x), y), names=dict(model.named_parameters()))

3/7  relu (32, 64)  0 .. 2.31  gradient -0.0121 .. 0.0098   train.py:41
tape> set 0,5 3.0
changed what follows: 4 linear by up to 0.71, 5 cross_entropy by up to 0.02; result 1.1043 -> 1.1254
"""

from __future__ import annotations

import cmd
from collections.abc import Callable, Mapping
from typing import IO, Any

import numpy as np

from learner.autodiff.inspection import Entry, Index, Tape, summary
from learner.autodiff.table import Array
from learner.autodiff.tensor import Tensor


class Debugger(cmd.Cmd):
    """Commands over a Tape; `help` lists them."""

    prompt = "tape> "
    intro = "n next, b back, g N go to N, w where it comes from, p print, d gradient, set, undo, l list, q quit"

    def __init__(self, tape: Tape, stdin: IO[str] | None = None, stdout: IO[str] | None = None) -> None:
        super().__init__(stdin=stdin, stdout=stdout)
        self.use_rawinput = stdin is None
        self.original = self.tape = tape
        self.changes: dict[int, Array] = {}
        self.at = 0

    def preloop(self) -> None:
        self._show(self.at)

    def say(self, text: str) -> None:
        self.stdout.write(text + "\n")

    def describe(self, entry: Entry) -> str:
        """One line: number, operation, shape, value, gradient, source line."""
        g = self.tape.gradients.get(entry.index)
        gradient = "no gradient" if g is None else f"gradient {summary(g)}"
        mark = " (changed)" if entry.index in self.changes else ""
        return (
            f"{entry.index}/{len(self.tape.entries) - 1}  {entry.label} {entry.tensor.shape}  "
            f"{summary(entry.tensor.array)}  {gradient}   {entry.place}{mark}"
        )

    def _show(self, index: int) -> None:
        self.at = index
        self.say(self.describe(self.tape.entries[index]))

    def _go(self, index: int) -> None:
        last = len(self.tape.entries) - 1
        if not 0 <= index <= last:
            self.say(f"the program has entries 0 to {last}")
            return
        self._show(index)

    def do_n(self, argument: str) -> None:
        """n [count]: forward to the next operation."""
        self._go(self.at + _number(argument, 1))

    def do_b(self, argument: str) -> None:
        """b [count]: back to the operation before."""
        self._go(self.at - _number(argument, 1))

    def do_g(self, argument: str) -> None:
        """g N: go to entry N; g alone goes to the result."""
        self._go(_number(argument, len(self.tape.entries) - 1))

    def do_l(self, argument: str) -> None:
        """l: list all entries."""
        for entry in self.tape.entries:
            self.say(("> " if entry.index == self.at else "  ") + self.describe(entry))

    def do_w(self, argument: str) -> None:
        """w: what this value was computed from."""
        entry = self.tape.entries[self.at]
        if entry.op is None:
            self.say("it came from outside the program, or was set here")
        for operand in entry.operands:
            text = self.describe(self.tape.entries[operand]) if isinstance(operand, Index) else f"the number {operand}"
            self.say("  " + text)

    def do_p(self, argument: str) -> None:
        """p: print the value."""
        self.say(np.array2string(self.tape.entries[self.at].tensor.array, precision=5, threshold=200))

    def do_d(self, argument: str) -> None:
        """d: print the gradient of the result with respect to this value."""
        g = self.tape.gradients.get(self.at)
        self.say("no gradient reaches it" if g is None else np.array2string(g, precision=5, threshold=200))

    def do_set(self, argument: str) -> None:
        """set VALUE: the whole value; set I,J VALUE: one element. What follows is computed again."""
        parts = argument.split()
        try:
            value = np.array(self.tape.entries[self.at].tensor.array)
            if len(parts) == 2:
                value[tuple(int(i) for i in parts[0].split(","))] = float(parts[1])
            else:
                value[...] = float(parts[0])
        except (ValueError, IndexError) as error:
            self.say(f"cannot set that: {error or argument}; say set 1.5, or set 0,2 1.5")
            return
        self.changes[self.at] = value
        self._rerun()

    def do_undo(self, argument: str) -> None:
        """undo: take back all changes."""
        self.changes.clear()
        self._rerun()

    def _rerun(self) -> None:
        before, self.tape = self.tape, self.original.rerun(self.changes)
        moved = []
        for old, new in zip(before.entries, self.tape.entries, strict=True):
            if old.index != self.at and not np.array_equal(old.tensor.array, new.tensor.array, equal_nan=True):
                far = np.abs(np.asarray(new.tensor.array, float) - np.asarray(old.tensor.array, float)).max()
                moved.append(f"{new.index} {new.label} by up to {far:.3g}")
        self.say("changed what follows: " + (", ".join(moved) or "nothing"))
        self.say(f"result {summary(before.result.array)} -> {summary(self.tape.result.array)}")
        self._show(self.at)

    def do_q(self, argument: str) -> bool:
        """q: quit."""
        return True

    do_EOF = do_q  # noqa: N815 - the name that cmd looks for

    def emptyline(self) -> bool:
        self.do_n("")
        return False

    def default(self, line: str) -> None:
        self.say(f"unknown command {line!r}; {self.intro}")


def _number(argument: str, default: int) -> int:
    try:
        return int(argument) if argument.strip() else default
    except ValueError:
        return -1


def debug(
    function: Callable[..., Tensor],
    *inputs: Tensor,
    names: Mapping[str, Any] | None = None,
    stdin: IO[str] | None = None,
    stdout: IO[str] | None = None,
) -> None:
    """Run function(*inputs), then explore what it did in the terminal."""
    Debugger(Tape.record(function, *inputs, names=names), stdin, stdout).cmdloop()
