"""A match as one player saw it: what can be handed on without giving away what that player couldn't see.

A replay holds the seed, and with it every hidden card. A story holds the viewer's own deck,
opening hand and actions, and the events as the viewer was told them.
"""

from __future__ import annotations

from typing import Any

from game.cards import CardSet, first_set
from game.engine.records import state_from
from game.errors import GameError
from game.events import Event, redact
from game.match import Match
from game.replay import Replay

FORMAT = "backpropagation story"
VERSION = 1


def story(replay: Replay, viewer: int, cards: CardSet | None = None) -> dict[str, Any]:
    """A replay from one player's seat, ready for JSON; ReplayError if the replay isn't true.

    ``opening``: ids of the viewer's opening cards, and how many the other player had. ``told``: for
    each step, whose it was, the viewer's own action (None for the other's), and the events, each as
    [kind, player, slot, card id or "", a, b, ledger entry].
    """
    if viewer not in (0, 1):
        raise GameError(f"a viewer is player 0 or 1, not {viewer!r}")
    cards = cards or first_set()
    told: list[dict[str, Any]] = []

    def watch(match: Match, events: list[Event]) -> None:
        assert match.last is not None
        before = state_from(match.last.state)[0]
        mine = isinstance(match.last.done, int) and before.player == viewer
        told.append({"player": int(before.player), "action": match.last.done if mine else None,
                     "events": [_named(event, cards) for event in redact(events, viewer)]})

    match = replay.verify(cards, watch)
    link = next(match.links(), None)
    state = match.states[0] if link is None else state_from(link.state)[0]
    own, other = state.labs[viewer], state.labs[1 - viewer]
    return {"format": FORMAT, "version": VERSION, "rules": replay.rules, "cards": replay.cards, "viewer": viewer,
            "deck": replay.decks[viewer], "starter": int(state.starter),
            "opening": {"own": [cards[row].id for row in own.hand[:own.hand_size]], "other": int(other.hand_size)},
            "told": told, "result": replay.result}


def _named(event: Event, cards: CardSet) -> list[Any]:
    card = cards[event.card].id if event.card else ""
    return [event.kind, event.player, event.slot, card, event.a, event.b, event.entry]
