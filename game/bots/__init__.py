"""Players that need no learning, and the protocol that all players share."""

from __future__ import annotations

from game.bots.everything import Everything
from game.bots.greedy import Greedy
from game.bots.protocol import Decisions, Player
from game.bots.random import Random
from game.errors import GameError

BOTS: dict[str, type[Random] | type[Everything] | type[Greedy]] = {
    "random": Random, "everything": Everything, "greedy": Greedy}


def make_bot(name: str) -> Player:
    """A bot by its name; GameError naming the bots that exist."""
    if name not in BOTS:
        raise GameError(f"unknown bot {name!r}: there are {', '.join(BOTS)}")
    return BOTS[name]()


__all__ = ["BOTS", "Decisions", "Everything", "Greedy", "Player", "Random", "make_bot"]
