"""What the adapters share: the missing-extra error, update sources, rewards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NoReturn

from game.cards import CardSet
from game.decks import DeckLike, load_deck
from game.errors import GameError
from game.match import Match
from game.settings import Settings
from game.updates import UpdateRequest, UpdateSource, Verdict

DECKS = ("1986", "vision")
Sources = UpdateSource | Sequence[UpdateSource | None] | None
"""One source for both players, or one each."""


def missing(library: str, error: ImportError) -> NoReturn:
    """Say which extra brings a library."""
    raise ImportError(f"{library} isn't installed: it comes with the extra envs, "
                      "pip install 'backpropagation-game[envs]'") from error


class Dealer:
    """Starts the matches of an environment, one after the other, and refuses to grant updates by itself.

    A gradient update needs a verdict, and a verdict needs a source. GameError at construction if a
    deck has cards that ask for updates and its player has none; ``updates=ScriptedUpdates()``
    plays with pretended verdicts, for those who say so.
    """

    def __init__(self, decks: Sequence[DeckLike], updates: Sources, cards: CardSet, settings: Settings) -> None:
        self.cards, self.settings = cards, settings
        if isinstance(decks, str) or len(decks) != 2:
            raise GameError(f"an environment needs two decks, not {decks!r}")
        self.decks = tuple(load_deck(deck, cards, settings.deck_size) for deck in decks)
        self.sources: tuple[UpdateSource | None, ...] = (
            (updates, updates) if updates is None or hasattr(updates, "update") else tuple(updates))  # type: ignore[assignment]
        if len(self.sources) != 2:
            raise GameError(f"updates: needs one source or two, not {len(self.sources)}")
        for player, (deck, source) in enumerate(zip(self.decks, self.sources, strict=True)):
            asking = [card for card in (*deck.cards, settings.extra_card)
                      if card and cards.table["updates"][cards.row(card)]]
            if asking and source is None:
                raise GameError(
                    f"player {player}'s deck has {asking[0]}, which asks for a gradient update, and nothing gives "
                    "verdicts: pass updates=SOURCE (a learner's GradientSource), or updates=ScriptedUpdates() "
                    "for verdicts that no gradient backs")
        self.dealt = 0

    def deal(self, seed: int, swapped: bool = False) -> Match:
        """The next match; ``swapped``: the first deck and source are player 1's."""
        order = (1, 0) if swapped else (0, 1)
        sources = [None if source is None else Numbered(source, self.dealt) for source in self.sources]
        self.dealt += 1
        return Match([self.decks[i] for i in order], seed, self.cards, [sources[i] for i in order], self.settings)


class Numbered:
    """A source that is told the match's number in its environment, so that ledger rows differ between matches."""

    def __init__(self, source: UpdateSource, number: int) -> None:
        self.source, self.number, self.name = source, number, source.name

    def update(self, request: UpdateRequest) -> Verdict:
        """The source's verdict."""
        return self.source.update(replace(request, number=self.number))


def reward(match: Match, player: int) -> float:
    """1 for a win, −1 for a loss, 0 for a draw and while the match runs."""
    if match.outcome is None or match.outcome.winner is None:
        return 0.0
    return 1.0 if match.outcome.winner == player else -1.0
