"""What an action would do, from the rules themselves, on a copy in which all that is hidden is invented.

The copy is imagined several times with different chance; only what comes out the same each time
is promised. An awaited gradient update is assumed to be learned, and the preview says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from game.actions import slot_token
from game.bots.protocol import deckable_rows, salted
from game.engine import batch
from game.engine.records import copy_states
from game.events import Event
from game.match import Match
from game.updates import Verdict

T = TypeVar("T")
SAMPLES = 4


@dataclass(frozen=True)
class Preview:
    """What is certain: by token (seen from the viewer) the health lost, and who leaves the board."""

    damage: dict[int, int]
    healing: dict[int, int]
    buffs: dict[int, tuple[int, int]]
    deaths: frozenset[int]
    assumes_learned: bool
    chance: bool
    """Whether something else depends on chance."""
    wins: bool

    @property
    def certain(self) -> bool:
        """Whether there is anything to promise."""
        return bool(self.damage or self.healing or self.buffs or self.deaths)


def preview(match: Match, viewer: int, action: int) -> Preview:
    """The certain consequences of a legal action of ``viewer``."""
    found = [_once(match, viewer, action, salt) for salt in range(SAMPLES)]
    first = found[0]
    same = [other for other in found if other == first]
    if len(same) == len(found):
        return first
    return Preview(_common([f.damage for f in found]), _common([f.healing for f in found]),
                   _common([f.buffs for f in found]), frozenset.intersection(*(f.deaths for f in found)),
                   any(f.assumes_learned for f in found), True, all(f.wins for f in found))


def imagined(match: Match, viewer: int, salt: int) -> Match:
    """A copy that agrees with all that ``viewer`` sees; nothing hidden is left in it."""
    copy = match.clone()
    states = copy_states(match.states)
    words = salted(np.array([salt], np.uint64), 77)
    batch.imagine(states, 0, 1, np.array([viewer], np.int32), deckable_rows(match.cards), words)
    copy.states = states
    return copy


def _once(match: Match, viewer: int, action: int, salt: int) -> Preview:
    copy = imagined(match, viewer, salt)
    events, learned = copy.play(action), False
    while copy.phase == "awaiting_update":
        learned = True
        events += copy.give(Verdict("learned"))
    outcome = copy.outcome
    return _sum(events, viewer, learned, outcome is not None and outcome.winner == viewer)


def _sum(events: list[Event], viewer: int, learned: bool, wins: bool) -> Preview:
    damage: dict[int, int] = {}
    healing: dict[int, int] = {}
    buffs: dict[int, tuple[int, int]] = {}
    deaths = set()
    for event in events:
        if event.kind in ("end_turn", "turn"):
            break
        own = event.player == viewer
        token = slot_token(own, event.slot) if event.slot >= 0 else (0 if own else 7)
        if event.kind in ("damage", "lab_damage"):
            damage[token] = damage.get(token, 0) + event.a
        elif event.kind in ("heal", "lab_heal"):
            healing[token] = healing.get(token, 0) + event.a
        elif event.kind == "buff":
            attack, health = buffs.get(token, (0, 0))
            buffs[token] = (attack + event.a, health + event.b)
        elif event.kind in ("death", "recall", "vanish"):
            deaths.add(token)
    return Preview(damage, healing, buffs, frozenset(deaths), learned, False, wins)


def _common(found: list[dict[int, T]]) -> dict[int, T]:
    return {key: value for key, value in found[0].items() if all(other.get(key) == value for other in found)}
