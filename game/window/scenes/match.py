"""The match: choosing a source and a target by click, drag or key, and following what happens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pygame

from game import actions as act
from game.engine import records as r
from game.window.preview import Preview, preview
from game.window.scenes.base import Scene
from game.window.scenes.choosing import OTHERS_TURN, ChoosingScene
from game.window.scenes.dialog import Dialog
from game.window.scenes.names import widget_of
from game.window.session import PERSON, Happened, Session
from game.window.settings import FACTORS
from game.window.timeline import Beat, Timeline
from game.window.widgets.base import Ui, Widget
from game.window.worker import Answer

if TYPE_CHECKING:
    from game.window.app import App

SOUNDS = {"attack": "attack", "play": "play", "death": "death", "turn": "turn", "damage": "damage"}


class MatchScene(ChoosingScene):
    """Holds what is chosen; the session holds the match, the timeline what is still to be shown."""

    name = "match"

    def __init__(self, app: App, session: Session) -> None:
        super().__init__(app)
        self.session = session
        self.settled = session.view()
        self.timeline = Timeline()
        self.log_back = 0
        self.training: dict[str, Any] | None = None
        self._previews: dict[tuple[str, int], Preview] = {}
        self._reports_seen = len(session.reports)
        self._finished = False
        self._apply_settings()

    # ---- time ----

    def enter(self) -> None:
        """Settings may have changed."""
        self._apply_settings()

    @property
    def moving(self) -> bool:
        """While pictures move, somebody thinks, or the end is to be shown."""
        return (self.timeline.moving or self.session.waiting or bool(self.message)
                or (self.session.thinking and not self.app.settings.reduced_motion))

    def tick(self, seconds: float) -> None:
        """Let the pictures catch up, then the opponent go on."""
        top = self.app.scene is self
        if top:
            self.timeline.advance(seconds)
        if self.message_left > 0:
            self.message_left -= seconds
            if self.message_left <= 0:
                self.message = ""
        ready = self.timeline.beat is None and top
        self.session.advance(ready)
        for happened in self.session.news():
            self._show(happened)
        self.settled = self.session.view() if self.settled.digest != self.session.match.digest() else self.settled
        if ready and self.timeline.beat is None:
            self._after()

    def answers(self, answers: list[Answer]) -> list[Answer]:
        """What the service did for the match."""
        rest = []
        for answer in self.session.take_over(answers):
            if answer.job == "finish":
                if answer.error:
                    raise RuntimeError(answer.error)
                self.training = answer.value
                self.app.ui.pictures.learn(answer.value["pictures"])
            else:
                rest.append(answer)
        return rest

    def skip_pictures(self) -> None:
        """Show where the match stands."""
        for happened in self.session.news():
            self._show(happened)
        self.timeline.finish()
        self.settled = self.session.view()

    # ---- showing ----

    def build(self, ui: Ui) -> list[Widget]:
        """See :mod:`game.window.scenes.board`."""
        from game.window.scenes.board import build

        return build(self, ui)

    def draw_over(self, ui: Ui, widgets: list[Widget]) -> None:
        """Arrows, attacks and numbers that fly."""
        from game.window.scenes.motion import draw

        draw(self, ui, widgets)

    def facts(self) -> dict[str, Any]:
        """Turn, digest and what is chosen."""
        view = self.settled
        return {"turn": view.turn, "digest": view.digest, "phase": view.phase, "my_turn": view.my_turn,
                "source": self.source, "over": view.outcome is not None, "legal": sorted(view.legal)}

    @property
    def told(self) -> list[tuple[str, str]]:
        """The lines of the history but for what is still to be shown."""
        return self.session.log[:len(self.session.log) - self.timeline.lines_ahead]

    def seen_preview(self, token: int) -> Preview | None:
        """What the chosen source would do at a token, None if it may not."""
        if self.source is None or self.settled.phase != "action":
            return None
        action = act.encode(self.source, token)
        if action not in self.settled.legal:
            return None
        key = (self.settled.digest, action)
        if key not in self._previews:
            self._previews = {key: preview(self.session.match, PERSON, action)}
        return self._previews[key]

    def show_report(self, report: dict[str, Any], still: bool = False) -> None:
        """Open the Backpropagation scene on an update."""
        self._reports_seen = len(self.session.reports)
        self.app.push(self._backprop(report, still))

    def show_result(self, training: bool = False) -> None:
        """Open the result, or straight away what was learned."""
        from game.window.scenes.result import ResultScene
        from game.window.scenes.training import TrainingScene

        self._finish()
        self.app.push(TrainingScene(self.app, self) if training else ResultScene(self.app, self))

    # ---- acting ----

    def end_turn(self) -> None:
        """End the turn; ask first if something could still be done and the settings say so."""
        self.catch_up()
        view = self.settled
        if not view.my_turn or self.session.waiting:
            self.refuse(OTHERS_TURN)
        elif view.phase == "action" and view.moves_left() and self.app.settings.confirm_end:
            self.ask_end()
        else:
            self.play(act.END)

    def ask_end(self) -> None:
        """Ask whether the turn is to end although something could still be done."""
        self.app.push(Dialog(self.app, "win.end_title", "win.end_text",
                             [("win.end_yes", lambda: self.play(act.END)), ("win.cancel", lambda: None)]))

    def undo(self) -> None:
        """Take the latest action back."""
        self.catch_up()
        if not self.session.undoable:
            self.say("win.no_undo")
            return
        self.session.undo()
        self.source = None
        self.settled = self.session.view()

    def hint(self) -> None:
        """Ask for advice; the move is shown by its marks."""
        self.catch_up()
        self.session.ask_hint()

    def pause(self) -> None:
        """The menu of the match."""
        from game.window.scenes.pause import PauseScene

        self.app.push(PauseScene(self.app, self))

    def open_model(self, token: int) -> None:
        """Open the network of a Model of one's own."""
        unit = self.settled.units[token]
        if unit is None or not unit.own or token not in self.session.intents:
            self.say("win.no_network")
            return
        from game.window.scenes.network import NetworkScene

        self.app.push(NetworkScene(self.app, unit, self.session.intents[token], self.names()))

    def names(self) -> dict[int, str]:
        """What stands at each token, in the window's language."""
        language = self.app.ui.language
        found = {0: self.app.ui.say("place.own_lab"), r.ENEMY_LAB: self.app.ui.say("place.enemy_lab")}
        for token, unit in enumerate(self.settled.units):
            if unit is not None:
                found[token] = f"{self.app.cards[unit.card].name(language)} ({(token - 1) % 7 + 1})"
        return found

    # ---- keys, clicks, drags ----

    def key(self, key: int, shift: bool) -> bool:
        """Digits choose cards; letters act (F1 lists them)."""
        if pygame.K_0 <= key <= pygame.K_9 or pygame.K_KP1 <= key <= pygame.K_KP0:
            number = (key - pygame.K_0) if key <= pygame.K_9 else (key - pygame.K_KP1 + 1) % 10
            place = (number - 1) % 10
            if place < len(self.settled.hand):
                self.app.focus = f"hand.{place}"
                self.choose(place)
                self._focus_target()
            return True
        if key == pygame.K_SPACE and self.timeline.beat is not None:
            self.timeline.skip()
            return True
        letters = {pygame.K_e: self.end_turn, pygame.K_u: self.undo, pygame.K_h: self.hint, pygame.K_l: self.open_log}
        if key in letters:
            letters[key]()
            return True
        if key == pygame.K_m:
            pointed = self.app.focus if self.app.focus.startswith("own.") else self.app.ui.hover
            self.open_model(int(pointed[4:]) if pointed.startswith("own.") else 0)
            return True
        if key in (pygame.K_PAGEUP, pygame.K_PAGEDOWN):
            self.wheel(3 if key == pygame.K_PAGEUP else -3)
            return True
        return False

    def open_log(self) -> None:
        """The whole history."""
        from game.window.scenes.history import HistoryScene

        self.app.push(HistoryScene(self.app, self))

    def click(self, widget: Widget) -> None:
        """As everywhere; a source chosen with the keyboard leads the focus to its first target."""
        super().click(widget)
        if self.app.by_keys:
            self._focus_target()

    def back(self) -> None:
        """Let go of what is chosen, or open the menu of the match."""
        if self.source is not None:
            self.source = None
        elif self.timeline.beat is not None:
            self.timeline.finish()
        else:
            self.pause()

    def wheel(self, steps: int) -> None:
        """Through the history."""
        self.log_back = max(0, min(len(self.told) - 1, self.log_back + steps))

    # ---- details ----

    def _focus_target(self) -> None:
        if self.source is None:
            return
        targets = self.settled.targets(self.source)
        order = [*range(r.ENEMY_LAB + 1, r.TOKENS), r.ENEMY_LAB, *range(1, r.ENEMY_LAB)]
        for token in order:
            if token in targets:
                self.app.focus = widget_of(token)
                return

    def _show(self, happened: Happened) -> None:
        self.log_back = 0
        wait = happened.opponents and bool(happened.lines)
        self.timeline.add(Beat(happened.before, happened.after, happened.events, happened.lines, wait))
        kinds = [event.kind for event in happened.events]
        self.app.sound.play(next((SOUNDS[kind] for kind in kinds if kind in SOUNDS), ""))

    def _after(self) -> None:
        """All is settled: show an update of one's own, or the end."""
        session = self.session
        if self._reports_seen < len(session.reports):
            report = session.reports[self._reports_seen]
            self._reports_seen += 1
            self.app.sound.play("learned" if report["outcome"] == "learned" else "vanished")
            if self.app.settings.shows_update(report["own"]):
                self.app.push(self._backprop(report))
        elif session.match.outcome is not None and not self._finished:
            self.show_result()

    def _backprop(self, report: dict[str, Any], still: bool = False) -> Scene:
        from game.window.scenes.backprop import BackpropScene

        return BackpropScene(self.app, report, still)

    def _finish(self) -> None:
        if not self._finished:
            self._finished = True
            outcome = self.session.match.outcome
            self.app.sound.play("win" if outcome is not None and outcome.winner == PERSON else "lose")
            self.app.service.ask("finish")

    def _apply_settings(self) -> None:
        settings = self.app.settings
        self.timeline.factor = 0.0 if settings.reduced_motion and not settings.step else FACTORS[settings.speed]
        self.timeline.step = settings.step
        self.session.speak(settings.language)
