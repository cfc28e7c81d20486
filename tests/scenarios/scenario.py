"""Card scenarios in the words of the game: what lies on the table, what is done, what must come of it.

    (given(own={1: "perceptron"}, enemy={1: "bert"}, hand="backpropagation")
        .attack(1, "enemy 1")
        .play("backpropagation", "own 1")
        .expect(own={1: "3/3(5) training"}))

Places are "own 1" … "own 6", "enemy 1" … "enemy 6", "own lab" and "enemy lab", always as *you* see
them, on the enemy's turn too. A Model is written as ``card attack/health(maximum) words``, where
all but the card may be left out: words are keywords, tapped, training, held, ablated, new
(entered this turn) and numbers such as hurt=2, rush=3, updates=1, attacks=1. A "!" before a word
means "not". In expectations the card may be left out, too; attack is the shown one, and what
isn't mentioned isn't looked at. Lists of cards are "momentum, dropout"; a deck's first card is drawn first.
"""

from __future__ import annotations

import re
from typing import Any

import pytest

from game.actions import END, encode, slot_token
from game.cards import CardSet, first_set, keyword_bits
from game.engine import records as r
from game.errors import IllegalAction
from game.match import Match
from game.updates import ScriptedUpdates
from scripts.fuzz import state_faults

seat = 0
"""Which player "you" are; conftest.py lets every scenario run in both seats."""

TURN, PLY = 9, 20
DECK = ", ".join(["momentum"] * 10)
FLAGS = ("tapped", "training", "held", "ablated", "new")
_STATS = re.compile(r"(\d+)/(\d+)(?:\((\d+)\))?$")


def given(own: dict[int, str] | None = None, enemy: dict[int, str] | None = None, hand: str = "", *,
          deck: str = DECK, enemy_hand: str = "", enemy_deck: str = DECK,
          compute: int = 10, enemy_compute: int = 10, racks: int = 10, enemy_racks: int = 10, funding: int = 18,
          enemy_funding: int = 18, researcher: str = "", enemy_researcher: str = "", fatigue: int = 0,
          verdicts: str = "learned", turn: int = TURN, actions: int = 0, random: int = 1,
          cards: CardSet | None = None) -> Scenario:
    """Your turn, in its action phase, with this on the table; ``random`` seeds what is left to chance.

    A lab starts with, and is capped at, 18 funding here, whatever the game's own number is.
    """
    cards = cards or first_set()
    match = Match(("1986", "vision"), 1, cards, ScriptedUpdates(*_names(verdicts)))
    match.states[:] = 0
    state = match.states[0]
    state.rng, state.phase, state.player, state.starter = random, r.ACTION, seat, seat
    state.turn, state.ply, state.turn_ply, state.actions = turn, PLY, PLY + 1, actions
    state.funding_cap, state.rack_cap, state.turn_limit, state.action_limit = 18, 10, 60, 60
    sides = ((seat, own, hand, deck, compute, racks, funding, researcher, fatigue),
             (1 - seat, enemy, enemy_hand, enemy_deck, enemy_compute, enemy_racks, enemy_funding, enemy_researcher, 0))
    for player, board, held, stack, have, owned, money, chief, missed in sides:
        lab = state.labs[player]
        lab.compute, lab.racks, lab.funding, lab.fatigue = have, owned, money, missed
        lab.researcher = cards.row(chief) if chief else 0
        lab.hand_size, lab.deck_size = len(_names(held)), len(_names(stack))
        lab.hand[:lab.hand_size] = [cards.row(name) for name in _names(held)]
        lab.deck[:lab.deck_size] = [cards.row(name) for name in reversed(_names(stack))]
        for slot, words in (board or {}).items():
            _put(state, cards, lab.units[slot - 1], words)
    return Scenario(match, seat)


class Scenario:
    """A match in the making; every method but the queries returns the scenario itself."""

    def __init__(self, match: Match, you: int) -> None:
        self.match, self.you = match, you
        self.events: list[Any] = []
        self._fine()

    # ---- doing ----

    def play(self, card: str, at: str = "") -> Scenario:
        """The player whose turn it is plays a hand card; a Model without a place takes the lowest empty slot."""
        return self._do(self.number_of(card, at))

    def attack(self, slot: int, at: str) -> Scenario:
        """The Model in this slot of the player whose turn it is attacks."""
        return self._do(self._attack(slot, at))

    def end_turn(self) -> Scenario:
        """The turn passes to the other player."""
        return self._do(END)

    def repeat(self, times: int, card: str, at: str = "") -> Scenario:
        """Play several copies of a card."""
        for _ in range(times):
            self.play(card, at)
        return self

    def cannot_play(self, card: str, at: str = "", *, because: str) -> Scenario:
        """Playing it is refused with these words, and nothing changes."""
        return self._refused(self.number_of(card, at), because)

    def cannot_attack(self, slot: int, at: str, *, because: str) -> Scenario:
        """The attack is refused with these words, and nothing changes."""
        return self._refused(self._attack(slot, at), because)

    # ---- expecting ----

    def expect(self, own: dict[int, str] | None = None, enemy: dict[int, str] | None = None, *,
               winner: str | None = None, reason: str | None = None, **labs: Any) -> Scenario:
        """What must be on the table now.

        ``labs``: hand, enemy_hand, deck, enemy_deck (cards or their number), researcher,
        enemy_researcher, and any number of a lab such as funding, enemy_compute, racks, fatigue.
        ``winner``: you, enemy, nobody (a draw) or open.
        """
        for side, board in ((self.you, own), (1 - self.you, enemy)):
            for slot, words in (board or {}).items():
                self._expect_model(side, slot, words)
        for name, value in labs.items():
            side = 1 - self.you if name.startswith("enemy_") else self.you
            self._expect_lab(side, name.removeprefix("enemy_"), value)
        outcome = self.match.outcome
        if winner is not None:
            who = "open" if outcome is None else {None: "nobody", self.you: "you"}.get(outcome.winner, "enemy")
            assert who == winner, f"winner: {who}, not {winner}"
        if reason is not None:
            assert outcome is not None
            assert outcome.reason == reason
        return self

    def happened(self, *lines: str) -> Scenario:
        """The last action brought these events, among others, in this order: "death own 1", "draw", "tap enemy 2"."""
        told = [self._told(event) for event in self.events]
        rest = iter(told)
        for line in lines:
            found = any(line in (seen, seen.split(" ")[0]) for seen in rest)
            assert found, f"{line!r} isn't, or not in this order, in {told}"
        return self

    def count(self, kind: str) -> int:
        """How many events of a kind the last action brought."""
        return sum(event.kind == kind for event in self.events)

    def unit(self, at: str) -> Any:
        """The record of the Model at a place."""
        side, slot = at.split()
        return self.match.state.labs[self.you if side == "own" else 1 - self.you].units[int(slot) - 1]

    @staticmethod
    def places() -> list[str]:
        """Every place on the table."""
        return [f"{side} {place}" for side in ("own", "enemy") for place in ("lab", 1, 2, 3, 4, 5, 6)]

    # ---- details ----

    def number_of(self, card: str, at: str = "") -> int:
        """The number of the action that plays a hand card at a place."""
        state, player = self.match.state, self.match.player
        hand = state.labs[player].hand.tolist()
        row = self.match.cards.row(card)
        assert row in hand, f"{card} isn't in the hand of the player whose turn it is"
        token = self._token(at)
        if not at and self.match.cards[row].type == "model":
            token = 1 + state.labs[player].units["card"].tolist().index(0)
        return encode(hand.index(row), token)

    def _attack(self, slot: int, at: str) -> int:
        return encode(r.HAND + slot - 1, self._token(at))

    def _token(self, at: str) -> int:
        if not at:
            return 0
        side, place = at.split()
        acting = (self.you if side == "own" else 1 - self.you) == self.match.player
        if place == "lab":
            return r.OWN_LAB if acting else r.ENEMY_LAB
        return slot_token(acting, int(place) - 1)

    def _do(self, action: int) -> Scenario:
        assert not self.match.why_not(action), self.match.why_not(action)
        self.events = self.match.play(action)
        self._fine()
        return self

    def _refused(self, action: int, because: str) -> Scenario:
        before = self.match.states.tobytes()
        with pytest.raises(IllegalAction, match=re.escape(because)):
            self.match.play(action)
        assert self.match.states.tobytes() == before, "a refused action changed something"
        assert not self.match.mask()[action]
        return self

    def _fine(self) -> None:
        faults = state_faults(self.match)
        assert not faults, "; ".join(faults)

    def _expect_model(self, side: int, slot: int, words: str) -> None:
        unit = self.match.state.labs[side].units[slot - 1]
        whose = "own" if side == self.you else "enemy"
        seen = f"{whose} {slot} is {_written(unit, self.match)}, not {words}"
        if words == "empty":
            assert unit.card == 0, seen
            return
        assert unit.card > 0, seen
        for word in words.split():
            stats = _STATS.match(word)
            if stats:
                assert max(0, unit.attack + unit.rush) == int(stats[1]), seen
                assert unit.health == int(stats[2]), seen
                assert stats[3] is None or unit.max_health == int(stats[3]), seen
            elif "=" in word:
                name, value = word.split("=")
                assert unit[name] == int(value), seen
            elif word.lstrip("!") in (*FLAGS, *r.KEYWORDS):
                assert _has(unit, word.lstrip("!"), self.match) != word.startswith("!"), seen
            else:
                assert self.match.cards[unit.card].id == word, seen

    def _expect_lab(self, side: int, name: str, value: Any) -> None:
        lab = self.match.state.labs[side]
        whose = "own" if side == self.you else "enemy"
        seen: Any
        if name in ("hand", "deck"):
            size = int(lab[f"{name}_size"])
            rows = lab[name].tolist()[:size]
            seen = [self.match.cards[row].id for row in (rows if name == "hand" else rows[::-1])]
            if isinstance(value, int):
                seen = size
            else:
                value = _names(value)
        elif name == "researcher":
            seen = self.match.cards[lab.researcher].id if lab.researcher else ""
        else:
            seen = int(lab[name])
        assert seen == value, f"{whose} {name} is {seen}, not {value}"

    def _told(self, event: Any) -> str:
        whose = "own" if event.player == self.you else "enemy"
        return f"{event.kind} {whose} {event.slot + 1 if event.slot >= 0 else 'lab'}"


def _names(cards: str) -> list[str]:
    return [name.strip() for name in cards.split(",") if name.strip()]


def _put(state: Any, cards: CardSet, unit: Any, words: str) -> None:
    name, *rest = words.split()
    card = cards.card(name)
    state.entries += 1
    unit.card, unit.entry, unit.turn = card.row, state.entries, state.turn - 1
    unit.attack, unit.health, unit.max_health = card.attack, card.health, card.health
    unit.keywords = keyword_bits(card.keywords)
    for word in rest:
        stats = _STATS.match(word)
        if stats:
            unit.attack, unit.health = int(stats[1]), int(stats[2])
            unit.max_health = int(stats[3] or max(card.health, int(stats[2])))
        elif "=" in word:
            field, value = word.split("=")
            unit[field] = int(value)
        elif word == "new":
            unit.turn = state.turn
        elif word in FLAGS:
            unit[word] = 1
        elif word.startswith("!"):
            unit.keywords &= ~keyword_bits([word[1:]])
        else:
            unit.keywords |= keyword_bits([word])
    if unit.hurt:
        unit.hurt_ply = PLY + 1  # the scenario's first decision


def _has(unit: Any, word: str, match: Match) -> bool:
    if word == "new":
        return bool(unit.turn == match.turn)
    return bool(unit[word] if word in FLAGS else unit.keywords & keyword_bits([word]))


def _written(unit: Any, match: Match) -> str:
    if not unit.card:
        return "empty"
    words = [match.cards[unit.card].id, f"{unit.attack + unit.rush}/{unit.health}({unit.max_health})"]
    words += [word for word in (*r.KEYWORDS, *FLAGS) if _has(unit, word, match)]
    return " ".join([*words, *(f"{name}={unit[name]}" for name in ("hurt", "updates", "attacks") if unit[name])])
