"""The order of resolution: effects, deaths together, death triggers by side and slot, waves, attack triggers."""

from __future__ import annotations

import pytest

from tests.scenarios.scenario import given
from tests.scenarios.testcards import extended

CARDS = extended('''
[[card]]
id = "bomb"
type = "model"
attack = 1
health = 1
effects = [{ trigger = "death", operation = "damage", scope = "all", amount = 1 }]
[[card]]
id = "medic"
type = "model"
attack = 1
health = 1
effects = [{ trigger = "death", operation = "heal", scope = "own", amount = 9 }]
[[card]]
id = "avenger"
type = "model"
attack = 1
health = 2
effects = [{ trigger = "death", operation = "damage", scope = "enemy_lab", amount = 2 }]
[[card]]
id = "widow"
type = "model"
family = "transformer"
attack = 1
health = 1
keywords = ["residual"]
effects = [{ trigger = "death", operation = "summon", scope = "own_lab", card = "bert" }]
[[card]]
id = "raider"
type = "model"
attack = 2
health = 9
effects = [{ trigger = "attack", operation = "damage", scope = "enemy", amount = 1 }]
[[card]]
id = "kamikaze"
type = "model"
attack = 3
health = 3
effects = [{ trigger = "attack", operation = "destroy", scope = "self" }]
[[card]]
id = "hurt-then-draw"
effects = [{ trigger = "play", operation = "damage", scope = "all", amount = 1 },
           { trigger = "play", operation = "draw", scope = "own_lab", amount = 1 }]
[[card]]
id = "cruel-teacher"
type = "researcher"
effects = [{ trigger = "own_update", operation = "damage", scope = "chosen", amount = 9 },
           { trigger = "own_enter", operation = "damage", scope = "chosen", amount = 9 }]
''')


def test_all_that_fall_leave_together_before_any_death_trigger() -> None:
    """Both bombs are gone when the first goes off, so neither can hit the other's corpse."""
    scene = given(own={1: "bomb", 2: "bomb", 3: "bert"}, hand="dropout", cards=CARDS).play("dropout")
    scene.happened("death own 1", "death own 2", "trigger own 1", "damage own 3", "trigger own 2", "damage own 3")
    scene.expect(own={1: "empty", 2: "empty", 3: "2/3(6)"})


def test_death_triggers_go_active_side_first_then_by_slot() -> None:
    death = {2: "hopfield-network 2/1", 5: "hopfield-network 2/1"}
    given(own=death, enemy=death, hand="dropout").play("dropout").happened(
        "death own 2", "death own 5", "death enemy 2", "death enemy 5",
        "trigger own 2", "draw own lab", "trigger own 5", "draw own lab",
        "trigger enemy 2", "draw enemy lab", "trigger enemy 5", "draw enemy lab")
    given(own=death, enemy=death, enemy_hand="dropout").end_turn().play("dropout").happened(
        "death enemy 2", "death enemy 5", "death own 2", "death own 5",
        "trigger enemy 2", "trigger enemy 5", "trigger own 2", "trigger own 5")


def test_deaths_come_in_waves() -> None:
    """The bomb's damage kills only after every trigger of its own wave: the medic of that wave still saves."""
    scene = given(own={1: "bomb", 2: "medic", 3: "gru 2/2(5)", 4: "adaline 2/1"}, hand="dropout", cards=CARDS)
    scene.play("dropout")
    scene.happened("death own 1", "death own 2", "death own 4", "trigger own 1", "damage own 3", "trigger own 2",
                   "heal own 3")
    scene.expect(own={3: "2/5(5)", 4: "empty"})


def test_a_second_wave_follows_the_first() -> None:
    scene = given(own={1: "bomb", 3: "avenger"}, enemy={1: "perceptron 1/2"}, hand="dropout", cards=CARDS)
    scene.play("dropout").happened("death own 1", "trigger own 1", "damage own 3", "death own 3", "death enemy 1",
                                   "trigger own 3", "lab_damage enemy lab")
    scene.expect(own={1: "empty", 3: "empty"}, enemy={1: "empty"}, enemy_funding=16)


def test_for_each_model_its_death_effects_come_before_its_residual() -> None:
    """The summoned BERT is there in time to inherit; its family goes before the older Perceptron."""
    (given(own={1: "widow 3/1(3)", 4: "perceptron"}, hand="knowledge-distillation", cards=CARDS)
        .play("knowledge-distillation", "own 1")
        .happened("death own 1", "trigger own 1", "enter own 1", "residual own 1", "buff own 1")
        .expect(own={1: "bert 4/8(8)", 4: "1/4"}))


def test_effects_run_in_written_order_and_before_any_death() -> None:
    (given(own={1: "hopfield-network 2/1"}, hand="hurt-then-draw", deck="bert, gpt, gru", cards=CARDS)
        .play("hurt-then-draw").happened("damage own 1", "draw", "death own 1", "trigger own 1", "draw")
        .expect(hand="bert, gpt"))


def test_attack_and_answer_are_simultaneous() -> None:
    (given(own={1: "adaline"}, enemy={1: "adaline"})
        .attack(1, "enemy 1").expect(own={1: "empty"}, enemy={1: "empty"})
        .happened("damage enemy 1", "damage own 1", "death own 1", "death enemy 1"))


def test_attack_triggers_come_after_the_deaths_of_the_attack() -> None:
    scene = given(own={1: "raider"}, enemy={1: "bomb", 2: "perceptron", 3: "perceptron 1/2"}, cards=CARDS)
    scene.attack(1, "enemy 1").happened("death enemy 1", "trigger enemy 1", "damage enemy 2", "damage own 1",
                                        "trigger own 1", "damage enemy 2", "damage enemy 3", "death enemy 3")
    scene.expect(enemy={1: "empty", 2: "1/2(4)", 3: "empty"}, own={1: "2/7(9)"})


def test_deaths_by_attack_triggers_are_resolved_too() -> None:
    (given(own={1: "raider"}, enemy={1: "perceptron", 2: "bomb"}, cards=CARDS)
        .attack(1, "enemy 1").expect(enemy={1: "empty", 2: "empty"}))
    given(own={1: "kamikaze", 2: "bert"}, cards=CARDS).attack(1, "enemy lab").expect(
        own={1: "empty", 2: "2/6"}, enemy_funding=15)


def test_an_update_runs_buff_then_mark_then_the_models_trigger_then_hinton() -> None:
    (given(own={1: "mlp-1986 2/2(3) hurt=1"}, researcher="geoffrey-hinton", hand="backpropagation",
           deck="bert, gpt, gru")
        .play("backpropagation", "own 1")
        .happened("play", "await_update own 1", "verdict own 1", "buff own 1", "training own 1", "trigger own 1",
                  "draw", "trigger own lab", "draw")
        .expect(hand="bert, gpt"))


def test_update_and_researcher_effects_come_before_the_deaths_they_cause() -> None:
    (given(own={1: "mlp-1986 2/2(3) hurt=1"}, researcher="cruel-teacher", hand="backpropagation", cards=CARDS)
        .play("backpropagation", "own 1")
        .happened("buff own 1", "training own 1", "trigger own 1", "draw", "trigger own lab", "damage own 1",
                  "death own 1")
        .expect(own={1: "empty"}, hand=1))


def test_a_model_killed_on_entering_still_has_its_play_effects() -> None:
    (given(enemy={1: "bert"}, hand="alphago", researcher="cruel-teacher", cards=CARDS)
        .play("alphago").happened("enter own 1", "damage own 1", "destroy enemy 1", "death own 1")
        .expect(own={1: "empty"}, enemy={1: "empty"}))


@pytest.mark.parametrize("funding", [1, 2])
def test_labs_are_looked_at_once_when_all_is_resolved(funding: int) -> None:
    """A lab that falls to 0 within a resolution and is above it at the end plays on."""
    cards = extended('''
    [[card]]
    id = "overdraft"
    effects = [{ trigger = "play", operation = "damage", scope = "own_lab", amount = 2 },
               { trigger = "play", operation = "heal", scope = "own_lab", amount = 4 }]
    ''')
    (given(hand="overdraft", funding=funding, cards=cards).play("overdraft").expect(funding=funding + 2, winner="open"))
