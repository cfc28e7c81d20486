"""What all widgets share, and the context in which they are drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pygame

from game.window import layout
from game.window import theme as th
from game.window.kept import Kept
from game.window.settings import SCALES, Settings
from game.window.text import SMALLEST, Text
from game.words import number, say

Action = Callable[[], None]


@dataclass
class Ui:
    """Where and how to draw. ``now``: seconds, for what pulses; ``hover`` and ``focus``: widgets' ids."""

    surface: pygame.Surface
    text: Text
    settings: Settings
    now: float = 0.0
    hover: str = ""
    focus: str = ""
    part: str = ""
    """The number or line, in the hovered or focused widget, that is pointed at."""
    pictures: Any = None
    """Finds a card's picture (see :class:`game.window.art.Pictures`)."""
    kept: Kept = field(default_factory=lambda: Kept(windows=2.5))
    """Pictures that the next frame will draw again."""
    desktop: int = 0
    """The screen's height in pixels."""
    frame: layout.Frame = field(default_factory=lambda: layout.Frame((layout.WIDE, layout.HIGH)))
    """Where the scene that is drawn stands."""

    @property
    def size(self) -> tuple[int, int]:
        """The window's size."""
        return self.surface.get_size()

    @property
    def language(self) -> str:
        """In which everything is said."""
        return self.settings.language

    @property
    def scale(self) -> float:
        """The UI scale, 0.8 … 2: as it was set, else as the window and the screen need it."""
        return (self.settings.scale or layout.automatic_scale(self.size, self.desktop, SCALES[1:])) / 100

    def stand(self, extent: layout.Box | None) -> None:
        """A scene that takes this part of the grid is built and drawn next."""
        self.frame = layout.Frame.around(self.size, self.scale, extent)

    def px(self, units: float) -> int:
        """Grid units as pixels, at least one."""
        return max(1, round(units * self.frame.unit))

    @property
    def larger(self) -> float:
        """How much larger than their surroundings letters are."""
        return min(self.scale / self.frame.zoom, layout.LETTERS_MORE)

    def letters(self, units: float) -> int:
        """A letter's height in pixels, with the UI scale."""
        return max(SMALLEST, round(units * self.frame.unit * self.larger))

    def row(self, units: float) -> int:
        """The height of a line in a card, in pixels: it follows the letters, as far as the card has room."""
        return max(1, round(units * self.frame.unit * min(self.larger, 1.3)))

    def say(self, key: str, **values: object) -> str:
        """A text in the window's language."""
        return say(key, self.language, **values)

    def number(self, value: float, form: str) -> str:
        """A number as the window's language writes it."""
        return number(value, form, self.language)

    def place(self, *box: float) -> pygame.Rect:
        """A box of grid units as pixels."""
        return self.frame.place((box[0], box[1], box[2], box[3]))

    def pulse(self, period: float = 1.6) -> float:
        """0 … 1 … 0 over a period; 1 with reduced motion."""
        if self.settings.reduced_motion:
            return 1.0
        phase = (self.now % period) / period
        return 1 - abs(2 * phase - 1)


class Widget:
    """Something with an id and a rectangle. ``action`` is done when it is clicked or Enter is pressed on it."""

    def __init__(self, name: str, rect: pygame.Rect, text: str = "", action: Action | None = None,
                 enabled: bool = True, focusable: bool | None = None) -> None:
        self.id, self.rect, self.text, self.action, self.enabled = name, rect, text, action, enabled
        self.focusable = action is not None if focusable is None else focusable
        self.clipped = False
        self.parts: list[tuple[str, pygame.Rect]] = []
        """Numbers and lines in it that can be pointed at, as it was drawn."""

    def part_at(self, point: tuple[int, int]) -> str:
        """The part at a point, "" if there is none."""
        return next((name for name, rect in self.parts if rect.collidepoint(point)), "")

    def draw(self, ui: Ui) -> None:
        """Draw it; subclasses do."""

    def write(self, ui: Ui, string: str, rect: pygame.Rect, size: float, colour: th.Colour = th.TEXT,
              font: str = "body", align: str = "left", valign: str = "top", wrap: bool = True) -> None:
        """Write into a box and remember if it had no room."""
        if not ui.text.draw(ui.surface, string, rect, ui.letters(size), colour, font, align, valign, wrap):
            self.clipped = True

    def describe(self, focus: str) -> dict[str, Any]:
        """For the description of the picture."""
        return {"id": self.id, "rect": list(self.rect), "enabled": self.enabled, "text": self.text,
                "focused": self.id == focus, "clipped": self.clipped}


class Label(Widget):
    """Words in a box."""

    def __init__(self, name: str, rect: pygame.Rect, text: str, size: float = 16, colour: th.Colour = th.TEXT,
                 font: str = "body", align: str = "left", valign: str = "middle", wrap: bool = True) -> None:
        super().__init__(name, rect, text)
        self.size, self.colour, self.font, self.align, self.valign, self.wrap = size, colour, font, align, valign, wrap

    def draw(self, ui: Ui) -> None:
        """Only the words."""
        self.write(ui, self.text, self.rect, self.size, self.colour, self.font, self.align, self.valign, self.wrap)


class Panel(Widget):
    """A ground for other widgets."""

    def draw(self, ui: Ui) -> None:
        """A rounded box with a thin edge."""
        panel(ui, self.rect)


class Button(Widget):
    """A button; ``kind``: plain, primary (what most people want now) or quiet."""

    def __init__(self, name: str, rect: pygame.Rect, text: str, action: Action | None, enabled: bool = True,
                 kind: str = "plain", size: float = 18, pulsing: bool = False) -> None:
        super().__init__(name, rect, text, action, enabled, focusable=True)
        self.kind, self.size, self.pulsing = kind, size, pulsing

    def draw(self, ui: Ui) -> None:
        """Ground, edge and words; the hovered one is lighter, the focused one framed."""
        hot = self.enabled and ui.hover == self.id
        ground, edge, letters = th.PANEL_HIGH, th.EDGE, th.TEXT
        if self.kind == "primary" and self.enabled:
            ground, edge, letters = th.GOLD, th.mix(th.GOLD, th.TEXT, 0.5), th.INK
        elif self.kind == "quiet":
            ground = th.PANEL
        if not self.enabled:
            ground, letters = th.PANEL, th.MUTED
        if hot:
            ground = th.mix(ground, th.TEXT, 0.14)
        if self.pulsing and self.enabled:
            glow(ui, self.rect, th.GOLD, ui.pulse())
        panel(ui, self.rect, ground, edge, radius=8)
        self.write(ui, self.text, self.rect.inflate(-ui.px(12), -ui.px(4)), self.size, letters, "title", "centre",
                   "middle")


def panel(ui: Ui, rect: pygame.Rect, fill: th.Colour = th.PANEL, edge: th.Colour = th.EDGE, radius: float = 10,
          width: float = 1.0) -> None:
    """A rounded box with an edge."""
    corner = ui.px(radius)
    pygame.draw.rect(ui.surface, fill, rect, border_radius=corner)
    pygame.draw.rect(ui.surface, edge, rect, max(1, ui.px(width)), border_radius=corner)


def glow(ui: Ui, rect: pygame.Rect, colour: th.Colour, strength: float = 1.0, radius: float = 10,
         hollow: bool = False) -> None:
    """Light around a box; ``hollow``: what stands in the box stays to be seen."""
    reach, steps = ui.px(7), 4
    key = ("glow", rect.size, colour, round(strength * 6), reach, hollow)

    def lit() -> pygame.Surface:
        picture = pygame.Surface((rect.width + 2 * reach, rect.height + 2 * reach), pygame.SRCALPHA)
        for step in range(steps):
            inset = round(step * reach / steps)
            alpha = round((18 + 34 * step) * (0.35 + 0.65 * round(strength * 6) / 6))
            pygame.draw.rect(picture, (*colour, min(255, alpha)), picture.get_rect().inflate(-2 * inset, -2 * inset),
                             border_radius=ui.px(radius) + reach - inset)
        if hollow:
            inside = picture.get_rect().inflate(-2 * reach - ui.px(6), -2 * reach - ui.px(6))
            pygame.draw.rect(picture, (0, 0, 0, 0), inside, border_radius=ui.px(radius))
        return picture

    ui.surface.blit(ui.kept.get(key, lit), (rect.left - reach, rect.top - reach))


def shade(ui: Ui, rect: pygame.Rect, alpha: int = 120, colour: th.Colour = th.BACK, radius: float = 10) -> None:
    """Darken a box."""
    key = ("shade", rect.size, alpha, colour, ui.px(radius))

    def dark() -> pygame.Surface:
        picture = pygame.Surface(rect.size, pygame.SRCALPHA)
        pygame.draw.rect(picture, (*colour, alpha), picture.get_rect(), border_radius=ui.px(radius))
        return picture

    ui.surface.blit(ui.kept.get(key, dark), rect)


def focus_ring(ui: Ui, rect: pygame.Rect) -> None:
    """The frame of the widget that the keyboard acts on: two lines, so that it shows on any ground."""
    pygame.draw.rect(ui.surface, th.INK, rect.inflate(ui.px(8), ui.px(8)), ui.px(4), border_radius=ui.px(13))
    pygame.draw.rect(ui.surface, th.TEXT, rect.inflate(ui.px(6), ui.px(6)), ui.px(2), border_radius=ui.px(12))


def part_frame(ui: Ui, rect: pygame.Rect) -> None:
    """A thin frame around a number or a line that is pointed at."""
    pygame.draw.rect(ui.surface, th.ACCENT, rect.inflate(ui.px(4), ui.px(2)), max(1, ui.px(1.5)),
                     border_radius=ui.px(5))
