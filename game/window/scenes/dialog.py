"""A question above a scene: Esc means that nothing happens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from game.window import theme as th
from game.window.layout import HIGH
from game.window.scenes.base import Scene
from game.window.widgets.base import Button, Label, Panel, Ui, Widget

if TYPE_CHECKING:
    from game.window.app import App


CANCEL = "win.cancel"


class Dialog(Scene):
    """Title, text, and answers as (key of its text, what it does); the first is the primary one, one cancels."""

    name = "dialog"
    over = True

    def __init__(self, app: App, title: str, text: str, answers: Sequence[tuple[str, Callable[[], None]]]) -> None:
        super().__init__(app)
        self.title, self.words, self.choices = title, text, answers
        self.high = 150 + 58 * len(answers)
        self.extent = (380, (HIGH - self.high) / 2, 520, self.high)

    def build(self, ui: Ui) -> list[Widget]:
        """A box in the middle with the answers below each other."""
        top = (HIGH - self.high) / 2
        found: list[Widget] = [
            Panel("dialog", ui.place(380, top, 520, self.high)),
            Label("dialog.title", ui.place(412, top + 18, 456, 42), ui.say(self.title), 26, th.GOLD, "title"),
            Label("dialog.text", ui.place(412, top + 64, 456, 62), ui.say(self.words), 17, valign="top")]
        for number, (key, _) in enumerate(self.choices):
            found.append(Button(f"answer.{number}", ui.place(412, top + 134 + 58 * number, 456, 48), ui.say(key),
                                partial(self._take, number), kind="plain" if number else "primary"))
        return found

    def back(self) -> None:
        """The answer that cancels, wherever it stands."""
        self._take([key for key, _ in self.choices].index(CANCEL))

    def _take(self, number: int) -> None:
        self.app.pop()
        self.choices[number][1]()
