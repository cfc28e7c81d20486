"""The figures of a set as one SVG picture."""

from __future__ import annotations

from learner import svg
from learner.balance.figures import Figures

CELL = 64


def picture(figures: Figures) -> str:
    """Cards by their score when drawn, decks against decks, uses of keywords."""
    cards = svg.bars("Score of who drew the card, in points above one half",
                     {card.id: round(100 * (card.drawn.mean - 0.5), 1) for card in figures.cards}, "points")
    words = svg.bars("Uses of each keyword", figures.keywords, "a match")
    names = [name for name, _ in figures.decks]
    panels = [cards]
    if names:
        values = [[100 * (figures.against[a, b].mean - 0.5) if a != b else 0.0 for b in names] for a in names]
        panels.append(svg.cells("Deck (row) against deck, in points above one half", values, names, names,
                                cell=CELL, digits=1))
    return svg.picture([*panels, words], columns=3)
