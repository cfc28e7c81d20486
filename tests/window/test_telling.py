"""A newcomer can follow: what the other lab does, what an update was worth, and the way on after the match."""

from __future__ import annotations

from dataclasses import replace

import pygame

from game.cards import first_set
from game.window.scenes.result import _learned
from game.window.viewmodel import plain_unit
from game.words import say


def _opponents_beat(hands, kind: str):
    """Play on until an action of the opponent with such an event is shown."""
    scene = hands.app.scene
    for _ in range(4000):
        hands.step(0.05)
        beat = scene.timeline.beat
        if beat is not None and beat.wait and any(event.kind == kind for event in beat.events):
            return beat
        if scene.settled.my_turn and beat is None and not scene.session.waiting:
            scene.play(max(scene.settled.legal))  # ends the turn
    raise AssertionError(f"the opponent's {kind} was never shown")


def test_the_inspector_shows_the_card_that_the_opponent_plays(open_window) -> None:
    hands = open_window(scene="match", opponent="everything", speed="normal")
    beat = _opponents_beat(hands, "play")
    hands.step(0.0)
    card = next(event.card for event in beat.events if event.kind == "play")
    assert hands.widget("inspector").text == hands.app.cards[card].name("en")
    assert hands.widget("end").text == say("win.their_turn")


def test_the_history_tells_nothing_that_is_not_shown_yet(open_window) -> None:
    hands = open_window(scene="match", opponent="everything", speed="normal")
    beat = _opponents_beat(hands, "play")
    scene = hands.app.scene
    scene.session.play(max(scene.session.match.legal_actions()))  # the opponent ends its turn meanwhile
    hands.step(0.0)
    told = list(hands.widget("log").lines)
    assert scene.timeline.beat is beat
    assert told[-len(beat.lines):] == list(beat.lines)
    assert len(told) < len(scene.session.log)
    scene.wheel(9999)
    hands.step(0.0)
    assert hands.widget("log").offset == len(told) - 1


def test_an_update_is_worth_what_the_rules_gave(open_window) -> None:
    hands = open_window(scene="backprop")
    session = hands.app.scenes[-2].session
    report = hands.app.scene.report
    given = [event for happened in session.history for event in happened.events
             if event.kind == "buff" and event.entry == report["entry"]]
    hands.app.scene.step = 4
    hands.step()
    assert hands.widget("buff").text == f"{given[0].a:+d}/{given[0].b:+d}"
    after = next(happened.after for happened in session.history if given[0] in happened.events)
    assert hands.widget("learner").unit == after.units[report["token"]]


def test_the_result_shows_the_latest_five_each_as_it_is_now() -> None:
    card = first_set().card("perceptron")

    def report(row: int, updates: int) -> dict[str, object]:
        unit = replace(plain_unit(1, card, 1, 1), card=row, updates=updates)
        return {"own": True, "outcome": "learned", "unit": unit}

    reports = [report(row, 1) for row in (1, 2, 3, 4, 5, 6)] + [report(1, 2)]
    assert [(unit.card, unit.updates) for unit in _learned(reports)] == [(3, 1), (4, 1), (5, 1), (6, 1), (1, 2)]


def test_after_the_match_the_large_button_leads_back_to_the_result(open_window) -> None:
    hands = open_window(scene="result")
    hands.click("board")
    assert hands.app.scene.name == "match"
    hands.click("end")
    assert hands.app.scene.name == "result"


def test_another_language_tells_what_has_happened_anew(open_window) -> None:
    hands = open_window(scene="match")
    session = hands.app.scene.session
    told, lines = list(session.log), [happened.lines for happened in session.history]
    session.speak("pt-BR")
    assert [kind for kind, _ in session.log] == [kind for kind, _ in told]
    words = "".join(line for _, line in session.log).lower()
    assert say("place.enemy_lab", "pt-BR") in words
    assert say("place.enemy_lab", "en") not in words
    session.speak("en")
    assert (session.log, [happened.lines for happened in session.history]) == (told, lines)


def test_escape_never_gives_a_match_up(open_window) -> None:
    hands = open_window(scene="match")
    hands.click("menu")
    hands.click("concede")
    hands.key(pygame.K_ESCAPE)
    assert hands.app.scene.name == "pause"
    hands.click("leave")
    hands.step()
    before = hands.app.service.handler.game
    hands.click("play")
    assert hands.app.scene.name == "dialog"
    hands.key(pygame.K_RETURN)  # the answer that has the focus first
    hands.step()
    assert (hands.app.scene.name, hands.app.service.handler.game) == ("menu", before)


def test_the_focus_is_where_it_was_when_a_scene_above_is_left(open_window) -> None:
    hands = open_window(scene="match")
    hands.key(pygame.K_TAB)
    hands.app.focus = "hand.1"
    hands.key(pygame.K_l)
    assert hands.app.scene.name == "history"
    hands.key(pygame.K_ESCAPE)
    assert hands.app.focus == "hand.1"
