"""Signs drawn as shapes, so that they are crisp at every size and need no font."""

from __future__ import annotations

import math

import pygame

from game.window.theme import INK, Colour

Point = tuple[float, float]

_SHAPES: dict[str, list[list[Point]]] = {
    "attack": [[(0.5, 0.0), (0.64, 0.16), (0.64, 0.62), (0.86, 0.62), (0.86, 0.74), (0.6, 0.74), (0.6, 1.0), (0.4, 1.0),
                (0.4, 0.74), (0.14, 0.74), (0.14, 0.62), (0.36, 0.62), (0.36, 0.16)]],
    "health": [[(0.5, 1.0), (0.08, 0.52), (0.02, 0.3), (0.1, 0.1), (0.28, 0.04), (0.5, 0.2), (0.72, 0.04), (0.9, 0.1),
                (0.98, 0.3), (0.92, 0.52)]],
    "compute": [[(0.56, 0.0), (0.14, 0.58), (0.44, 0.58), (0.34, 1.0), (0.86, 0.4), (0.54, 0.4), (0.7, 0.0)]],
    "deck": [[(0.2, 0.0), (0.95, 0.0), (0.95, 0.8), (0.2, 0.8)], [(0.05, 0.2), (0.13, 0.2), (0.13, 0.88), (0.8, 0.88),
                                                                   (0.8, 1.0), (0.05, 1.0)]],
    "hand": [[(0.0, 0.25), (0.3, 0.15), (0.48, 0.9), (0.18, 1.0)], [(0.36, 0.08), (0.64, 0.08), (0.64, 0.9),
                                                                     (0.54, 0.9)],
             [(0.7, 0.14), (1.0, 0.25), (0.82, 1.0), (0.68, 0.95)]],
    "chevron": [[(0.5, 0.1), (1.0, 0.6), (1.0, 0.95), (0.5, 0.45), (0.0, 0.95), (0.0, 0.6)]],
    "training": [[(0.0, 0.0), (1.0, 0.0), (1.0, 0.14), (0.62, 0.5), (1.0, 0.86), (1.0, 1.0), (0.0, 1.0), (0.0, 0.86),
                  (0.38, 0.5), (0.0, 0.14)]],
    "person": [[(0.5, 0.0), (0.72, 0.12), (0.72, 0.36), (0.5, 0.5), (0.28, 0.36), (0.28, 0.12)],
               [(0.1, 1.0), (0.18, 0.66), (0.38, 0.54), (0.62, 0.54), (0.82, 0.66), (0.9, 1.0)]],
    "menu": [[(0.0, 0.1), (1.0, 0.1), (1.0, 0.26), (0.0, 0.26)], [(0.0, 0.42), (1.0, 0.42), (1.0, 0.58), (0.0, 0.58)],
             [(0.0, 0.74), (1.0, 0.74), (1.0, 0.9), (0.0, 0.9)]],
}


def icon(surface: pygame.Surface, name: str, rect: pygame.Rect, colour: Colour) -> None:
    """Draw a sign into the largest square in a box."""
    side = min(rect.width, rect.height)
    left, top = rect.centerx - side / 2, rect.centery - side / 2
    if name == "skull":
        _skull(surface, rect, side, colour)
    elif name == "target":
        pygame.draw.circle(surface, colour, rect.center, side * 0.42, max(2, side // 9))
        for dx, dy in ((0, -1), (0, 1), (-1, 0), (1, 0)):
            inner = (rect.centerx + dx * side * 0.22, rect.centery + dy * side * 0.22)
            outer = (rect.centerx + dx * side * 0.5, rect.centery + dy * side * 0.5)
            pygame.draw.line(surface, colour, inner, outer, max(2, side // 9))
    else:
        for shape in _SHAPES[name]:
            pygame.draw.polygon(surface, colour, [(left + x * side, top + y * side) for x, y in shape])


def hexagon(surface: pygame.Surface, rect: pygame.Rect, fill: Colour, edge: Colour, width: int = 2) -> None:
    """A cost's ground."""
    side = min(rect.width, rect.height) / 2
    points = [(rect.centerx + side * math.sin(k * math.pi / 3), rect.centery - side * math.cos(k * math.pi / 3))
              for k in range(6)]
    pygame.draw.polygon(surface, fill, points)
    pygame.draw.polygon(surface, edge, points, max(1, width))


def _skull(surface: pygame.Surface, rect: pygame.Rect, side: int, colour: Colour) -> None:
    x, y = rect.centerx, rect.centery
    pygame.draw.circle(surface, colour, (x, y - side * 0.1), side * 0.36)
    pygame.draw.rect(surface, colour, pygame.Rect(x - side * 0.2, y + side * 0.1, side * 0.4, side * 0.32),
                     border_radius=max(1, side // 12))
    for dx in (-0.15, 0.15):
        pygame.draw.circle(surface, INK, (x + dx * side, y - side * 0.06), side * 0.1)
    for dx in (-0.08, 0.08):
        pygame.draw.line(surface, INK, (x + dx * side, y + side * 0.26), (x + dx * side, y + side * 0.42),
                         max(1, side // 16))
