"""A window without a screen, with the real lab behind it in the same process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pygame
import pytest

from game.window.app import App, Options
from game.window.worker import LocalService
from learner.practice import Practice
from learner.seat import Seat


class Hands:
    """A person at the window: keys, clicks, and waiting until the pictures stand still."""

    def __init__(self, app: App) -> None:
        self.app = app

    def step(self, seconds: float = 0.1) -> None:
        """A frame."""
        self.app._dirty = True
        self.app.step(seconds)

    def settle(self, most: int = 600) -> None:
        """Frames until nothing moves."""
        for _ in range(most):
            self.step()
            if not self.app.scene.moving:
                return
        raise AssertionError(f"{self.app.scene.name} still moves")

    def key(self, key: int, mod: int = 0) -> None:
        """Press a key."""
        self.app.handle(pygame.event.Event(pygame.KEYDOWN, key=key, mod=mod, unicode=""))
        self.step()

    def click(self, point: Any, button: int = 1) -> None:
        """Press and let go of a mouse button at a point or a widget's id."""
        if isinstance(point, str):
            point = self.widget(point).rect.center
        self.app.handle(pygame.event.Event(pygame.MOUSEMOTION, pos=point, rel=(0, 0), buttons=(0, 0, 0)))
        self.app.handle(pygame.event.Event(pygame.MOUSEBUTTONDOWN, pos=point, button=button))
        self.app.handle(pygame.event.Event(pygame.MOUSEBUTTONUP, pos=point, button=button))
        self.step()

    def drag(self, start: str, end: Any) -> None:
        """Drag a widget onto another, or to a point."""
        a = self.widget(start).rect.center
        b = self.widget(end).rect.center if isinstance(end, str) else end
        self.app.handle(pygame.event.Event(pygame.MOUSEBUTTONDOWN, pos=a, button=1))
        self.app.handle(pygame.event.Event(pygame.MOUSEMOTION, pos=b, rel=(0, 0), buttons=(1, 0, 0)))
        self.step()
        self.app.handle(pygame.event.Event(pygame.MOUSEBUTTONUP, pos=b, button=1))
        self.step()

    def widget(self, name: str) -> Any:
        """A widget on the screen."""
        return next(widget for widget in self.app.widgets if widget.id == name)

    def has(self, name: str) -> bool:
        """Whether a widget is on the screen and enabled."""
        return any(widget.id == name and widget.enabled for widget in self.app.widgets)


@pytest.fixture
def open_window(tmp_path: Path) -> Iterator[Callable[..., Hands]]:
    """``open_window(scene="match", size=(960, 540), language="pt-BR", …)``: the window, settled."""
    seats: list[Seat] = []

    def opened(**options: Any) -> Hands:
        scene = options.get("scene", "")
        values: dict[str, Any] = {"folder": tmp_path, "seed": 3, "size": (1280, 720), "audio": False, **options}
        seat = Seat(values["folder"], 3, practice=Practice(rounds=2, matches=2))
        seats.append(seat)
        app = App(Options(**values), LocalService(seat))
        hands = Hands(app)
        for _ in range(3000):
            hands.step()
            if app.scene.name == (scene or "menu") and not app.scene.moving:
                break
        hands.step()
        assert app.scene.name == (scene or "menu")
        return hands

    yield opened
    for seat in seats:
        seat.close()
