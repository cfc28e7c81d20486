"""``backprop decks``: the decks that ship, one of them, or a check of a deck file."""

from __future__ import annotations

import argparse
from collections import Counter
from typing import Any

from learner.cli import arguments
from learner.cli.output import Output

NAME = "decks"
HELP = "list the decks, show one, or check a deck file"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Deck, file to check, language."""
    which = parser.add_mutually_exclusive_group()
    which.add_argument("deck", nargs="?", metavar="DECK", help="a deck's id, or the path of a deck file")
    which.add_argument("--check", metavar="FILE", help="say whether a deck file is legal")
    arguments.add_language(parser)
    arguments.add_card_files(parser)


def run(args: argparse.Namespace) -> int:
    """List, show or check."""
    from game.cards import load_cards
    from game.decks import Deck, load_deck, shipped_decks
    from game.errors import CardError

    out, language = Output(args.json), args.lang
    cards = load_cards(*args.cards)
    wanted = args.check or args.deck
    if args.check and args.check in shipped_decks():
        raise CardError(f"{args.check} is a deck that ships; --check wants the path of a deck file")

    def summary(deck: Deck) -> dict[str, Any]:
        rows = [cards[row] for row in deck.rows(cards)]
        return {"id": deck.id, "name": deck.name(language), "text": deck.texts.get(language, ""), "cards": len(rows),
                "types": dict(Counter(card.type for card in rows)),
                "families": dict(Counter(card.family for card in rows if card.type == "model")),
                "mean_cost": sum(card.cost for card in rows) / len(rows)}

    if wanted is None:
        decks = [summary(load_deck(name, cards)) for name in shipped_decks()]
        out.table("", ["id", "name", "cards", "mean cost", "what it does"],
                  [[d["id"], d["name"], d["cards"], f"{d['mean_cost']:.1f}", d["text"]] for d in decks])
        out.result({"decks": decks})
        return 0
    deck = load_deck(wanted, cards)
    about = summary(deck)
    listed = sorted(((copies, cards.card(card)) for card, copies in deck.cards.items()),
                    key=lambda pair: (pair[1].type != "model", pair[1].cost, pair[1].id))
    if args.check:
        out.say(f"{args.check}: a legal deck, {about['cards']} cards")
    else:
        out.say(f"{about['name']}\n{about['text']}".rstrip())
        out.table("", ["copies", "cost", "id", "name", "text"],
                  [[n, card.cost, card.id, card.name(language), card.texts[language].text] for n, card in listed])
    out.result({**about, "legal": True, "list": {card.id: copies for copies, card in listed}})
    return 0
