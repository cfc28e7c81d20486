"""What moves above the board: the arrow to the target, the attacker's way, numbers that fly, flashes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pygame

from game.engine import records as r
from game.events import Event
from game.window import theme as th
from game.window.scenes.names import widget_of
from game.window.session import PERSON
from game.window.timeline import IMPACT
from game.window.widgets.base import Ui, Widget, glow
from game.window.widgets.cards import FUNDING_AT, BoardUnit

if TYPE_CHECKING:
    from game.window.scenes.match import MatchScene

Point = tuple[float, float]
LUNGE = 0.45
"""The part of the way to its target that an attacker goes."""


def draw(scene: MatchScene, ui: Ui, widgets: list[Widget]) -> None:
    """Everything above the widgets."""
    places = {widget.id: widget.rect for widget in widgets}
    beat = scene.timeline.beat
    if beat is not None:
        for event in beat.events:
            _event(ui, event, places, scene.timeline.progress)
        _lunge(ui, beat.events, widgets, scene.timeline.progress)
    elif scene.source is not None:
        _pointing(scene, ui, places)


def _pointing(scene: MatchScene, ui: Ui, places: dict[str, pygame.Rect]) -> None:
    assert scene.source is not None
    name = f"hand.{scene.source}" if scene.source < r.HAND else f"own.{scene.source - r.HAND + 1}"
    start = places.get(name)
    if start is None:
        return
    end: Point | None = None
    if scene.app.dragging is not None:
        end = scene.app.pointer
    else:
        aimed = ui.hover or ui.focus
        from game.window.scenes.names import token_of

        token = token_of(aimed)
        if token is not None and token in scene.settled.targets(scene.source) and aimed in places:
            end = places[aimed].midbottom if start.centery > places[aimed].centery else places[aimed].midtop
    if end is not None:
        arrow(ui, start.midtop if start.centery > end[1] else start.midbottom, end, th.GOLD)


def arrow(ui: Ui, start: Point, end: Point, colour: th.Colour) -> None:
    """A bent arrow, dark below so that it shows on any ground."""
    bend = ((start[0] + end[0]) / 2, min(start[1], end[1]) - abs(start[0] - end[0]) * 0.08 - ui.px(10))
    points = [_curve(start, bend, end, step / 20) for step in range(21)]
    for width, paint in ((ui.px(9), th.INK), (ui.px(5), colour)):
        pygame.draw.lines(ui.surface, paint, False, points, width)
    tip, before = pygame.Vector2(points[-1]), pygame.Vector2(points[-3])
    if (tip - before).length() > 0:
        along = (tip - before).normalize()
        across = pygame.Vector2(-along.y, along.x)
        side = ui.px(14)
        back, wing = tip - along * side, across * side * 0.8
        shape = [tip + along * side * 0.6, back + wing, back - wing]
        pygame.draw.polygon(ui.surface, colour, shape)
        pygame.draw.polygon(ui.surface, th.INK, shape, 1)


def _curve(a: Point, b: Point, c: Point, t: float) -> Point:
    u = 1 - t
    return (u * u * a[0] + 2 * u * t * b[0] + t * t * c[0], u * u * a[1] + 2 * u * t * b[1] + t * t * c[1])


def _event(ui: Ui, event: Event, places: dict[str, pygame.Rect], t: float) -> None:
    own = event.player == PERSON
    token = event.slot + 1 + (0 if own else r.ENEMY_LAB)
    here = places.get(widget_of(token))
    if here is None:
        return
    if event.kind in ("attack", "play") and (event.kind == "attack" or event.a):
        aimed = event.a if own else (event.a + r.ENEMY_LAB) % r.TOKENS
        there = places.get(widget_of(aimed))
        if there is not None and there is not here and t < 0.75:
            reach = min(1.0, t / IMPACT) ** 0.6
            end = (here.centerx + (there.centerx - here.centerx) * reach,
                   here.centery + (there.centery - here.centery) * reach)
            arrow(ui, here.center, end, th.ORANGE if event.kind == "attack" else th.BLUE)
    if t < IMPACT:
        return
    after = (t - IMPACT) / (1 - IMPACT)
    words, colour = _words(event)
    if event.kind in ("damage", "lab_damage"):
        glow(ui, here, th.RED, 1 - after, hollow=True)
    elif event.kind in ("enter", "buff"):
        glow(ui, here, th.GOLD, 1 - after, hollow=True)
    if words:
        picture = ui.text.line(words, "number", ui.letters(34), colour)
        dark = ui.text.line(words, "number", ui.letters(34), th.INK)
        middle = here.left + round(here.width * FUNDING_AT) if token in (0, r.ENEMY_LAB) else here.centerx
        x = middle - picture.get_width() // 2
        y = round(here.centery - picture.get_height() / 2 - ui.px(26) * after)
        for dx, dy in ((-2, 0), (2, 0), (0, -2), (0, 2)):
            ui.surface.blit(dark, (x + dx, y + dy))
        ui.surface.blit(picture, (x, y))


def _lunge(ui: Ui, events: Sequence[Event], widgets: list[Widget], t: float) -> None:
    """The attacker leaves its place for its target and comes back."""
    event = next((event for event in events if event.kind == "attack"), None)
    if event is None:
        return
    own = event.player == PERSON
    token = event.slot + 1 + (0 if own else r.ENEMY_LAB)
    found = {widget.id: widget for widget in widgets}
    attacker = found.get(widget_of(token))
    target = found.get(widget_of(event.a if own else (event.a + r.ENEMY_LAB) % r.TOKENS))
    if target is None or not isinstance(attacker, BoardUnit) or attacker.unit is None:
        return
    reach = LUNGE * ((t / IMPACT) ** 2 if t < IMPACT else 1 - (t - IMPACT) / (1 - IMPACT))
    home = attacker.rect
    pygame.draw.rect(ui.surface, th.BACK_LOW, home, border_radius=ui.px(10))
    attacker.parts.clear()
    attacker.rect = home.move(round((target.rect.centerx - home.centerx) * reach),
                              round((target.rect.centery - home.centery) * reach))
    attacker.draw(ui)
    attacker.rect = home
    found["status"].draw(ui)  # what is told stays to be read


def _words(event: Event) -> tuple[str, th.Colour]:
    if event.kind in ("damage", "lab_damage"):
        return f"−{event.a}", th.RED
    if event.kind in ("heal", "lab_heal") and event.a:
        return f"+{event.a}", th.GREEN
    if event.kind == "buff":
        return f"{event.a:+d}/{event.b:+d}", th.GOLD
    if event.kind == "rush":
        return f"{event.a:+d}", th.GOLD
    return "", th.TEXT
