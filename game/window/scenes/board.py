"""The match scene's widgets, made from the view: marks say what is legal."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pygame

from game import actions as act
from game.engine import records as r
from game.window import theme as th
from game.window.explain import card_number, lab_number, line_rule, unit_number
from game.window.layout import match_layout
from game.window.preview import Preview
from game.window.scenes.names import token_of, widget_of
from game.window.viewmodel import MatchView
from game.window.widgets.base import Button, Label, Ui, Widget, panel
from game.window.widgets.cards import BoardUnit, HandCard, LabPlate
from game.window.widgets.inspector import Inspector, LogPanel, Subject

if TYPE_CHECKING:
    from game.window.scenes.match import MatchScene


def build(scene: MatchScene, ui: Ui) -> list[Widget]:
    """All widgets in reading order: the enemy above, the own side, the hand, the right column."""
    view = scene.timeline.view(scene.settled)
    places = match_layout(ui.size, len(view.hand), ui.scale)
    live = scene.settled.my_turn and not scene.session.waiting and scene.timeline.beat is None
    targets = scene.settled.targets(scene.source) if scene.source is not None and live else frozenset()
    seen = _preview(scene, ui)
    found: list[Widget] = []
    for side, token in (("enemy", r.ENEMY_LAB), ("own", 0)):
        lab = view.own if side == "own" else view.enemy
        researcher = scene.app.cards[lab.researcher].name(ui.language) if lab.researcher else ""
        title = ui.say("win.you") if side == "own" else _opponent(scene, ui)
        plate = LabPlate(f"lab.{side}", places[f"lab.{side}"], token, lab, title, researcher,
                         _target_mark(scene, token, targets), partial(scene.aim, token),
                         scene.settled.my_turn == (side == "own") and view.outcome is None)
        plate.preview = seen
        units: list[Widget] = [_unit(scene, ui, view, token + slot, places[f"{side}.{slot}"], targets, live)
                               for slot in range(1, r.SLOTS + 1)]
        for widget in units:
            assert isinstance(widget, BoardUnit)
            widget.preview = seen
        found += [plate, *units, _status(scene, ui, places["status"])] if side == "enemy" else [*units, plate]
    for card in view.hand:
        name = f"hand.{card.place}"
        found.append(HandCard(name, places[name], card, scene.app.cards[card.card], _hand_mark(scene, card.place, live),
                              ui.language, partial(scene.choose, card.place)))
    return [*found, *_column(scene, ui, places)]


def subject(scene: MatchScene, name: str, ui: Ui) -> Subject:
    """What the inspector shows about a widget."""
    view = scene.timeline.view(scene.settled)
    side, _, number = name.partition(".")
    token = token_of(name)
    if ui.part and (found := _part(scene, view, name, ui)) is not None:
        return found
    if side == "hand" and int(number) < len(view.hand):
        card = view.hand[int(number)]
        return Subject(scene.app.cards[card.card], card.cost)
    if token is not None and (unit := view.units[token]) is not None:
        intent = scene.session.intents.get(token, {}) if unit.own else {}
        return Subject(scene.app.cards[unit.card], None, unit, intent, scene.names(),
                       side="own" if unit.own else "enemy")
    if side == "lab":
        lab = view.own if number == "own" else view.enemy
        if lab.researcher:
            return Subject(scene.app.cards[lab.researcher])
        return Subject(title=ui.say("win.lab_title"), words=ui.say("win.lab_help", fatigue=lab.fatigue + 1))
    return Subject(title=ui.say("win.help_title"), words=ui.say("win.help_text"))


def _part(scene: MatchScene, view: MatchView, name: str, ui: Ui) -> Subject | None:
    """The rule behind the number or the line that is pointed at."""
    side, _, number = name.partition(".")
    kind, _, line = ui.part.partition(".")
    token = token_of(name)
    if kind == "line":
        at = int(line)
        return line_rule(ui, *scene.session.log[at]) if name == "log" and at < len(scene.session.log) else None
    if side == "lab":
        return lab_number(ui, kind, view.own if number == "own" else view.enemy)
    if side == "hand" and int(number) < len(view.hand):
        card = view.hand[int(number)]
        return card_number(ui, kind, card.cost, scene.app.cards[card.card])
    unit = view.units[token] if token is not None else None
    return None if unit is None else unit_number(ui, kind, unit, scene.app.cards[unit.card])


def _unit(scene: MatchScene, ui: Ui, view: MatchView, token: int, rect: pygame.Rect, targets: frozenset[int],
          live: bool) -> BoardUnit:
    unit = view.units[token]
    card = scene.app.cards[unit.card] if unit is not None else None
    mark = _target_mark(scene, token, targets)
    if unit is not None and unit.own and live and not mark.startswith("target"):
        source = r.HAND + token - 1
        if scene.source == source:
            mark = "chosen"
        elif scene.source is None and source in scene.settled.sources():
            mark = "playable"
    return BoardUnit(widget_of(token), rect, token, unit, card, mark, ui.language,
                     partial(scene.aim, token))


def _target_mark(scene: MatchScene, token: int, targets: frozenset[int]) -> str:
    if scene.source is None:
        hint = scene.session.hint
        return "target" if hint is not None and hint != act.END and hint % r.TOKENS == token and (
            hint // r.TOKENS >= r.HAND or token) else ""
    return "target" if token in targets else "dim"


def _hand_mark(scene: MatchScene, place: int, live: bool) -> str:
    if scene.source == place:
        return "chosen"
    hint = scene.session.hint
    if hint is not None and hint // r.TOKENS == place and live:
        return "chosen"
    return "playable" if live and scene.source is None and place in scene.settled.sources() else ""


def _preview(scene: MatchScene, ui: Ui) -> Preview | None:
    """For the target under the pointer, or in the keyboard's focus."""
    if scene.source is None:
        return None
    pointed = token_of(ui.hover) if ui.hover else None
    if pointed is None and ui.focus:
        pointed = token_of(ui.focus)
    return scene.seen_preview(pointed) if pointed is not None else None


def _status(scene: MatchScene, ui: Ui, rect: pygame.Rect) -> Label:
    words, colour = _status_words(scene, ui)
    return Status("status", rect, words, 18, colour, "bold", "centre")


def _status_words(scene: MatchScene, ui: Ui) -> tuple[str, th.Colour]:
    view, session = scene.settled, scene.session
    if scene.message:
        return scene.message, th.ORANGE
    beat = scene.timeline.beat
    if scene.timeline.held:
        told = beat.lines[0].strip() + ". " if beat is not None and beat.lines else ""
        return told + ui.say("win.step"), th.GOLD
    if beat is not None and beat.lines:
        return beat.lines[0].strip(), th.TEXT
    if session.waiting:
        return ui.say("win.updating"), th.GOLD
    if view.outcome is not None:
        return ui.say("win.over"), th.TEXT
    if not view.my_turn:
        return ui.say("win.thinking", who=_opponent(scene, ui), dots="." * (1 + int(ui.now * 2) % 3)), th.MUTED
    seen = _preview(scene, ui)
    if seen is not None:
        notes = [key for key, true in (("win.preview", seen.certain), ("win.assumes", seen.assumes_learned),
                                       ("win.chance" if seen.certain else "win.chance_only", seen.chance)) if true]
        return " ".join(ui.say(key) for key in notes or ["win.again_here"]), th.GOLD
    if view.phase == "mulligan":
        return ui.say("win.mulligan"), th.GOLD
    if scene.source is not None:
        none = view.targets(scene.source) == {0}
        return ui.say("win.again" if none else "win.choose_target"), th.GOLD
    if session.hint is not None:
        return ui.say("win.hint_is", move=session.match.describe(session.hint, ui.language)), th.GOLD
    return ui.say("win.your_turn" if view.moves_left() else "win.nothing_left"), th.TEXT


def _column(scene: MatchScene, ui: Ui, places: dict[str, pygame.Rect]) -> list[Widget]:
    session, p = scene.session, places
    shown = scene.timeline.view(scene.settled)
    mine = scene.settled.my_turn and not session.waiting
    turn = ui.say("board.mulligan") if shown.phase == "mulligan" else ui.say(
        "board.head", turn=shown.turn, limit=shown.turn_limit)
    return [
        Label("turn", p["turn"], turn, 17, th.MUTED, "title"),
        MenuButton("menu", p["menu"], "", scene.pause, kind="quiet"),
        Inspector("inspector", p["inspector"], _inspected(scene, ui), ui.language),
        LogPanel("log", p["log"], [line for _, line in scene.told], scene.log_back, ui.say("win.log"), scene.open_log),
        Button("undo", p["undo"], ui.say("win.undo"), scene.undo, session.undoable, "plain", 15),
        Button("hint", p["hint"], ui.say("win.hint"), scene.hint, mine, "plain", 15),
        _end(scene, ui, p["end"], mine)]


def _end(scene: MatchScene, ui: Ui, rect: pygame.Rect, mine: bool) -> Button:
    """The large button: it keeps the hand, ends the turn, or after the match leads to its result."""
    view = scene.settled
    if view.outcome is not None:
        return Button("end", rect, ui.say("win.result"), scene.show_result, True, "primary", 20)
    done, opening = mine and not view.moves_left(), view.phase == "mulligan"
    words = "win.wait" if scene.session.waiting else "win.their_turn" if not mine else (
        "win.keep" if opening else "win.end")
    return Button("end", rect, ui.say(words), scene.end_turn, mine, "primary" if done or opening else "plain", 20, done)


def _inspected(scene: MatchScene, ui: Ui) -> Subject:
    """What is pointed at; else what is chosen; else the card whose action is being shown.

    While the opponent's actions are told, the keyboard's focus gives way to them.
    """
    beat = scene.timeline.beat
    told = beat is not None and beat.wait and not ui.part
    chosen = ui.hover or ("" if told else ui.focus)
    token = token_of(chosen)
    empty = token is None or (token not in (0, r.ENEMY_LAB) and scene.settled.units[token] is None)
    if empty and not chosen.startswith(("hand", "log")):
        if scene.source is not None:
            chosen = f"hand.{scene.source}" if scene.source < r.HAND else f"own.{scene.source - r.HAND + 1}"
        elif beat is not None:
            card = next((event.card for event in beat.events if event.kind in ("play", "attack") and event.card), 0)
            if card:
                return Subject(scene.app.cards[card], side="enemy" if beat.wait else "own")
    return subject(scene, chosen, ui)


class Status(Label):
    """The line between the boards, on a ground as wide as its words."""

    def draw(self, ui: Ui) -> None:
        """A frame in a shade of the words' colour."""
        fitted = ui.text.fit(self.text, self.font, ui.letters(self.size), self.rect.width, self.rect.height)
        wide = max((ui.text.width(line, fitted.font, fitted.size) for line in fitted.lines), default=0) + ui.px(48)
        ground = pygame.Rect(0, 0, min(wide, self.rect.width), self.rect.height)
        ground.center = self.rect.center
        panel(ui, ground, th.PANEL, th.mix(self.colour, th.PANEL, 0.45), radius=18)
        super().draw(ui)


class MenuButton(Button):
    """Three lines."""

    def draw(self, ui: Ui) -> None:
        """The sign instead of words."""
        from game.window.widgets.icons import icon

        super().draw(ui)
        icon(ui.surface, "menu", self.rect.inflate(-ui.px(18), -ui.px(18)), th.TEXT)


def _opponent(scene: MatchScene, ui: Ui) -> str:
    from game.window.scenes.menu import OPPONENTS

    name = scene.session.opponent
    return ui.say(f"opponent.{name}") if name in OPPONENTS else name
