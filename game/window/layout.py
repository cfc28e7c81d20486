"""Where things stand: pure functions from the window's size to rectangles.

Everything is laid out on a grid of 1280 × 720 units that is stretched to the window; the UI scale
enlarges letters and controls within that, so nothing can overlap at any scale.
"""

from __future__ import annotations

import pygame

from game.engine import records as r

WIDE, HIGH = 1280, 720
SMALLEST = (640, 360)
Box = tuple[float, float, float, float]
SIDE = 1012
"""Where the right column begins."""


def unit(size: tuple[int, int]) -> float:
    """Pixels of one grid unit for what must keep its shape (letters, corners, lines)."""
    return max(0.5, min(size[0] / WIDE, size[1] / HIGH))


def place(size: tuple[int, int], box: Box) -> pygame.Rect:
    """A box of grid units (x, y, width, height) as pixels."""
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


MATCH: dict[str, Box] = {
    "lab.enemy": (12, 10, 988, 62), "enemy": (12, 80, 988, 152), "status": (12, 240, 988, 36),
    "own": (12, 284, 988, 152), "lab.own": (12, 444, 988, 62), "hand": (12, 514, 988, 196),
    "menu": (1222, 10, 46, 36), "turn": (SIDE, 10, 204, 36), "inspector": (SIDE, 54, 256, 366),
    "log": (SIDE, 428, 256, 186), "undo": (SIDE, 622, 124, 34), "hint": (1144, 622, 124, 34),
    "end": (SIDE, 662, 256, 48)}


def match_layout(size: tuple[int, int], hand: int) -> dict[str, pygame.Rect]:
    """Rectangles by widget id of the match scene with a hand of ``hand`` cards."""
    found = {name: place(size, box) for name, box in MATCH.items() if name not in ("own", "enemy", "hand")}
    gap = round(8 * unit(size))
    for side in ("own", "enemy"):
        for slot, rect in enumerate(columns(place(size, MATCH[side]), r.SLOTS, gap), start=1):
            found[f"{side}.{slot}"] = rect
    area = place(size, MATCH["hand"])
    if hand:
        width = min((area.width - gap * (hand - 1)) / hand, area.width / 7 - gap)
        start = area.left + (area.width - hand * width - gap * (hand - 1)) / 2
        for card in range(hand):
            found[f"hand.{card}"] = pygame.Rect(round(start + card * (width + gap)), area.top, round(width),
                                                area.height)
    return found
