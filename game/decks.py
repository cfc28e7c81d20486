"""Decks: 30 cards, at most two copies of a card, one of each Researcher, no tokens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from game.assets import assets
from game.cards import CardSet
from game.engine.records import DECK
from game.errors import CardError
from game.fields import LANGUAGES, read_toml

SIZE = DECK
COPIES, RESEARCHER_COPIES = 2, 1


@dataclass(frozen=True)
class Deck:
    """A checked deck: ``cards`` maps card ids to copies. ``size``: 30, less only in teaching games."""

    id: str
    cards: Mapping[str, int]
    names: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)

    def rows(self, cards: CardSet) -> tuple[int, ...]:
        """Card rows in ascending order, with copies; what a match is dealt from."""
        return tuple(sorted(cards.row(card) for card, copies in self.cards.items() for _ in range(copies)))

    def name(self, language: str = "en") -> str:
        """The deck's name in a language, its id where it has none."""
        return self.names.get(language, self.names.get("en", self.id))


DeckLike = str | Path | Deck | Mapping[str, int]


def check_deck(deck: Deck, cards: CardSet, size: int = SIZE) -> Deck:
    """The deck itself if it is legal, else CardError saying which rule it breaks."""
    for card_id, copies in deck.cards.items():
        card = cards.card(card_id)
        if not isinstance(copies, int) or isinstance(copies, bool) or copies < 1:
            raise CardError(f"deck {deck.id}: {card_id}: needs a whole number of copies from 1, not {copies!r}")
        most = RESEARCHER_COPIES if card.type == "researcher" else COPIES
        if copies > most:
            raise CardError(f"deck {deck.id}: {card_id}: {copies} copies; at most {most} are allowed")
        if card.token:
            raise CardError(f"deck {deck.id}: {card_id}: a token can't be in a deck")
    total = sum(deck.cards.values())
    if total != size:
        raise CardError(f"deck {deck.id}: has {total} cards; a deck has exactly {size}")
    return deck


def shipped_decks() -> list[str]:
    """Ids of the decks that ship."""
    return sorted(path.stem for path in (assets() / "decks").glob("*.toml"))


def load_deck(deck: DeckLike, cards: CardSet, size: int = SIZE) -> Deck:
    """A checked deck from a shipped deck's id, a TOML file's path, a mapping of ids to copies, or a Deck."""
    if isinstance(deck, Deck):
        return check_deck(deck, cards, size)
    if isinstance(deck, Mapping):
        return check_deck(Deck("(given)", dict(deck)), cards, size)
    path = assets() / "decks" / f"{deck}.toml"
    if str(deck) not in shipped_decks():
        path = Path(deck)
        if path.suffix != ".toml" and not path.exists():
            raise CardError(f"unknown deck {str(deck)!r}: the shipped decks are {', '.join(shipped_decks())}; "
                            "a deck of your own is the path of a .toml file")
    return check_deck(_read(path), cards, size)


def _read(path: Path) -> Deck:
    content = read_toml(path)
    known = {"id", "cards", *LANGUAGES}
    if set(content) - known or not isinstance(content.get("cards"), dict):
        wrong = min(set(content) - known, default="cards")
        raise CardError(f"{path.name}: field {wrong}: a deck file has id, [cards] and texts in {', '.join(LANGUAGES)}")
    texts: dict[str, Any] = {language: content.get(language, {}) for language in LANGUAGES}
    for language, table in texts.items():
        if not isinstance(table, dict) or not all(isinstance(text, str) for text in table.values()):
            raise CardError(f"{path.name}: field {language}: needs a table with name and text")
    identifier = content.get("id", path.stem)
    if not isinstance(identifier, str) or not identifier.isprintable() or not 0 < len(identifier) <= 100:
        raise CardError(f"{path.name}: field id: needs a text of one line, at most 100 characters")
    return Deck(identifier, content["cards"],
                {language: table["name"] for language, table in texts.items() if "name" in table},
                {language: table["text"] for language, table in texts.items() if "text" in table})


def random_deck(cards: CardSet, generator: np.random.Generator, size: int = SIZE) -> Deck:
    """A legal deck drawn evenly from all allowed copies of the set's cards."""
    pool = [card.id for card in cards.cards if card is not None and not card.token
            for _ in range(RESEARCHER_COPIES if card.type == "researcher" else COPIES)]
    if len(pool) < size:
        raise CardError(f"this set has only {len(pool)} cards for a deck of {size}")
    chosen: Iterable[Any] = generator.choice(np.array(pool, dtype=object), size, replace=False)
    return check_deck(Deck("random", dict(Counter(str(card) for card in chosen))), cards, size)


def deck_rows(decks: Sequence[Deck], cards: CardSet) -> Any:
    """Two decks as the rules read them: int32 ``(2, 31)``, size and card rows."""
    rows = np.zeros((2, 1 + DECK), np.int32)
    for player, deck in enumerate(decks):
        listed = deck.rows(cards)
        rows[player, 0] = len(listed)
        rows[player, 1:1 + len(listed)] = listed
    return rows
