"""Card sets for operations, triggers and combinations that the first set doesn't use."""

from __future__ import annotations

import functools
import tomllib
from typing import Any

from game.assets import assets
from game.cards import CardSet, read_card_file


@functools.cache
def extended(toml: str) -> CardSet:
    """The first set and the [[card]] tables of a text; what rules don't read (year, texts, …) is filled in."""
    shipped = [item for file in sorted((assets() / "cards").glob("*.toml")) for item in read_card_file(file)]
    return CardSet([*shipped, *((f"test card {card['id']}", filled(card)) for card in tomllib.loads(toml)["card"])])


def filled(card: dict[str, Any]) -> dict[str, Any]:
    """A raw card with everything that a card file must say, as far as it isn't said."""
    text = {"name": card.get("id", "Test"), "text": "", "flavour": ""}
    defaults: dict[str, Any] = {"type": "technique", "class": "Test", "cost": 0, "year": 2000, "source": "A test",
                                "en": text, "pt-BR": text}
    if card.get("type") == "model":
        defaults |= {"family": "mlp", "attack": 1, "health": 1}
    return defaults | card
