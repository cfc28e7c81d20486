"""Whatever is pressed, clicked and dragged, in whatever scene: nothing breaks."""

from __future__ import annotations

import random

import pygame
import pytest

KEYS = [pygame.K_TAB, pygame.K_RETURN, pygame.K_ESCAPE, pygame.K_SPACE, pygame.K_LEFT, pygame.K_RIGHT, pygame.K_UP,
        pygame.K_DOWN, pygame.K_e, pygame.K_u, pygame.K_h, pygame.K_m, pygame.K_l, pygame.K_F1, pygame.K_PAGEUP,
        pygame.K_PAGEDOWN, pygame.K_HOME, pygame.K_END, *range(pygame.K_0, pygame.K_9 + 1)]


@pytest.mark.parametrize(("seed", "inputs"), [(0, 1500), pytest.param(1, 10_000, marks=pytest.mark.slow)])
def test_random_inputs(open_window, seed, inputs) -> None:
    hands = open_window(scene="match")
    app, rng = hands.app, random.Random(seed)
    app.settings.speed = "instant"
    app.crash = _raise  # type: ignore[method-assign]
    seen = set()
    for number in range(inputs):
        seen.add(app.scene.name)
        point = (rng.randrange(-20, 1300), rng.randrange(-20, 740))
        kind = rng.random()
        if kind < 0.45:
            app.handle(pygame.event.Event(pygame.KEYDOWN, key=rng.choice(KEYS), mod=0, unicode=""))
        elif kind < 0.75 and app.widgets:
            widget = rng.choice(app.widgets)
            if widget.id == "quit":
                continue
            app.handle(pygame.event.Event(pygame.MOUSEBUTTONDOWN, pos=widget.rect.center, button=1))
            app.handle(pygame.event.Event(pygame.MOUSEBUTTONUP, pos=widget.rect.center, button=1))
        elif kind < 0.9:
            app.handle(pygame.event.Event(pygame.MOUSEMOTION, pos=point, rel=(1, 1), buttons=(0, 0, 0)))
            button = rng.choice((1, 1, 3))
            app.handle(pygame.event.Event(rng.choice((pygame.MOUSEBUTTONDOWN, pygame.MOUSEBUTTONUP)), pos=point,
                                          button=button))
        elif kind < 0.95:
            app.handle(pygame.event.Event(pygame.MOUSEWHEEL, x=0, y=rng.choice((-1, 1, 5)), flipped=False))
        else:
            app.handle(pygame.event.Event(pygame.WINDOWFOCUSLOST))
        app.settings.scale = 100
        app.step(0.1)
        app.running = True
        assert app.scene.name != "crash", number
    assert {"match", "menu"} <= seen


def _raise(error: Exception) -> None:
    raise error
