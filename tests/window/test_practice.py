"""Practice in the window: shown while it goes on, its numbers the ledger's, skipped, and gone on with later."""

from __future__ import annotations

import pygame


def _pages(hands) -> list[list[str]]:
    found, scene = [], hands.app.scene
    scene.at = 0
    while True:
        hands.step()
        found.append([widget.id for widget in hands.app.widgets])
        at = scene.at
        hands.key(pygame.K_RIGHT)
        if scene.at == at:
            return found


def test_every_round_and_every_change_has_its_page(open_window) -> None:
    hands = open_window(scene="training")
    practice, home = hands.app.practice, hands.app.service.handler.home
    assert [one["owed"] for one in practice.rounds] == [*range(len(practice.rounds))][::-1]
    assert home.owed() == 0
    for one in practice.rounds:
        for update in one["updates"]:
            kept = home.store.entries('"row" = ?', update["row"])[0]
            assert (kept["loss"], kept["loss_after"], kept["status"]) == (update["before"], update["after"], "applied")
    ids = _pages(hands)
    assert sum("round" in page for page in ids) == len(practice.rounds) >= 2
    assert sum("change" in page for page in ids) == len(practice.before) > 0
    assert any(before["logits"] != now["logits"] for before, now in
               zip(practice.before, practice.now, strict=True)), "practice changes what a network makes of a position"


def test_it_can_be_skipped_and_left_and_goes_on_at_the_menu(open_window) -> None:
    hands = open_window(scene="result")
    home = hands.app.service.handler.home
    hands.click("training")
    for _ in range(20):
        if hands.app.practice.going_on:
            break
        hands.step()
    hands.key(pygame.K_ESCAPE)
    assert hands.app.scene.name == "menu"
    for _ in range(10):
        hands.step()
    assert home.owed() == 0
    home.owe(2)  # as if it had been killed before
    hands.app.scene.enter()
    for _ in range(10):
        hands.step()
        if hands.app.practice.going_on:
            hands.app.practice.skip()
            break
    for _ in range(5):
        hands.step()
    assert home.owed() == 0
    assert not hands.app.practice.going_on
