"""Where things stand: pure functions from the window's size and the UI scale to rectangles.

Everything is laid out on a grid of 1280 × 720 units that is stretched to the window, so a larger
window or screen shows the same larger. The UI scale acts within that. A page or a dialog says
which part of the grid it takes (its extent) and is enlarged as a whole as far as the window has
room, or made smaller; the match always fills the window and shares it out differently. Letters
grow a little further than their boxes and are then fitted into them.
"""

from __future__ import annotations

from dataclasses import dataclass

import pygame

from game.engine import records as r

WIDE, HIGH = 1280, 720
SMALLEST = (640, 360)
Box = tuple[float, float, float, float]
MARGIN = 12
"""Grid units that an enlarged page leaves free around itself."""
LEAST_UNIT = 0.7
"""Pixels of a grid unit below which nothing is made smaller: text would no longer fit at the least size of letters."""
LETTERS_MORE = 1.5
"""How much further than the layout letters may grow."""
MATCH_SCALES = (0.8, 1.5)
"""Between these the match's layout follows the UI scale."""
LETTER = 16
"""Grid units of the text that most is written in."""


def unit(size: tuple[int, int]) -> float:
    """Pixels of one grid unit for what must keep its shape (letters, corners, lines)."""
    return max(0.5, min(size[0] / WIDE, size[1] / HIGH))


def automatic_scale(size: tuple[int, int], desktop: int, scales: tuple[int, ...]) -> int:
    """The UI scale, in per cent, at which text can be read in a window on a screen ``desktop`` pixels high.

    Text should be at least 13 pixels high, and 1/80 of the screen: a screen with many pixels has small ones.
    """
    wanted = 100 * max(13.0, desktop / 80) / (LETTER * unit(size))
    return next((scale for scale in scales if scale >= max(100.0, wanted - 5)), scales[-1])


@dataclass(frozen=True)
class Frame:
    """The grid in a window: enlarged by ``zoom`` and moved by (``x``, ``y``) grid units."""

    size: tuple[int, int]
    zoom: float = 1.0
    x: float = 0.0
    y: float = 0.0

    @staticmethod
    def around(size: tuple[int, int], scale: float, extent: Box | None) -> Frame:
        """The frame in which a page's ``extent`` is enlarged by ``scale`` as far as it fits; None: the whole grid."""
        if extent is None:
            return Frame(size)
        left, top, wide, high = extent
        zoom = min(scale, max(1.0, min((WIDE - 2 * MARGIN) / wide, (HIGH - 2 * MARGIN) / high)))
        zoom = max(zoom, min(1.0, LEAST_UNIT / unit(size)))
        moved = []
        for start, length, whole in ((left, wide, WIDE), (top, high, HIGH)):
            at = whole / 2 + (start - whole / 2) * zoom  # enlarged around the window's middle
            inside = min(max(at, MARGIN), whole - MARGIN - length * zoom) if zoom > 1 else at
            moved.append(inside - start * zoom)
        return Frame(size, zoom, *moved)

    @property
    def unit(self) -> float:
        """Pixels of one grid unit."""
        return unit(self.size) * self.zoom

    def place(self, box: Box) -> pygame.Rect:
        """A box of grid units (x, y, width, height) as pixels."""
        return place(self.size, (self.x + box[0] * self.zoom, self.y + box[1] * self.zoom, box[2] * self.zoom,
                                 box[3] * self.zoom))


def place(size: tuple[int, int], box: Box) -> pygame.Rect:
    """A box of grid units (x, y, width, height) as pixels, with the grid stretched to the window."""
    sx, sy = size[0] / WIDE, size[1] / HIGH
    left, top = round(box[0] * sx), round(box[1] * sy)
    return pygame.Rect(left, top, round((box[0] + box[2]) * sx) - left, round((box[1] + box[3]) * sy) - top)


def columns(rect: pygame.Rect, count: int, gap: int) -> list[pygame.Rect]:
    """A rectangle cut into equal columns."""
    width = (rect.width - gap * (count - 1)) / count
    return [pygame.Rect(rect.left + round(i * (width + gap)), rect.top, round(width), rect.height)
            for i in range(count)]


def rows(rect: pygame.Rect, count: int, gap: int) -> list[pygame.Rect]:
    """A rectangle cut into equal rows."""
    height = (rect.height - gap * (count - 1)) / count
    return [pygame.Rect(rect.left, rect.top + round(i * (height + gap)), rect.width, round(height))
            for i in range(count)]


def match_boxes(scale: float) -> dict[str, Box]:
    """The match's parts in grid units. A larger scale widens what is read; the boards give way."""
    low, high = MATCH_SCALES
    more = min(high, max(low, scale)) - 1
    plate, status, hand = 62 * (1 + 0.2 * more), 36 * (1 + 0.5 * more), 196.0
    column, line = 256 * (1 + 0.5 * more), 36 * (1 + 0.4 * more)
    board = (HIGH - 20 - 5 * 8 - 2 * plate - status - hand) / 2
    wide = WIDE - 3 * 12 - column
    boxes: dict[str, Box] = {}
    top = 10.0
    for name, tall in (("lab.enemy", plate), ("enemy", board), ("status", status), ("own", board), ("lab.own", plate),
                       ("hand", hand)):
        boxes[name] = (12, top, wide, tall)
        top += tall + 8
    side, end = WIDE - 12 - column, 48 * (1 + 0.4 * more)
    below = HIGH - 10 - end
    rest = below - 8 - line - 8 - (10 + line + 8)
    inspector = rest * 2 / 3
    return {**boxes, "turn": (side, 10, column - line - 20, line), "menu": (WIDE - 12 - line - 10, 10, line + 10, line),
            "inspector": (side, 18 + line, column, inspector),
            "log": (side, 26 + line + inspector, column, rest - inspector - 8),
            "undo": (side, below - 8 - line, (column - 8) / 2, line),
            "hint": (side + (column + 8) / 2, below - 8 - line, (column - 8) / 2, line),
            "end": (side, below, column, end)}


def match_layout(size: tuple[int, int], hand: int, scale: float = 1.0) -> dict[str, pygame.Rect]:
    """Rectangles by widget id of the match scene with a hand of ``hand`` cards."""
    boxes = match_boxes(scale)
    found = {name: place(size, box) for name, box in boxes.items() if name not in ("own", "enemy", "hand")}
    gap = round(8 * unit(size))
    for side in ("own", "enemy"):
        for slot, rect in enumerate(columns(place(size, boxes[side]), r.SLOTS, gap), start=1):
            found[f"{side}.{slot}"] = rect
    area = place(size, boxes["hand"])
    if hand:
        width = min((area.width - gap * (hand - 1)) / hand, area.width / (7 if scale < 1.2 else 6) - gap)
        start = area.left + (area.width - hand * width - gap * (hand - 1)) / 2
        for card in range(hand):
            found[f"hand.{card}"] = pygame.Rect(round(start + card * (width + gap)), area.top, round(width),
                                                area.height)
    return found
