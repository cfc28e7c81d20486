"""What one player sees of a match, in a few lines."""

from __future__ import annotations

from typing import Any

from game.cards import CardSet
from game.engine import records as r
from game.engine.observe import HAND_FIELDS, MATCH_FIELDS, TOKEN_FIELDS, view
from game.text.cards import card_line, keyword_names
from game.words import say


def board_text(observation: Any, cards: CardSet, language: str = "en") -> str:
    """The board as the observation's owner sees it: the enemy lab above, the own one below, then the hand.

    ``observation``: int32 ``(OBSERVATION_SIZE,)`` of :meth:`game.match.Match.observe`.
    """
    seen = view(observation)
    match = dict(zip(MATCH_FIELDS, seen.match.tolist(), strict=True))
    head = (say("board.mulligan", language) if r.PHASES[match["phase"]] == "mulligan" else
            say("board.head", language, turn=match["turn"], limit=match["turn_limit"]))
    own = {key: match[key] for key in ("compute", "racks", "hand_size", "deck_size")}
    enemy = {key: match[f"enemy_{key}"] for key in own}
    return "\n".join([f"── {head} ──",
                      *_lab(seen.tokens[r.ENEMY_LAB:], enemy, "place.enemy_lab", cards, language),
                      *_lab(seen.tokens[:r.ENEMY_LAB], own, "place.own_lab", cards, language),
                      *hand_lines(observation, cards, language)])


def hand_lines(observation: Any, cards: CardSet, language: str = "en", texts: bool = False) -> list[str]:
    """The own hand, a line a card; with ``texts`` what each does below it."""
    lines = []
    for place, row in enumerate(view(observation).hand.tolist(), start=1):
        card = dict(zip(HAND_FIELDS, row, strict=True))
        if card["card"]:
            info = cards[card["card"]]
            lines.append(f"  {place:>2}  {card_line(info, language, card['cost'])}")
            if texts and info.texts[language].text:
                lines.append(f"      {info.texts[language].text}")
    return [say("board.hand" if lines else "board.no_hand", language), *lines]


def _lab(tokens: Any, counts: dict[str, int], name: str, cards: CardSet, language: str) -> list[str]:
    """One side: the lab's line, a line for each Model, the free slots."""
    lab, *units = [dict(zip(TOKEN_FIELDS, row, strict=True)) for row in tokens.tolist()]
    title = say("board.lab", language, lab=_capital(say(name, language)), funding=lab["health"], cap=lab["max_health"],
                compute=counts["compute"], racks=counts["racks"], hand=counts["hand_size"], deck=counts["deck_size"])
    if lab["card"]:
        title += ", " + say("board.researcher", language, card=cards[lab["card"]].name(language))
    free = [str(slot) for slot, unit in enumerate(units, start=1) if not unit["card"]]
    return [title,
            *(f"  {slot}  {unit_line(unit, cards, language)}" for slot, unit in enumerate(units, start=1)
              if unit["card"]),
            *(["  " + say("board.empty", language, slots=" ".join(free))] if free else [])]


def unit_line(unit: dict[str, int], cards: CardSet, language: str = "en") -> str:
    """A Model on the board: name, values, keywords, marks. ``unit``: a token's fields by name."""
    health = str(unit["health"])
    if unit["health"] != unit["max_health"]:
        health += " " + say("board.of_health", language, health=unit["max_health"])
    marks = keyword_names(unit["keywords"], language)
    marks += [say(f"board.{field}", language) for field in ("tapped", "training", "held", "ablated", "entered")
              if unit[field]]
    marks += [say(f"board.{field}", language, n=unit[field]) for field in ("hurt", "rush", "updates") if unit[field]]
    return " · ".join([f"{cards[unit['card']].name(language)} {unit['attack']}/{health}", *marks])


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
