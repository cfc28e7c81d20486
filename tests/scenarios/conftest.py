"""Every scenario runs twice: with "you" as player 0 and as player 1."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.scenarios import scenario


@pytest.fixture(autouse=True, params=[0, 1], ids=["seat0", "seat1"])
def seat(request: pytest.FixtureRequest) -> Iterator[int]:
    """Seats "you" as this player."""
    scenario.seat = request.param
    yield request.param
    scenario.seat = 0
