"""A card in words: one line, or all there is to say."""

from __future__ import annotations

from game.cards import CardInfo, CardSet
from game.engine.records import KEYWORDS
from game.words import say


def keyword_names(bits: int, language: str = "en") -> list[str]:
    """Names of the keywords in a bit set, in the rules' order."""
    return [say(f"keyword.{word}", language) for bit, word in enumerate(KEYWORDS) if bits & (1 << bit)]


def card_line(card: CardInfo, language: str = "en", cost: int | None = None) -> str:
    """Cost, name, values and keywords: "[3] LeNet-5 3/3 · Convolution". ``cost``: what it costs now."""
    line = f"[{card.cost if cost is None else cost}] {card.name(language)}"
    if card.type == "model":
        line += f" {card.attack}/{card.health}"
    words = [say(f"keyword.{word}", language) for word in KEYWORDS if word in card.keywords]
    return " · ".join([line, *words])


def card_page(card: CardInfo, language: str = "en") -> str:
    """The whole card, as printed, in several lines."""
    text = card.texts.get(language, card.texts["en"])
    kind = [say(f"type.{card.type}", language), card.card_class, say("card.cost", language, cost=card.cost)]
    if card.family:
        kind.append(say("card.family", language, family=say(f"family.{card.family}", language)))
    if card.token:
        kind.append(say("card.token", language))
    values = f" {card.attack}/{card.health}" if card.type == "model" else ""
    lines = [f"{text.name}{values}   ({card.id})", " · ".join(kind), text.text, text.flavour,
             f"{card.year}. {card.source}"]
    return "\n".join(line for line in lines if line)


def find_card(cards: CardSet, wanted: str) -> CardInfo | None:
    """The card with an id, or a name in any language, whatever its capitals; None if there is none."""
    wanted = wanted.strip().casefold()
    for card in cards.cards:
        if card is not None and wanted in (card.id, *(text.name.casefold() for text in card.texts.values())):
            return card
    return None
