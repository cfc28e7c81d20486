"""Verdicts on gradient updates: learned, vanished, exploded; with each Researcher; while one is awaited."""

from __future__ import annotations

import pytest

from game.cards import first_set
from game.engine import records as r
from game.errors import IllegalAction
from game.updates import Verdict
from tests.scenarios.scenario import given


def test_learned() -> None:
    scene = given(own={1: "gru 2/5 hurt=1"}, hand="backpropagation", deck="bert, gpt, gru")
    scene.play("backpropagation", "own 1").expect(own={1: "3/6(6) training updates=1"}, compute=8, hand="bert")


@pytest.mark.parametrize("verdict", ["vanished", "exploded"])
@pytest.mark.parametrize("researcher", ["", "david-rumelhart", "geoffrey-hinton"])
def test_a_lost_gradient_spends_the_card_and_does_nothing_else(verdict: str, researcher: str) -> None:
    scene = given(own={1: "gru 2/5 hurt=1"}, hand="backpropagation", researcher=researcher, verdicts=verdict)
    scene.play("backpropagation", "own 1")
    scene.expect(own={1: "2/5(5) !training updates=0 hurt=1"}, compute=8, hand=0, deck=10)
    assert [scene.count(kind) for kind in ("verdict", "buff", "training", "trigger", "draw")] == [1, 0, 0, 0, 0]


def test_a_vanished_update_leaves_an_older_mark_alone() -> None:
    (given(own={1: "gru 2/5 hurt=1"}, hand="backpropagation, backpropagation", verdicts="learned, vanished")
        .repeat(2, "backpropagation", "own 1").expect(own={1: "3/6(6) training updates=1"}, compute=6))


def test_rumelhart_adds_to_the_updates_own_buff() -> None:
    scene = given(own={1: "gru 2/5 hurt=1"}, hand="backpropagation", researcher="david-rumelhart")
    scene.play("backpropagation", "own 1").expect(own={1: "4/6(6) attack=4"})
    assert [(event.a, event.b) for event in scene.events if event.kind == "buff"] == [(2, 1)]
    (given(own={1: "gru 2/5"}, hand="fine-tuning", researcher="david-rumelhart")
        .play("fine-tuning", "own 1").expect(own={1: "5/7(7)"}))


def test_hinton_draws_once_for_each_learned_update() -> None:
    (given(own={1: "lstm hurt=1"}, hand="backpropagation, backpropagation", researcher="geoffrey-hinton",
           deck="bert, gpt, gru", verdicts="learned, exploded")
        .play("backpropagation", "own 1").expect(hand="backpropagation, bert")
        .play("backpropagation", "own 1").expect(hand="bert"))


@pytest.mark.parametrize(("verdict", "attack"), [("learned", 3), ("vanished", 2), ("exploded", 2)])
def test_linnainmaas_discount_holds_whatever_the_verdict(verdict: str, attack: int) -> None:
    first, second = (first_set().card(name).cost - 1 for name in ("backpropagation", "fine-tuning"))
    (given(own={1: "gru 2/5 hurt=1"}, hand="backpropagation, fine-tuning", researcher="seppo-linnainmaa",
           compute=first + second, verdicts=f"{verdict}, vanished")
        .play("backpropagation", "own 1").expect(compute=second, own={1: f"attack={attack}"})
        .play("fine-tuning", "own 1").expect(compute=0))


def test_the_verdict_row_backs_the_updates_own_buff_alone() -> None:
    """The ledger entry stands on verdict, buff and training; the trigger's buff, which needs no gradient, has none."""
    scene = given(own={1: "perceptron 1/3(4) hurt=1"}, hand="backpropagation")
    scene.match.updates = (None, None)
    scene.play("backpropagation", "own 1")
    events = scene.match.give(Verdict("learned", 77, "abc"))
    assert [(event.kind, event.entry) for event in events if event.kind in ("verdict", "buff", "training")] == [
        ("verdict", 77), ("buff", 77), ("training", 77), ("buff", 0)]


def test_while_an_update_is_awaited_no_other_action_is_legal() -> None:
    scene = given(own={1: "gru 2/5 hurt=1"}, hand="backpropagation, dropout")
    scene.match.updates = (None, None)
    scene.play("backpropagation", "own 1").expect(compute=8, own={1: "2/5(5)"}, winner="open")
    assert scene.match.phase == "awaiting_update"
    assert not scene.match.mask().any()
    before = scene.match.states.tobytes()
    for action in (-1, *range(r.ACTIONS)):
        with pytest.raises(IllegalAction, match="a gradient update is awaited"):
            scene.match.play(action)
    assert scene.match.states.tobytes() == before
    scene.match.give(Verdict("learned"))
    scene.expect(own={1: "3/6(6)"}).play("dropout")
    with pytest.raises(IllegalAction, match="no gradient update is awaited"):
        scene.match.give(Verdict("learned"))


def test_one_may_concede_while_an_update_is_awaited() -> None:
    scene = given(own={1: "gru 2/5 hurt=1"}, hand="backpropagation")
    scene.match.updates = (None, None)
    scene.play("backpropagation", "own 1")
    scene.match.concede(scene.you)
    scene.expect(winner="enemy", reason="concede")
    assert scene.match.pending is None
    with pytest.raises(IllegalAction, match="no gradient update is awaited"):
        scene.match.give(Verdict("learned"))


def test_an_update_as_the_sixtieth_action_ends_the_turn_after_its_verdict() -> None:
    scene = given(own={1: "gru 2/5 hurt=1"}, hand="backpropagation", actions=59)
    scene.match.updates = (None, None)
    scene.play("backpropagation", "own 1")
    assert scene.match.player == scene.you
    scene.match.give(Verdict("learned"))
    assert scene.match.player == 1 - scene.you
    scene.expect(own={1: "3/6(6) training hurt=0"})
