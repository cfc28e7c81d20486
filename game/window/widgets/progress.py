"""How far something is, and how losses went: one pair of bars an update."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pygame

from game.window import theme as th
from game.window.widgets.base import Ui, Widget
from game.window.widgets.form import hatch


class Progress(Widget):
    """A bar with words above it; ``part`` 0 … 1."""

    def __init__(self, name: str, rect: pygame.Rect, text: str, part: float) -> None:
        super().__init__(name, rect, text)
        self.part = part

    def draw(self, ui: Ui) -> None:
        """Words above, bar below."""
        high = ui.px(14)
        words = pygame.Rect(self.rect.left, self.rect.top, self.rect.width, self.rect.height - high - ui.px(2))
        self.write(ui, self.text, words, 15, th.TEXT, "narrow", "left", "middle")
        bar = pygame.Rect(self.rect.left, self.rect.bottom - high, self.rect.width, high)
        pygame.draw.rect(ui.surface, th.INK, bar, border_radius=high // 2)
        full = pygame.Rect(bar.topleft, (round(bar.width * max(0.0, min(1.0, self.part))), high))
        if full.width > 1:
            pygame.draw.rect(ui.surface, th.GOLD, full, border_radius=high // 2)
        pygame.draw.rect(ui.surface, th.EDGE, bar, 1, border_radius=high // 2)


class LossPairs(Widget):
    """Losses before and after, a pair of bars for each update, on a square root's scale: small ones stay visible."""

    def __init__(self, name: str, rect: pygame.Rect, pairs: Sequence[tuple[float, float]]) -> None:
        super().__init__(name, rect, "; ".join(f"{a:.4f} → {b:.4f}" for a, b in pairs))
        self.pairs = pairs

    def draw(self, ui: Ui) -> None:
        """Lines at nought, a quarter and the most; then the bars."""
        most = max((max(pair) for pair in self.pairs), default=0.0) or 1.0
        side = ui.letters(14) * 4
        plot = pygame.Rect(self.rect.left + side, self.rect.top + ui.px(8), self.rect.width - side,
                           self.rect.height - ui.px(18))
        for value in (0.0, most / 4, most):
            y = plot.bottom - round(plot.height * math.sqrt(value / most))
            pygame.draw.line(ui.surface, th.EDGE, (plot.left, y), (plot.right, y))
            mark = pygame.Rect(self.rect.left, max(self.rect.top, y - ui.letters(14)), side - ui.px(8),
                               ui.letters(14) * 2)
            mark.bottom = min(mark.bottom, self.rect.bottom)
            self.write(ui, ui.number(value, ".2f"), mark, 14, th.MUTED, "narrow", "right", "middle", False)
        wide = min(ui.px(44), plot.width // max(1, len(self.pairs)))
        bar = max(1, (wide - max(1, wide // 5)) // 2)
        for number, pair in enumerate(self.pairs):
            for place, (value, colour) in enumerate(zip(pair, (th.BLUE, th.ORANGE), strict=True)):
                high = max(1, round(plot.height * math.sqrt(value / most)))
                left = plot.left + 2 + number * wide + place * bar
                box = pygame.Rect(left, plot.bottom - high, max(1, bar - 1), high)
                pygame.draw.rect(ui.surface, colour, box)
                if place:
                    hatch(ui, box)
