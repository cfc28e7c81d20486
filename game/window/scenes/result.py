"""Who won, and in what numbers; from here to the training or the menu."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from game.text.events import Narrator
from game.window import theme as th
from game.window.layout import HIGH
from game.window.scenes.base import Scene
from game.window.session import PERSON
from game.window.viewmodel import UnitView
from game.window.widgets.base import Button, Label, Panel, Ui, Widget
from game.window.widgets.cards import BoardUnit

if TYPE_CHECKING:
    from game.window.app import App
    from game.window.scenes.match import MatchScene


MOST = 5
"""Models whose cards are shown."""


class ResultScene(Scene):
    """Above the final board. The training goes on meanwhile, whatever is pressed."""

    name = "result"
    over = True

    def __init__(self, app: App, match: MatchScene) -> None:
        super().__init__(app)
        self.match = match
        self.learned = _learned(match.session.reports)
        self.high = 652 if self.learned else 480
        self.extent = (300, (HIGH - self.high) / 2, 680, self.high)

    def build(self, ui: Ui) -> list[Widget]:
        """Title, reason, the Models that learned, numbers, buttons."""
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
        top = (HIGH - self.high) / 2
        found: list[Widget] = [Panel("result", ui.place(300, top, 680, self.high)),
                               Label("title", ui.place(330, top + 14, 620, 80), ui.say(f"result.{key}"), 54, colour,
                                     "title", "centre"),
                               Label("why", ui.place(340, top + 94, 600, 46), why[:1].upper() + why[1:], 18, th.TEXT,
                                     align="centre"), *self._models(ui, top + 146)]
        top += self.high - 480
        for number, (value, name) in enumerate(numbers):
            x = 340 + 153 * number
            found += [Panel(f"number.{number}.panel", ui.place(x, top + 160, 141, 120)),
                      Label(f"number.{number}", ui.place(x + 8, top + 168, 125, 54), value, 36, th.GOLD, "number",
                            "centre"),
                      Label(f"number.{number}.name", ui.place(x + 8, top + 222, 125, 56), ui.say(name), 15, th.MUTED,
                            align="centre", valign="top")]
        found += [Button("training", ui.place(340, top + 308, 600, 56), ui.say("result.training"), self._training,
                         kind="primary", size=20),
                  Button("menu", ui.place(340, top + 380, 292, 52), ui.say("win.to_menu"), self._menu),
                  Button("board", ui.place(648, top + 380, 292, 52), ui.say("result.board"), self.back)]
        return found

    def _models(self, ui: Ui, top: float) -> list[Widget]:
        """The Models that learned, as they came out of it."""
        count, gap = len(self.learned), 12
        wide = min(141.0, (600 - gap * (count - 1)) / max(1, count))
        left = 640 - (count * (wide + gap) - gap) / 2
        return [BoardUnit(f"model.{number}", ui.place(left + number * (wide + gap), top, wide, 152), unit.token, unit,
                          self.app.cards[unit.card], "", ui.language, None, True)
                for number, unit in enumerate(self.learned)]

    def _training(self) -> None:
        from game.window.scenes.training import TrainingScene

        self.app.pop()
        self.app.push(TrainingScene(self.app, self.match))

    def _menu(self) -> None:
        from game.window.scenes.menu import MenuScene

        self.app.replace(MenuScene(self.app))


def _learned(reports: list[dict[str, Any]]) -> list[UnitView]:
    """The person's Models that learned latest, each card once and as it was after its latest update; that one last."""
    found: dict[int, UnitView] = {}
    for report in reversed(reports):
        if report["own"] and report["outcome"] == "learned" and report["unit"] is not None:
            found.setdefault(report["unit"].card, report["unit"])
    return list(found.values())[:MOST][::-1]
