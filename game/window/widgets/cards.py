"""Cards in the hand, Models on the board, and labs."""

from __future__ import annotations

import pygame

from game.cards import CardInfo
from game.engine.records import KEYWORDS
from game.text.cards import keyword_names
from game.window import theme as th
from game.window.preview import Preview
from game.window.viewmodel import HandView, LabView, UnitView
from game.window.widgets.base import Action, Ui, Widget, glow, panel, shade
from game.window.widgets.icons import hexagon, icon

FUNDING_AT = 0.38
"""The part of a lab's strip at which its losses are shown: over the end of the funding."""
READABLE = 13
"""Pixels from which on a name is rather in smaller letters than in one more line."""
PRETRAINED = 1 << KEYWORDS.index("pretrained")


class Marked(Widget):
    """A place that can be a source or a target. ``mark``: "", playable, chosen, target, dim."""

    mark = ""
    preview: Preview | None = None
    token = 0

    def under(self, ui: Ui, rect: pygame.Rect) -> None:
        """Light below: never the only sign."""
        if self.mark == "playable":
            glow(ui, rect, th.GREEN, 0.55)
        elif self.mark == "chosen":
            glow(ui, rect, th.GOLD, 1.0)
        elif self.mark == "target":
            glow(ui, rect, th.ORANGE, 0.5 + 0.5 * ui.pulse())

    def edge(self) -> th.Colour | None:
        """The edge's colour that goes with the mark."""
        return {"playable": th.GREEN, "chosen": th.GOLD, "target": th.ORANGE}.get(self.mark)

    def ground(self, ui: Ui) -> th.Colour:
        """A little lighter under the pointer."""
        return th.PANEL_HIGH if ui.hover == self.id else th.PANEL

    def over(self, ui: Ui, rect: pygame.Rect, aim: tuple[int, int] | None = None) -> None:
        """Signs and shade above; ``aim``: the middle of a target's sign, where it hides nothing that is read."""
        side = ui.px(20)
        if self.mark == "playable":
            icon(ui.surface, "chevron", pygame.Rect(rect.centerx - side // 2, rect.top - side // 3, side, side // 1.4),
                 th.GREEN)
        elif self.mark == "target":
            spot = pygame.Rect(0, 0, ui.px(24), ui.px(24))
            spot.center = aim or (rect.centerx, rect.bottom - ui.px(22))
            pygame.draw.circle(ui.surface, th.INK, spot.center, spot.width * 0.6)
            icon(ui.surface, "target", spot, th.ORANGE)
        elif self.mark == "dim":
            shade(ui, rect, 130)
        self._foresee(ui, rect)

    def foreseen_at(self, rect: pygame.Rect) -> tuple[int, int]:
        """The middle of what the preview says."""
        return (rect.centerx, rect.top + rect.height * 42 // 100)

    def _foresee(self, ui: Ui, rect: pygame.Rect) -> None:
        seen = self.preview
        if seen is None:
            return
        words = []
        if self.token in seen.damage:
            words.append((f"−{seen.damage[self.token]}", th.RED))
        if self.token in seen.healing:
            words.append((f"+{seen.healing[self.token]}", th.GREEN))
        if self.token in seen.buffs:
            words.append(("{:+d}/{:+d}".format(*seen.buffs[self.token]), th.GOLD))
        dies = self.token in seen.deaths
        if not words and not dies:
            return
        high = ui.letters(24)
        wide = sum(ui.text.width(word, "number", high) + ui.px(10) for word, _ in words) + (high if dies else 0)
        box = pygame.Rect(0, 0, min(rect.width, wide + ui.px(14)), high + ui.px(12))
        box.center = self.foreseen_at(rect)
        panel(ui, box, th.INK, words[0][1] if words else th.RED, radius=8, width=2)
        x = box.left + ui.px(8)
        if dies:
            icon(ui.surface, "skull", pygame.Rect(x, box.centery - high // 2, high, high), th.TEXT)
            x += high + ui.px(6)
        for word, colour in words:
            picture = ui.text.line(word, "number", high, colour)
            ui.surface.blit(picture, (x, box.centery - picture.get_height() // 2))
            x += picture.get_width() + ui.px(10)


class HandCard(Marked):
    """A card of the own hand."""

    def __init__(self, name: str, rect: pygame.Rect, view: HandView, card: CardInfo, mark: str, language: str,
                 action: Action | None) -> None:
        super().__init__(name, rect, card.name(language), action, focusable=True)
        self.view, self.card, self.mark = view, card, mark

    def draw(self, ui: Ui) -> None:
        """Name, picture with the cost in its corner, keywords or type, attack and health."""
        rect = self.rect
        card, family = self.card, th.FAMILY[self.card.family] if self.card.type == "model" else th.TYPE[self.card.type]
        self.under(ui, rect)
        panel(ui, rect, self.ground(ui), self.edge() or th.mix(family, th.PANEL, 0.45), width=2)
        pad = ui.px(6)
        high = name_height(ui, self.text, rect.width - 2 * pad, ui.row(24))
        title = pygame.Rect(rect.left + pad, rect.top + ui.px(4), rect.width - 2 * pad, high)
        top = ui.px(4) + high
        self.write(ui, self.text, title, 15, th.TEXT, "bold", "centre", "middle")
        foot = ui.row(32) if card.type == "model" else ui.px(8)
        line = ui.row(40)
        picture = pygame.Rect(rect.left + pad, rect.top + top + ui.px(2), rect.width - 2 * pad,
                              rect.height - top - foot - line - ui.px(4))
        ui.surface.blit(ui.pictures.get(card, "own", picture.size), picture)
        pygame.draw.rect(ui.surface, th.mix(family, th.INK, 0.4), picture, 1)
        cost = pygame.Rect(picture.left - ui.px(2), picture.top - ui.px(2), ui.row(34), ui.row(34))
        hexagon(ui.surface, cost, th.GREEN if self.view.cost != card.cost else th.BLUE, th.INK)
        self.parts.append(("cost", cost))
        self.write(ui, str(self.view.cost), cost, 19, th.INK, "number", "centre", "middle", False)
        words = pygame.Rect(rect.left + pad, picture.bottom + ui.px(2), rect.width - 2 * pad, line - ui.px(2))
        kinds = keyword_names(sum(1 << KEYWORDS.index(word) for word in card.keywords), ui.language)
        self.write(ui, " · ".join(kinds) if kinds else ui.say(f"type.{card.type}"), words, 14,
                   family if kinds else th.MUTED, "narrow", "centre", "middle")
        if card.type == "model":
            numbers(ui, self, rect, str(card.attack), str(card.health), th.TEXT)
        self.over(ui, rect)


class BoardUnit(Marked):
    """A slot of the board, with or without a Model. ``past``: only to look at, without keywords and state."""

    def __init__(self, name: str, rect: pygame.Rect, token: int, unit: UnitView | None, card: CardInfo | None,
                 mark: str, language: str, action: Action | None, past: bool = False) -> None:
        super().__init__(name, rect, card.name(language) if card else "", action, focusable=not past)
        self.token, self.unit, self.card, self.mark, self.past = token, unit, card, mark, past

    def draw(self, ui: Ui) -> None:
        """Picture, name, keywords, state, attack and health."""
        rect, unit, card = self.rect, self.unit, self.card
        self.under(ui, rect)
        if unit is None or card is None:
            colour = self.edge() or th.mix(th.EDGE, th.BACK, 0.4)
            pygame.draw.rect(ui.surface, th.BACK_LOW, rect, border_radius=ui.px(10))
            pygame.draw.rect(ui.surface, colour, rect, ui.px(2 if self.mark else 1), border_radius=ui.px(10))
            number = self.token if self.token < 7 else self.token - 7
            self.write(ui, str(number), rect, 22, th.mix(th.MUTED, th.BACK, 0.35), "number", "centre", "middle")
            self.over(ui, rect)
            return
        family = th.FAMILY[card.family]
        panel(ui, rect, self.ground(ui), self.edge() or th.mix(family, th.PANEL, 0.35), width=2)
        pad = ui.px(5)
        high = name_height(ui, self.text, rect.width - 2 * pad, ui.row(22))
        name = pygame.Rect(rect.left + pad, rect.top + ui.px(3), rect.width - 2 * pad, high)
        foot, line = ui.row(34), 0 if self.past else ui.row(20)
        picture = pygame.Rect(rect.left + pad, name.bottom + ui.px(2), rect.width - 2 * pad,
                              rect.bottom - foot - line - name.bottom - ui.px(3))
        ui.surface.blit(ui.pictures.get(card, "own" if unit.own else "enemy", picture.size), picture)
        if unit.tapped and not self.past:
            shade(ui, picture, 150, th.INK, 0)
        self.write(ui, self.text, name, 15, th.TEXT, "bold", "centre", "middle")
        badge = pygame.Rect(picture.right - ui.row(38), picture.top + ui.px(3), ui.row(35), ui.row(22))
        if not self.past:
            words = pygame.Rect(rect.left + pad, picture.bottom + ui.px(1), rect.width - 2 * pad, line)
            self.write(ui, " · ".join(keyword_names(unit.keywords, ui.language)), words, 14, family, "narrow", "centre",
                       "middle")
            self._state(ui, picture, unit, badge)
        hurt = unit.health < unit.max_health
        shown = f"{unit.health}/{unit.max_health}" if hurt else str(unit.health)
        numbers(ui, self, rect, str(unit.attack), shown, th.RED if hurt else th.TEXT)
        if unit.updates:
            shade(ui, badge, 225, th.INK, 6)
            self.parts.append(("updates", badge))
            self.write(ui, f"∇{unit.updates}", badge, 15, th.GOLD, "symbol", "centre", "middle", False)
        self.over(ui, rect, (picture.left + ui.px(18), picture.top + ui.px(18)))

    def _state(self, ui: Ui, picture: pygame.Rect, unit: UnitView, badge: pygame.Rect) -> None:
        words = ""
        if unit.training:
            words = ui.say("board.training")
        elif unit.tapped:
            words = ui.say("board.tapped")
        elif unit.hurt:
            words = f"−{unit.hurt}"
        elif unit.own and unit.entered and not unit.keywords & PRETRAINED:
            words = ui.say("board.new")
        if not words:
            return
        high = ui.letters(14) + ui.px(6)
        band = pygame.Rect(picture.left, picture.bottom - high, picture.width, high)
        shade(ui, band, 210, th.INK, 0)
        if unit.updates and band.colliderect(badge):
            band.width -= badge.width + ui.px(4)
        colour = th.GOLD if unit.training else th.RED if unit.hurt and not unit.tapped else th.TEXT
        self.write(ui, words, band, 14, colour, "bold", "centre", "middle", False)


class LabPlate(Marked):
    """A lab's strip: funding as a bar, compute, hand, deck, Researcher."""

    def __init__(self, name: str, rect: pygame.Rect, token: int, lab: LabView, title: str, researcher: str, mark: str,
                 action: Action | None, active: bool) -> None:
        super().__init__(name, rect, title, action, focusable=True)
        self.token, self.lab, self.mark, self.active, self.researcher = token, lab, mark, active, researcher

    def draw(self, ui: Ui) -> None:
        """From left to right, most important first."""
        rect, lab = self.rect, self.lab
        self.under(ui, rect)
        panel(ui, rect, th.PANEL, self.edge() or (th.GOLD if self.active else th.EDGE), width=2 if self.active else 1)
        inner = rect.inflate(-ui.px(20), -ui.px(10))
        x = [inner.left + round(inner.width * part) for part in (0, 0.20, 0.45, 0.64, 0.71, 0.78, 0.96)]
        self.write(ui, self.text, pygame.Rect(x[0], inner.top, x[1] - x[0] - ui.px(8), inner.height), 18, th.TEXT,
                   "title", "left", "middle")
        self._funding(ui, pygame.Rect(x[1], inner.top, x[2] - x[1] - ui.px(16), inner.height))
        self._compute(ui, pygame.Rect(x[2], inner.top, x[3] - x[2] - ui.px(10), inner.height))
        for sign, count, left, right in (("hand", lab.hand, x[3], x[4]), ("deck", lab.deck, x[4], x[5])):
            side = ui.px(18)
            icon(ui.surface, sign, pygame.Rect(left, inner.centery - side // 2, side, side), th.MUTED)
            self.parts.append((sign, pygame.Rect(left, inner.top, right - left - ui.px(4), inner.height)))
            self.write(ui, str(count), pygame.Rect(left + side + ui.px(6), inner.top, right - left - side - ui.px(8),
                                                   inner.height), 18, th.TEXT, "number", "left", "middle", False)
        who = pygame.Rect(x[5], inner.top, x[6] - x[5], inner.height)
        if self.researcher:
            side = ui.px(18)
            icon(ui.surface, "person", pygame.Rect(who.left, who.centery - side // 2, side, side), th.GOLD)
            self.write(ui, self.researcher, pygame.Rect(who.left + side + ui.px(6), who.top, who.width - side -
                                                        ui.px(6), who.height), 15, th.GOLD, "bold", "left", "middle")
        self.over(ui, rect, (rect.right - ui.px(24), rect.centery))

    def foreseen_at(self, rect: pygame.Rect) -> tuple[int, int]:
        """Over the end of the funding."""
        return (rect.left + round(rect.width * FUNDING_AT), rect.centery)

    def _funding(self, ui: Ui, rect: pygame.Rect) -> None:
        self.parts.append(("funding", rect))
        lab = self.lab
        words = ui.say("win.funding", n=max(0, lab.funding), cap=lab.cap)
        bar = pygame.Rect(rect.left, rect.bottom - ui.px(14), rect.width, ui.px(12))
        self.write(ui, words, pygame.Rect(rect.left, rect.top, rect.width, rect.height - ui.px(16)), 16, th.TEXT,
                   "bold", "left", "middle", False)
        pygame.draw.rect(ui.surface, th.INK, bar, border_radius=ui.px(6))
        part = max(0.0, min(1.0, lab.funding / max(1, lab.cap)))
        if part:
            full = pygame.Rect(bar.left, bar.top, max(ui.px(10), round(bar.width * part)), bar.height)
            pygame.draw.rect(ui.surface, th.RED if part < 0.35 else th.GREEN, full, border_radius=ui.px(6))

    def _compute(self, ui: Ui, rect: pygame.Rect) -> None:
        self.parts.append(("compute", rect))
        lab, side = self.lab, ui.px(16)
        self.write(ui, ui.say("win.compute", n=lab.compute, racks=lab.racks),
                   pygame.Rect(rect.left, rect.top, rect.width, rect.height - ui.px(16)), 16, th.TEXT, "bold", "left",
                   "middle", False)
        step = min(side, rect.width // max(1, max(lab.racks, lab.compute, 1)))
        for number in range(max(lab.racks, lab.compute)):
            box = pygame.Rect(rect.left + number * step, rect.bottom - ui.px(14), step - ui.px(3), ui.px(12))
            pygame.draw.rect(ui.surface, th.BLUE if number < lab.compute else th.INK, box, border_radius=ui.px(3))
            pygame.draw.rect(ui.surface, th.mix(th.BLUE, th.PANEL, 0.4), box, 1, border_radius=ui.px(3))


def name_height(ui: Ui, name: str, width: int, usual: int) -> int:
    """Pixels for a card's name: the usual ones, and up to two lines more where it would be cut off or hard to read."""
    size = ui.letters(15)
    tries = [usual + more * ui.text.font("bold", size).get_linesize() for more in range(3)]
    ways = [ui.text.fit(name, "bold", size, width, high) for high in tries]
    best = max(way.size if way.whole else 0 for way in ways)
    return next(high for high, way in zip(tries, ways, strict=True)
                if way.whole * way.size >= min(best, READABLE))


def numbers(ui: Ui, widget: Widget, rect: pygame.Rect, attack: str, health: str, colour: th.Colour) -> None:
    """Attack at the lower left, health at the lower right, each with its sign."""
    side, high = min(ui.row(19), rect.width // 7), ui.row(28)
    split = rect.width * 42 // 100  # health may be two numbers
    left = pygame.Rect(rect.left + ui.px(8), rect.bottom - high - ui.px(4), split - ui.px(8), high)
    icon(ui.surface, "attack", pygame.Rect(left.left, left.centery - side // 2, side, side), th.ORANGE)
    widget.parts.append(("attack", left))
    widget.write(ui, attack, pygame.Rect(left.left + side + ui.px(3), left.top, left.width - side - ui.px(3), high),
                 22, th.TEXT, "number", "left", "middle", False)
    right = pygame.Rect(left.right, left.top, rect.right - left.right - ui.px(8), high)
    widget.parts.append(("health", right))
    icon(ui.surface, "health", pygame.Rect(right.right - side, right.centery - side // 2, side, side), th.PINK)
    widget.write(ui, health, pygame.Rect(right.left, right.top, right.width - side - ui.px(3), high), 22, colour,
                 "number", "right", "middle", False)
