"""The floor that a learning agent has to leave behind: it plays whatever it can."""

from __future__ import annotations

from typing import Any

from game.actions import END
from game.bots.protocol import Decisions
from game.bots.random import pick


class Everything:
    """Plays a random legal action and ends the turn only when nothing else is left; keeps its opening hand."""

    name = "everything"

    def choose(self, decisions: Decisions) -> Any:
        """A legal action for each decision, int64 ``(n,)``."""
        masks = decisions.masks.copy()
        masks[:, END] = 0
        mulligan = decisions.observations[:, 0] == 0
        masks[mulligan] = 0
        masks[:, END] |= masks.sum(axis=1) == 0
        return pick(masks, decisions.words)
