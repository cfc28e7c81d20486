"""A network drawn: board tokens, hidden units with their activations, targets, and what each adds to the next."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pygame

from game.engine import records as r
from game.window import theme as th
from game.window.widgets.base import Ui, Widget, panel

ORDER = (*range(r.ENEMY_LAB, r.TOKENS), *range(r.ENEMY_LAB))
"""Tokens from the top down: the enemy's side, then one's own."""
Point = tuple[int, int]


class Wiring(Widget):
    """``net``: columns, edges, targets (the service's job "network"); ``report``: probabilities and damage, by token.

    Width is strength, colour and pattern are sign: positive is blue and unbroken, negative orange and dashed.
    """

    def __init__(self, name: str, rect: pygame.Rect, net: dict[str, Any], report: dict[str, Any],
                 names: dict[int, str], own: int) -> None:
        super().__init__(name, rect, "; ".join(f"{c['name']} {len(c['shown'])}/{c['units']}" for c in net["columns"]))
        self.net, self.report, self.names, self.own = net, report, names, own

    def draw(self, ui: Ui) -> None:
        """Edges below, then units."""
        head = ui.letters(15) + ui.px(10)
        body = pygame.Rect(self.rect.left, self.rect.top + head, self.rect.width, self.rect.height - head)
        columns = self.net["columns"]
        left = pygame.Rect(body.left, body.top, body.width * 20 // 100, body.height)
        right = pygame.Rect(body.right - body.width * 30 // 100, body.top, body.width * 30 // 100, body.height)
        tokens = dict(zip(ORDER, _rows(left, r.TOKENS, ui.px(3)), strict=True))
        targets = sorted(self.net["targets"], key=lambda token: -self.report["probabilities"][token])
        aims = dict(zip(targets, _rows(right, max(len(targets), 6), ui.px(6)), strict=False))
        step = (right.left - left.right) / (len(columns) + 1)
        places = [[(round(left.right + step * (number + 1)), y) for y in _heights(body, len(column["shown"]))]
                  for number, column in enumerate(columns)]
        self._head(ui, left, ui.say("net.sees"))
        self._head(ui, right, ui.say("net.targets"))
        for column, points in zip(columns, places, strict=True):
            spot = pygame.Rect(points[0][0] - round(step * 0.48), body.top, round(step * 0.96), 0)
            self._head(ui, spot, ui.say("net.column", name=column["name"], n=len(points), all=column["units"]))
        starts: list[Any] = [{token: box.midright for token, box in tokens.items()}, *places]
        ends: list[Any] = [*places, {token: box.midleft for token, box in aims.items()}]
        for edges, start, end in zip(self.net["edges"], starts, ends, strict=True):
            self._edges(ui, edges, start, end)
        for token, box in tokens.items():
            self._token(ui, box, token)
        for column, points in zip(columns, places, strict=True):
            self._units(ui, column["shown"], points)
        for token, box in aims.items():
            self._target(ui, box, token)

    def _head(self, ui: Ui, column: pygame.Rect, words: str) -> None:
        box = pygame.Rect(column.left, self.rect.top, column.width, ui.letters(15) + ui.px(6))
        self.write(ui, words, box, 15, th.MUTED, "narrow_bold", "centre", "middle")

    def _edges(self, ui: Ui, edges: Sequence[tuple[int, int, float]], starts: Any, ends: Any) -> None:
        most = max((abs(strength) for *_, strength in edges), default=0.0) or 1.0
        for a, b, strength in sorted(edges, key=lambda edge: abs(edge[2])):
            part = math.sqrt(abs(strength) / most)
            colour = th.mix(th.PANEL, th.BLUE if strength > 0 else th.ORANGE, 0.25 + 0.75 * part)
            line(ui, starts[a], ends[b], colour, max(1, round(ui.px(5) * part)), dashed=strength < 0)

    def _token(self, ui: Ui, box: pygame.Rect, token: int) -> None:
        there = self.net["there"][token]
        panel(ui, box, th.PANEL_HIGH if there else th.BACK_LOW, th.GOLD if token == self.own else th.EDGE, 5)
        if there:
            words = self.names.get(token, "")
            self.write(ui, words, box.inflate(-ui.px(10), 0), 14, th.TEXT, "narrow", "left", "middle")

    def _units(self, ui: Ui, shown: Sequence[tuple[int, float]], points: Sequence[Point]) -> None:
        most = max((abs(value) for _, value in shown), default=0.0) or 1.0
        radius = ui.px(13)
        for (_, value), point in zip(shown, points, strict=True):
            part = math.sqrt(abs(value) / most)
            colour = th.mix(th.INK, th.BLUE if value >= 0 else th.ORANGE, part)
            pygame.draw.circle(ui.surface, th.INK, point, radius + ui.px(2))
            pygame.draw.circle(ui.surface, colour, point, radius)
            pygame.draw.circle(ui.surface, th.FAINT if value else th.EDGE, point, radius, 1)
            if abs(value) >= 0.005 * most:
                box = pygame.Rect(0, 0, 2 * radius - 2, 2 * radius - 2)
                box.center = point
                words = ui.number(value, ".1f" if abs(value) < 10 else ".0f")
                self.write(ui, words, box, 14, th.INK if part > 0.55 else th.TEXT, "narrow_bold", "centre", "middle",
                           False)

    def _target(self, ui: Ui, box: pygame.Rect, token: int) -> None:
        chance, damage = self.report["probabilities"][token], self.report["damage"][token]
        panel(ui, box, th.INK, th.EDGE, 6)
        bar = pygame.Rect(box.left, box.top, max(2, round(box.width * chance)), box.height)
        pygame.draw.rect(ui.surface, th.mix(th.BLUE, th.PANEL, 0.6), bar, border_radius=ui.px(6))
        inner = box.inflate(-ui.px(16), -ui.px(4))
        half, side = inner.height // 2, inner.width * 30 // 100
        name = pygame.Rect(inner.left, inner.top, inner.width - side, half)
        self.write(ui, self.names.get(token, "?"), name, 16, th.TEXT, "bold", "left", "middle")
        self.write(ui, ui.number(chance, ".1%"), pygame.Rect(inner.right - side, inner.top, side, half), 17, th.TEXT,
                   "number", "right", "middle", False)
        words = ui.say("net.expects", damage=ui.number(damage, "+.3f"))
        self.write(ui, words, pygame.Rect(inner.left, inner.top + half, inner.width, half), 14, th.MUTED, "narrow",
                   "left", "middle")


def line(ui: Ui, start: Point, end: Point, colour: th.Colour, width: int, dashed: bool = False) -> None:
    """A straight line, or one in dashes."""
    if not dashed:
        pygame.draw.line(ui.surface, colour, start, end, width)
        return
    a, b = pygame.Vector2(start), pygame.Vector2(end)
    length = (b - a).length()
    for at in range(0, int(length), max(2, ui.px(12))):
        dash = a.lerp(b, at / length), a.lerp(b, min(1.0, (at + ui.px(7)) / length))
        pygame.draw.line(ui.surface, colour, *dash, width)


def _rows(area: pygame.Rect, count: int, gap: int) -> list[pygame.Rect]:
    step = (area.height + gap) / count
    return [pygame.Rect(area.left, area.top + round(i * step), area.width, round(step) - gap) for i in range(count)]


def _heights(area: pygame.Rect, count: int) -> list[int]:
    return [round(area.top + area.height * (i + 0.5) / count) for i in range(count)]
