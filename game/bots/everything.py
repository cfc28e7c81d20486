"""The floor that a learning agent has to leave behind: it plays whatever it can."""

from __future__ import annotations

from typing import Any

from game.actions import END
from game.bots.protocol import Decisions
from game.bots.random import evenly, pick


class Everything:
    """Plays a random legal action and ends the turn only when nothing else is left; keeps its opening hand."""

    name = "everything"

    def choose(self, decisions: Decisions) -> Any:
        """A legal action for each decision, int64 ``(n,)``."""
        return pick(self._wanted(decisions), decisions.words)

    def probabilities(self, decisions: Decisions) -> Any:
        """How likely each action is, float64 ``(n, 238)``."""
        return evenly(self._wanted(decisions))

    def _wanted(self, decisions: Decisions) -> Any:
        """A mask of what may be picked."""
        masks = decisions.masks.copy()
        masks[:, END] = 0
        mulligan = decisions.observations[:, 0] == 0
        masks[mulligan] = 0
        masks[:, END] |= masks.sum(axis=1) == 0
        return masks
