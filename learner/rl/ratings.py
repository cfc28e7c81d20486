"""How sure a result is, and who is how strong."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from game.vector import Played

Z = 1.959963984540054
"""Two-sided 95 %."""


def wilson(wins: float, n: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share of ``n`` (E. B. Wilson 1927); (0, 1) for nothing played."""
    if n == 0:
        return 0.0, 1.0
    p, z2 = wins / n, Z * Z
    centre = (p + z2 / (2 * n)) / (1 + z2 / n)
    half = Z / (1 + z2 / n) * math.sqrt(p * (1 - p) / n + z2 / (4 * n * n))
    return max(0.0, centre - half), min(1.0, centre + half)


@dataclass(frozen=True)
class Score:
    """A's score against B over pairs of matches with the seats swapped: 1 a win, ½ a draw."""

    pairs: int
    mean: float
    low: float
    high: float
    """95 % interval of the mean, from the spread of the pairs' scores."""

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"pairs": self.pairs, "score": self.mean, "low": self.low, "high": self.high}


def paired_score(played: Sequence[Played], player: int) -> Score:
    """The score of a player number over matches made by :func:`learner.rl.rollout.paired`."""
    points = [0.5 if p.winner is None else float(p.winning_player() == player) for p in played]
    pairs = np.array(points).reshape(-1, 2).mean(axis=1)
    return score_of(pairs)


def score_of(pairs: Any) -> Score:
    """Mean and 95 % interval of the scores of pairs.

    The normal interval from the pairs' own spread, widened to Wilson's where that spread is too
    small to tell (all pairs alike).
    """
    n, mean = len(pairs), float(np.mean(pairs)) if len(pairs) else 0.5
    if n < 2:
        return Score(n, mean, 0.0, 1.0)
    half = Z * float(np.std(pairs, ddof=1)) / math.sqrt(n)
    if half == 0.0 and mean in (0.0, 1.0):
        low, high = wilson(mean * n, n)
        return Score(n, mean, low, high)
    return Score(n, mean, max(0.0, mean - half), min(1.0, mean + half))


@dataclass(frozen=True)
class Ratings:
    """Strengths on the Elo scale (400 points: odds of ten to one), the pinned player at 0."""

    elo: dict[str, float]
    error: dict[str, float]
    """Standard errors."""
    seat: float
    """What the first turn is worth, in points."""


def bradley_terry(games: Sequence[tuple[str, str, float, int]], pinned: str) -> Ratings:
    """Fit strengths to games (R. A. Bradley, M. E. Terry 1952) with a term for the first turn.

    ``games``: (starter, other, the starter's score summed, games). Each pair also gets one drawn
    game of prior, so that a player without a loss has a finite strength. Newton's method.
    """
    names = sorted({name for a, b, _, _ in games for name in (a, b)} | {pinned})
    free = [name for name in names if name != pinned]
    column = {name: i for i, name in enumerate(free)}
    size = len(free) + 1
    rows, scores, counts = [], [], []

    def add(a: str, b: str, score: float, n: float, seat: float) -> None:
        x = np.zeros(size)
        if a in column:
            x[column[a]] += 1
        if b in column:
            x[column[b]] -= 1
        x[-1] = seat
        rows.append(x)
        scores.append(score)
        counts.append(n)

    for a, b, score, n in games:
        add(a, b, score, n, 1.0)
    for a, b in {tuple(sorted((a, b))) for a, b, _, _ in games if a != b}:
        add(a, b, 0.5, 1.0, 0.0)
    X, s, games_played = np.array(rows), np.array(scores), np.array(counts)
    theta = np.zeros(size)
    information = np.eye(size)
    for _ in range(100):
        p = 1 / (1 + np.exp(-X @ theta))
        information = (X * (games_played * p * (1 - p))[:, None]).T @ X + 1e-9 * np.eye(size)
        change = np.linalg.solve(information, X.T @ (s - games_played * p))
        theta += np.clip(change, -2, 2)
        if np.abs(change).max() < 1e-10:
            break
    scale = 400 / math.log(10)
    errors = np.sqrt(np.diag(np.linalg.inv(information))) * scale
    return Ratings({pinned: 0.0, **{name: float(theta[i] * scale) for name, i in column.items()}},
                   {pinned: 0.0, **{name: float(errors[i]) for name, i in column.items()}}, float(theta[-1] * scale))
