"""A census as figures, each with how sure it is, beside the goals of the set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from game.engine import records as r
from learner.balance.census import USES, Census
from learner.rl.ratings import wilson

DECKS, FIRST_PLAYER, CARDS, TURNS = (0.45, 0.55), (0.47, 0.53), (0.40, 0.60), (8.0, 14.0)
"""Goals, for players as good as each other: a deck's score against the field of the others, the starter's score,
a card's score when drawn, turns a player."""


@dataclass(frozen=True)
class Share:
    """A mean score (1 a win, ½ a draw) over ``n`` seats of matches, with Wilson's 95 % interval."""

    mean: float
    low: float
    high: float
    n: int

    @classmethod
    def of(cls, points: Any) -> Share:
        """Of any array of points; a half with nothing known for an empty one."""
        n = int(np.size(points))
        mean = float(np.mean(points)) if n else 0.5
        return cls(mean, *wilson(mean * n, n), n)

    def __str__(self) -> str:
        return f"{self.mean:.1%} ({self.low:.1%} – {self.high:.1%})" if self.n else "–"


@dataclass(frozen=True)
class CardFigures:
    """One card: scores of those who drew it, who played it, and how often a drawn one was played."""

    id: str
    drawn: Share
    played: Share
    play_rate: float


@dataclass(frozen=True)
class Figures:
    """Everything that is told about a census."""

    matches: int
    starter: Share
    turns: tuple[float, float, float]
    """Turns a player: mean, and the tenth and ninetieth percentiles."""
    decks: list[tuple[str, Share]]
    """Each deck against the field of the others."""
    against: dict[tuple[str, str], Share]
    """Each deck (first) against each other one."""
    cards: list[CardFigures]
    """Best when drawn first; only cards that somebody drew."""
    keywords: dict[str, float]
    """Uses a match; what counts as one: :data:`learner.balance.census.USES`."""
    backprop: dict[str, float | Share]
    """How often *Backpropagation* came up, could be cast and was, and how those who did fared."""

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"matches": self.matches, "starter": asdict(self.starter),
                "turns": dict(zip(("mean", "p10", "p90"), self.turns, strict=True)),
                "decks": {name: asdict(share) for name, share in self.decks},
                "against": [{"deck": a, "other": b, **asdict(share)} for (a, b), share in self.against.items()],
                "cards": [asdict(card) for card in self.cards], "keywords": self.keywords,
                "backpropagation": {key: asdict(value) if isinstance(value, Share) else value
                                    for key, value in self.backprop.items()},
                "missed": misses(self)}


def figures_of(census: Census) -> Figures:
    """The figures of a census of at least one match."""
    rows = np.arange(census.matches)
    turns = census.turns / 2
    against = _against(census)
    names = sorted({a for a, _ in against})
    field = [(name, Share.of(np.concatenate([points for (a, _), points in against.items() if a == name])))
             for name in names]
    cards = [_card(census, row) for row in range(1, len(census.cards) + 1)]
    return Figures(
        census.matches, Share.of(census.points[rows, census.starters]),
        (float(turns.mean()), float(np.percentile(turns, 10)), float(np.percentile(turns, 90))),
        field, {pair: Share.of(points) for pair, points in against.items()},
        sorted((card for card in cards if card.drawn.n), key=lambda card: -card.drawn.mean),
        {name: census.keywords[name] / census.matches for name in r.KEYWORDS}, _backprop(census))


def _against(census: Census) -> dict[tuple[str, str], Any]:
    """Points of a deck's matches against another deck, by the two; decks drawn at random have no names to compare."""
    found: dict[tuple[str, str], list[float]] = {}
    for (first, second), points in zip(census.decks, census.points.tolist(), strict=True):
        if first != second:
            found.setdefault((first, second), []).append(points[0])
            found.setdefault((second, first), []).append(points[1])
    return {pair: np.array(points) for pair, points in sorted(found.items())}


def _card(census: Census, row: int) -> CardFigures:
    drawn, played = census.drawn[:, :, row], census.played[:, :, row]
    rate = float((drawn & played).sum() / max(1, drawn.sum()))
    return CardFigures(census.cards[row].id, Share.of(census.points[drawn]), Share.of(census.points[drawn & played]),
                       rate)


def _backprop(census: Census) -> dict[str, float | Share]:
    drawn = census.drawn[:, :, census.cards.row("backpropagation")]
    castable, cast = census.castable_turns > 0, census.casts > 0
    return {"drawn": float(drawn.mean()), "castable_when_drawn": float(castable[drawn].mean()) if drawn.any() else 0.0,
            "cast_when_castable": float((cast & castable).sum() / max(1, castable.sum())),
            "casts_a_match": float(census.casts.sum() / census.matches),
            "cast_turns_of_castable": float(census.cast_turns.sum() / max(1, census.castable_turns.sum())),
            "score_when_drawn": Share.of(census.points[drawn]), "score_when_cast": Share.of(census.points[cast]),
            "score_when_castable_but_not_cast": Share.of(census.points[castable & ~cast])}


def misses(figures: Figures) -> list[str]:
    """Each goal that a figure misses, in words; interval and all, so that chance isn't taken for a fault.

    A goal counts as missed if the figure lies outside it, however narrowly.
    """
    found = []
    low, high = FIRST_PLAYER
    if not low <= figures.starter.mean <= high:
        found.append(f"the first player scores {figures.starter}; the goal is {low:.0%} to {high:.0%}")
    if not TURNS[0] <= figures.turns[0] <= TURNS[1]:
        found.append(f"a match takes {figures.turns[0]:.1f} turns a player; the goal is {TURNS[0]:g} to {TURNS[1]:g}")
    found += _outside("deck {}", figures.decks, DECKS)
    found += _outside("{}, when drawn,", [(card.id, card.drawn) for card in figures.cards], CARDS)
    return found


def _outside(words: str, shares: Sequence[tuple[str, Share]], goal: tuple[float, float]) -> list[str]:
    return [f"{words.format(name)} scores {share}; the goal is {goal[0]:.0%} to {goal[1]:.0%}"
            for name, share in shares if not goal[0] <= share.mean <= goal[1]]


def keyword_rows(figures: Figures) -> list[tuple[str, str, float]]:
    """(keyword, what counts as a use, uses a match)."""
    return [(name, USES[name], uses) for name, uses in figures.keywords.items()]
