"""Every keyword alone: Guard, Pretrained, Regularized, Convolution, Recurrent, Attention, Residual, Frozen."""

from __future__ import annotations

import pytest

from tests.scenarios.scenario import given


@pytest.mark.parametrize("state", ["", "tapped", "frozen", "0/6"])
def test_a_guard_must_be_attacked_first_whatever_its_state(state: str) -> None:
    (given(own={1: "gru"}, enemy={2: f"bert {state}", 4: "perceptron"})
        .cannot_attack(1, "enemy lab", because="an enemy Guard must be attacked first")
        .cannot_attack(1, "enemy 4", because="an enemy Guard must be attacked first")
        .attack(1, "enemy 2"))


def test_of_two_guards_either_may_be_attacked_and_both_must_fall() -> None:
    (given(own={1: "gru", 2: "gru", 3: "gru"}, enemy={2: "bert 2/2(6)", 5: "autoencoder 1/2(4)"})
        .attack(1, "enemy 5").cannot_attack(2, "enemy lab", because="Guard")
        .attack(2, "enemy 2").attack(3, "enemy lab").expect(enemy_funding=16))


def test_guards_do_not_stop_cards() -> None:
    (given(enemy={1: "bert", 2: "perceptron"}, hand="adversarial-example")
        .play("adversarial-example", "enemy 2").expect(enemy={2: "1/1(4)"}))


def test_your_own_guard_is_no_hindrance() -> None:
    given(own={1: "bert", 2: "gru"}).attack(2, "enemy lab").expect(enemy_funding=16)


def test_a_model_cannot_attack_on_the_turn_it_enters() -> None:
    (given(hand="perceptron").play("perceptron").cannot_attack(1, "enemy lab", because="entered this turn")
        .end_turn().end_turn().attack(1, "enemy lab"))


def test_pretrained_attacks_at_once_and_a_gained_one_too() -> None:
    given(hand="gpt").play("gpt").attack(1, "enemy lab").expect(enemy_funding=13)
    (given(hand="perceptron, transfer-learning").play("perceptron").play("transfer-learning", "own 1")
        .attack(1, "enemy lab").expect(enemy_funding=16))


def test_regularized_prevents_the_first_damage_only() -> None:
    (given(own={1: "gru 2/5"}, enemy={1: "u-net"}, hand="dropout")
        .attack(1, "enemy 1").happened("absorb enemy 1").expect(own={1: "2/2(5)"}, enemy={1: "3/3 !regularized"})
        .play("dropout").expect(enemy={1: "3/2(3)"}))


def test_regularized_is_kept_when_no_damage_comes() -> None:
    (given(own={1: "gru 2/5 regularized"}, enemy={1: "perceptron 0/4"})
        .attack(1, "enemy 1").expect(own={1: "2/5(5) regularized"}, enemy={1: "0/2(4)"}))


def test_a_keyword_gained_twice_does_nothing_more() -> None:
    (given(own={1: "bert"}, hand="gradient-clipping, gradient-clipping, dropout, dropout")
        .repeat(2, "gradient-clipping", "own 1").play("dropout").expect(own={1: "2/6 !regularized"})
        .play("dropout").expect(own={1: "2/5"}))


@pytest.mark.parametrize(("target", "hit"), [(1, {2}), (2, {1, 3}), (6, {5}), (5, {4, 6})])
def test_convolution_hits_the_neighbours_and_nobody_beyond_the_ends(target: int, hit: set[int]) -> None:
    scene = given(own={1: "neocognitron 2/9"}, enemy=dict.fromkeys(range(1, 7), "mixture-of-experts"))
    scene.attack(1, f"enemy {target}")
    for slot in range(1, 7):
        scene.expect(enemy={slot: "4/3(5)" if slot == target else "4/4(5)" if slot in hit else "4/5(5)"})


def test_convolution_over_empty_slots_and_against_the_lab_hits_nobody_else() -> None:
    given(own={1: "neocognitron"}, enemy={2: "perceptron", 4: "perceptron"}).attack(1, "enemy 2").expect(
        enemy={2: "1/2(4)", 4: "1/4"})
    given(own={1: "neocognitron"}, enemy={1: "perceptron"}).attack(1, "enemy lab").expect(
        enemy={1: "1/4"}, enemy_funding=16)


def test_convolution_works_in_the_attack_only_not_in_the_defence() -> None:
    (given(own={1: "perceptron", 2: "bert", 3: "perceptron"}, enemy={1: "neocognitron"})
        .attack(2, "enemy 1").expect(own={1: "1/4", 2: "2/4(6)", 3: "1/4"}))


def test_recurrent_attacks_twice_and_is_then_tapped() -> None:
    (given(own={1: "gru"}, enemy={1: "perceptron"})
        .attack(1, "enemy 1").expect(own={1: "!tapped attacks=1"})
        .attack(1, "enemy lab").expect(own={1: "tapped attacks=2"}).cannot_attack(1, "enemy lab", because="tapped")
        .end_turn().end_turn().expect(own={1: "!tapped attacks=0"}).attack(1, "enemy lab").attack(1, "enemy lab"))


def test_losing_recurrent_after_one_attack_taps() -> None:
    (given(own={1: "gru"}, hand="ablation-study")
        .attack(1, "enemy lab").play("ablation-study", "own 1").expect(own={1: "tapped !recurrent"}))


def test_losing_recurrent_before_attacking_leaves_one_attack() -> None:
    (given(own={1: "gru"}, hand="ablation-study")
        .play("ablation-study", "own 1").expect(own={1: "!tapped"}).attack(1, "enemy lab").expect(own={1: "tapped"}))


def test_losing_recurrent_in_the_enemys_turn_does_not_tap() -> None:
    (given(own={1: "gru"}, enemy_hand="ablation-study")
        .attack(1, "enemy lab").end_turn().play("ablation-study", "own 1").expect(own={1: "!tapped attacks=0"}))


def test_attention_ignores_guards() -> None:
    (given(own={1: "transformer", 2: "transformer", 3: "transformer"}, enemy={1: "bert", 2: "perceptron"})
        .attack(1, "enemy lab").attack(2, "enemy 2").attack(3, "enemy 1")
        .expect(enemy_funding=14, enemy={1: "2/2(6)", 2: "empty"}))


def test_residual_passes_what_was_gained_and_no_more() -> None:
    (given(own={1: "transformer 6/3(8) rush=3", 2: "bert 2/3(6)"}, hand="knowledge-distillation")
        .play("knowledge-distillation", "own 1").happened("death own 1", "residual own 2", "buff own 2")
        .expect(own={1: "empty", 2: "4/6(9) rush=0"}))


def test_residual_of_a_weakened_model_passes_nothing_negative() -> None:
    (given(own={1: "transformer 1/3(7)", 2: "bert"}, hand="knowledge-distillation")
        .play("knowledge-distillation", "own 1").expect(own={2: "2/8(8)"}))
    scene = given(own={1: "transformer 4/5", 2: "bert"}, hand="knowledge-distillation")
    scene.play("knowledge-distillation", "own 1").expect(own={2: "2/6(6)"})
    assert scene.count("residual") == 0


def test_a_frozen_model_cannot_attack_but_hits_back() -> None:
    (given(own={1: "gru frozen", 2: "gru 2/5"}, enemy={1: "support-vector-machine"})
        .cannot_attack(1, "enemy 1", because="Frozen")
        .attack(2, "enemy 1").expect(own={2: "2/3(5)"}, enemy={1: "2/4(6)"}))


def test_a_model_without_attack_cannot_attack_but_may_be_attacked() -> None:
    (given(own={1: "perceptron 0/4", 2: "perceptron"}, enemy={1: "perceptron 0/4"})
        .cannot_attack(1, "enemy lab", because="no attack").attack(2, "enemy 1").expect(own={2: "1/4"}))


def test_rush_lends_an_attack_to_a_model_without_one() -> None:
    (given(own={1: "perceptron 0/4"}, hand="momentum")
        .play("momentum", "own 1").attack(1, "enemy lab").expect(enemy_funding=15))
