"""Cards held as in a hand, to look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pygame

from game.cards import CardInfo
from game.window.viewmodel import HandView
from game.window.widgets.base import Ui
from game.window.widgets.cards import HandCard

TURN = 6.0
"""Degrees between neighbours."""
CARD = (126, 184)
"""A card's size in grid units."""


def fan(ui: Ui, cards: Sequence[CardInfo], box: pygame.Rect) -> None:
    """Draw cards side by side across a box, each turned a little further than the one before, the outer ones lower."""
    middle = (len(cards) - 1) / 2
    apart = (box.width - ui.px(CARD[0])) / max(1, len(cards) - 1)
    for number, card in enumerate(cards):
        picture = _picture(ui, card, -TURN * (number - middle))
        centre = (round(box.centerx + (number - middle) * apart),
                  round(box.top + ui.px(CARD[1]) / 2 + (number - middle) ** 2 * ui.px(6)))
        ui.surface.blit(picture, picture.get_rect(center=centre))


def _picture(ui: Ui, card: CardInfo, angle: float) -> pygame.Surface:
    size = (ui.px(CARD[0]), ui.px(CARD[1]))

    def turned() -> pygame.Surface:
        plain = replace(ui.settings, scale=100)  # a picture of a card, not something to read at any scale
        inside = replace(ui, surface=pygame.Surface(size, pygame.SRCALPHA), settings=plain)
        whole = inside.surface.get_rect()
        HandCard("fan", whole, HandView(0, card.row, card.cost), card, "", ui.language, None).draw(inside)
        return pygame.transform.rotozoom(inside.surface, angle, 1.0)

    return ui.kept.get(("fan", card.id, size, angle, ui.language, ui.pictures.version), turned)
