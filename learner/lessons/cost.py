"""What a gradient costs in time and in memory: a file of ``costing`` for each question."""

from __future__ import annotations

from learner.lessons.costing import checkpoints, memo, memory, prices, ratios
from learner.lessons.lesson import Lesson, Progress, run_parts

NAME = "COST"
HELP = "finite differences against one backward pass, backward beside forward, memory, checkpointing"

PARTS = {"differences": prices, "paths": memo, "backward and forward": ratios, "memory": memory,
         "checkpointing": checkpoints}
STEPS = len(PARTS)


def run(seed: int, progress: Progress) -> Lesson:
    """All parts, one after the other."""
    return run_parts(PARTS, seed, progress)
