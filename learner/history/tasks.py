"""The tasks of 1986: all patterns of 0s and 1s, their targets, and how the networks start and step."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from learner.autodiff.table import Array


@dataclass(frozen=True)
class Task:
    """One task. ``x`` (patterns, inputs) and ``t`` (patterns, outputs) hold 0s and 1s, float32.

    hidden: units in the one hidden layer. lr, momentum: of descent on the summed error of all patterns.
    spread: weights and biases start uniform in ±spread. sweeps: through all patterns, until a network counts as stuck.
    """

    name: str
    x: Array
    t: Array
    hidden: int
    lr: float
    spread: float
    sweeps: int
    momentum: float = 0.9

    @property
    def shape(self) -> str:
        """Units by layer, "2–2–1"."""
        return f"{self.x.shape[1]}–{self.hidden}–{self.t.shape[1]}"


def patterns(bits: int) -> Array:
    """All rows of ``bits`` 0s and 1s in counting order, float32 ``(2**bits, bits)``."""
    return np.array(list(itertools.product((0, 1), repeat=bits)), np.float32)


def xor(hidden: int = 2) -> Task:
    """1 if one of two inputs is on, not both: what a perceptron can't do (Minsky and Papert 1969)."""
    x = patterns(2)
    return Task("XOR", x, x.sum(1, keepdims=True) % 2, hidden, lr=0.5, spread=0.5, sweeps=4000)


def parity(bits: int = 4) -> Task:
    """1 if the number of inputs that are on is odd: every single bit turns the answer round."""
    x = patterns(bits)
    return Task("parity", x, x.sum(1, keepdims=True) % 2, bits, lr=0.25, spread=0.5, sweeps=6000)


def symmetry() -> Task:
    """1 if six inputs read the same from both ends; two hidden units, step and start of the letter to Nature."""
    x = patterns(6)
    same = (x[:, :3] == x[:, :2:-1]).all(axis=1, keepdims=True)
    return Task("symmetry", x, same.astype(np.float32), 2, lr=0.1, spread=0.3, sweeps=8000)


def encoder() -> Task:
    """One of eight inputs is on and the same output shall be: through three hidden units, so a code must be found."""
    x = np.eye(8, dtype=np.float32)
    return Task("encoder", x, x, 3, lr=0.1, spread=0.5, sweeps=3000)
