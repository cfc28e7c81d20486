"""Finding puzzles: bots play, and every position in which a turn can be proven is asked what it would be good for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from game.bots import make_bot
from game.bots.single import decide
from game.cards import CardSet
from game.decks import Deck, check_deck, load_deck, random_deck, shipped_decks
from game.engine import records as r
from game.match import Match
from game.puzzles.puzzle import Goal, Puzzle, keeping
from game.puzzles.solve import play_turn
from game.puzzles.turn import END, Turn, Unproven, search
from game.replay import Replay
from game.settings import Settings
from game.updates import ScriptedUpdates

CARD = "backpropagation"
TEMPTERS = ("greedy", "everything")
"""Bots whose turns must go wrong: of three puzzles of a kind the first one misses two, and the second one the third."""
PLAYERS = ("greedy", "lookahead", "everything", "random")
MOST_MOVES, FEWEST_MOVES = 40, 4
"""Legal first moves that a puzzle may have."""
MIXED = ("cast", "keep", "double")
"""Kinds of which at most half may have the same goal."""
BETTER = 2
"""By so much the best material must exceed what ending the turn at once leaves."""


@dataclass(frozen=True)
class Ground:
    """Where positions come from: who plays what for how much, and which kinds are looked for there."""

    kinds: tuple[str, ...]
    settings: Settings
    decks: Callable[[CardSet, np.random.Generator], Deck]


def shipped_deck(cards: CardSet, rng: np.random.Generator) -> Deck:
    """One of the decks that ship, the card Backpropagation among its cards or not."""
    return load_deck(str(rng.choice(shipped_decks())), cards)


def small_deck(size: int, wanted: Callable[[Any], bool]) -> Callable[[CardSet, np.random.Generator], Deck]:
    """A drawer of decks of that size, half of whose cards (both copies) are wanted ones."""
    def draw(cards: CardSet, rng: np.random.Generator) -> Deck:
        special = [card.id for card in cards.cards if card is not None and not card.token and wanted(card)
                   and card.type != "researcher"]
        chosen = [str(name) for name in rng.permutation(special)[:max(1, size // 4)]]
        counts = Counter(dict.fromkeys(chosen, 2))
        for name in random_deck(cards, rng).cards:
            if sum(counts.values()) < size and name not in counts:
                counts[name] = 1
        return check_deck(Deck("drawn", dict(counts)), cards, size)
    return draw


def _updates(card: Any) -> bool:
    return any(effect["operation"] == "update" for effect in card.effects) or card.cost <= 3


def _draws_in_passing(card: Any) -> bool:
    """Draws when it dies or attacks, which hurts a lab without a deck while something else is under way."""
    return any(effect["operation"] == "draw" and effect["trigger"] in ("death", "attack") for effect in card.effects)


GROUNDS = (
    Ground(("lethal", "guard", "trade", "cast", "keep"), Settings(), shipped_deck),
    Ground(("cast", "keep", "guard"), Settings(deck_size=16, funding=10), small_deck(16, _updates)),
    Ground(("race", "double"), Settings(deck_size=8, funding=8), small_deck(8, lambda card: card.cost <= 3)),
    Ground(("double",), Settings(deck_size=8, funding=8), small_deck(8, _draws_in_passing)),
)


NATURAL = {"win": ("lethal", "race"), "hold": ("guard",), "draw": (), "material": ("trade",)}
"""The kinds that a goal has whatever else there is to a position."""


def questions(turn: Turn, states: Any, cards: CardSet, kinds: set[str]) -> Iterator[tuple[str, Goal, Any]]:
    """(kind, goal, endings that reach it): all of these kinds that could be asked of a turn, the surest goal first."""
    card, result = cards.row(CARD), turn.endings["result"]
    card_at_once = bool((turn.layers[0].card == card).any())
    card_some_time = any((layer.card == card).any() for layer in turn.layers)
    drawn = bool((turn.endings["reason"] == r.BY_DOUBLE_KNOCK_OUT).any())
    for goal in _goals(turn, cards):
        natural = set(NATURAL[goal.name])
        if drawn and goal.name in ("win", "draw"):
            natural.add("double")
        if not kinds & (natural | ({"cast", "keep"} if card_some_time else set())):
            continue
        reached = goal.reached(turn.endings, turn.left, turn.player, cards)
        if not reached.any() or (goal.name == "draw" and (reached & (result == r.RUNNING)).any()):
            continue  # out of reach; or more than a draw is within it, which the goal before has asked for
        values = reached.astype(np.int64)
        if card_some_time and turn.values(values, without=card).max() < 1:
            yield "cast", goal, reached
        elif card_at_once and turn.values_with(card, values).max() < 1:
            yield "keep", goal, reached
        if "double" in natural:
            yield "double", goal, reached
        if goal.name == "win":
            before = values * (turn.endings["turn"] == states["turn"][0])
            yield "race" if turn.values(before).max() < 1 else "lethal", goal, reached
        elif goal.name == "hold":
            yield "guard", goal, reached
        elif goal.name == "material" and all((layer.card == 0).all() for layer in turn.layers):
            yield "trade", goal, reached


def _goals(turn: Turn, cards: CardSet) -> list[Goal]:
    """What a turn might be good for: to win; if that can't be, to live on, if that is in question; and the exchange."""
    result, at_once = turn.endings["result"], turn.layers[0].ending[turn.layers[0].action == END]
    if (result == turn.player + 1).any():
        return [Goal("win")]
    goals = []
    if not Goal("hold").reached(turn.endings[at_once], turn.left[at_once], turn.player, cards)[0]:
        goals += [Goal("hold"), Goal("draw")]
    best = int(turn.left[result == r.RUNNING].max(initial=-99))
    return goals + ([Goal("material", best)] if best >= int(turn.left[at_once][0]) + BETTER else [])


@dataclass
class Finder:
    """Collects puzzles until there are ``wanted`` of each kind; everything is drawn from ``seed``."""

    cards: CardSet
    seed: int
    wanted: int
    found: dict[str, list[Puzzle]] = field(default_factory=dict)
    matches: int = 0
    """Played so far."""

    def missing(self, ground: Ground) -> list[str]:
        """Kinds of a ground that aren't complete."""
        return [kind for kind in ground.kinds if len(self.found.get(kind, [])) < self.wanted]

    def counts(self) -> str:
        """How many there are of each kind, in words."""
        return ", ".join(f"{kind} {len(puzzles)}" for kind, puzzles in self.found.items())

    def play(self, ground: Ground) -> None:
        """One more match on that ground, at most one puzzle of each kind from it."""
        rng = np.random.default_rng([self.seed, self.matches])
        self.matches += 1
        kinds = set(self.missing(ground))
        match = Match((ground.decks(self.cards, rng), ground.decks(self.cards, rng)), int(rng.integers(2**63)),
                      self.cards, ScriptedUpdates(), ground.settings)
        players = [make_bot(PLAYERS[number]) for number in rng.integers(0, len(PLAYERS), 2)]
        while match.outcome is None and kinds and match.turn < match.settings.turn_limit - 1:
            if match.phase == "action":
                for kind, goal, moves in self._askable(match, kinds):
                    if self._keep(match, kind, goal, moves):
                        kinds.discard(kind)
                        break
            match.play(decide(players[match.player], match))

    def _askable(self, match: Match, kinds: set[str]) -> Iterator[tuple[str, Goal, tuple[int, ...]]]:
        legal = len(match.legal_actions())
        if not FEWEST_MOVES <= legal <= MOST_MOVES:
            return
        try:
            turn = search(match.states, self.cards, most=4000)
            for kind, goal, reached in questions(turn, match.states, self.cards, kinds):
                moves = keeping(turn, reached)
                if kind in kinds and 0 < len(moves) <= legal // 2:
                    yield kind, goal, moves
        except Unproven:
            return

    def _keep(self, match: Match, kind: str, goal: Goal, moves: tuple[int, ...]) -> bool:
        """Whether it is one that is wanted."""
        have = self.found.setdefault(kind, [])
        if kind in MIXED and 2 * sum(puzzle.goal.name == goal.name for puzzle in have) >= self.wanted:
            return False
        missed = tuple(name for name in TEMPTERS if not play_turn(make_bot(name), match.clone(), goal).reached)
        if TEMPTERS[0 if len(have) % 3 < 2 else 1] not in missed:
            return False
        replay = replace(Replay.of(match), sources=("scripted", "scripted"))
        have.append(Puzzle(f"{kind}-{len(have) + 1}", kind, goal, moves, missed, replay))
        return True
