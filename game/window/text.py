"""Words on the screen: fonts at their real size, wrapping, and fitting into boxes.

A text that is too long for its box is tried smaller, then in the condensed cut; only if nothing
helps is it cut off, and then :meth:`Text.draw` says so.
"""

from __future__ import annotations

from dataclasses import dataclass

import pygame
import pygame.freetype

from game.assets import assets
from game.window.kept import Kept
from game.window.theme import Colour

FONTS = {
    "title": "chakra-petch/ChakraPetch-Bold.ttf", "number": "chakra-petch/ChakraPetch-Bold.ttf",
    "body": "fira-sans/FiraSans-Regular.ttf", "bold": "fira-sans/FiraSans-SemiBold.ttf",
    "narrow": "fira-sans-condensed/FiraSansCondensed-Regular.ttf",
    "narrow_bold": "fira-sans-condensed/FiraSansCondensed-SemiBold.ttf",
    "symbol": "dejavu-sans-condensed/DejaVuSansCondensed.ttf"}
CONDENSED = {"title": "narrow_bold", "body": "narrow", "bold": "narrow_bold"}
LARGE = 30
"""Pixels from which on letters rather become smaller than narrower."""
SMALLEST = 10
"""Pixels below which no text is drawn, however small the window."""
MOST_KEPT = 6000
"""Measures of texts."""


@dataclass(frozen=True)
class Fitted:
    """How a text goes into a box."""

    font: str
    size: int
    lines: tuple[str, ...]
    whole: bool
    """False if something had to be cut off."""


class Text:
    """All fonts, with everything rendered kept for the next frame."""

    def __init__(self) -> None:
        pygame.font.init()
        pygame.freetype.init()
        self._folder = assets() / "fonts"
        self._fonts: dict[tuple[str, int], pygame.font.Font] = {}
        self._probes: dict[str, pygame.freetype.Font] = {}
        self._has: dict[tuple[str, str], bool] = {}
        self._lines = Kept(windows=1)
        self._heights: dict[tuple[str, str, int, int], int] = {}
        self._fits: dict[tuple[str, str, int, int, int, bool], Fitted] = {}

    def font(self, name: str, size: int) -> pygame.font.Font:
        """A font of :data:`FONTS` at a height in pixels."""
        key = (name, size)
        if key not in self._fonts:
            self._fonts[key] = pygame.font.Font(self._folder / FONTS[name], size)
        return self._fonts[key]

    def has(self, name: str, character: str) -> bool:
        """Whether a font has a glyph of its own for a character."""
        key = (name, character)
        if key not in self._has:
            if name not in self._probes:
                self._probes[name] = pygame.freetype.Font(str(self._folder / FONTS[name]), 16)
            self._has[key] = character == " " or self._probes[name].get_metrics(character)[0] is not None
        return self._has[key]

    def width(self, string: str, name: str, size: int) -> int:
        """Pixels that a line takes."""
        return sum(self.font(font, size).size(part)[0] for font, part in self._runs(string, name))

    def line(self, string: str, name: str, size: int, colour: Colour) -> pygame.Surface:
        """A line as a picture; characters that the font lacks come from the symbol font."""
        def rendered() -> pygame.Surface:
            parts = [self.font(font, size).render(part, True, colour) for font, part in self._runs(string, name)]
            if len(parts) == 1:
                return parts[0]
            high = self.font(name, size).get_linesize()
            whole = pygame.Surface((max(1, sum(p.get_width() for p in parts)), high), pygame.SRCALPHA)
            x = 0
            for part in parts:
                whole.blit(part, (x, (high - part.get_height()) // 2))
                x += part.get_width()
            return whole

        return self._lines.get((string, name, size, colour), rendered)

    def fit(self, string: str, name: str, size: int, width: int, height: int, wrap: bool = True) -> Fitted:
        """The largest way, from ``size`` down, to get a text into a box."""
        key = (string, name, size, width, height, wrap)
        if key not in self._fits:
            if len(self._fits) > MOST_KEPT:
                self._fits.clear()
            self._fits[key] = self._fit(string, name, size, width, height, wrap)
        return self._fits[key]

    def draw(self, surface: pygame.Surface, string: str, rect: pygame.Rect, size: int, colour: Colour,
             name: str = "body", align: str = "left", valign: str = "top", wrap: bool = True) -> bool:
        """Write a text into a box; False if not all of it had room."""
        fitted = self.fit(string, name, size, rect.width, rect.height, wrap)
        step = self.font(fitted.font, fitted.size).get_linesize()
        y = rect.top + {"top": 0, "middle": (rect.height - step * len(fitted.lines)) // 2,
                        "bottom": rect.height - step * len(fitted.lines)}[valign]
        for line in fitted.lines:
            picture = self.line(line, fitted.font, fitted.size, colour)
            x = rect.left + {"left": 0, "centre": (rect.width - picture.get_width()) // 2,
                             "right": rect.width - picture.get_width()}[align]
            surface.blit(picture, (x, y))
            y += step
        return fitted.whole

    def height(self, string: str, name: str, size: int, width: int) -> int:
        """Pixels that a text takes when it is wrapped to a width."""
        key = (string, name, size, width)
        if key not in self._heights:
            if len(self._heights) > MOST_KEPT:
                self._heights.clear()
            self._heights[key] = len(self._wrap(string, name, size, width)) * self.font(name, size).get_linesize()
        return self._heights[key]

    # ---- details ----

    def _fit(self, string: str, name: str, size: int, width: int, height: int, wrap: bool) -> Fitted:
        size = max(size, SMALLEST)
        tries = [(name, n) for n in range(size, SMALLEST - 1, -1)]
        if name in CONDENSED:
            large = max(SMALLEST, min(round(size * 0.85), LARGE))
            tries = [t for t in tries if t[1] >= large] + [(CONDENSED[name], n) for n in range(size, SMALLEST - 1, -1)]
        for font, n in tries:
            lines = self._wrap(string, font, n, width) if wrap else tuple(string.split("\n"))
            if (len(lines) * self.font(font, n).get_linesize() <= height + 2
                    and all(self.width(line, font, n) <= width for line in lines)
                    and not (wrap and _broken(string, lines))):
                return Fitted(font, n, lines, True)
        return self._cut(string, *tries[-1], width, height, wrap)

    def _cut(self, string: str, font: str, size: int, width: int, height: int, wrap: bool) -> Fitted:
        lines = self._wrap(string, font, size, width) if wrap else tuple(string.split("\n"))
        most = max(1, height // self.font(font, size).get_linesize())
        kept = list(lines[:most])
        if len(lines) > most:
            kept[-1] += "…"
        for place, line in enumerate(kept):
            while len(line) > 1 and self.width(line, font, size) > width:
                line = line[:-2] + "…"
            kept[place] = line
        whole = tuple(kept) == lines
        return Fitted(font, size, tuple(kept), whole)

    def _wrap(self, string: str, name: str, size: int, width: int) -> tuple[str, ...]:
        lines = []
        for paragraph in string.split("\n"):
            line = ""
            for word in paragraph.split(" "):
                wider = f"{line} {word}" if line else word
                if self.width(wider, name, size) <= width or not line:
                    line = wider
                else:
                    lines.append(line)
                    line = word
                while self.width(line, name, size) > width and len(line) > 1:
                    end = len(line) - 1
                    while end > 1 and self.width(line[:end], name, size) > width:
                        end -= 1
                    lines.append(line[:end])
                    line = line[end:]
            lines.append(line)
        return tuple(lines)

    def _runs(self, string: str, name: str) -> list[tuple[str, str]]:
        string = string.replace("\0", "")
        runs: list[tuple[str, str]] = []
        for character in string:
            font = name if self.has(name, character) else "symbol"
            if runs and runs[-1][0] == font:
                runs[-1] = (font, runs[-1][1] + character)
            else:
                runs.append((font, character))
        return runs or [(name, "")]


def _broken(string: str, lines: tuple[str, ...]) -> bool:
    """Whether a word had to be broken to get these lines."""
    return [word for line in lines for word in line.split()] != string.split()
