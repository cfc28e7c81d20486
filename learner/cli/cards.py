"""``backprop cards``: the cards, one of them, or a check of a drop-in file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from learner.cli import arguments
from learner.cli.output import Output

if TYPE_CHECKING:
    from game.cards import CardInfo

NAME = "cards"
HELP = "list the cards, show one, or check a file of new cards"
FAMILIES = ("perceptron", "mlp", "convnet", "recurrent", "transformer")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Card, filters, file to check, language."""
    which = parser.add_mutually_exclusive_group()
    which.add_argument("card", nargs="?", metavar="CARD", help="a card's id or name: show all of it")
    which.add_argument("--check", metavar="FILE", help="say whether a file of new cards fits the set")
    which.add_argument("--family", choices=FAMILIES, help="Models of one family only")
    arguments.add_language(parser)
    arguments.add_card_files(parser)


def run(args: argparse.Namespace) -> int:
    """List, show or check."""
    from game.cards import load_cards, read_card_file
    from game.text.cards import card_page, find_card

    out, language = Output(args.json), args.lang
    cards = load_cards(*args.cards, *([args.check] if args.check else []))
    listed = [card for card in cards.cards if card is not None]
    if args.card:
        card = find_card(cards, args.card) or cards.card(args.card)
        out.say(card_page(card, language))
        out.result(_document(card))
        return 0
    if args.check:
        new = {raw["id"] for _, raw in read_card_file(Path(args.check))}
        listed = [card for card in listed if card.id in new]
        out.say(f"{args.check}: fits the set, {len(listed)} cards; set hash {cards.hash}")
    elif args.family:
        listed = [card for card in listed if card.family == args.family and card.type == "model"]
    order = {"model": 0, "technique": 1, "researcher": 2}
    listed.sort(key=lambda card: (order[card.type], FAMILIES.index(card.family) if card.family else 0, card.cost,
                                  card.id))
    out.table("", ["id", "name", "type", "cost", "a/h", "text"],
              [[card.id, card.name(language), card.family if card.type == "model" else card.type, card.cost,
                f"{card.attack}/{card.health}" if card.type == "model" else "", card.texts[language].text]
               for card in listed])
    out.result({"set": cards.hash, "cards": [_document(card) for card in listed]})
    return 0


def _document(card: CardInfo) -> dict[str, Any]:
    return {"id": card.id, "type": card.type, "class": card.card_class, "family": card.family, "cost": card.cost,
            "attack": card.attack, "health": card.health, "keywords": card.keywords, "token": card.token,
            "target": card.target, "effects": card.effects, "year": card.year, "source": card.source,
            "texts": {language: vars(text) for language, text in card.texts.items()}}
