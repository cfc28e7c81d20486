"""Every Technique, alone. A test is named after its card."""

from __future__ import annotations

import pytest

from tests.scenarios.scenario import given


def test_backpropagation() -> None:
    (given(own={1: "gru 2/5"}, enemy={1: "perceptron"}, hand="backpropagation", compute=2)
        .cannot_play("backpropagation", "own 1", because="took damage this turn")
        .attack(1, "enemy 1")
        .play("backpropagation", "own 1")
        .expect(own={1: "3/5(6) training hurt=1 updates=1"}, compute=0)
        .end_turn()
        .end_turn()
        .expect(own={1: "3/5(6) tapped !training updates=1"})
        .cannot_attack(1, "enemy 1", because="tapped"))


def test_fine_tuning() -> None:
    (given(own={1: "gru 2/5", 2: "gru frozen"}, enemy={1: "gru"}, hand="fine-tuning, fine-tuning", compute=5)
        .cannot_play("fine-tuning", "own 2", because="Frozen")
        .cannot_play("fine-tuning", "enemy 1", because="one of your Models")
        .play("fine-tuning", "own 1")
        .expect(own={1: "4/7(7) training updates=1"}, compute=2)
        .cannot_play("fine-tuning", "own 1", because="not enough compute"))


def test_gradient_descent() -> None:
    (given(own={1: "perceptron", 2: "generator 3/1(2)"}, hand="gradient-descent, gradient-descent, backpropagation")
        .play("gradient-descent", "own 1")
        .expect(own={1: "3/3(4) hurt=1"}, compute=9)
        .play("backpropagation", "own 1")
        .expect(own={1: "5/4(5)"})
        .play("gradient-descent", "own 2")
        .expect(own={2: "empty"}))


def test_momentum() -> None:
    (given(own={1: "perceptron", 2: "perceptron new"}, hand="momentum, momentum")
        .play("momentum", "own 1")
        .play("momentum", "own 2")
        .cannot_attack(2, "enemy lab", because="entered this turn")
        .attack(1, "enemy lab")
        .expect(own={1: "4/3(4) attack=1 rush=3"}, enemy_funding=14)
        .end_turn()
        .expect(own={1: "1/3(4) rush=0", 2: "1/4 rush=0"}))


def test_dropout() -> None:
    (given(own={1: "perceptron", 2: "generator 3/1(2)"}, enemy={3: "bert", 4: "u-net"}, hand="dropout")
        .play("dropout")
        .expect(own={1: "1/3(4)", 2: "empty"}, enemy={3: "2/5(6)", 4: "3/3 !regularized"}, funding=18,
                enemy_funding=18))


def test_gradient_clipping() -> None:
    (given(own={1: "perceptron"}, hand="gradient-clipping, adversarial-example")
        .play("gradient-clipping", "own 1")
        .expect(own={1: "regularized"})
        .play("adversarial-example", "own 1")
        .expect(own={1: "1/4 hurt=0 !regularized"}))


def test_gradient_checkpointing() -> None:
    (given(own={1: "lstm 5/2(9) hurt=3 updates=2"}, hand="gradient-checkpointing", compute=1)
        .play("gradient-checkpointing", "own 1")
        .expect(own={1: "empty"}, hand="lstm", compute=3)
        .cannot_play("lstm", because="not enough compute"))


def test_mixed_precision() -> None:
    (given(hand="mixed-precision, mixed-precision", compute=10)
        .repeat(2, "mixed-precision")
        .expect(compute=14, racks=10)  # compute may exceed the racks within a turn
        .end_turn().end_turn()
        .expect(compute=10))


def test_batch_normalization() -> None:
    (given(own={1: "bert 2/1(6) hurt=2", 2: "perceptron 1/4"}, enemy={1: "bert 2/1(6)"},
           hand="batch-normalization, backpropagation")
        .play("batch-normalization")
        .expect(own={1: "2/6(6) hurt=2", 2: "1/4(4)"}, enemy={1: "2/1(6)"})
        .play("backpropagation", "own 1"))  # healing doesn't undo having been hurt


def test_data_augmentation() -> None:
    (given(hand="data-augmentation", deck="bert, gpt, gru")
        .play("data-augmentation")
        .expect(hand="bert, gpt", deck="gru", compute=7))


def test_learning_rate_warm_up() -> None:
    (given(hand="learning-rate-warm-up", racks=4, compute=4)
        .play("learning-rate-warm-up")
        .expect(racks=5, compute=2)
        .end_turn().end_turn()
        .expect(racks=6, compute=6))


def test_early_stopping() -> None:
    (given(own={2: "perceptron"}, enemy={1: "gpt 5/3(4) hurt=1"}, hand="early-stopping",
           enemy_hand="backpropagation, fine-tuning")
        .play("early-stopping", "enemy 1")
        .expect(enemy={1: "frozen"})
        .end_turn()
        .cannot_attack(1, "own lab", because="Frozen")
        .cannot_play("fine-tuning", "enemy 1", because="Frozen Model can't be the target"))


def test_vanishing_gradient() -> None:
    (given(own={1: "gpt"}, enemy={1: "gpt", 2: "adaline"}, hand="vanishing-gradient, vanishing-gradient, momentum")
        .cannot_play("vanishing-gradient", "own 1", because="an enemy Model")
        .play("vanishing-gradient", "enemy 1")
        .expect(enemy={1: "2/4(4)"})
        .play("vanishing-gradient", "enemy 2")
        .expect(enemy={2: "0/2 attack=0"}))  # clamped: a later +1 counts


def test_exploding_gradient() -> None:
    (given(own={1: "gpt"}, enemy={2: "bert", 3: "perceptron", 4: "bert", 6: "bert"}, hand="exploding-gradient")
        .play("exploding-gradient", "enemy 3")
        .expect(own={1: "5/4"}, enemy={2: "2/5(6)", 3: "empty", 4: "2/5(6)", 6: "2/6"}))


def test_dead_relu() -> None:
    (given(own={1: "perceptron"}, enemy={1: "lenet-5", 2: "bert regularized"}, hand="dead-relu")
        .cannot_play("dead-relu", "enemy 1", because="attack of 2 or less")
        .cannot_play("dead-relu", "own 1", because="an enemy Model")
        .play("dead-relu", "enemy 2")
        .expect(enemy={2: "empty"}))


@pytest.mark.parametrize("side", ["own", "enemy"])
def test_adversarial_example(side: str) -> None:
    scene = given(own={1: "bert"}, enemy={1: "bert"}, hand="adversarial-example")
    scene.play("adversarial-example", f"{side} 1")
    scene.expect(**{side: {1: "2/3(6) hurt=3"}})
    scene.expect(**{"enemy" if side == "own" else "own": {1: "2/6"}})


def test_ai_winter() -> None:
    (given(own={1: "bert", 2: "perceptron"}, enemy={1: "bert", 2: "gpt"}, hand="ai-winter")
        .play("ai-winter")
        .expect(own={1: "2/2(6)", 2: "empty"}, enemy={1: "2/2(6)", 2: "empty"}, compute=4))


def test_transfer_learning() -> None:
    (given(own={1: "perceptron new"}, hand="transfer-learning")
        .cannot_attack(1, "enemy lab", because="entered this turn")
        .play("transfer-learning", "own 1")
        .attack(1, "enemy lab")
        .expect(own={1: "2/3(4) pretrained"}, enemy_funding=16))


def test_knowledge_distillation() -> None:
    (given(own={1: "hopfield-network regularized"}, hand="knowledge-distillation", deck="bert, gpt, gru, lstm, vgg-16")
        .play("knowledge-distillation", "own 1")
        .expect(own={1: "empty"}, hand="bert, gpt, gru, lstm"))  # three, and one for the Hopfield Network's death


@pytest.mark.parametrize("side", ["own", "enemy"])
def test_ablation_study(side: str) -> None:
    (given(**{side: {1: "resnet 9/9(12) guard rush=2 training hurt=2 updates=3"}}, hand="ablation-study")
        .play("ablation-study", f"{side} 1")
        .expect(**{side: {1: "4/6(6) !convolution !residual !guard rush=0 ablated training hurt=2 updates=3"}}))


def test_weight_decay() -> None:
    (given(own={1: "bert"}, enemy={1: "bert", 2: "perceptron 0/4"}, hand="weight-decay")
        .play("weight-decay")
        .expect(own={1: "2/6"}, enemy={1: "1/6(6)", 2: "0/4 attack=0"}))


def test_funding_round() -> None:
    given(hand="funding-round", funding=10).play("funding-round").expect(funding=14, compute=9)
    given(hand="funding-round", funding=15).play("funding-round").expect(funding=18)


def test_forward_forward() -> None:
    (given(own={1: "bert", 2: "bert hurt=1", 3: "support-vector-machine"}, hand="forward-forward, forward-forward")
        .cannot_play("forward-forward", "own 2", because="took no damage this turn")
        .play("forward-forward", "own 1")
        .expect(own={1: "3/7(7) !training updates=0"})
        .play("forward-forward", "own 3")
        .expect(own={3: "3/7(7) frozen"}))  # no gradient: Frozen is no hindrance


def test_reinforce() -> None:
    (given(own={4: "bert"}, enemy={1: "bert"}, hand="reinforce", deck="gpt, gru")
        .play("reinforce")
        .expect(own={4: "4/7(7) updates=0"}, enemy={1: "2/6"}, hand="gpt"))
    given(hand="reinforce", deck="gpt, gru").play("reinforce").expect(hand="gpt")


def test_straight_through_estimator() -> None:
    (given(own={1: "perceptron"}, enemy={1: "bert"}, hand="straight-through-estimator")
        .cannot_attack(1, "enemy lab", because="Guard")
        .play("straight-through-estimator", "own 1")
        .attack(1, "enemy lab")
        .expect(own={1: "2/3(4) attention"}, enemy_funding=16))
