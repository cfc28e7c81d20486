"""What happened, in sentences.

A :class:`Narrator` follows a match: it knows which Model stands where, so that an event that only
names a slot can be told by name. Give it every event (redacted for a player: :func:`game.events.redact`).
"""

from __future__ import annotations

from collections.abc import Sequence

from game.actions import slot_token, token_slot
from game.cards import CardSet
from game.engine import records as r
from game.engine.records import EVENTS
from game.events import Event
from game.match import Match
from game.text.cards import keyword_names
from game.updates import Verdict
from game.words import say

HEADLINES = {"mulligan", "mulligan_done", "turn", "play", "attack", "end_turn", "over"}
"""What isn't the consequence of something else; the rest is indented."""
_ENTERS, _LEAVES = {"enter"}, {"death", "recall", "vanish"}


class Narrator:
    """Tells a match's events in a language, from a player's side (``viewer`` None: from nobody's)."""

    def __init__(self, match: Match, language: str = "en", viewer: int | None = None) -> None:
        self.cards: CardSet = match.cards
        self.language, self.viewer = language, viewer
        self.board: dict[tuple[int, int], int] = {}
        """(player, slot) → card row of the Model there."""
        self._before = Event("", 0, -1, 0, 0, 0, 0)
        for player in range(2):
            for slot, unit in enumerate(match.state.labs[player].units):
                if unit.card:
                    self.board[player, slot] = int(unit.card)

    def lines(self, events: Sequence[Event], verdicts: Sequence[Verdict] = ()) -> list[str]:
        """The events as lines, in order. ``verdicts``: those given meanwhile, for their numbers."""
        return [line for _, line in self.told(events, verdicts)]

    def told(self, events: Sequence[Event], verdicts: Sequence[Verdict] = ()) -> list[tuple[str, str]]:
        """The same, each line after the kind of its event."""
        out, numbers = [], iter(verdicts)
        for event in events:
            line = self._line(event)
            if line:
                indent = "" if event.kind in HEADLINES else "  "
                out.append((event.kind, indent + line[:1].upper() + line[1:]))
            if event.kind == "verdict":
                details = getattr(next(numbers, None), "details", {})
                if details:
                    out.append((event.kind, "  " + self._say("event.verdict_numbers", **details)))
            if event.kind in _ENTERS:
                self.board[event.player, event.slot] = event.card
            elif event.kind in _LEAVES:
                self.board.pop((event.player, event.slot), None)
            self._before = event
        return out

    # ---- naming ----

    def lab(self, player: int) -> str:
        """A player's lab."""
        if self.viewer is None:
            return self._say("place.lab_of", player=player + 1)
        return self._say("place.own_lab" if player == self.viewer else "place.enemy_lab")

    def unit(self, player: int, slot: int, card: int = 0) -> str:
        """The Model in a slot (``card`` where it isn't there yet), or the slot if it is empty."""
        row = card or self.board.get((player, slot), 0)
        kind = "model" if row else "slot"
        name = self.name(row) if row else ""
        if self.viewer is None:
            return self._say(f"place.{kind}_of", player=player + 1, slot=slot + 1, name=name)
        side = "own" if player == self.viewer else "enemy"
        return self._say(f"place.{side}_{kind}", slot=slot + 1, name=name)

    def place(self, player: int, token: int) -> str:
        """A token, seen from ``player``."""
        own, slot = token_slot(token)
        whose = player if own else 1 - player
        return self.lab(whose) if slot < 0 else self.unit(whose, slot)

    def name(self, row: int) -> str:
        """A card's name."""
        return self.cards[row].name(self.language)

    def ending(self, winner: int | None, reason: str) -> str:
        """Who won (None: nobody) and why."""
        why = self._say("reason." + reason.replace(" ", "_").replace("-", "_"))
        if winner is None:
            return self._say("event.over_draw", reason=why)
        return self._say("event.over", lab=self.lab(winner), reason=why)

    # ---- sentences ----

    def _line(self, event: Event) -> str:
        kind, player, slot, card, a, b, entry = event
        lab = self.lab(player)
        subject = self.unit(player, slot, card) if slot >= 0 else lab
        name = self.name(card) if card else ""
        if kind in ("researcher", "") or kind in self._implied(event):
            return ""
        if kind in ("draw", "mulligan") and not card:
            return self._say(f"event.{kind}_hidden", lab=lab)
        if kind == "mulligan":
            return self._say("event.mulligan", lab=lab, card=name, other=self.name(b))
        if kind == "play":
            if a == 0:
                return self._say("event.play", lab=lab, card=name)
            return self._say("event.play_at", lab=lab, card=name, place=self.place(player, a))
        if kind == "attack":
            return self._say("event.attack", unit=subject, place=self.place(player, a), b=b)
        if kind == "keyword":
            return self._say("event.keyword", unit=subject, keywords=", ".join(keyword_names(a, self.language)))
        if kind == "trigger":
            source = subject if slot >= 0 else name
            return self._say("event.trigger", unit=source, trigger=self._say(f"trigger.{r.TRIGGERS[a]}"))
        if kind == "await_update":
            return self._say("event.await_update", unit=subject, card=self.name(a))
        if kind == "verdict":
            return self._say(f"event.verdict_{r.VERDICTS[a]}")
        if kind == "over":
            return self.ending(None if a == r.DRAWN else a - 1, r.REASONS[b])
        key = {"buff": "buff_entry" if entry else "buff", "end_turn": "end_turn_forced" if a else "end_turn"}
        return self._say(f"event.{key.get(kind, kind)}", lab=lab, unit=subject, card=name, a=a, b=b, entry=entry)

    def _implied(self, event: Event) -> set[str]:
        """Kinds that go without saying after the event before."""
        before = self._before
        if before.kind == "play" and before.card == event.card and before.a == slot_token(True, event.slot):
            return {"enter"}
        if before.kind == "turn" or event.a == 0:
            return {"rack"}
        return set()

    def _say(self, key: str, **values: object) -> str:
        return say(key, self.language, **values)


KINDS = tuple(kind for kind in EVENTS if kind)
"""All kinds of events."""


def verdicts_since(match: Match, earlier: object) -> list[Verdict]:
    """The verdicts given since ``match.last`` was ``earlier``, oldest first."""
    found, link = [], match.last
    while link is not None and link is not earlier:
        if isinstance(link.done, Verdict):
            found.append(link.done)
        link = link.before
    return found[::-1]
