"""Who won, and in what numbers; from here to the training or the menu."""

from __future__ import annotations

from typing import TYPE_CHECKING

from game.text.events import Narrator
from game.window import theme as th
from game.window.scenes.base import Scene
from game.window.session import PERSON
from game.window.widgets.base import Button, Label, Panel, Ui, Widget

if TYPE_CHECKING:
    from game.window.app import App
    from game.window.scenes.match import MatchScene


class ResultScene(Scene):
    """Above the final board. The training goes on meanwhile, whatever is pressed."""

    name = "result"
    over = True
    extent = (300, 110, 680, 500)

    def __init__(self, app: App, match: MatchScene) -> None:
        super().__init__(app)
        self.match = match

    def build(self, ui: Ui) -> list[Widget]:
        """Title, reason, numbers, buttons."""
        session = self.match.session
        outcome = session.match.outcome
        assert outcome is not None
        key = "draw" if outcome.winner is None else "won" if outcome.winner == PERSON else "lost"
        colour = {"won": th.GOLD, "lost": th.ORANGE, "draw": th.TEXT}[key]
        why = Narrator(session.match, ui.language, PERSON).ending(outcome.winner, outcome.reason)
        own = [report for report in session.reports if report["own"]]
        learned = sum(report["outcome"] == "learned" for report in own)
        theirs = sum(report["outcome"] == "learned" for report in session.reports if not report["own"])
        numbers = [(str(session.match.turn), "result.turns"), (str(learned), "result.learned"),
                   (str(len(own) - learned), "result.failed"), (str(theirs), "result.theirs")]
        found: list[Widget] = [Panel("result", ui.place(300, 110, 680, 500)),
                               Label("title", ui.place(330, 130, 620, 80), ui.say(f"result.{key}"), 54, colour, "title",
                                     "centre"),
                               Label("why", ui.place(340, 214, 600, 50), why[:1].upper() + why[1:], 18, th.TEXT,
                                     align="centre")]
        for number, (value, name) in enumerate(numbers):
            x = 340 + 153 * number
            found += [Panel(f"number.{number}.panel", ui.place(x, 284, 141, 128)),
                      Label(f"number.{number}", ui.place(x + 8, 292, 124, 54), value, 36, th.GOLD, "number", "centre"),
                      Label(f"number.{number}.name", ui.place(x + 8, 346, 124, 60), ui.say(name), 15, th.MUTED,
                            align="centre", valign="top")]
        found += [Button("training", ui.place(340, 440, 600, 56), ui.say("result.training"), self._training,
                         kind="primary", size=20),
                  Button("menu", ui.place(340, 512, 292, 52), ui.say("win.to_menu"), self._menu),
                  Button("board", ui.place(648, 512, 292, 52), ui.say("result.board"), self.back)]
        return found

    def _training(self) -> None:
        from game.window.scenes.training import TrainingScene

        self.app.pop()
        self.app.push(TrainingScene(self.app, self.match))

    def _menu(self) -> None:
        from game.window.scenes.menu import MenuScene

        self.app.replace(MenuScene(self.app))
