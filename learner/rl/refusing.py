"""A player who never plays certain cards: against itself unbound it shows what they are worth.

A bot that thinks ahead may still plan with them; only the move itself is forbidden.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from game.bots.protocol import Decisions, Player
from game.engine import records as r
from game.engine.observe import HAND_FIELDS, MATCH_FIELDS, view


class Refusing:
    """A player that never plays the cards with certain rows; all else it decides as the player it wraps."""

    def __init__(self, player: Player, rows: frozenset[int]) -> None:
        self.player, self.rows = player, np.array(sorted(rows), np.int32)
        self.name = f"{player.name} refusing"

    def choose(self, decisions: Decisions) -> Any:
        """The wrapped player's choice among what is left; ending the turn is always left."""
        seen = view(decisions.observations)
        acting = seen.match[:, MATCH_FIELDS.index("phase")] == r.ACTION
        refused = np.isin(seen.hand[:, :, HAND_FIELDS.index("card")], self.rows) & acting[:, None]
        masks = decisions.masks.reshape(-1, r.SOURCES, r.TOKENS).copy()
        masks[:, :r.HAND][refused] = 0
        return self.player.choose(replace(decisions, masks=masks.reshape(-1, r.ACTIONS)))
