"""Measurements beside what else there is, with goals.

A file here that assigns ``NAME`` and ``HELP`` and defines ``measure(effort, progress) -> list[Row]``
is found by ``backprop bench``.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Effort:
    """How hard to measure: ``repeats`` runs of at least ``seconds`` each, their median counts."""

    repeats: int = 5
    seconds: float = 0.5
    seed: int = 0
    cold: bool = False
    """Whether to measure what takes a minute because it starts from nothing."""
    peers: bool = False
    """Whether to measure peers that take minutes to compile."""


@dataclass(frozen=True)
class Row:
    """One figure. ``ratio`` is ours / theirs; ``goal``: at least for rates, at most for all else.

    ``goal_for`` says which figure the goal is for. ``paired``: the ratio as the median of ratios
    measured in turns, which counts instead of the quotient of two medians.
    """

    work: str
    unit: str
    ours: float
    peer: str | None = None
    theirs: float | None = None
    goal: float | None = None
    batch: int | None = None
    """Matches side by side, and the cores they share, where that is what is measured."""
    cores: int | None = None
    goal_for: str = "ours"
    paired: float | None = None

    @property
    def is_rate(self) -> bool:
        """Rates grow when things get better; times, shares and sizes shrink."""
        return self.unit.endswith("/s")

    @property
    def ratio(self) -> float | None:
        """Ours / theirs: above 1 is better for rates, below 1 for times."""
        if self.theirs is None:
            return None
        return self.ours / self.theirs if self.paired is None else self.paired

    @property
    def met(self) -> bool | None:
        """Whether the goal is reached; None without one, or without the peer that it is about."""
        figure = self.ours if self.goal_for == "ours" else self.ratio
        if self.goal is None or figure is None:
            return None
        return figure >= self.goal if self.is_rate else figure <= self.goal

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        fields = {key: value for key, value in asdict(self).items() if key != "paired"}
        return {**fields, "ratio": self.ratio, "met": self.met}


def rate(work: Callable[[], int], effort: Effort) -> float:
    """Median of things done per second; ``work`` does some and says how many. The first call isn't counted."""
    work()
    found = []
    for _ in range(effort.repeats):
        done, began = 0, time.perf_counter()
        while time.perf_counter() - began < effort.seconds:
            done += work()
        found.append(done / (time.perf_counter() - began))
    return statistics.median(found)
