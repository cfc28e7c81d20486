"""What happened in matches, card by card: each is stepped once more, many side by side, and counted.

Everything is counted for each seat of each match, so that a figure can be set beside who won.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from game.cards import CardSet
from game.decks import deck_rows
from game.engine import records as r
from game.settings import Settings
from game.updates import Verdict
from game.vector import Played, VectorMatch

BATCH = 1024
"""Matches stepped side by side."""


@dataclass
class Census:
    """Counts over n matches. Arrays' first two axes are match and seat."""

    cards: CardSet
    decks: list[tuple[str, str]]
    """Deck ids by seat."""
    points: Any
    """float64 ``(n, 2)``: 1 a win, ½ a draw."""
    starters: Any
    """int ``(n,)``: the seat that began."""
    turns: Any
    """int ``(n,)``: turns, both players' counted."""
    drawn: Any
    """bool ``(n, 2, cards + 1)``: the card left the deck into a hand (or past a full one) at least once."""
    played: Any
    """bool ``(n, 2, cards + 1)``: played at least once."""
    castable_turns: Any
    """int ``(n, 2)``: own turns in which Backpropagation could be cast at some decision."""
    cast_turns: Any
    """int ``(n, 2)``: those in which it was."""
    casts: Any
    """int ``(n, 2)``: casts of Backpropagation."""
    keywords: dict[str, int] = field(default_factory=lambda: dict.fromkeys(r.KEYWORDS, 0))
    """Uses of each keyword in all matches; what counts as a use: :data:`USES`."""

    @property
    def matches(self) -> int:
        """How many matches were counted."""
        return len(self.points)


    @classmethod
    def joined(cls, parts: Sequence[Census]) -> Census:
        """One census of all the matches of several, in their order."""
        names = ("points", "starters", "turns", "drawn", "played", "castable_turns", "cast_turns", "casts")
        arrays = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
        return cls(parts[0].cards, [decks for part in parts for decks in part.decks], **arrays,
                   keywords={name: sum(part.keywords[name] for part in parts) for name in r.KEYWORDS})


USES = {"guard": "attacks on a Guard", "pretrained": "attacks in the turn of entering",
        "regularized": "times the first damage was prevented", "convolution": "attacks that also hit a neighbour",
        "recurrent": "second attacks in a turn", "attention": "attacks past a living Guard",
        "residual": "departures that left points to another Model", "frozen": "turns begun with a Frozen Model"}


def take_census(matches: Sequence[Played], cards: CardSet, settings: Settings | None = None,
                progress: Callable[[int], None] | None = None) -> Census:
    """Count over finished matches that were played with these cards and settings."""
    n, width = len(matches), len(cards) + 1
    census = Census(
        cards, [(p.pairing.decks[0].id, p.pairing.decks[1].id) for p in matches],
        np.array([[(1 + p.reward(seat)) / 2 for seat in (0, 1)] for p in matches]).reshape(n, 2),
        np.array([p.starter for p in matches], np.int64), np.array([p.turns for p in matches], np.int64),
        np.zeros((n, 2, width), bool), np.zeros((n, 2, width), bool),
        np.zeros((n, 2), np.int64), np.zeros((n, 2), np.int64), np.zeros((n, 2), np.int64))
    for first in range(0, n, BATCH):
        part = matches[first:first + BATCH]
        _Count(census, first, part, settings).run()
        if progress is not None:
            progress(len(part))
    return census


class _Count:
    """A batch of matches on the board, all at the same number of steps from their start."""

    def __init__(self, census: Census, first: int, part: Sequence[Played], settings: Settings | None) -> None:
        self.census, self.part = census, part
        self.board = VectorMatch(len(part), census.cards, settings)
        self.rows = np.arange(first, first + len(part))
        self.steps = [iter(played.steps) for played in part]
        self.decks = np.array([deck_rows(played.pairing.decks, census.cards) for played in part])
        for place, played in enumerate(part):
            self.board.deal(place, self.decks[place], played.pairing.seed)
        self.castable = np.zeros(len(part), bool)
        """Backpropagation could be cast in the turn that runs."""
        self.cast = np.zeros(len(part), bool)
        self.backprop = census.cards.row("backpropagation")

    def run(self) -> None:
        board, states = self.board, self.board.states
        while (states["phase"] != r.OVER).any():
            board.look()
            active = np.flatnonzero(board.counts > 0)
            actions = np.full(len(board), -1, np.int32)
            actions[active] = [next(self.steps[place]) for place in active.tolist()]
            before = r.copy_states(states)
            self._decision(before, active, actions[active])
            board.step(actions)
            for place in board.awaiting():
                outcome, row, gradient = next(self.steps[place])  # type: ignore[misc]
                board.give(place, Verdict(outcome, row, gradient))
            self._consequence(before, active)
        self._drawn()

    def _decision(self, before: Any, active: Any, actions: Any) -> None:
        """Count what is seen when a decision is taken. ``actions`` are those of the ``active`` places."""
        census, rows, seats = self.census, self.rows[active], before["player"][active]
        sources, targets = np.divmod(actions, r.TOKENS)
        acting = before["phase"][active] == r.ACTION
        hands = before["labs"]["hand"][active, seats]
        legal = self.board.masks[active].reshape(len(active), r.SOURCES, r.TOKENS)[:, :r.HAND].any(axis=2)
        self.castable[active] |= acting & ((hands == self.backprop) & legal).any(axis=1)

        playing = acting & (sources < r.HAND)
        cards = hands[np.arange(len(active)), np.minimum(sources, r.HAND - 1)]
        census.played[rows[playing], seats[playing], cards[playing]] = True
        casting = playing & (cards == self.backprop)
        self.cast[active] |= casting
        np.add.at(census.casts, (rows[casting], seats[casting]), 1)

        attacking = acting & (sources >= r.HAND) & (sources < r.END_TURN)
        self._attacks(before, active[attacking], seats[attacking], sources[attacking] - r.HAND,
                      targets[attacking] - r.ENEMY_LAB - 1)

    def _attacks(self, before: Any, places: Any, seats: Any, slots: Any, aims: Any) -> None:
        """Uses of keywords in attacks by the Models in ``slots``; ``aims`` are enemy slots, −1 for the lab."""
        units, rows = before["labs"]["units"], np.arange(len(places))
        own, enemy = (places, seats, slots), (places, 1 - seats)
        keywords = units["keywords"][own]
        there = units["card"][enemy] > 0
        guards = there & ((units["keywords"][enemy] & r.GUARD) > 0)
        on_guard = (aims >= 0) & guards[rows, np.maximum(aims, 0)]
        beside = np.zeros(len(places), bool)
        for slot in (aims - 1, aims + 1):
            beside |= (aims >= 0) & (slot >= 0) & (slot < r.SLOTS) & there[rows, np.clip(slot, 0, r.SLOTS - 1)]
        used = {"guard": on_guard, "convolution": ((keywords & r.CONVOLUTION) > 0) & beside,
                "pretrained": ((keywords & r.PRETRAINED) > 0) & (units["turn"][own] == before["turn"][places]),
                "recurrent": ((keywords & r.RECURRENT) > 0) & (units["attacks"][own] == 1),
                "attention": ((keywords & r.ATTENTION) > 0) & guards.any(axis=1) & ~on_guard}
        for keyword, uses in used.items():
            self.census.keywords[keyword] += int(uses.sum())

    def _consequence(self, before: Any, active: Any) -> None:
        """Count what a step changed, and close the turns that ended in it."""
        census, after = self.census, self.board.states
        then, now = before["labs"]["units"], after["labs"]["units"]
        entered = then["entry"][active] > 0
        stayed = entered & (then["entry"][active] == now["entry"][active])
        lost = (then["keywords"][active] & ~now["keywords"][active] & r.REGULARIZED) > 0
        ablated = now["ablated"][active] != then["ablated"][active]
        census.keywords["regularized"] += int((stayed & lost & ~ablated).sum())
        table = census.cards.table
        cards, attack, health = (then[name][active] for name in ("card", "attack", "max_health"))
        gained = (attack > table["attack"][cards]) | (health > table["health"][cards])
        grown = stayed & ((now["attack"][active] > attack) | (now["max_health"][active] > health))
        left = entered & ~stayed & gained & ((then["keywords"][active] & r.RESIDUAL) > 0)
        census.keywords["residual"] += int((left & grown.any(axis=2, keepdims=True)).sum())

        begun = active[after["turn"][active] != before["turn"][active]]
        ended = np.union1d(begun, active[after["phase"][active] == r.OVER])
        seats = before["player"][ended]
        census.castable_turns[self.rows[ended], seats] += self.castable[ended]
        census.cast_turns[self.rows[ended], seats] += self.cast[ended]
        self.castable[ended] = self.cast[ended] = False
        frozen = (now["keywords"][begun, after["player"][begun]] & r.FROZEN) > 0
        census.keywords["frozen"] += int(frozen.any(axis=1).sum())

    def _drawn(self) -> None:
        """A card was drawn if fewer copies of it are left in the deck than it began with."""
        width = len(self.census.cards) + 1
        for seat in (0, 1):
            labs = self.board.states["labs"]
            for place, (row, deck) in enumerate(zip(self.rows, self.decks[:, seat], strict=True)):
                start = np.bincount(deck[1:1 + deck[0]], minlength=width)
                left = np.bincount(labs["deck"][place, seat, :labs["deck_size"][place, seat]], minlength=width)
                drawn = start > left
                drawn[0] = False
                self.census.drawn[row, seat] = drawn
