"""Something went wrong: what, where it is written down, and that the match is safe."""

from __future__ import annotations

from typing import TYPE_CHECKING

from game.window import theme as th
from game.window.scenes.base import Scene
from game.window.widgets.base import Button, Label, Panel, Ui, Widget

if TYPE_CHECKING:
    from game.window.app import App


class CrashScene(Scene):
    """Offers the menu and the way out."""

    name = "crash"
    extent = (240, 150, 800, 420)

    def __init__(self, app: App, error: str, log: str) -> None:
        super().__init__(app)
        self.error, self.log = error, log

    def build(self, ui: Ui) -> list[Widget]:
        """The error's line and the log's path."""
        return [Panel("crash", ui.place(240, 150, 800, 420)),
                Label("crash.title", ui.place(280, 172, 720, 50), ui.say("crash.title"), 30, th.ORANGE, "title"),
                Label("crash.text", ui.place(280, 232, 720, 70), ui.say("crash.text"), 18, valign="top"),
                Label("crash.error", ui.place(280, 312, 720, 80), self.error[:400], 16, th.MUTED, "narrow"),
                Label("crash.log", ui.place(280, 398, 720, 56), ui.say("crash.log", path=self.log), 16, th.MUTED,
                      "narrow"),
                Button("menu", ui.place(280, 486, 340, 52), ui.say("win.to_menu"), self._menu, kind="primary"),
                Button("quit", ui.place(660, 486, 340, 52), ui.say("win.quit"), self.back)]

    def back(self) -> None:
        """Leave the window."""
        self.app.code = 1
        self.app.quit()

    def _menu(self) -> None:
        from game.window.scenes.menu import MenuScene

        self.app.replace(MenuScene(self.app))
