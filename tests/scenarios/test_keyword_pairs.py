"""Keywords that meet: on one Model, or on the two sides of an attack."""

from __future__ import annotations

import pytest

from tests.scenarios.scenario import given


def test_convolution_meets_regularized_neighbours() -> None:
    (given(own={1: "lenet-5"}, enemy={1: "bert regularized", 2: "bert", 3: "bert"})
        .attack(1, "enemy 2")
        .expect(enemy={1: "2/6 !regularized hurt=0", 2: "2/3(6)", 3: "2/5(6)"}))


def test_convolution_with_a_regularized_target_still_hits_the_neighbours() -> None:
    (given(own={1: "lenet-5"}, enemy={1: "bert !guard", 2: "u-net"})
        .attack(1, "enemy 2").expect(enemy={1: "2/5(6)", 2: "3/3 !regularized"}))


def test_convolution_ignores_guard_for_the_neighbours() -> None:
    (given(own={1: "lenet-5"}, enemy={1: "perceptron", 2: "bert"})
        .cannot_attack(1, "enemy 1", because="Guard").attack(1, "enemy 2").expect(enemy={1: "1/3(4)"}))


def test_convolution_hits_guards_beside_the_target_of_an_attention_model() -> None:
    (given(own={1: "lenet-5 attention"}, enemy={1: "bert", 2: "perceptron"})
        .attack(1, "enemy 2").expect(enemy={1: "2/5(6)", 2: "1/1(4)"}))


def test_convolution_on_a_recurrent_model_works_in_both_attacks() -> None:
    (given(own={1: "gru convolution"}, enemy={1: "bert", 2: "perceptron 1/9"})
        .attack(1, "enemy 1").attack(1, "enemy 1").expect(enemy={1: "2/2(6)", 2: "1/7"}))


def test_convolution_kills_neighbours_at_the_same_time_as_the_target() -> None:
    (given(own={1: "lenet-5"}, enemy={1: "generator 3/1(2)", 2: "generator 3/2", 3: "generator 3/1(2)"})
        .attack(1, "enemy 2")
        .expect(own={1: "empty"}, enemy={1: "empty", 2: "empty", 3: "empty"})
        .happened("death own 1", "death enemy 1", "death enemy 2", "death enemy 3"))


def test_recurrent_against_regularized_the_second_attack_hurts() -> None:
    (given(own={1: "gru"}, enemy={1: "bert regularized"})
        .attack(1, "enemy 1").expect(enemy={1: "2/6 !regularized"})
        .attack(1, "enemy 1").expect(enemy={1: "2/4(6)"}))


def test_a_regularized_recurrent_attacker_absorbs_the_first_blow_only() -> None:
    (given(own={1: "gru 2/5 regularized"})
        .attack(1, "enemy lab").expect(own={1: "2/5 hurt=0 !regularized"})
        .attack(1, "enemy lab").expect(own={1: "2/4(5) hurt=1"}))


def test_attention_meets_guard() -> None:
    (given(own={1: "gru", 2: "gru attention"}, enemy={1: "bert", 3: "perceptron"})
        .cannot_attack(1, "enemy 3", because="Guard").attack(2, "enemy 3").expect(enemy={3: "1/2(4)"}))


def test_attention_lost_by_ablation_respects_guards_again() -> None:
    (given(own={1: "transformer"}, enemy={1: "bert"}, hand="ablation-study")
        .play("ablation-study", "own 1").cannot_attack(1, "enemy lab", because="Guard"))


def test_an_ablated_guard_guards_no_more() -> None:
    (given(own={1: "gru"}, enemy={1: "bert"}, hand="ablation-study")
        .play("ablation-study", "enemy 1").attack(1, "enemy lab").expect(enemy_funding=16))


def test_guard_with_attention_both_work() -> None:
    (given(own={1: "bert attention"}, enemy={1: "bert"})
        .attack(1, "enemy lab").expect(enemy_funding=16)
        .end_turn().cannot_attack(1, "own lab", because="Guard"))


def test_residual_prefers_its_own_family() -> None:
    (given(own={1: "transformer 6/5(7)", 2: "perceptron", 3: "bert", 4: "gru 2/5"}, hand="knowledge-distillation")
        .play("knowledge-distillation", "own 1").expect(own={2: "1/4", 3: "4/8(8)", 4: "2/5"}))


def test_residual_without_family_takes_any_own_model() -> None:
    (given(own={1: "transformer 6/5(7)", 5: "perceptron"}, enemy={1: "bert"}, hand="knowledge-distillation")
        .play("knowledge-distillation", "own 1").expect(own={5: "3/6(6)"}, enemy={1: "2/6"}))


def test_residual_without_heir_is_lost() -> None:
    scene = given(own={1: "transformer 6/5(7)"}, enemy={1: "bert"}, hand="knowledge-distillation")
    scene.play("knowledge-distillation", "own 1").expect(own={1: "empty"}, enemy={1: "2/6"})
    assert scene.count("residual") == 0


@pytest.mark.parametrize("heirs", [("bert", "gpt"), ("perceptron", "gru")])
def test_residual_chooses_by_chance_among_equals(heirs: tuple[str, str]) -> None:
    chosen = set()
    for random in range(40):
        scene = given(own={1: "transformer 5/5", 2: heirs[0], 3: heirs[1]}, hand="knowledge-distillation",
                      random=random).play("knowledge-distillation", "own 1")
        chosen.add(next(slot for slot in (2, 3) if scene.unit(f"own {slot}").attack > scene.match.cards[
            scene.unit(f"own {slot}").card].attack))
    assert chosen == {2, 3}


def test_residual_to_residual_inherited_points_count_as_gained() -> None:
    (given(own={1: "transformer 6/5(7)", 2: "vision-transformer"},
           hand="knowledge-distillation, knowledge-distillation, perceptron")
        .play("knowledge-distillation", "own 1").expect(own={2: "7/7(7)"})
        .play("perceptron", "own 1").play("knowledge-distillation", "own 2").expect(own={1: "3/6(6)"}))


def test_two_residual_models_dying_together_pass_to_a_survivor_not_to_each_other() -> None:
    (given(own={1: "transformer 6/1(7)", 2: "vision-transformer 8/1(5)", 3: "perceptron"}, hand="dropout")
        .play("dropout").expect(own={1: "empty", 2: "empty", 3: "6/5(6)"}))


def test_residual_meets_ablation_nothing_is_passed() -> None:
    (given(own={1: "transformer 6/5(7)", 2: "bert"}, hand="ablation-study, knowledge-distillation")
        .play("ablation-study", "own 1").play("knowledge-distillation", "own 1").expect(own={2: "2/6(6)"}))


def test_residual_is_not_a_recall() -> None:
    (given(own={1: "transformer 6/5(7)", 2: "bert"}, hand="gradient-checkpointing")
        .play("gradient-checkpointing", "own 1").expect(own={2: "2/6(6)"}, hand="transformer"))


def test_residual_may_go_to_a_frozen_or_tapped_model() -> None:
    (given(own={1: "resnet 5/6(7)", 2: "neocognitron frozen tapped"}, hand="knowledge-distillation")
        .play("knowledge-distillation", "own 1").expect(own={2: "3/4(4)"}))


def test_frozen_beats_pretrained() -> None:
    (given(own={1: "gpt new frozen"}, hand="transfer-learning")
        .cannot_attack(1, "enemy lab", because="Frozen")
        .play("transfer-learning", "own 1").cannot_attack(1, "enemy lab", because="Frozen"))


def test_frozen_stops_both_attacks_and_ablation_takes_both_keywords() -> None:
    (given(own={1: "gru frozen"}, hand="ablation-study")
        .cannot_attack(1, "enemy lab", because="Frozen")
        .play("ablation-study", "own 1").attack(1, "enemy lab").expect(own={1: "tapped"}))


def test_frozen_with_regularized_and_guard_still_defend() -> None:
    (given(own={1: "gru 2/5"}, enemy={1: "support-vector-machine regularized", 2: "perceptron"})
        .cannot_attack(1, "enemy 2", because="Guard")
        .attack(1, "enemy 1").expect(enemy={1: "2/6 !regularized guard frozen"}, own={1: "2/3(5)"}))


def test_pretrained_with_recurrent_attacks_twice_on_entering() -> None:
    (given(hand="gru, transfer-learning").play("gru").play("transfer-learning", "own 1")
        .attack(1, "enemy lab").attack(1, "enemy lab").expect(own={1: "tapped"}, enemy_funding=12))


def test_pretrained_does_not_free_a_tapped_model() -> None:
    (given(own={1: "gru tapped"}, hand="transfer-learning")
        .play("transfer-learning", "own 1").cannot_attack(1, "enemy lab", because="tapped"))


def test_pretrained_meets_guard_and_attention() -> None:
    (given(enemy={1: "bert"}, hand="deep-belief-net, straight-through-estimator")
        .play("deep-belief-net").cannot_attack(1, "enemy lab", because="Guard")
        .play("straight-through-estimator", "own 1").attack(1, "enemy lab").expect(enemy_funding=14))


@pytest.mark.parametrize("word", ["tapped", "frozen", "new", "training"])
def test_regularized_absorbs_whatever_the_models_state(word: str) -> None:
    given(own={1: f"gru 2/5 regularized {word}"}, hand="dropout").play("dropout").expect(own={1: "2/5 !regularized"})
