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
    """One figure. ``ratio`` above 1: faster than ``peer``. ``goal``: at least for rates, at most for times."""

    work: str
    unit: str
    ours: float
    peer: str | None = None
    theirs: float | None = None
    goal: float | None = None
    batch: int | None = None
    """Matches side by side, and the cores they share, where that is what is measured."""
    cores: int | None = None

    @property
    def is_rate(self) -> bool:
        """Rates grow when things get faster, times shrink."""
        return self.unit.endswith("/s")

    @property
    def ratio(self) -> float | None:
        """How many times faster than the peer."""
        if self.theirs is None:
            return None
        return self.ours / self.theirs if self.is_rate else self.theirs / self.ours

    @property
    def met(self) -> bool | None:
        """Whether the goal is reached; None without one."""
        if self.goal is None:
            return None
        return self.ours >= self.goal if self.is_rate else self.ours <= self.goal

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {**asdict(self), "ratio": self.ratio, "met": self.met}


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
