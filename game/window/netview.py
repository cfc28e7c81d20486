"""A network's tensors as tiles: real weights or gradients, size by light, sign by colour and by shape."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pygame

from game.window import theme as th
from game.window.widgets.base import Ui, Widget, panel

LOWEST = 1e-9
"""Norms below this count as nothing on the logarithmic bar."""


class Tiles(Widget):
    """One tile a tensor, first to last; the first ``hidden`` ones stay dark (a backward pass lights the last first)."""

    def __init__(self, name: str, rect: pygame.Rect, layers: Sequence[dict[str, Any]], hidden: int = 0,
                 numbers: bool = True) -> None:
        super().__init__(name, rect, "; ".join(f"{layer['name']} {layer['norm']:.3g}" for layer in layers))
        self.layers, self.hidden, self.numbers = layers, hidden, numbers

    def draw(self, ui: Ui) -> None:
        """A grid of tiles with arrows in the direction in which the gradient goes."""
        count = max(1, len(self.layers))
        across = min(count, 4 if count <= 8 else 5 if count <= 15 else 6)
        down = math.ceil(count / across)
        gap = ui.px(10)
        wide = (self.rect.width - gap * (across - 1)) // across
        high = min((self.rect.height - gap * (down - 1)) // down, ui.px(300))
        for number, layer in enumerate(self.layers):
            box = pygame.Rect(self.rect.left + number % across * (wide + gap),
                              self.rect.top + number // across * (high + gap), wide, high)
            self._tile(ui, box, layer, number < self.hidden)

    def _tile(self, ui: Ui, box: pygame.Rect, layer: dict[str, Any], dark: bool) -> None:
        panel(ui, box, th.BACK_LOW, th.EDGE if dark else th.mix(th.ACCENT, th.PANEL, 0.4), radius=6)
        pad, line = ui.px(6), ui.letters(14) + ui.px(4)
        name = pygame.Rect(box.left + pad, box.top + ui.px(2), box.width - 2 * pad, line)
        shape = "×".join(map(str, layer["shape"]))
        colour = th.MUTED if dark else th.TEXT
        self.write(ui, f"{layer['name']}  {shape}", name, 14, colour, "narrow", "left", "middle")
        foot = line + ui.px(8)
        grid = pygame.Rect(box.left + pad, name.bottom, box.width - 2 * pad, box.bottom - name.bottom - foot)
        if dark or grid.height < 4:
            return
        self._grid(ui, grid, layer)
        bar = pygame.Rect(grid.left, grid.bottom + ui.px(3), grid.width, ui.px(4))
        pygame.draw.rect(ui.surface, th.INK, bar)
        pygame.draw.rect(ui.surface, th.GOLD, pygame.Rect(bar.topleft, (round(bar.width * log_part(layer["norm"])),
                                                                        bar.height)))
        if self.numbers:
            words = pygame.Rect(grid.left, bar.bottom, grid.width, box.bottom - bar.bottom - 1)
            norm = f"‖·‖ {ui.number(layer['norm'], '.3g')}"
            self.write(ui, norm, words, 14, th.TEXT, "narrow", "left", "middle", False)

    def _grid(self, ui: Ui, grid: pygame.Rect, layer: dict[str, Any]) -> None:
        tile, most = layer["tile"], layer["largest"]
        rows, columns = len(tile), len(tile[0])
        for y, row in enumerate(tile):
            top, bottom = grid.top + grid.height * y // rows, grid.top + grid.height * (y + 1) // rows
            for x, value in enumerate(row):
                left = grid.left + grid.width * x // columns
                right = grid.left + grid.width * (x + 1) // columns
                part = abs(value) / most if most else 0.0
                colour = th.mix(th.INK, th.BLUE if value >= 0 else th.ORANGE, part**0.5)
                cell = pygame.Rect(left, top, max(1, right - left - 1), max(1, bottom - top - 1))
                pygame.draw.rect(ui.surface, colour, cell)
                if part > 0.35 and min(cell.size) >= 6:
                    middle, reach = cell.center, min(cell.size) // 3
                    pygame.draw.line(ui.surface, th.INK, (middle[0] - reach, middle[1]), (middle[0] + reach, middle[1]),
                                     max(1, reach // 2))
                    if value >= 0:
                        pygame.draw.line(ui.surface, th.INK, (middle[0], middle[1] - reach),
                                         (middle[0], middle[1] + reach), max(1, reach // 2))


class Legend(Widget):
    """What colours and signs mean."""

    def draw(self, ui: Ui) -> None:
        """Two little squares and words."""
        x, side = self.rect.left, ui.px(20)
        for colour, sign, key in ((th.BLUE, "+", "net.positive"), (th.ORANGE, "−", "net.negative")):
            box = pygame.Rect(x, self.rect.centery - side // 2, side, side)
            pygame.draw.rect(ui.surface, colour, box)
            self.write(ui, sign, box, 14, th.INK, "number", "centre", "middle", False)
            words = ui.say(key)
            wide = self.rect.width // 2 - side - ui.px(16)
            beside = pygame.Rect(box.right + ui.px(6), self.rect.top, wide, self.rect.height)
            self.write(ui, words, beside, 14, th.MUTED, "narrow", "left", "middle")
            x += self.rect.width // 2


def log_part(norm: float) -> float:
    """A norm from 10⁻⁹ to 10³ as a part of a logarithmic bar, 0 … 1."""
    if not math.isfinite(norm):
        return 1.0
    return max(0.0, min(1.0, (math.log10(max(norm, LOWEST)) + 9) / 12))
