"""What a match is played for and with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from game.cards import CardSet
from game.engine import records as r
from game.errors import GameError


@dataclass(frozen=True)
class Settings:
    """What a match is played for and with; the defaults are the game's, others are for teaching and tests."""

    funding: int = 25
    racks: int = 10
    turn_limit: int = 60
    action_limit: int = 60
    first_hand: int = 3
    second_hand: int = 4
    extra_card: str = "mixed-precision"
    """What the second player gets after the mulligans; "" for nothing."""
    deck_size: int = r.DECK
    """Cards in each deck; room for 30."""

    def __post_init__(self) -> None:
        for name, low, high in (("funding", 1, 9999), ("racks", 0, 99), ("turn_limit", 1, 9999),
                                ("action_limit", 1, 9999), ("first_hand", 0, 10), ("second_hand", 0, 10),
                                ("deck_size", 1, r.DECK)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                raise GameError(f"setting {name}: needs a whole number from {low} to {high}, not {value!r}")
        if not isinstance(self.extra_card, str):
            raise GameError(f"setting extra_card: needs a card's id, or \"\" for nothing, not {self.extra_card!r}")
        if self.deck_size < max(self.first_hand, self.second_hand):
            raise GameError(f"setting deck_size: {self.deck_size} cards are too few for opening hands of "
                            f"{self.first_hand} and {self.second_hand}")

    def row(self, cards: CardSet) -> Any:
        """As the rules read it, int32 ``(7,)``."""
        extra = cards.row(self.extra_card) if self.extra_card else 0
        return np.array([self.funding, self.racks, self.turn_limit, self.action_limit, self.first_hand,
                         self.second_hand, extra], np.int32)


def check_seed(seed: Any) -> int:
    """The seed as an int; GameError unless it is a whole number from 0 to 2⁶⁴−1."""
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or not 0 <= int(seed) < 2**64:
        raise GameError(f"a seed is a whole number from 0 to 2^64 - 1, not {seed!r}")
    return int(seed)
