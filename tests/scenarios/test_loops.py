"""Endless loops, possible with cards of one's own only, end as a draw; the action limit ends turns."""

from __future__ import annotations

import pytest

from game.engine.records import EVENTS
from tests.scenarios.scenario import given
from tests.scenarios.testcards import extended

CARDS = extended('''
[[card]]
id = "hydra"
type = "model"
attack = 1
health = 1
effects = [{ trigger = "death", operation = "summon", scope = "own_lab", card = "hydra" },
           { trigger = "death", operation = "damage", scope = "own", amount = 1 }]
[[card]]
id = "slayer"
type = "researcher"
effects = [{ trigger = "own_enter", operation = "damage", scope = "chosen", amount = 1 }]
[[card]]
id = "revolving-door"
type = "researcher"
effects = [{ trigger = "own_enter", operation = "summon", scope = "own_lab", card = "hydra" },
           { trigger = "own_enter", operation = "recall", scope = "chosen" }]
[[card]]
id = "moth"
type = "model"
attack = 1
health = 1
effects = [{ trigger = "turn_end", operation = "destroy", scope = "self" },
           { trigger = "death", operation = "summon", scope = "own_lab", card = "moth" }]
[[card]]
id = "free-lunch"
target = "own"
effects = [{ trigger = "play", operation = "summon", scope = "own_lab", card = "hydra" },
           { trigger = "play", operation = "update", scope = "chosen", attack = 1, health = 1 }]
[[card]]
id = "free"
effects = [{ trigger = "play", operation = "compute", scope = "own_lab", amount = 1 },
           { trigger = "play", operation = "recall", scope = "own" }]
[[card]]
id = "feather"
type = "model"
attack = 1
health = 1
''')


def test_deaths_that_never_end_are_a_draw() -> None:
    scene = given(own={1: "hydra"}, hand="dropout", cards=CARDS).play("dropout")
    scene.expect(winner="nobody", reason="endless loop")
    assert scene.count("death") == 100
    assert scene.events[-1].kind == "over"


def test_entering_that_never_ends_is_a_draw() -> None:
    (given(own={1: "perceptron"}, researcher="slayer", hand="hydra", cards=CARDS)
        .play("hydra").expect(winner="nobody", reason="endless loop"))
    (given(researcher="revolving-door", hand="hydra", cards=CARDS)
        .play("hydra").expect(winner="nobody", reason="endless loop"))


def test_a_loop_in_an_attack_in_a_turns_end_and_in_a_verdict_is_a_draw() -> None:
    (given(own={1: "hydra"}, cards=CARDS).attack(1, "enemy lab").expect(winner="nobody", reason="endless loop"))
    (given(own={1: "diffusion-model"}, enemy={1: "hydra"}, cards=CARDS)
        .end_turn().expect(winner="nobody", reason="endless loop"))
    (given(own={1: "alexnet 4/2(3) hurt=1"}, enemy={1: "hydra"}, hand="backpropagation", cards=CARDS)
        .play("backpropagation", "own 1").expect(winner="nobody", reason="endless loop"))


def test_a_loop_while_an_update_is_about_to_be_asked_for_is_a_draw_at_once() -> None:
    """Nothing of the loop is left behind: another match played by the same clone family goes on undisturbed."""
    scene = given(own={1: "gru"}, researcher="revolving-door", hand="free-lunch", cards=CARDS)
    fresh = scene.match.clone()
    scene.play("free-lunch", "own 1").expect(winner="nobody", reason="endless loop")
    assert scene.count("await_update") == 0
    fresh.play(fresh.legal_actions()[-1])
    assert fresh.outcome is None


def test_a_model_that_returns_once_a_turn_is_no_loop() -> None:
    (given(own={1: "moth"}, cards=CARDS).end_turn().expect(own={1: "moth entry=2"}, winner="open")
        .end_turn().end_turn().expect(own={1: "moth entry=3"}, winner="open"))


def test_a_log_longer_than_its_space_is_complete() -> None:
    """A hundred waves write far more events than a match sets space aside for; none is lost or invented."""
    scene = given(own=dict.fromkeys(range(1, 7), "hydra"), enemy=dict.fromkeys(range(1, 7), "hydra"), hand="dropout",
                  cards=CARDS)
    scene.play("dropout")
    assert len(scene.events) > 2000
    assert all(event.kind in EVENTS[1:] for event in scene.events)
    assert scene.count("death") == scene.count("enter") + 12 - sum(
        int((lab["units"]["card"] > 0).sum()) for lab in scene.match.state.labs)
    again = given(own={1: "gru"}, cards=CARDS).attack(1, "enemy lab")
    assert [event.kind for event in again.events] == ["attack", "lab_damage", "damage"]


@pytest.mark.parametrize(("before", "yours"), [(57, True), (58, True), (59, False)])
def test_the_sixtieth_action_ends_the_turn(before: int, yours: bool) -> None:
    scene = given(own={1: "td-gammon"}, hand="mixed-precision, mixed-precision", actions=before)
    scene.play("mixed-precision")
    assert (scene.match.player == scene.you) == yours
    assert scene.match.state.forced_ends == (0 if yours else 1)
    if not yours:
        scene.happened("play", "end_turn", "trigger own 1", "turn enemy lab").expect(own={1: "4/4"})
        assert [event.a for event in scene.events if event.kind == "end_turn"] == [1]


def test_attacks_count_as_actions_and_free_cards_cannot_be_played_for_ever() -> None:
    scene = given(own={1: "gru"}, actions=58).attack(1, "enemy lab").attack(1, "enemy lab")
    assert scene.match.player == 1 - scene.you
    scene = given(hand="feather, free", cards=CARDS)
    played = 0
    while scene.match.player == scene.you and played < 100:
        hand = scene.match.state.labs[scene.you]
        if played % 2 and hand.hand_size < 3:
            hand.hand[hand.hand_size] = CARDS.row("free")  # an endless supply
            hand.hand_size += 1
        scene.play("feather" if played % 2 == 0 else "free")
        played += 1
    assert played == 60


def test_the_end_of_a_turn_by_itself_on_turn_sixty_is_the_turn_limits_draw() -> None:
    (given(hand="mixed-precision", actions=59, turn=60)
        .play("mixed-precision").expect(winner="nobody", reason="turn limit"))
