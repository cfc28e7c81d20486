"""Choices: a name and a value that goes on with every click."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pygame

from game.window import theme as th
from game.window.widgets.base import Ui, Widget, panel


class Choice(Widget):
    """One of several values. A click on the left third goes back, elsewhere on; so do the arrows Left and Right."""

    def __init__(self, name: str, rect: pygame.Rect, title: str, values: Sequence[str], at: int,
                 change: Callable[[int], None]) -> None:
        super().__init__(name, rect, f"{title}: {values[at]}", lambda: self.turn(1), focusable=True)
        self.title, self.values, self.index, self.change = title, values, at, change

    def turn(self, step: int) -> None:
        """The next or the previous value."""
        self.change((self.index + step) % len(self.values))

    def draw(self, ui: Ui) -> None:
        """Title at the left, value between two arrows at the right."""
        hot = ui.hover == self.id
        panel(ui, self.rect, th.PANEL_HIGH if hot else th.PANEL, th.EDGE, radius=8)
        inner = self.rect.inflate(-ui.px(24), -ui.px(6))
        half = inner.width * 45 // 100
        self.write(ui, self.title, pygame.Rect(inner.left, inner.top, half - ui.px(8), inner.height), 17, th.MUTED,
                   "body", "left", "middle")
        value = pygame.Rect(inner.left + half, inner.top, inner.width - half, inner.height)
        side = ui.px(10)
        for x, turn in ((value.left + side, -1), (value.right - side, 1)):
            pygame.draw.polygon(ui.surface, th.ACCENT if hot else th.FAINT, [
                (x - turn * side // 2, value.centery - side), (x - turn * side // 2, value.centery + side),
                (x + turn * side // 2, value.centery)])
        self.write(ui, self.values[self.index], value.inflate(-4 * side, 0), 18, th.TEXT, "bold", "centre", "middle")


def turn_choice(widgets: Sequence[Widget], focus: str | None, key: int) -> bool:
    """Whether the focus is on a choice and the key, Left or Right, has turned it."""
    widget = next((w for w in widgets if w.id == focus), None)
    if isinstance(widget, Choice) and key in (pygame.K_LEFT, pygame.K_RIGHT):
        widget.turn(1 if key == pygame.K_RIGHT else -1)
        return True
    return False


class Bars(Widget):
    """Named bars, one below the other; ``rows``: name, value 0 … 1, second value or None, words at the end."""

    def __init__(self, name: str, rect: pygame.Rect, rows: Sequence[tuple[str, float, float | None, str]],
                 colours: tuple[th.Colour, th.Colour] = (th.BLUE, th.ORANGE)) -> None:
        super().__init__(name, rect, "; ".join(f"{title} {words}" for title, _, _, words in rows))
        self.rows, self.colours = rows, colours

    def draw(self, ui: Ui) -> None:
        """A row each: the second value as an outlined bar below the first."""
        if not self.rows:
            return
        high = min(ui.px(46), self.rect.height // len(self.rows))
        for number, (title, value, other, words) in enumerate(self.rows):
            row = pygame.Rect(self.rect.left, self.rect.top + number * high, self.rect.width, high - ui.px(4))
            names = pygame.Rect(row.left, row.top, row.width * 36 // 100, row.height)
            end = pygame.Rect(row.right - row.width * 24 // 100, row.top, row.width * 24 // 100, row.height)
            bar = pygame.Rect(names.right + ui.px(8), row.top + ui.px(3), end.left - names.right - ui.px(16),
                              row.height - ui.px(6))
            self.write(ui, title, names, 15, th.TEXT, "body", "right", "middle")
            self.write(ui, words, end, 15, th.TEXT, "narrow_bold", "left", "middle", False)
            pygame.draw.rect(ui.surface, th.INK, bar, border_radius=ui.px(4))
            parts = [(value, self.colours[0]), *([(other, self.colours[1])] if other is not None else [])]
            each = bar.height // len(parts)
            for place, (part, colour) in enumerate(parts):
                wide = max(ui.px(2), round(bar.width * max(0.0, min(1.0, part))))
                box = pygame.Rect(bar.left, bar.top + place * each, wide, each - (1 if len(parts) > 1 else 0))
                pygame.draw.rect(ui.surface, colour, box, border_radius=ui.px(3))
                if place:
                    hatch(ui, box)


def hatch(ui: Ui, box: pygame.Rect) -> None:
    """Slanted lines over a bar, so that it differs from another without colour."""
    clip = ui.surface.get_clip()
    ui.surface.set_clip(box.clip(clip))
    reach = min(box.width, box.height)
    for x in range(box.left - box.height, box.right, max(4, ui.px(6))):
        for y in range(box.bottom, box.top, -reach):
            pygame.draw.line(ui.surface, th.INK, (x + box.bottom - y, y), (x + box.bottom - y + reach, y - reach), 1)
    ui.surface.set_clip(clip)
