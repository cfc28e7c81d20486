"""Where a match goes on from when it isn't dealt anew."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from game.match import Match


@dataclass(frozen=True)
class Start:
    """A match as it stands, with what updates to come could learn from."""

    name: str
    state: bytes
    turn_rows: tuple[tuple[int, Any, int], ...]
    """As :meth:`Match.turn_decisions`."""
    own_rows: dict[int, list[tuple[int, Any]]]
    """As :meth:`Match.own_decisions`, of both players."""
    asked: int
    """Updates that have had their verdicts."""

    @staticmethod
    def of(match: Match) -> Start:
        """Where a match stands."""
        return Start(match.name, match.states.tobytes(), tuple(match.turn_decisions()),
                     {**match.own_decisions(0), **match.own_decisions(1)}, match.updates_asked)
