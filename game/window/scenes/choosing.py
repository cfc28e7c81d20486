"""Choosing a source and a target, by click, key or drag; the rules say what may be aimed at what."""

from __future__ import annotations

from game import actions as act
from game.engine import records as r
from game.window.layout import match_boxes, place
from game.window.scenes.base import Scene
from game.window.scenes.names import source_of, token_of
from game.window.session import PERSON, Session
from game.window.timeline import Timeline
from game.window.viewmodel import MatchView, refusal, source_refusal
from game.window.widgets.base import Widget

MESSAGE_SECONDS = 5.0
OTHERS_TURN = 26
"""The number of "it is the other's turn" among the refusals' texts."""


class ChoosingScene(Scene):
    """What is chosen now, and what becomes of it. ``settled``: the view of where the match stands."""

    session: Session
    settled: MatchView
    timeline: Timeline
    source: int | None = None
    message = ""
    message_left = 0.0

    def say(self, key: str, **values: object) -> None:
        """Show a message for a while."""
        self.message, self.message_left = self.app.ui.say(key, **values), MESSAGE_SECONDS

    def refuse(self, number: int) -> None:
        """Name the rule by which something can't be done."""
        self.app.sound.play("no")
        if number:
            self.say("win.refused", why=self.app.ui.say(f"refusal.r{number}"))

    def play(self, action: int) -> None:
        """Take a legal action."""
        self.source = None
        if action in self.settled.legal:
            self.session.play(action)
            self.settled = self.session.view()

    def choose(self, source: int) -> None:
        """Choose a source; a chosen one that needs no target acts; otherwise choosing again lets go."""
        self.catch_up()
        view = self.settled
        if view.phase == "mulligan":
            self._try(source, 0)
        elif self.source == source:
            targets = view.targets(source)
            if targets == {0}:
                self._try(source, 0)
            else:
                self.source = None
        elif source in view.sources():
            self.source = source
        else:
            self.refuse(source_refusal(self.session.match, PERSON, source))

    def aim(self, token: int) -> None:
        """A place was clicked: the target if something is chosen, else perhaps a source."""
        self.catch_up()
        if self.source is not None and token in self.settled.targets(self.source):
            self._try(self.source, token)
        elif self.source is not None and not (0 < token < r.ENEMY_LAB and self._own_source(token)):
            self.refuse(refusal(self.session.match, PERSON, self.source, token))
        elif 0 < token < r.ENEMY_LAB and self.settled.units[token] is not None:
            self.choose(r.HAND + token - 1)

    def drag(self, widget: Widget) -> bool:
        """A card or a Model that can act can be dragged to its target."""
        source = source_of(widget.id)
        if source is None or self.settled.phase == "mulligan" or source not in self.settled.sources():
            return False
        self.catch_up()
        self.source = source
        return True

    def drop(self, widget: Widget | None, point: tuple[int, int]) -> None:
        """On a target it acts, elsewhere nothing happens. What needs no target is dropped above the hand."""
        source, self.source = self.source, None
        if source is None:
            return
        targets = self.settled.targets(source)
        token = token_of(widget.id) if widget is not None else None
        if targets == {0} and point[1] < place(self.app.ui.size, match_boxes(self.app.ui.scale)["hand"]).top:
            self._try(source, 0)
        elif token is not None and source_of(widget.id if widget else "") != source:
            self._try(source, token)

    def cancel_drag(self) -> None:
        """Nothing happened."""
        self.source = None

    # ---- details ----

    def _own_source(self, token: int) -> bool:
        return r.HAND + token - 1 in self.settled.sources()

    def _try(self, source: int, token: int) -> None:
        action = act.encode(source, token)
        if action in self.settled.legal and not self.session.waiting:
            self.play(action)
        else:
            self.refuse(refusal(self.session.match, PERSON, source, token))

    def catch_up(self) -> None:
        """Decoration never blocks input: an action finishes what is still moving."""
        if self.settled.my_turn:
            self.timeline.finish()
