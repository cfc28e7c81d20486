"""Every trigger: play, death, turn_start, turn_end, attack, update, own_enter, own_update."""

from __future__ import annotations

from tests.scenarios.scenario import given
from tests.scenarios.testcards import extended

CARDS = extended('''
[[card]]
id = "early-riser"
type = "model"
attack = 1
health = 3
effects = [{ trigger = "turn_start", operation = "buff", scope = "self", attack = 1, health = 0 }]
[[card]]
id = "alarm"
type = "model"
attack = 1
health = 3
effects = [{ trigger = "turn_start", operation = "summon", scope = "own_lab", card = "early-riser" }]
[[card]]
id = "echo"
type = "model"
attack = 1
health = 3
effects = [{ trigger = "turn_end", operation = "summon", scope = "own_lab", card = "td-gammon" }]
[[card]]
id = "pain"
type = "model"
attack = 1
health = 3
effects = [{ trigger = "turn_start", operation = "damage", scope = "own", amount = 1 }]
[[card]]
id = "cold-start"
type = "model"
attack = 1
health = 3
effects = [{ trigger = "turn_start", operation = "draw", scope = "own_lab", amount = 1 }]
[[card]]
id = "berserker"
type = "model"
attack = 3
health = 5
effects = [{ trigger = "attack", operation = "damage", scope = "enemy_lab", amount = 2 }]
[[card]]
id = "mentor"
type = "researcher"
family = "mlp"
effects = [{ trigger = "own_enter", operation = "keyword", scope = "chosen", keyword = "guard" },
           { trigger = "own_update", operation = "heal", scope = "chosen", amount = 5 }]
[[card]]
id = "patron"
type = "researcher"
effects = [{ trigger = "play", operation = "heal", scope = "own_lab", amount = 2 }]
[[card]]
id = "phoenix"
type = "model"
attack = 1
health = 1
effects = [{ trigger = "death", operation = "damage", scope = "neighbours", amount = 1 }]
''')


def test_play_triggers_fire_when_played_from_the_hand_only() -> None:
    given(hand="alexnet", deck="bert, gpt").play("alexnet").expect(hand="bert")
    given(own={1: "madaline"}, hand="adaline").play("adaline", "own 2").expect(own={3: "empty"})


def test_a_researchers_play_effect_comes_after_its_draw() -> None:
    (given(hand="patron", deck="", funding=18, cards=CARDS)
        .play("patron").happened("researcher", "fatigue", "lab_damage", "lab_heal").expect(funding=18, fatigue=1))


def test_death_trigger_acts_from_the_former_slot() -> None:
    (given(own={2: "phoenix", 1: "bert", 3: "bert", 4: "bert"}, hand="knowledge-distillation", cards=CARDS)
        .play("knowledge-distillation", "own 2")
        .expect(own={1: "2/5(6)", 2: "empty", 3: "2/5(6)", 4: "2/6"}))


def test_death_triggers_fire_in_the_enemys_turn_too() -> None:
    (given(own={1: "hopfield-network"}, enemy_hand="adversarial-example", deck="bert, gpt, gru")
        .end_turn().play("adversarial-example", "own 1").expect(hand="bert"))


def test_turn_start_triggers_come_after_untapping_and_before_the_draw() -> None:
    (given(own={1: "cold-start tapped"}, racks=5, deck="bert, gpt, gru", cards=CARDS)
        .end_turn().end_turn().happened("turn own lab", "rack own lab", "trigger own 1", "draw own lab", "draw own lab")
        .expect(own={1: "!tapped"}, hand="bert, gpt", racks=6))


def test_turn_triggers_are_the_active_players_alone() -> None:
    (given(own={1: "early-riser"}, enemy={1: "early-riser"}, cards=CARDS)
        .end_turn().expect(own={1: "1/3"}, enemy={1: "2/3"})
        .end_turn().expect(own={1: "2/3"}, enemy={1: "2/3"}))


def test_turn_triggers_go_by_slot() -> None:
    scene = given(own={5: "early-riser", 2: "early-riser", 3: "cold-start"}, cards=CARDS).end_turn().end_turn()
    scene.happened("trigger own 2", "trigger own 3", "trigger own 5")


def test_a_model_summoned_in_a_trigger_phase_does_not_trigger_in_it() -> None:
    (given(own={1: "alarm"}, cards=CARDS)
        .end_turn().end_turn().expect(own={2: "early-riser 1/3 new", 3: "empty"})
        .end_turn().end_turn().expect(own={2: "early-riser 2/3", 3: "early-riser 1/3"}))
    (given(own={1: "echo"}, cards=CARDS)
        .end_turn().expect(own={2: "td-gammon 3/4"}).end_turn().end_turn().expect(own={2: "td-gammon 4/4"}))


def test_damage_at_the_turns_start_counts_for_backpropagation() -> None:
    scene = given(own={1: "pain", 2: "bert"}, hand="backpropagation", cards=CARDS).end_turn().end_turn()
    scene.expect(own={1: "1/2(3) hurt=1", 2: "2/5(6) hurt=1"})
    scene.play("backpropagation", "own 2").expect(own={2: "3/6(7)"})


def test_turn_end_damage_is_reset_with_the_turn() -> None:
    (given(own={1: "diffusion-model"}, enemy={1: "bert"})
        .end_turn().expect(enemy={1: "2/5(6) hurt=0"}))


def test_a_model_killed_in_a_trigger_phase_does_not_trigger_any_more() -> None:
    (given(own={1: "diffusion-model", 2: "td-gammon"}, enemy={1: "adaline 2/1"})
        .end_turn().expect(own={2: "4/4"}, enemy={1: "empty"}))
    (given(own={1: "pain", 2: "early-riser 1/1", 3: "early-riser"}, cards=CARDS)
        .end_turn().end_turn().expect(own={1: "1/2(3)", 2: "empty", 3: "2/2(3)"}))


def test_attack_triggers_fire_for_models_and_labs() -> None:
    (given(own={1: "berserker", 2: "berserker"}, enemy={1: "perceptron"}, cards=CARDS)
        .attack(1, "enemy 1").expect(enemy_funding=16, enemy={1: "1/1(4)"})
        .attack(2, "enemy lab").expect(enemy_funding=11))


def test_an_attack_trigger_needs_a_living_attacker() -> None:
    scene = given(own={1: "berserker 3/2"}, enemy={1: "bert"}, cards=CARDS).attack(1, "enemy 1")
    scene.expect(own={1: "empty"}, enemy_funding=18)
    assert scene.count("trigger") == 0


def test_being_attacked_is_no_attack() -> None:
    given(own={1: "gru"}, enemy={1: "berserker"}, cards=CARDS).attack(1, "enemy 1").expect(funding=18)


def test_update_triggers_fire_for_the_model_that_learned_only() -> None:
    (given(own={1: "mlp-1986 2/2(3) hurt=1", 2: "mlp-1986"}, hand="backpropagation", deck="bert, gpt, gru")
        .play("backpropagation", "own 1").expect(hand="bert"))


def test_own_enter_and_own_update_look_at_the_researchers_family() -> None:
    (given(own={3: "bert 2/1(6) hurt=1"}, researcher="mentor", hand="gan, perceptron, backpropagation", cards=CARDS)
        .play("gan", "own 1").expect(own={1: "guard", 2: "generator guard"})
        .play("perceptron", "own 4").expect(own={4: "!guard"})
        .play("backpropagation", "own 3").expect(own={3: "3/2(7)"}))
    (given(own={1: "autoencoder 1/1(4) hurt=3"}, researcher="mentor", hand="backpropagation", cards=CARDS)
        .play("backpropagation", "own 1").expect(own={1: "2/7(7)"}))  # 1+1, own +2, then healed by 5, to 7 at most


def test_own_enter_comes_before_the_entering_models_play_effects() -> None:
    (given(hand="madaline", researcher="frank-rosenblatt")
        .play("madaline", "own 1").happened("enter own 1", "buff own 1", "enter own 2", "buff own 2"))


def test_the_enter_bonus_stays_when_the_researcher_goes() -> None:
    (given(hand="perceptron, geoffrey-hinton, adaline", researcher="frank-rosenblatt")
        .play("perceptron", "own 1").play("geoffrey-hinton").play("adaline", "own 2")
        .expect(own={1: "1/5(5)", 2: "2/2(2)"}))
