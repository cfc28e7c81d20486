"""Rosenblatt's perceptron: one step function over a weighted sum, and a rule that learns it without derivatives.

F. Rosenblatt: *The perceptron*, Psychological Review 65 (1958) 386–408. What it can't learn: M. Minsky, S. Papert:
*Perceptrons* (1969).
"""

from __future__ import annotations

import numpy as np

from learner.autodiff.table import Array
from learner.history.tasks import patterns

NAMES = ("never", "AND", "x₁ ∧ ¬x₂", "x₁", "¬x₁ ∧ x₂", "x₂", "XOR", "OR",
         "NOR", "XNOR", "¬x₂", "x₁ ∨ ¬x₂", "¬x₁", "¬x₁ ∨ x₂", "NAND", "always")
"""The functions of two inputs; a function's place has its answers to 00, 01, 10, 11 as binary digits."""


def learn(targets: Array, count: int, sweeps: int, rng: np.random.Generator) -> Array:
    """Wrong answers after each sweep, (sweeps + 1, count) int, of ``count`` perceptrons over two inputs.

    targets: (4,) bool, the answers to 00, 01, 10, 11. Each pattern in turn: w += (t − y) x. It ends at no mistakes,
    after finitely many steps, whenever a line separates the patterns (the perceptron convergence theorem).
    """
    x = np.hstack([patterns(2), np.ones((4, 1), np.float32)])
    weights = rng.uniform(-0.5, 0.5, (count, 3))
    wrong = np.zeros((sweeps + 1, count), int)
    for sweep in range(sweeps + 1):
        wrong[sweep] = ((weights @ x.T > 0.0) != targets).sum(1)
        if sweep < sweeps:
            for row, target in zip(x, targets, strict=True):
                weights += (float(target) - (weights @ row > 0.0))[:, None] * row
    return wrong


def all_functions(count: int, sweeps: int, rng: np.random.Generator) -> dict[str, Array]:
    """``learn`` for each of the 16 functions of two inputs, by name."""
    found = {}
    for answers in range(len(NAMES)):
        targets = np.array([answers >> 3 & 1, answers >> 2 & 1, answers >> 1 & 1, answers & 1], bool)
        found[NAMES[answers]] = learn(targets, count, sweeps, rng)
    return found
