"""Kept pictures: made once, bounded in memory, the one not drawn for the longest time goes first."""

from __future__ import annotations

import pygame

from game.window.kept import ALWAYS, Kept

SIDE = 500
EACH = SIDE * SIDE * 4


def _picture() -> pygame.Surface:
    return pygame.Surface((SIDE, SIDE), pygame.SRCALPHA)


def test_a_picture_is_made_once_until_there_is_no_room_for_it() -> None:
    pygame.display.quit()  # no window
    kept, made = Kept(windows=1), []

    def get(name: int) -> None:
        kept.get(name, lambda: (made.append(name), _picture())[1])

    room = ALWAYS // EACH
    for name in range(room):
        get(name)
    get(0)
    assert made == list(range(room))
    get(room)  # 1 goes, for 0 was drawn since
    get(0)
    get(1)
    assert made == [*range(room), room, 1]
    assert len(kept) == room
    assert kept.bytes == room * EACH <= ALWAYS
    kept.clear()
    assert (len(kept), kept.bytes) == (0, 0)


def test_a_larger_window_keeps_more(open_window) -> None:
    open_window()
    assert Kept(windows=2).most == ALWAYS + 2 * 1280 * 720 * 4


def test_hours_of_new_texts_and_weights_keep_no_more_than_the_bound(open_window) -> None:
    app = open_window().app
    for step in range(400):
        app.ui.pictures.learn({"own": {"mlp": ([0.01 * step] * 60, [0.0] * 60)}})
        app.ui.text.line(f"match {step}" * 20, "body", 40, (255, 255, 255))
        app.draw()
    for kept in (app.ui.kept, app.ui.pictures._drawn, app.ui.text._lines):
        assert 0 < kept.bytes <= kept.most
    assert app.ui.text._lines.bytes > 0.5 * app.ui.text._lines.most
