"""The menu of a match: go on, rules, keys, settings, leave, give up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from game.window import theme as th
from game.window.scenes.base import Scene
from game.window.scenes.dialog import Dialog
from game.window.scenes.pages import KeysScene, RulesScene
from game.window.scenes.settings import SettingsScene
from game.window.widgets.base import Button, Label, Panel, Ui, Widget

if TYPE_CHECKING:
    from game.window.app import App
    from game.window.scenes.match import MatchScene


class PauseScene(Scene):
    """Above the match; it is saved already, so leaving loses nothing."""

    name = "pause"
    over = True
    extent = (440, 110, 400, 500)

    def __init__(self, app: App, match: MatchScene) -> None:
        super().__init__(app)
        self.match = match

    def build(self, ui: Ui) -> list[Widget]:
        """A column of buttons."""
        app = self.app
        over = self.match.session.match.outcome is not None
        entries = [("resume", "win.resume", self.back, True),
                   ("rules", "win.rules", lambda: app.push(RulesScene(app)), True),
                   ("keys", "keys.title", lambda: app.push(KeysScene(app)), True),
                   ("settings", "win.settings", lambda: app.push(SettingsScene(app)), True),
                   ("concede", "win.concede", self._concede, not over), ("leave", "win.leave", self._leave, True)]
        found: list[Widget] = [Panel("pause", ui.place(440, 110, 400, 500)),
                               Label("title", ui.place(480, 126, 320, 48), ui.say("win.paused"), 28, th.GOLD, "title")]
        for number, (name, key, action, enabled) in enumerate(entries):
            found.append(Button(name, ui.place(480, 188 + 68 * number, 320, 54), ui.say(key), action, enabled,
                                "primary" if number == 0 else "plain"))
        return found

    def _concede(self) -> None:
        self.app.push(Dialog(self.app, "win.concede_title", "win.concede_text",
                             [("win.cancel", lambda: None), ("win.concede_yes", self._give_up)]))

    def _give_up(self) -> None:
        self.app.pop()
        self.match.source = None
        self.match.session.concede()

    def _leave(self) -> None:
        from game.window.scenes.menu import MenuScene

        self.app.replace(MenuScene(self.app))
