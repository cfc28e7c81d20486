"""A small network and a small batch for the methods."""

from __future__ import annotations

import numpy as np
import pytest

from learner.compare.race import task

SIZES = (6, 5, 4, 3)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


@pytest.fixture
def batch(rng):
    """(16, 6) inputs and their classes, of three."""
    x = rng.standard_normal((16, SIZES[0])).astype(np.float32)
    return x, rng.integers(0, SIZES[-1], 16)


@pytest.fixture(scope="session")
def pictures():
    """The task: pictures to learn and to test."""
    return task(0)
