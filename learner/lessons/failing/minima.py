"""Descent finds a minimum, not the minimum: the smallest network for XOR from many starts."""

from __future__ import annotations

import numpy as np

import learner.autodiff as ad
import learner.nn as nn
from learner import svg
from learner.lessons.failing.descent import adam
from learner.lessons.lesson import Lesson, Picture, Table

WIDTHS, STARTS, STEPS = (2, 3, 4), 60, 800
SOLVED = 1e-2


def losses(width: int, starts: int, seed: int) -> list[float]:
    """The last mean squared error on XOR of each start, for one hidden layer of that many tanh units."""
    x = ad.tensor(np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]))
    y = ad.tensor(np.array([[0.0], [1.0], [1.0], [0.0]]))
    found = []
    for start in range(starts):
        rng = np.random.default_rng([seed, start])
        model = nn.Sequential(nn.Linear(2, width, dtype=np.float64, generator=rng), nn.Tanh(),
                              nn.Linear(width, 1, dtype=np.float64, generator=rng))
        found.append(adam(model, ad.mse_loss, x, y, 0.05, STEPS))
    return found


def run(seed: int) -> Lesson:
    """All widths."""
    ends = {width: losses(width, STARTS, seed) for width in WIDTHS}
    solved = {width: float(np.mean(np.array(found) < SOLVED)) for width, found in ends.items()}
    stuck = [loss for loss in ends[WIDTHS[0]] if loss >= SOLVED]
    where = f"the others end at losses of {min(stuck):.3g} to {max(stuck):.3g}" if stuck else "none end elsewhere"
    return Lesson(
        [Table(f"XOR from {STARTS} starts, {STEPS} steps of Adam", ["hidden units", "solved", "worst loss"],
               [[width, f"{solved[width]:.0%}", max(found)] for width, found in ends.items()])],
        [Picture("minima", svg.picture([svg.lines("Last losses, sorted", {
            f"{width} hidden units": [(n, loss) for n, loss in enumerate(sorted(found))]
            for width, found in ends.items()}, "start", "loss", log_y=True)]))],
        [f"With {WIDTHS[0]} hidden units, {solved[WIDTHS[0]]:.0%} of {STARTS} starts solve XOR and {where}; with "
         f"{WIDTHS[-1]} units {solved[WIDTHS[-1]]:.0%} do."])
