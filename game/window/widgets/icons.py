"""Signs drawn as shapes, so that they are crisp at every size and need no font."""

from __future__ import annotations

import math
from functools import lru_cache

import pygame

from game.window.theme import INK, Colour

Point = tuple[float, float]
FINER = 4
"""How much larger a sign is drawn before it is made smaller with smooth edges."""

_SHAPES: dict[str, list[list[Point]]] = {
    "attack": [[(0.5, 0.0), (0.64, 0.16), (0.64, 0.62), (0.86, 0.62), (0.86, 0.74), (0.6, 0.74), (0.6, 1.0), (0.4, 1.0),
                (0.4, 0.74), (0.14, 0.74), (0.14, 0.62), (0.36, 0.62), (0.36, 0.16)]],
    "health": [[(0.5, 1.0), (0.08, 0.52), (0.02, 0.3), (0.1, 0.1), (0.28, 0.04), (0.5, 0.2), (0.72, 0.04), (0.9, 0.1),
                (0.98, 0.3), (0.92, 0.52)]],
    "compute": [[(0.56, 0.0), (0.14, 0.58), (0.44, 0.58), (0.34, 1.0), (0.86, 0.4), (0.54, 0.4), (0.7, 0.0)]],
    "deck": [[(0.2, 0.0), (0.95, 0.0), (0.95, 0.8), (0.2, 0.8)], [(0.05, 0.2), (0.13, 0.2), (0.13, 0.88), (0.8, 0.88),
                                                                   (0.8, 1.0), (0.05, 1.0)]],
    "hand": [[(0.0, 0.3), (0.24, 0.18), (0.4, 0.84), (0.2, 0.92)], [(0.34, 0.06), (0.66, 0.06), (0.6, 0.9),
                                                                    (0.46, 0.9)],
             [(0.76, 0.18), (1.0, 0.3), (0.8, 0.92), (0.66, 0.86)]],
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
    picture = _sign(name, min(rect.width, rect.height), colour)
    surface.blit(picture, picture.get_rect(center=rect.center))


def hexagon(surface: pygame.Surface, rect: pygame.Rect, fill: Colour, edge: Colour) -> None:
    """A cost's ground."""
    picture = _hexagon(min(rect.width, rect.height), fill, edge)
    surface.blit(picture, picture.get_rect(center=rect.center))


@lru_cache(maxsize=512)
def _sign(name: str, side: int, colour: Colour) -> pygame.Surface:
    large = _canvas(side, colour)
    whole = large.get_width()
    if name == "skull":
        _skull(large, whole, colour)
    elif name == "target":
        middle, thick = whole / 2, whole // 9
        pygame.draw.circle(large, colour, (middle, middle), whole * 0.42, thick)
        for dx, dy in ((0, -1), (0, 1), (-1, 0), (1, 0)):
            inner = (middle + dx * whole * 0.22, middle + dy * whole * 0.22)
            outer = (middle + dx * whole * 0.5, middle + dy * whole * 0.5)
            pygame.draw.line(large, colour, inner, outer, thick)
    else:
        for shape in _SHAPES[name]:
            pygame.draw.polygon(large, colour, [(x * whole, y * whole) for x, y in shape])
    return pygame.transform.smoothscale(large, (side, side))


@lru_cache(maxsize=64)
def _hexagon(side: int, fill: Colour, edge: Colour) -> pygame.Surface:
    large = _canvas(side, edge)
    half = large.get_width() / 2
    for colour, reach in ((edge, half), (fill, half - 2 * FINER)):
        pygame.draw.polygon(large, colour, [(half + reach * math.sin(k * math.pi / 3),
                                             half - reach * math.cos(k * math.pi / 3)) for k in range(6)])
    return pygame.transform.smoothscale(large, (side, side))


def _canvas(side: int, colour: Colour) -> pygame.Surface:
    """A large transparent square; of the sign's colour, so that its edges don't darken when it is made smaller."""
    large = pygame.Surface((max(1, side) * FINER, max(1, side) * FINER), pygame.SRCALPHA)
    large.fill((*colour, 0))
    return large


def _skull(surface: pygame.Surface, side: int, colour: Colour) -> None:
    x = y = side / 2
    pygame.draw.circle(surface, colour, (x, y - side * 0.1), side * 0.36)
    pygame.draw.rect(surface, colour, pygame.Rect(x - side * 0.2, y + side * 0.1, side * 0.4, side * 0.32),
                     border_radius=max(1, side // 12))
    for dx in (-0.15, 0.15):
        pygame.draw.circle(surface, INK, (x + dx * side, y - side * 0.06), side * 0.1)
    for dx in (-0.08, 0.08):
        pygame.draw.line(surface, INK, (x + dx * side, y + side * 0.26), (x + dx * side, y + side * 0.42),
                         max(1, side // 16))
