"""Every Researcher, alone, and that no card of the set is without its scenario."""

from __future__ import annotations

from pathlib import Path

import pytest

from game.cards import first_set
from tests.scenarios.scenario import given


def test_frank_rosenblatt() -> None:
    (given(own={1: "perceptron"}, hand="frank-rosenblatt, madaline, bert", deck="gpt, gru")
        .play("frank-rosenblatt")
        .expect(own={1: "1/4"}, researcher="frank-rosenblatt", hand="madaline, bert, gpt", compute=8)
        .play("madaline", "own 2")
        .expect(own={2: "2/5(5)", 3: "adaline 2/3(3)"})  # played and summoned ones
        .play("bert", "own 4")
        .expect(own={4: "2/6(6)"}))


def test_seppo_linnainmaa() -> None:
    (given(own={1: "gru 2/5 hurt=1"}, hand="seppo-linnainmaa, backpropagation, fine-tuning, forward-forward",
           deck="gpt, gru", compute=7)
        .play("seppo-linnainmaa")
        .expect(researcher="seppo-linnainmaa", compute=6)
        .play("backpropagation", "own 1")
        .expect(compute=5)
        .play("fine-tuning", "own 1")
        .expect(compute=3))
    (given(own={1: "gru"}, hand="forward-forward", researcher="seppo-linnainmaa", compute=1)
        .cannot_play("forward-forward", "own 1", because="not enough compute"))  # it makes no gradient update


def test_david_rumelhart() -> None:
    (given(own={1: "gru 2/5 hurt=1", 2: "gru 2/5"}, hand="david-rumelhart, backpropagation, forward-forward",
           deck="gpt, lstm")
        .play("david-rumelhart")
        .expect(hand="backpropagation, forward-forward, gpt")
        .play("backpropagation", "own 1")
        .expect(own={1: "4/6(6)"})
        .play("forward-forward", "own 2")
        .expect(own={2: "3/6(6)"}))


def test_geoffrey_hinton() -> None:
    (given(own={1: "lstm hurt=1"}, hand="geoffrey-hinton, backpropagation", deck="gpt, gru, bert")
        .play("geoffrey-hinton")
        .expect(hand="backpropagation, gpt", compute=8)
        .play("backpropagation", "own 1")
        .expect(hand="gpt, gru", deck="bert"))


def test_a_new_researcher_replaces_the_old() -> None:
    (given(own={1: "perceptron 1/4 hurt=1"}, researcher="david-rumelhart", hand="geoffrey-hinton, backpropagation",
           deck="gpt, gru, bert")
        .play("geoffrey-hinton")
        .expect(researcher="geoffrey-hinton")
        .play("backpropagation", "own 1")
        .expect(own={1: "3/5(5)"}, hand="gpt, gru"))


def test_the_enemys_researcher_does_nothing_for_you() -> None:
    (given(own={1: "gru 2/5 hurt=1"}, enemy_researcher="david-rumelhart", hand="backpropagation, adaline")
        .play("backpropagation", "own 1")
        .expect(own={1: "3/6(6)"}))
    (given(enemy_researcher="frank-rosenblatt", hand="adaline").play("adaline").expect(own={1: "2/2(2)"}))


@pytest.mark.parametrize("card", [card.id for card in first_set().cards if card is not None])
def test_every_card_has_a_scenario(card: str, seat: int) -> None:
    sources = [path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_cards_*.py")]
    assert any(f"def test_{card.replace('-', '_')}(" in source for source in sources)


def test_the_first_set_has_sixty_cards() -> None:
    assert len(first_set()) == 60
