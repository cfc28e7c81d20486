"""A player who never plays certain cards: against itself unbound it shows what they are worth."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import numpy as np

from game.bots.protocol import Decisions, Player
from game.cards import CardSet
from game.engine import records as r
from game.engine.observe import HAND_FIELDS, MATCH_FIELDS, view

BEYOND_PRICE = 999
"""More Compute than anybody can have."""


class Refusing:
    """A player that never plays the cards with certain rows; all else it decides as the player it wraps.

    A bot that thinks ahead does so in a world in which nobody can pay for them.
    """

    def __init__(self, player: Player, rows: frozenset[int]) -> None:
        self.player, self.rows = player, np.array(sorted(rows), np.int32)
        self.name = f"{player.name} refusing"
        self._priced: dict[str, CardSet] = {}
        """By the hash of the set it was made from."""

    def choose(self, decisions: Decisions) -> Any:
        """The wrapped player's choice among what is left; ending the turn is always left."""
        seen = view(decisions.observations)
        acting = seen.match[:, MATCH_FIELDS.index("phase")] == r.ACTION
        refused = np.isin(seen.hand[:, :, HAND_FIELDS.index("card")], self.rows) & acting[:, None]
        masks = decisions.masks.reshape(-1, r.SOURCES, r.TOKENS).copy()
        masks[:, :r.HAND][refused] = 0
        return self.player.choose(replace(decisions, masks=masks.reshape(-1, r.ACTIONS),
                                          cards=self._without(decisions.cards)))

    def _without(self, cards: CardSet) -> CardSet:
        if cards.hash not in self._priced:
            priced = copy.copy(cards)
            priced.table = cards.table.copy()
            priced.table["cost"][self.rows] = BEYOND_PRICE
            priced.table.flags.writeable = False
            self._priced[cards.hash] = priced
        return self._priced[cards.hash]
