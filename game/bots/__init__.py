"""Players that need no learning, and the protocol that all players share."""

from __future__ import annotations

from collections.abc import Callable

from game.bots.everything import Everything
from game.bots.forest import Forest
from game.bots.greedy import Greedy
from game.bots.lookahead import Lookahead
from game.bots.protocol import Decisions, Player
from game.bots.random import Random
from game.bots.search import Search
from game.errors import GameError

BOTS: dict[str, Callable[[], Player]] = {
    "random": Random, "everything": Everything, "greedy": Greedy, "lookahead": Lookahead, "search": Search}
"""Bots by name; "search:N" is the search with N simulations."""


def is_bot(name: str) -> bool:
    """Whether a name is a bot's."""
    kind, _, number = name.partition(":")
    return name in BOTS or (kind == "search" and number.isdecimal())


def make_bot(name: str) -> Player:
    """A bot by its name; GameError naming the bots that exist."""
    if not is_bot(name):
        raise GameError(f"unknown bot {name!r}: there are {', '.join(BOTS)}, and search:N with N simulations")
    kind, _, number = name.partition(":")
    return Search(int(number)) if number else BOTS[kind]()


__all__ = ["BOTS", "Decisions", "Everything", "Forest", "Greedy", "Lookahead", "Player", "Random", "Search", "is_bot",
           "make_bot"]
