"""What the mouse and the keyboard mean everywhere: pointing, clicking, dragging, the focus."""

from __future__ import annotations

from abc import ABC, abstractmethod

import pygame

from game.window.focus import neighbour
from game.window.scenes.base import Scene
from game.window.settings import Settings
from game.window.sound import Sound
from game.window.widgets.base import Ui, Widget

DRAG_FROM = 8
"""Grid units after which a press has become a drag."""
ARROWS = {pygame.K_LEFT: (-1, 0), pygame.K_RIGHT: (1, 0), pygame.K_UP: (0, -1), pygame.K_DOWN: (0, 1)}


class Inputs(ABC):
    """Turns events into what the top scene understands. The widgets are those of the last picture."""

    ui: Ui
    settings: Settings
    sound: Sound

    def __init__(self) -> None:
        self.scenes: list[Scene] = []
        self.widgets: list[Widget] = []
        self.focus = ""
        self.by_keys = False
        """Whether the keyboard was used last: only then is the focus shown."""
        self.part = ""
        """The number or line of the focused widget that the keyboard has chosen."""
        self.pointer = (-1, -1)
        self.pressed: Widget | None = None
        self.dragging: Widget | None = None
        self._pressed_at = (0, 0)
        self.running = True
        self._dirty = True

    @property
    def scene(self) -> Scene:
        """The one on top."""
        return self.scenes[-1]

    def quit(self) -> None:
        """End after this frame."""
        self.running = False

    @abstractmethod
    def show_keys(self) -> None:
        """List all keys."""

    def handle(self, event: pygame.event.Event) -> None:
        """Take in one event."""
        if event.type == pygame.QUIT:
            self.quit()
        elif event.type in (pygame.VIDEORESIZE, pygame.VIDEOEXPOSE, pygame.WINDOWEXPOSED, pygame.WINDOWSIZECHANGED):
            self._dirty = True
        elif event.type == pygame.WINDOWFOCUSLOST:
            self._cancel_drag()
        elif event.type == pygame.MOUSEMOTION:
            self._move(event.pos)
        elif event.type == pygame.MOUSEBUTTONDOWN and event.button == 1:
            self.by_keys = False
            self.pointer = event.pos
            self.pressed, self._pressed_at = self.at(event.pos), event.pos
            self._dirty = True
        elif event.type == pygame.MOUSEBUTTONUP and event.button == 1:
            self._release(event.pos)
        elif event.type == pygame.MOUSEBUTTONDOWN and event.button == 3:
            self._cancel_drag()
            self.scene.back()
            self._dirty = True
        elif event.type == pygame.MOUSEWHEEL:
            self.scene.wheel(event.y)
            self._dirty = True
        elif event.type == pygame.KEYDOWN:
            self._key(event.key, bool(event.mod & pygame.KMOD_SHIFT), bool(event.mod & pygame.KMOD_ALT))
            self._dirty = True

    def at(self, point: tuple[int, int]) -> Widget | None:
        """The uppermost widget at a point that can be pointed at."""
        for widget in reversed(self.widgets):
            if widget.focusable and widget.rect.collidepoint(point):
                return widget
        return None

    def pointed_part(self) -> str:
        """The number or line that the pointer is at, or that the keyboard has chosen."""
        if self.by_keys:
            widget = self._focused()
            return self.part if widget is not None and any(name == self.part for name, _ in widget.parts) else ""
        widget = self.at(self.pointer)
        return widget.part_at(self.pointer) if widget is not None else ""

    def _focused(self) -> Widget | None:
        return next((widget for widget in self.widgets if widget.id == self.focus), None)

    def _next_part(self) -> None:
        """To the focused widget's next number or line, after the last one back to the whole."""
        widget = self._focused()
        names = ["", *(name for name, _ in widget.parts)] if widget is not None else [""]
        at = names.index(self.part) if self.part in names else 0
        self.part = names[(at + 1) % len(names)]

    def _move(self, point: tuple[int, int]) -> None:
        if point != self.pointer and self.by_keys:
            self.by_keys, self._dirty = False, True
        self.pointer = point
        hover = self.at(point)
        if self.pressed is not None and self.dragging is None:
            far = abs(point[0] - self._pressed_at[0]) + abs(point[1] - self._pressed_at[1])
            if far > self.ui.px(DRAG_FROM) and self.scene.drag(self.pressed):
                self.dragging = self.pressed
        moved = (hover.id if hover else "") != self.ui.hover or self.pointed_part() != self.ui.part
        if moved or self.dragging is not None:
            self._dirty = True

    def _release(self, point: tuple[int, int]) -> None:
        self._dirty = True
        dragging, pressed = self.dragging, self.pressed
        self.dragging = self.pressed = None
        self.pointer = point
        widget = self.at(point)
        if dragging is not None:
            self.scene.drop(widget, point)
        elif widget is not None and pressed is not None and widget.id == pressed.id:
            self.focus = widget.id
            self.sound.play("click")
            self.scene.click(widget)

    def _cancel_drag(self) -> None:
        if self.dragging is not None:
            self.scene.cancel_drag()
        self.dragging = self.pressed = None
        self._dirty = True

    def _key(self, key: int, shift: bool, alt: bool) -> None:
        if (alt and key == pygame.K_RETURN) or key == pygame.K_F11:
            self.settings.full_screen = not self.settings.full_screen
            pygame.display.toggle_fullscreen()
            return
        self.by_keys = True
        if self.scene.key(key, shift):
            return
        if key == pygame.K_ESCAPE:
            self._cancel_drag()
            self.scene.back()
        elif key == pygame.K_TAB:
            self._tab(-1 if shift else 1)
        elif key in ARROWS:
            self.focus = neighbour(self.widgets, self.focus, ARROWS[key])
        elif key in (pygame.K_RETURN, pygame.K_KP_ENTER, pygame.K_SPACE):
            widget = self._focused()
            if widget is not None:
                self.sound.play("click")
                self.scene.click(widget)
        elif key == pygame.K_i:
            self._next_part()
        elif key == pygame.K_F1:
            self.show_keys()

    def _tab(self, step: int) -> None:
        order = [widget.id for widget in self.widgets if widget.focusable]
        if order:
            at = order.index(self.focus) if self.focus in order else -1 if step > 0 else 0
            self.focus = order[(at + step) % len(order)]
