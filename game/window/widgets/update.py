"""Pictures of an update: what the Model saw, and where its gradient's norm fell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pygame

from game.engine import records as r
from game.window import theme as th
from game.window.netview import log_part
from game.window.widgets.base import Ui, Widget, panel
from game.window.widgets.icons import icon


class SeenBoard(Widget):
    """The fourteen tokens of the observation that the update learns from; the Model and its target marked."""

    def __init__(self, name: str, rect: pygame.Rect, report: dict[str, Any], names: Sequence[str]) -> None:
        super().__init__(name, rect, "; ".join(filter(None, names)))
        self.report, self.names = report, names

    def draw(self, ui: Ui) -> None:
        """The enemy's side above, the own one below."""
        for side, first in enumerate((r.ENEMY_LAB, r.OWN_LAB)):
            high = (self.rect.height - ui.px(16)) // 2
            row = pygame.Rect(self.rect.left, self.rect.top + side * (high + ui.px(16)), self.rect.width, high)
            wide = row.width / 7
            for place in range(7):
                box = pygame.Rect(round(row.left + place * wide), row.top, round(wide) - ui.px(8), row.height)
                self._token(ui, box, first + place)

    def _token(self, ui: Ui, box: pygame.Rect, token: int) -> None:
        values = self.report["tokens"][token]
        lab = token in (r.OWN_LAB, r.ENEMY_LAB)
        there = lab or bool(values["card"])
        itself, target = token == self.report["token"], token == self.report["target"]
        edge = th.GOLD if itself else th.ORANGE if target else th.EDGE
        panel(ui, box, th.PANEL_HIGH if there else th.BACK_LOW, edge, 8, 3 if itself or target else 1)
        if not there:
            return
        title = ui.say("backprop.lab") if lab else self.names[token]
        head = pygame.Rect(box.left + ui.px(6), box.top + ui.px(8), box.width - ui.px(12), ui.px(64))
        self.write(ui, title, head, 16, th.TEXT, "bold", "centre", "middle")
        words = str(values["health"]) if lab else f"{values['attack']} / {values['health']}"
        self.write(ui, words, pygame.Rect(box.left, box.centery - ui.px(18), box.width, ui.px(50)), 28, th.TEXT,
                   "number", "centre", "middle", False)
        if itself or target:
            foot = pygame.Rect(box.left + ui.px(4), box.bottom - ui.px(52), box.width - ui.px(8), ui.px(46))
            self.write(ui, ui.say("backprop.itself" if itself else "backprop.target"), foot, 15, edge, "bold", "centre",
                       "middle")


class Verdict(Widget):
    """A logarithmic scale from vanished to exploded with the gradient's norm on it."""

    def __init__(self, name: str, rect: pygame.Rect, report: dict[str, Any]) -> None:
        super().__init__(name, rect, report["outcome"])
        self.report = report

    def draw(self, ui: Ui) -> None:
        """Three zones of different colour and pattern, a pointer, the verdict in large letters."""
        report = self.report
        bar = pygame.Rect(self.rect.left + ui.px(40), self.rect.top + ui.px(210), self.rect.width - ui.px(80),
                          ui.px(56))
        low = bar.left + round(bar.width * log_part(report["vanished_below"]))
        high = bar.left + round(bar.width * 0.94)
        zones = (("vanished", bar.left, low, th.MUTED), ("learned", low, high, th.GREEN),
                 ("exploded", high, bar.right, th.RED))
        for name, left, right, colour in zones:
            zone = pygame.Rect(left, bar.top, right - left, bar.height)
            pygame.draw.rect(ui.surface, th.mix(th.INK, colour, 0.45), zone)
            if name != "learned":
                for x in range(zone.left, zone.right, ui.px(10)):
                    other = zone.bottom if name == "vanished" else zone.top
                    pygame.draw.line(ui.surface, th.INK, (x, other), (min(x + ui.px(8), zone.right),
                                                                      zone.top + zone.bottom - other), 2)
        for x, words in ((low, f"{report['vanished_below']:g}"), (high, f"{report['exploded_above']:g}")):
            pygame.draw.line(ui.surface, th.TEXT, (x, bar.top - ui.px(6)), (x, bar.bottom + ui.px(6)), 2)
            self.write(ui, words, pygame.Rect(x - ui.px(70), bar.bottom + ui.px(8), ui.px(110), ui.px(28)), 16, th.TEXT,
                       "number", "centre", "top", False)
        norm = report["norm"]
        part = 0.97 if report["outcome"] == "exploded" else 0.94 * log_part(norm) / log_part(1000.0)
        if report["outcome"] == "vanished":
            part = min(part, (low - bar.left) / bar.width * 0.92)
        x = bar.left + round(bar.width * part)
        pygame.draw.polygon(ui.surface, th.GOLD, [(x, bar.top - ui.px(4)), (x - ui.px(14), bar.top - ui.px(30)),
                                                  (x + ui.px(14), bar.top - ui.px(30))])
        place = pygame.Rect(max(self.rect.left, min(self.rect.right - ui.px(320), x - ui.px(160))),
                            bar.top - ui.px(72), ui.px(320), ui.px(38))
        self.write(ui, f"‖∇‖ = {norm:.4g}", place, 22, th.GOLD, "symbol", "centre", "middle", False)
        colour = {"learned": th.GREEN, "vanished": th.MUTED, "exploded": th.RED}[report["outcome"]]
        sign = {"learned": "chevron", "vanished": "training", "exploded": "skull"}[report["outcome"]]
        side = ui.px(56)
        title = pygame.Rect(self.rect.left, self.rect.top + ui.px(40), self.rect.width, ui.px(80))
        wide = ui.text.width(ui.say(f"backprop.{report['outcome']}"), "title", ui.letters(48))
        icon(ui.surface, sign, pygame.Rect(max(self.rect.left, title.centerx - wide // 2 - side - ui.px(20)),
                                           title.centery - side // 2, side, side), colour)
        self.write(ui, ui.say(f"backprop.{report['outcome']}"), title, 48, colour, "title", "centre", "middle")
        self.write(ui, ui.say(f"backprop.why_{report['outcome']}"), pygame.Rect(
            self.rect.left + ui.px(60), bar.bottom + ui.px(56), self.rect.width - ui.px(120), ui.px(90)), 18, th.TEXT,
                   "body", "centre")
