"""A whole match, by keyboard alone and by mouse alone; what is refused; saving and going on."""

from __future__ import annotations

from typing import Any

import pygame

from game.window.scenes.names import widget_of
from learner.home import Home


def _match(hands: Any) -> Any:
    return next(scene for scene in hands.app.scenes if scene.name == "match")


def _fast(hands: Any) -> None:
    hands.app.settings.speed, hands.app.settings.confirm_end = "instant", True
    hands.app.settings.updates = "all"


def test_a_match_by_keyboard_alone(open_window) -> None:
    hands = open_window(opponent="random")
    _fast(hands)
    while hands.app.focus != "play":
        hands.key(pygame.K_TAB)
    hands.key(pygame.K_RETURN)
    hands.step()
    assert hands.app.scene.name == "match"
    hands.key(pygame.K_1)  # exchanges the first card
    played = 0
    for _ in range(4000):
        scene = hands.app.scene
        if scene.name == "result":
            break
        if scene.name == "match" and scene.settled.my_turn and not scene.session.waiting:
            if scene.source is not None:
                hands.key(pygame.K_RETURN)
                played += 1
                if hands.app.scene.name == "match" and _match(hands).source is not None:
                    hands.key(pygame.K_ESCAPE)
                continue
            card = next((p for p in range(10) if p in scene.settled.sources()), None)
            unit = next((s for s in range(10, 16) if s in scene.settled.sources()), None)
            if scene.settled.phase == "action" and card is not None:
                hands.key(pygame.K_0 + (card + 1) % 10)
            elif scene.settled.phase == "action" and unit is not None:
                for _ in range(60):
                    if hands.app.focus == f"own.{unit - 9}":
                        break
                    hands.key(pygame.K_TAB)
                hands.key(pygame.K_RETURN)
            else:
                hands.key(pygame.K_e)
        elif scene.name in ("dialog", "backprop"):
            hands.key(pygame.K_RETURN)
        else:
            hands.step()
    assert hands.app.scene.name == "result"
    assert played > 5
    hands.key(pygame.K_RETURN)
    hands.settle()
    assert hands.app.scene.name == "training"
    assert _training_is_kept(hands)
    hands.key(pygame.K_ESCAPE)
    assert hands.app.scene.name == "menu"
    hands.step()
    assert not hands.has("continue")


def _training_is_kept(hands: Any) -> bool:
    return bool(list((hands.app.options.folder / "replays").glob("match-*.json")))


def test_a_match_by_mouse_alone(open_window) -> None:
    hands = open_window(opponent="random")
    _fast(hands)
    hands.click("play")
    hands.step()
    dragged = 0
    for _ in range(4000):
        scene = hands.app.scene
        if scene.name == "result":
            break
        if scene.name == "dialog":
            hands.click("answer.0")
        elif scene.name == "backprop":
            hands.click("skip")
        elif scene.name == "match" and scene.settled.my_turn and not scene.session.waiting:
            sources = sorted(scene.settled.sources() - {16}) if scene.settled.phase == "action" else []
            if not sources:
                hands.click("end")
                continue
            source = sources[0]
            token = min(scene.settled.targets(source))
            name = f"hand.{source}" if source < 10 else f"own.{source - 9}"
            place = ("lab.own" if token == 0 else "lab.enemy" if token == 7 else
                     f"own.{token}" if token < 7 else f"enemy.{token - 7}")
            if dragged % 2:
                hands.drag(name, place)
            else:
                hands.click(name)
                hands.click(place)
            dragged += 1
        else:
            hands.step()
    assert hands.app.scene.name == "result"
    assert dragged > 5
    hands.click("training")
    hands.settle()
    hands.click("menu")
    assert hands.app.scene.name == "menu"


def test_a_choice_is_taken_back_and_a_refusal_names_the_rule(open_window) -> None:
    hands = open_window(scene="match")
    scene = hands.app.scene
    source = min(s for s in scene.settled.sources() if s < 10)
    before = scene.settled.digest
    hands.click(f"hand.{source}")
    assert scene.source == source
    hands.click((640, 258), button=3)
    assert scene.source is None
    hands.click(f"hand.{source}")
    hands.click("lab.enemy")
    assert "Not possible" in scene.message
    hands.app.handle(pygame.event.Event(pygame.WINDOWFOCUSLOST))
    hands.key(pygame.K_ESCAPE)
    assert scene.source is None
    assert scene.settled.digest == before


def test_undo_takes_back_what_revealed_nothing(open_window) -> None:
    hands = open_window(scene="match")
    scene = hands.app.scene
    source = min(s for s in scene.settled.sources() if 10 <= s < 16)
    before = scene.settled.digest
    token = max(scene.settled.targets(source))
    hands.drag(f"own.{source - 9}", widget_of(token))
    assert scene.settled.digest != before
    hands.key(pygame.K_u)
    hands.step()
    assert scene.settled.digest == before
    assert scene.session.service.handler.game.match.digest() == before


def test_every_action_is_saved_at_once(open_window, tmp_path) -> None:
    hands = open_window(scene="match")
    digest = hands.app.scene.settled.digest
    hands.app.service.handler.close()  # as if the process had been killed
    with Home(tmp_path, 3) as home:
        assert home.resume().match.digest() == digest


def test_a_damaged_save_is_set_aside(open_window, tmp_path) -> None:
    hands = open_window(scene="match")
    hands.app.service.handler.close()
    saved = next((tmp_path / "saves").glob("match-*.json"))
    saved.write_text("{", encoding="utf-8")
    hands = open_window()
    hands.click("continue")
    hands.step()
    assert "set aside" in hands.app.scene.message
    assert list((tmp_path / "saves").glob("*.damaged.json"))
    hands.step()
    assert not hands.has("continue")
