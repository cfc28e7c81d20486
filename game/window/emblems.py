"""A figure for each family of networks and each type of card, drawn into its picture.

Colour alone would tell families apart only for some; the figure says it in a shape. It is a small
drawing of the thing itself: one neuron, layers, a kernel on an image, a loop, attention between tokens.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import pygame

from game.cards import CardInfo
from game.window import theme as th

Point = tuple[float, float]
FINER = 3
"""How much larger a figure is drawn before it is made smaller with smooth edges."""
LINE, NODE = 0.022, 0.055
"""A line's width and a node's radius, in parts of the figure's side."""


def emblem(card: CardInfo, strengths: Sequence[float], side: int) -> pygame.Surface:
    """The figure of a card, ``side`` pixels high and wide; ``strengths``: 0 … 1, how clear each line is, in turn."""
    whole = max(1, side) * FINER
    pen = _Pen(whole, itertools.cycle(strengths or (0.5,)), card)
    {"perceptron": _neuron, "mlp": _layers, "convnet": _kernel, "recurrent": _loops, "transformer": _attention,
     "technique": _descent, "researcher": _person}[card.family if card.type == "model" else card.type](pen)
    return pygame.transform.smoothscale(pen.surface, (max(1, side), max(1, side)))


class _Pen:
    """Draws in a square of side 1."""

    def __init__(self, whole: int, strengths: itertools.cycle[float], card: CardInfo) -> None:
        self.surface = pygame.Surface((whole, whole), pygame.SRCALPHA)
        self.whole, self.strengths, self.variant = whole, strengths, card.row
        colour = th.FAMILY[card.family] if card.type == "model" else th.TYPE[card.type]
        self.colour = th.mix(colour, th.TEXT, 0.65)
        self.surface.fill((*self.colour, 0))

    def line(self, *points: Point, strong: bool = False) -> None:
        """A line through points, as clear as the next strength says."""
        alpha = 255 if strong else round(90 + 165 * next(self.strengths))
        places = [(x * self.whole, y * self.whole) for x, y in points]
        thick = max(1, round(LINE * self.whole * (1.6 if strong else 1.0)))
        pygame.draw.lines(self.surface, (*self.colour, alpha), False, places, thick)

    def node(self, x: float, y: float, size: float = NODE) -> None:
        """A neuron: dark inside, so that lines end at it."""
        for colour, reach in ((self.colour, size), (th.INK, size * 0.55)):
            pygame.draw.circle(self.surface, colour, (x * self.whole, y * self.whole), reach * self.whole)

    def arc(self, centre: Point, radius: float, begin: float, end: float) -> None:
        """A part of a circle between two angles in radians, 0 to the right, growing downwards."""
        steps = [begin + (end - begin) * k / 16 for k in range(17)]
        self.line(*((centre[0] + radius * math.cos(a), centre[1] + radius * math.sin(a)) for a in steps), strong=True)


def _column(x: float, count: int) -> list[Point]:
    return [(x, 0.5 + (k - (count - 1) / 2) * min(0.26, 0.84 / count)) for k in range(count)]


def _net(pen: _Pen, *columns: list[Point]) -> None:
    for left, right in itertools.pairwise(columns):
        for a, b in itertools.product(left, right):
            pen.line(a, b)
    for x, y in itertools.chain(*columns):
        pen.node(x, y)


def _neuron(pen: _Pen) -> None:
    inputs = _column(0.12, 3 + pen.variant % 2)
    for point in inputs:
        pen.line(point, (0.58, 0.5))
        pen.node(*point)
    pen.line((0.58, 0.5), (0.95, 0.5), strong=True)
    pen.node(0.58, 0.5, 0.2)
    pen.line((0.50, 0.56), (0.58, 0.56), (0.58, 0.44), (0.66, 0.44))  # its step


def _layers(pen: _Pen) -> None:
    widths = (3, 4, 2) if pen.variant % 3 == 0 else (4, 3, 3) if pen.variant % 3 == 1 else (3, 2, 3)
    _net(pen, *(_column(0.1 + 0.4 * k, width) for k, width in enumerate(widths)))


def _kernel(pen: _Pen) -> None:
    cells, side = 5, 0.6
    for k in range(cells + 1):
        at = 0.2 + side * k / cells
        pen.line((0.02, at), (0.02 + side, at))
        pen.line((at - 0.18, 0.2), (at - 0.18, 0.2 + side))
    column, row = pen.variant % 3, pen.variant // 3 % 3
    left, top = 0.02 + side * column / cells, 0.2 + side * row / cells
    size = side * 3 / cells
    for corner in ((left + size, top), (left + size, top + size)):
        pen.line(corner, (0.84, 0.5))
    pen.line((left, top), (left + size, top), (left + size, top + size), (left, top + size), (left, top), strong=True)
    pen.node(0.86, 0.5, 0.09)


def _loops(pen: _Pen) -> None:
    places = (0.14, 0.5, 0.86)
    for a, b in itertools.pairwise(places):
        pen.line((a, 0.62), (b, 0.62))
    for x in places:
        pen.arc((x, 0.48), 0.1, 0.6 * math.pi, 2.4 * math.pi)
        pen.line((x, 0.62), (x, 0.92))
        pen.node(x, 0.62, 0.1)


def _attention(pen: _Pen) -> None:
    count = 5
    places = [(0.08 + 0.84 * k / (count - 1), 0.78) for k in range(count)]
    asking = pen.variant % count
    for k, (x, y) in enumerate(places):
        if k != asking:
            middle, reach = (x + places[asking][0]) / 2, abs(x - places[asking][0]) / 2
            pen.line(*((middle + reach * math.cos(a), y - reach * 1.35 * math.sin(a)) for a in
                       (math.pi * step / 16 for step in range(17))))
    for x, y in places:
        pen.node(x, y, 0.08 if (x, y) == places[asking] else NODE)


def _descent(pen: _Pen) -> None:
    bend, count = 1.6 + 0.5 * (pen.variant % 3), 3 + pen.variant // 3 % 3

    def place(t: float) -> Point:
        y = 0.86 - bend * (t - 0.5) ** 2
        return (0.06 + 0.88 * (t if pen.variant % 2 else 1 - t), y)

    pen.line(*(place(k / 20) for k in range(21)), strong=True)
    steps = [place(0.5 - 0.44 * (1 - k / count) ** 1.5) for k in range(count + 1)]
    pen.line(*steps)
    for x, y in steps:
        pen.node(x, y, 0.06)


def _person(pen: _Pen) -> None:
    pen.arc((0.5, 0.32), 0.19, 0, 2 * math.pi)
    pen.arc((0.5, 0.98), 0.36, math.pi, 2 * math.pi)
    for k in range(3):
        pen.node(0.32 + 0.18 * k, 0.86 if k != 1 else 0.76, 0.045)
    pen.line((0.32, 0.86), (0.5, 0.76), (0.68, 0.86))
