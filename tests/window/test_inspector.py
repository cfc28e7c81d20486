"""Pointing at a number or a line of the history tells its rule, by mouse and by key, with the true values."""

from __future__ import annotations

import pygame
import pytest

from game.text.events import KINDS
from game.window.explain import TOPICS
from game.words import say, texts


def _point(hands, widget: str, part: str) -> str:
    rect = next(rect for name, rect in hands.widget(widget).parts if name == part)
    hands.app.handle(pygame.event.Event(pygame.MOUSEMOTION, pos=rect.center, rel=(1, 1), buttons=(0, 0, 0)))
    hands.step()
    assert hands.app.ui.part == part
    return str(hands.widget("inspector").text)


def test_every_number_says_its_rule(open_window) -> None:
    hands = open_window(scene="match")
    view, cards = hands.app.scene.settled, hands.app.cards
    unit = next(unit for unit in view.units if unit is not None and unit.own)
    seen = {part: _point(hands, f"own.{unit.token}", part) for part in ("attack", "health")}
    assert seen["attack"].startswith(say("number.attack", n=unit.attack))
    assert say("number.printed", n=cards[unit.card].attack) in seen["attack"]
    assert say("number.printed", n=cards[unit.card].health) in seen["health"]
    assert _point(hands, "hand.0", "cost").startswith(say("number.cost", n=view.hand[0].cost))
    for part, value in (("funding", view.enemy.funding), ("compute", view.enemy.compute), ("hand", view.enemy.hand),
                        ("deck", view.enemy.deck)):
        words = _point(hands, "lab.enemy", part)
        assert words.startswith(say(f"number.{part}", n=value))
        assert say(f"number.{part}_text") in words


def test_a_line_says_its_rule_and_keys_reach_all_of_it(open_window) -> None:
    hands = open_window(scene="match")
    log = hands.app.scene.session.log
    last = len(log) - 1
    words = _point(hands, "log", f"line.{last}")
    assert log[last][1].strip() in words
    assert any(say(f"why.{topic}") in words for topic, kinds in TOPICS.items() if log[last][0] in kinds)
    hands.app.focus, hands.app.by_keys = "lab.own", True
    found = set()
    for _ in range(5):
        hands.key(pygame.K_i)
        found.add(hands.app.ui.part)
    assert found == {"", "funding", "compute", "hand", "deck"}
    hands.key(pygame.K_TAB)
    assert hands.app.ui.part == ""


@pytest.mark.parametrize("language", ["en", "pt-BR"])
def test_every_kind_of_event_has_its_rule(language) -> None:
    topics = {kind: topic for topic, kinds in TOPICS.items() for kind in kinds}
    assert set(topics) == set(KINDS)
    assert all(texts(language)[f"why.{topic}"] for topic in TOPICS)
