"""A scene: widgets made anew from what is to be shown, and what keys and clicks mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from game.window.layout import Box
from game.window.widgets.base import Ui, Widget
from game.window.worker import Answer

if TYPE_CHECKING:
    from game.window.app import App


class Scene:
    """One screen. ``over`` scenes are drawn above the one below, which is darkened."""

    name = ""
    over = False
    extent: Box | None = None
    """The part of the grid that it takes and is enlarged with; None: all of it."""
    focus = ""
    """The widget that had the focus when another scene came above it; it has it again afterwards."""

    def __init__(self, app: App) -> None:
        self.app = app

    # ---- showing ----

    def build(self, ui: Ui) -> list[Widget]:
        """The widgets of now, in reading order."""
        return []

    def draw_over(self, ui: Ui, widgets: list[Widget]) -> None:
        """What is drawn above the widgets."""

    @property
    def moving(self) -> bool:
        """Whether the picture changes by itself: only then are frames drawn without an event."""
        return False

    def facts(self) -> dict[str, Any]:
        """For the description of the picture."""
        return {}

    # ---- what happens ----

    def enter(self) -> None:
        """It is on top (again)."""

    def tick(self, seconds: float) -> None:
        """Time has gone by."""

    def answers(self, answers: list[Answer]) -> list[Answer]:
        """What the service has done; returns what concerns others."""
        return answers

    def click(self, widget: Widget) -> None:
        """A widget was clicked, or Enter pressed on it."""
        if widget.enabled and widget.action is not None:
            widget.action()

    def key(self, key: int, shift: bool) -> bool:
        """A key was pressed; False for it to mean what it always does."""
        return False

    def back(self) -> None:
        """Esc or the right button: take something back, or leave."""
        self.app.pop()

    def wheel(self, steps: int) -> None:
        """The wheel turned, up above 0."""

    # ---- dragging ----

    def drag(self, widget: Widget) -> bool:
        """Whether a widget can be dragged; if so, dragging begins."""
        return False

    def drop(self, widget: Widget | None, point: tuple[int, int]) -> None:
        """What was dragged is let go of over a widget, or (None) nowhere."""

    def cancel_drag(self) -> None:
        """Dragging ends with nothing done: the focus went elsewhere."""
