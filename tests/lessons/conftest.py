"""Running lessons once for all their tests."""

from __future__ import annotations

import functools
from collections.abc import Callable

import pytest

from learner.lessons.lesson import Lesson, find_lesson


class Steps:
    """A progress that counts."""

    done = 0.0

    def advance(self, steps: float = 1, note: str = "") -> None:
        self.done += steps


@functools.cache
def _run(name: str, seed: int) -> tuple[Lesson, float]:
    steps = Steps()
    return find_lesson(name).run(seed, steps), steps.done


@pytest.fixture
def ran() -> Callable[..., tuple[Lesson, float]]:
    """A lesson's result and how many steps it reported: ``ran("NUMBERS")``, ``ran("NUMBERS", seed=1)``."""
    return lambda name, seed=0: _run(name, seed)
