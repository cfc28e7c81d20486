"""Everything about one card, Model or lab, in the right column: text, keywords, marks, intent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pygame

from game.cards import CardInfo
from game.engine.records import KEYWORDS
from game.window import theme as th
from game.window.viewmodel import UnitView
from game.window.widgets.base import Ui, Widget, panel


@dataclass(frozen=True)
class Subject:
    """What is inspected: a card with what it costs, a Model with what it intends, or words."""

    card: CardInfo | None = None
    cost: int | None = None
    unit: UnitView | None = None
    intent: dict[str, Any] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    title: str = ""
    words: str = ""
    side: str = "own"
    """Whose networks its picture is made from: own or enemy."""


class Inspector(Widget):
    """A page about a :class:`Subject`; parts follow each other until the box is full, the important ones first."""

    def __init__(self, name: str, rect: pygame.Rect, subject: Subject, language: str) -> None:
        card = subject.card
        super().__init__(name, rect, card.name(language) if card else f"{subject.title}\n{subject.words}")
        self.subject = subject

    def draw(self, ui: Ui) -> None:
        """Title, kind, text, marks, intent, keywords; below, as far as there is room, the picture and the flavour."""
        panel(ui, self.rect, th.PANEL)
        inner = self.rect.inflate(-ui.px(24), -ui.px(18))
        card = self.subject.card
        colour = th.TEXT if card is None else th.FAMILY[card.family] if card.type == "model" else th.TYPE[card.type]
        title = self.subject.title if card is None else self.text
        y = self._part(ui, inner, inner.top, title, 20, colour, "title")
        if card is None:
            self._part(ui, inner, y + ui.px(4), self.subject.words, 16, th.TEXT, "body")
            return
        y = self._part(ui, inner, y, self._kind(ui, card), 14, th.MUTED, "narrow")
        pygame.draw.line(ui.surface, th.EDGE, (inner.left, y + ui.px(4)), (inner.right, y + ui.px(4)))
        y += ui.px(10)
        text = card.texts.get(ui.language, card.texts["en"])
        if text.text:
            y = self._part(ui, inner, y, text.text, 16, th.TEXT, "body") + ui.px(4)
        unit = self.subject.unit
        if unit is not None and (marks := _marks(ui, unit)):
            y = self._part(ui, inner, y, marks, 14, th.GOLD, "narrow_bold") + ui.px(4)
        y = self._intent(ui, inner, y)
        words = KEYWORDS if unit is None else tuple(w for bit, w in enumerate(KEYWORDS) if unit.keywords & 1 << bit)
        for word in (w for w in words if unit is not None or w in card.keywords):
            line = f"{ui.say(f'keyword.{word}')}: {ui.say(f'glossary.{word}')}"
            y = self._part(ui, inner, y, line, 14, th.ACCENT, "narrow") + ui.px(2)
        foot = f"{text.flavour}\n{card.year}" if text.flavour else str(card.year)
        need = ui.text.height(foot, "narrow", ui.letters(14), inner.width)
        if inner.bottom - y <= need + ui.px(6):
            return
        self.write(ui, foot, pygame.Rect(inner.left, inner.bottom - need, inner.width, need), 14, th.MUTED, "narrow")
        high = min(inner.bottom - need - ui.px(10) - y, ui.px(150))
        if high >= ui.px(64):
            picture = pygame.Rect(inner.left, inner.bottom - need - ui.px(8) - high, inner.width, high)
            ui.surface.blit(ui.pictures.get(card, self.subject.side, picture.size), picture)
            pygame.draw.rect(ui.surface, th.mix(colour, th.INK, 0.4), picture, 1)

    def _part(self, ui: Ui, inner: pygame.Rect, y: int, words: str, size: float, colour: th.Colour,
              font: str) -> int:
        """Write a part at y; returns where the next one begins. Where there is no room for a line it is left out."""
        room = inner.bottom - y
        if not words or room < ui.letters(12):
            return y
        need = min(room, ui.text.height(words, font, ui.letters(size), inner.width) + 2)
        self.write(ui, words, pygame.Rect(inner.left, y, inner.width, need), size, colour, font)
        return y + need

    def _kind(self, ui: Ui, card: CardInfo) -> str:
        parts = [ui.say(f"type.{card.type}")]
        if card.family:
            parts.append(ui.say(f"family.{card.family}"))
        parts.append(ui.say("card.cost", cost=card.cost if self.subject.cost is None else self.subject.cost))
        if card.type == "model":
            parts.append(f"{card.attack}/{card.health}")
        return " · ".join(parts)

    def _intent(self, ui: Ui, inner: pygame.Rect, y: int) -> int:
        intent = self.subject.intent
        ranked = sorted(((p, token) for token, p in enumerate(intent.get("probabilities", [])) if p > 0),
                        reverse=True)[:3]
        if not ranked or inner.bottom - y < ui.px(70):
            return y
        y = self._part(ui, inner, y, ui.say("win.intent"), 14, th.MUTED, "narrow_bold")
        for chance, token in ranked:
            high = ui.letters(14) + ui.px(8)
            if inner.bottom - y < high:
                break
            row = pygame.Rect(inner.left, y, inner.width, high - ui.px(3))
            pygame.draw.rect(ui.surface, th.INK, row, border_radius=ui.px(4))
            bar = pygame.Rect(row.left, row.top, max(2, round(row.width * chance)), row.height)
            pygame.draw.rect(ui.surface, th.mix(th.BLUE, th.PANEL, 0.65), bar, border_radius=ui.px(4))
            self.write(ui, self.subject.names.get(token, ""), row.inflate(-ui.px(60), 0).move(-ui.px(24), 0), 14,
                       th.TEXT, "narrow", "left", "middle")
            self.write(ui, f"{chance:.0%}", pygame.Rect(row.right - ui.px(52), row.top, ui.px(46), row.height), 14,
                       th.TEXT, "narrow_bold", "right", "middle", False)
            y += high
        return y + ui.px(4)


def _marks(ui: Ui, unit: UnitView) -> str:
    marks = [ui.say(f"board.{name}") for name in ("tapped", "training", "held", "ablated", "entered")
             if getattr(unit, name)]
    marks += [ui.say(f"board.{name}", n=getattr(unit, name)) for name in ("hurt", "rush", "updates")
              if getattr(unit, name)]
    if unit.health != unit.max_health:
        marks.insert(0, ui.say("win.health_of", n=unit.health, most=unit.max_health))
    return " · ".join(marks)


class LogPanel(Widget):
    """The latest lines of the history, the newest below; ``offset`` lines back."""

    def __init__(self, name: str, rect: pygame.Rect, lines: Sequence[str], offset: int, title: str,
                 action: Any) -> None:
        super().__init__(name, rect, title, action, focusable=True)
        self.lines, self.offset = lines, offset

    def draw(self, ui: Ui) -> None:
        """From the bottom up, as many lines as there is room for."""
        panel(ui, self.rect, th.PANEL)
        inner = self.rect.inflate(-ui.px(20), -ui.px(14))
        head = ui.letters(14) + ui.px(6)
        self.write(ui, self.text, pygame.Rect(inner.left, inner.top, inner.width, head), 14, th.MUTED, "narrow_bold",
                   "left", "top", False)
        y = inner.bottom
        size = ui.letters(14)
        end = len(self.lines) - self.offset
        for number in range(end - 1, max(0, end - 30) - 1, -1):
            line = self.lines[number]
            indent = ui.px(8) if line.startswith("  ") else 0
            need = ui.text.height(line.strip(), "narrow", size, inner.width - indent)
            if y - need < inner.top + head:
                break
            y -= need
            self.parts.append((f"line.{number}", pygame.Rect(inner.left, y, inner.width, need)))
            self.write(ui, line.strip(), pygame.Rect(inner.left + indent, y, inner.width - indent, need), 14,
                       th.MUTED if indent else th.TEXT, "narrow")
            y -= ui.px(2)
