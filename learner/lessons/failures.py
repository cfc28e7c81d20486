"""How training fails, and what helps: a file of ``failing`` for each way."""

from __future__ import annotations

from learner.lessons.failing import broken, dead, depth, exploding, mask, minima, rates, shallow, softmax
from learner.lessons.lesson import Lesson, Progress, run_parts

NAME = "FAILURES"
HELP = "vanishing and exploding gradients, dead ReLUs, broken paths, overflow, and what helps against each"

PARTS = {"depth": depth, "dead ReLUs": dead, "exploding gradients": exploding, "learning rates": rates,
         "shallow networks": shallow, "minima": minima, "broken paths": broken, "a forgotten mask": mask,
         "softmax": softmax}
STEPS = len(PARTS)


def run(seed: int, progress: Progress) -> Lesson:
    """All parts, one after the other."""
    return run_parts(PARTS, seed, progress)
