"""Pictures of an update: what the Model saw, and where its gradient's norm fell."""

from __future__ import annotations

from typing import Any

import pygame

from game.cards import CardSet
from game.engine import records as r
from game.window import theme as th
from game.window.layout import columns
from game.window.netview import log_part
from game.window.viewmodel import plain_unit
from game.window.widgets.base import Ui, Widget, panel
from game.window.widgets.cards import BoardUnit
from game.window.widgets.icons import icon


class SeenBoard(Widget):
    """The fourteen tokens of the observation that the update learns from; the Model and its target marked."""

    def __init__(self, name: str, rect: pygame.Rect, report: dict[str, Any], cards: CardSet, language: str) -> None:
        names = [cards[token["card"]].name(language) if token["card"] else "" for token in report["tokens"]]
        super().__init__(name, rect, "; ".join(filter(None, names)))
        self.report, self.cards, self.language = report, cards, language

    def draw(self, ui: Ui) -> None:
        """The enemy's side above, the own one below."""
        for side, first in enumerate((r.ENEMY_LAB, r.OWN_LAB)):
            high = (self.rect.height - ui.px(16)) // 2
            row = pygame.Rect(self.rect.left, self.rect.top + side * (high + ui.px(16)), self.rect.width, high)
            for place, box in enumerate(columns(row, r.SLOTS + 1, ui.px(8))):
                self._token(ui, box, first + place)

    def _token(self, ui: Ui, box: pygame.Rect, token: int) -> None:
        values = self.report["tokens"][token]
        itself, target = token == self.report["token"], token == self.report["target"]
        edge = th.GOLD if itself else th.ORANGE if target else th.EDGE
        if token in (r.OWN_LAB, r.ENEMY_LAB):
            self._lab(ui, box, token, values["health"], edge)
        else:
            card = self.cards[values["card"]] if values["card"] else None
            unit = plain_unit(token, card, values["attack"], values["health"]) if card is not None else None
            shown = BoardUnit("seen", box, token, unit, card, "chosen" if itself else "", self.language, None, True)
            shown.draw(ui)
            self.clipped |= shown.clipped
            pygame.draw.rect(ui.surface, edge, box, ui.px(3 if itself or target else 1), border_radius=ui.px(10))
        if itself or target:
            tag = pygame.Rect(box.left + ui.px(8), box.bottom - ui.row(92), box.width - ui.px(16), ui.row(30))
            if token in (r.OWN_LAB, r.ENEMY_LAB):
                tag.centery = box.centery
            panel(ui, tag, th.INK, edge, 8)
            self.write(ui, ui.say("backprop.itself" if itself else "backprop.target"), tag, 15, edge, "bold", "centre",
                       "middle")

    def _lab(self, ui: Ui, box: pygame.Rect, token: int, funding: int, edge: th.Colour) -> None:
        panel(ui, box, th.PANEL_HIGH, edge, 10, 3 if edge != th.EDGE else 1)
        title = ui.say("place.own_lab" if token == r.OWN_LAB else "place.enemy_lab")
        head = pygame.Rect(box.left + ui.px(6), box.top + ui.px(6), box.width - ui.px(12), ui.px(48))
        self.write(ui, title[:1].upper() + title[1:], head, 16, th.TEXT, "bold", "centre", "middle")
        foot = pygame.Rect(box.left + ui.px(6), box.bottom - ui.px(64), box.width - ui.px(12), ui.px(28))
        self.write(ui, str(max(0, funding)), foot, 28, th.TEXT, "number", "centre", "middle", False)
        foot.top = foot.bottom
        self.write(ui, ui.say("backprop.funding"), foot, 14, th.MUTED, "narrow", "centre", "middle", False)


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
        for x, words in ((low, _plain(ui, report["vanished_below"])), (high, _plain(ui, report["exploded_above"]))):
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
        words = f"‖∇‖ = {ui.number(norm, '.4g')}"
        place = pygame.Rect(0, 0, ui.text.width(words, "symbol", ui.letters(22)) + ui.px(8), ui.px(38))
        place.midbottom = (x, bar.top - ui.px(34))
        self.write(ui, words, place.clamp(self.rect), 22, th.GOLD, "symbol", "centre", "middle", False)
        colour = {"learned": th.GREEN, "vanished": th.MUTED, "exploded": th.RED}[report["outcome"]]
        sign = {"learned": "chevron", "vanished": "training", "exploded": "skull"}[report["outcome"]]
        words, side, gap = ui.say(f"backprop.{report['outcome']}"), ui.px(56), ui.px(20)
        title = pygame.Rect(self.rect.left, self.rect.top + ui.px(40), self.rect.width, ui.px(80))
        wide = min(title.width - side - gap, ui.text.width(words, "title", ui.letters(48)))
        left = title.centerx - (side + gap + wide) // 2
        icon(ui.surface, sign, pygame.Rect(left, title.centery - side // 2, side, side), colour)
        beside = pygame.Rect(left + side + gap, title.top, wide, title.height)
        self.write(ui, words, beside, 48, colour, "title", "left", "middle", False)
        self.write(ui, ui.say(f"backprop.why_{report['outcome']}"), pygame.Rect(
            self.rect.left + ui.px(60), bar.bottom + ui.px(56), self.rect.width - ui.px(120), ui.px(90)), 18, th.TEXT,
                   "body", "centre")


def _plain(ui: Ui, value: float) -> str:
    """A number without an exponent."""
    return ui.number(value, ".12f").rstrip("0").rstrip(".,")
