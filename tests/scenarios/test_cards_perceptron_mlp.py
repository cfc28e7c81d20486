"""Every Model of the perceptron and mlp families, alone. A test is named after its card."""

from __future__ import annotations

from tests.scenarios.scenario import given


def test_perceptron() -> None:
    (given(own={1: "perceptron"}, enemy={1: "bert"}, hand="backpropagation")
        .attack(1, "enemy 1")
        .expect(own={1: "1/2(4) hurt=2 tapped"}, enemy={1: "2/5(6) hurt=1"})
        .play("backpropagation", "own 1")
        .expect(own={1: "3/3(5) training updates=1"}))  # +1/+1 and its own +1/+0


def test_adaline() -> None:
    (given(own={1: "adaline"}, enemy={1: "perceptron"}, hand="backpropagation")
        .attack(1, "enemy 1")
        .expect(own={1: "2/1(2)"})
        .play("backpropagation", "own 1")
        .expect(own={1: "4/2(3) training"}))


def test_logistic_regression() -> None:
    (given(own={1: "logistic-regression 2/2(3) hurt=1"}, hand="backpropagation")
        .play("backpropagation", "own 1")
        .expect(own={1: "3/5(6) training"}))  # +1/+1 and its own +0/+2


def test_support_vector_machine() -> None:
    (given(own={2: "perceptron"}, enemy={1: "perceptron"}, hand="support-vector-machine, fine-tuning, fine-tuning")
        .play("support-vector-machine", "own 1")
        .expect(own={1: "2/6 guard frozen new"}, compute=7)
        .cannot_play("fine-tuning", "own 1", because="Frozen Model can't be the target of a gradient update")
        .end_turn()
        .cannot_attack(1, "own lab", because="Guard must be attacked first")
        .cannot_attack(1, "own 2", because="Guard must be attacked first")
        .attack(1, "own 1")
        .expect(own={1: "2/5(6)"}, enemy={1: "1/2(4)"})
        .end_turn()
        .cannot_attack(1, "enemy 1", because="Frozen"))


def test_madaline() -> None:
    (given(hand="madaline, backpropagation")
        .play("madaline", "own 2")
        .expect(own={1: "adaline 2/2 new", 2: "madaline 2/4", 3: "empty"}, compute=6))
    (given(own={2: "madaline 2/3(4) hurt=1"}, hand="backpropagation")
        .play("backpropagation", "own 2")
        .expect(own={1: "adaline 2/2 new", 2: "3/4(5) training", 3: "empty"}))


def test_mlp_1986() -> None:
    (given(own={1: "mlp-1986 2/2(3) hurt=1"}, hand="backpropagation", deck="dropout, momentum")
        .play("backpropagation", "own 1")
        .expect(own={1: "3/3(4)"}, hand="dropout", deck="momentum"))


def test_autoencoder() -> None:
    (given(own={1: "autoencoder 1/3(4) hurt=1"}, hand="backpropagation")
        .play("backpropagation", "own 1")
        .expect(own={1: "2/6(7) guard"}))


def test_hopfield_network() -> None:
    (given(own={1: "hopfield-network"}, hand="adversarial-example", deck="dropout, momentum")
        .play("adversarial-example", "own 1")
        .expect(own={1: "empty"}, hand="dropout")
        .happened("death own 1", "trigger own 1", "draw"))


def test_boltzmann_machine() -> None:
    (given(own={1: "perceptron", 3: "perceptron", 4: "perceptron"}, enemy={5: "bert"}, hand="boltzmann-machine")
        .play("boltzmann-machine", "own 2")
        .expect(own={1: "1/3(4) hurt=1", 2: "3/3", 3: "1/3(4) hurt=1", 4: "1/4"}, enemy={5: "2/5(6) hurt=1"}))


def test_boltzmann_machine_on_an_empty_board_hurts_nobody() -> None:
    (given(enemy={}, hand="boltzmann-machine")
        .play("boltzmann-machine", "own 6")
        .expect(own={6: "3/3 hurt=0"}, funding=18, enemy_funding=18))


def test_td_gammon() -> None:
    (given(own={1: "td-gammon 3/3(4) hurt=1"}, hand="backpropagation", deck="dropout, momentum")
        .play("backpropagation", "own 1")
        .expect(own={1: "4/4(5)"}, hand="dropout")
        .end_turn()
        .expect(own={1: "5/4(5)"})
        .end_turn()
        .expect(own={1: "5/4(5)"}))  # the other player's turn end isn't its own


def test_deep_belief_net() -> None:
    (given(enemy={1: "perceptron"}, hand="deep-belief-net, backpropagation")
        .play("deep-belief-net")
        .attack(1, "enemy 1")
        .expect(own={1: "3/3(4) pretrained new tapped"}, enemy={1: "1/1(4)"})
        .play("backpropagation", "own 1")
        .expect(own={1: "5/5(6)"}))


def test_dqn() -> None:
    (given(own={1: "dqn"}, enemy={2: "perceptron"}, hand="backpropagation", deck="dropout, momentum")
        .attack(1, "enemy lab")
        .expect(own={1: "4/3(4)"}, enemy_funding=14, hand="backpropagation, dropout")
        .play("backpropagation", "own 1")
        .expect(own={1: "5/4(5)"}, enemy={2: "1/4 tapped held"})
        .end_turn()
        .expect(enemy={2: "tapped !held"})
        .cannot_attack(2, "own lab", because="tapped"))


def test_gan() -> None:
    (given(own={1: "perceptron"}, hand="gan")
        .play("gan", "own 2")
        .expect(own={2: "gan 3/3", 3: "generator 3/2 new", 4: "empty"}))
    (given(own={2: "gan 3/2(3) hurt=1"}, hand="backpropagation")
        .play("backpropagation", "own 2")
        .expect(own={1: "generator 3/2", 2: "4/3(4)", 3: "empty"}))


def test_generator() -> None:
    """A token: it costs nothing, stands for 3/2, and vanishes when it is recalled."""
    (given(own={1: "generator"}, hand="gradient-checkpointing", compute=1)
        .play("gradient-checkpointing", "own 1")
        .happened("vanish own 1")
        .expect(own={1: "empty"}, hand=0, compute=3))


def test_diffusion_model() -> None:
    (given(own={1: "diffusion-model 3/3(4) hurt=1", 2: "perceptron"}, enemy={1: "adaline", 6: "bert"},
           hand="backpropagation")
        .play("backpropagation", "own 1")
        .expect(own={1: "4/4(5)", 2: "1/4"}, enemy={1: "2/1(2)", 6: "2/5(6)"})
        .end_turn()
        .expect(own={2: "1/4"}, enemy={1: "empty", 6: "2/4(6) hurt=0"}, enemy_funding=18))


def test_alphago() -> None:
    (given(own={1: "bert"}, enemy={4: "bert 2/6 regularized"}, hand="alphago")
        .play("alphago")
        .expect(own={1: "bert", 2: "alphago 4/5"}, enemy={4: "empty"}, compute=1))
    (given(own={1: "alphago 4/4(5) hurt=1"}, enemy={4: "bert"}, hand="backpropagation")
        .play("backpropagation", "own 1")
        .expect(own={1: "5/5(6)"}, enemy={4: "2/3(6)"}))
    given(hand="alphago").play("alphago").expect(own={1: "4/5"})  # nobody to destroy
