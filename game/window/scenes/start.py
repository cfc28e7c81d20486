"""Which scenes the window begins with, and scenes reached by letting the match play itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from game.bots import make_bot
from game.bots.single import decide
from game.engine import records as r
from game.window.scenes.base import Scene
from game.window.session import Session
from game.window.widgets.base import Label, Ui, Widget
from game.window.worker import Answer

if TYPE_CHECKING:
    from game.window.app import App

DURING = ("match", "network", "history", "pause", "dialog")
PLAYED = (*DURING, "backprop", "training", "result")
"""Scenes that need a match: it is played by a bot in the person's place until they come about."""
SHOWN_TURN = 9
"""The turn at which the match is shown for ``--scene match``."""


def first_scenes(app: App) -> list[Scene]:
    """The menu, and above it what ``--scene`` or ``--load`` asks for."""
    from game.window.scenes.crash import CrashScene
    from game.window.scenes.menu import MenuScene
    from game.window.scenes.pages import CreditsScene, KeysScene, RulesScene, TimelineScene
    from game.window.scenes.settings import SettingsScene

    menu = MenuScene(app)
    wanted = app.options.scene
    if wanted in PLAYED:
        return [menu, SelfPlayScene(app, wanted)]
    if wanted == "crash":
        return [menu, CrashScene(app, "ValueError", "crash.log")]
    pages = {"rules": RulesScene, "timeline": TimelineScene, "settings": SettingsScene, "credits": CreditsScene,
             "keys": KeysScene}
    return [menu, pages[wanted](app)] if wanted in pages else [menu]


class SelfPlayScene(Scene):
    """Plays both sides until the scene that is wanted comes about."""

    name = "self-play"

    def __init__(self, app: App, wanted: str) -> None:
        super().__init__(app)
        self.wanted = wanted
        self.session: Session | None = None
        self.bot, self.seed = make_bot("everything"), app.options.seed
        self._begin()

    def _begin(self) -> None:
        options = self.app.options
        self.app.service.ask("begin", deck=options.deck, other_deck=options.other_deck, opponent=options.opponent,
                             seed=self.seed, discard=True)

    def _choose(self, session: Session) -> int:
        """The bot's action, but an update wherever one is possible."""
        hand = session.view().hand
        for action in session.match.legal_actions():
            place = action // r.TOKENS
            if session.match.phase == "action" and place < len(hand) and self.app.cards[hand[place].card].target == (
                    "own_hurt"):
                return action
        return decide(self.bot, session.match)

    @property
    def moving(self) -> bool:
        """Until it is done."""
        return True

    def build(self, ui: Ui) -> list[Widget]:
        """A line."""
        return [Label("wait", ui.place(240, 320, 800, 80), ui.say("win.loading"), 24, align="centre")]

    def tick(self, seconds: float) -> None:
        """One step of the match."""
        session = self.session
        if session is None:
            return
        session.news()
        view = session.view()
        own = any(report["own"] and report["outcome"] == "learned" for report in session.reports)
        full = view.turn >= SHOWN_TURN and view.my_turn and sum(unit is not None for unit in view.units) >= 5
        if full and self.wanted == "network":
            session.advance()  # asks what the Models would do
            if not session.intents:
                return
            full = any(any(report["aims"]) for report in session.intents.values())
        if (self.wanted in DURING and full) or (self.wanted == "backprop" and own):
            self._show()
        elif session.match.outcome is not None:
            if own and self.wanted not in DURING:
                self._show()
            else:  # not this one: the next seed
                self.session, self.seed = None, self.seed + 1
                self.app.service.ask("finish")
                self._begin()
        elif view.my_turn and not session.waiting:
            session.play(self._choose(session))
        else:
            session.advance()

    def answers(self, answers: list[Answer]) -> list[Answer]:
        """The match has begun, or goes on."""
        rest: list[Answer] = []
        for answer in answers:
            if answer.job == "begin":
                if answer.error:
                    raise ValueError(answer.error)
                self.app.ui.pictures.learn(answer.value["pictures"])
                self.session = Session.start(answer.value, self.app.service, self.app.ui.language, self.app.cards)
            else:
                rest.append(answer)
        return self.session.take_over(rest) if self.session else rest

    def _show(self) -> None:
        from game.window.scenes.match import MatchScene

        session = self.session
        assert session is not None
        match = MatchScene(self.app, session)
        menu: Any = self.app.scenes[0]
        match.skip_pictures()
        self.app.replace(menu, match)
        if self.wanted == "backprop":
            match.show_report(next(report for report in session.reports
                                   if report["own"] and report["outcome"] == "learned"), still=True)
        elif self.wanted == "network":
            match.open_model(max(session.intents, key=lambda token: sum(session.intents[token]["aims"])))
        elif self.wanted in ("history", "pause"):
            {"history": match.open_log, "pause": match.pause}[self.wanted]()
        elif self.wanted == "dialog":
            match.ask_end()
        if session.match.outcome:
            match.show_result(self.wanted == "training")
