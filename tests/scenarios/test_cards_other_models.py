"""Every Model of the convnet, recurrent and transformer families, alone. A test is named after its card."""

from __future__ import annotations

from tests.scenarios.scenario import given


def test_neocognitron() -> None:
    (given(own={1: "neocognitron"}, enemy={1: "perceptron", 2: "bert", 3: "perceptron", 4: "perceptron"})
        .attack(1, "enemy 2")
        .expect(own={1: "2/1(3)"}, enemy={1: "1/3(4)", 2: "2/4(6)", 3: "1/3(4)", 4: "1/4"}))


def test_lenet_5() -> None:
    (given(own={1: "lenet-5"}, enemy={1: "bert", 2: "bert"}, hand="backpropagation", deck="dropout, momentum")
        .attack(1, "enemy 1")
        .expect(own={1: "3/1(3)"}, enemy={1: "2/3(6)", 2: "2/5(6)"})
        .play("backpropagation", "own 1")
        .expect(own={1: "4/2(4)"}, hand="dropout"))


def test_u_net() -> None:
    (given(own={1: "u-net"}, enemy={1: "bert", 2: "bert"}, hand="backpropagation, dropout")
        .attack(1, "enemy 1")
        .expect(own={1: "3/3 !regularized hurt=0"}, enemy={1: "2/3(6)", 2: "2/5(6)"})
        .play("dropout")
        .expect(own={1: "3/2(3) hurt=1"})
        .play("backpropagation", "own 1")
        .expect(own={1: "4/3(4) regularized"}))


def test_alexnet() -> None:
    given(hand="alexnet", deck="dropout, momentum").play("alexnet").expect(own={1: "4/3 convolution"}, hand="dropout")
    (given(own={1: "alexnet 4/2(3) hurt=1", 2: "adaline"}, enemy={1: "bert", 4: "perceptron"}, hand="backpropagation")
        .play("backpropagation", "own 1")
        .expect(own={1: "5/3(4)", 2: "2/2"}, enemy={1: "2/5(6)", 4: "1/3(4)"}))


def test_vgg_16() -> None:
    (given(own={1: "vgg-16"}, enemy={1: "bert", 2: "perceptron"}, hand="backpropagation")
        .attack(1, "enemy 1")
        .expect(own={1: "5/3(5)"}, enemy={1: "2/1(6)", 2: "1/3(4)"})
        .play("backpropagation", "own 1")
        .expect(own={1: "7/5(7)"}))  # +1/+1 and its own +1/+1


def test_resnet() -> None:
    (given(own={1: "resnet", 2: "perceptron"}, enemy={1: "bert", 2: "perceptron"},
           hand="backpropagation, knowledge-distillation")
        .attack(1, "enemy 1")
        .expect(own={1: "4/4(6)"}, enemy={1: "2/2(6)", 2: "1/3(4)"})
        .play("backpropagation", "own 1")
        .expect(own={1: "6/6(8)"})
        .play("knowledge-distillation", "own 1")
        .expect(own={1: "empty", 2: "3/6(6) perceptron"}))  # Residual passes the gained +2/+2 on


def test_elman_network() -> None:
    (given(own={1: "elman-network"}, hand="backpropagation")
        .attack(1, "enemy lab")
        .expect(own={1: "2/2(3) !tapped attacks=1"}, enemy_funding=16)
        .attack(1, "enemy lab")
        .expect(own={1: "2/1(3) tapped attacks=2"}, enemy_funding=14)
        .cannot_attack(1, "enemy lab", because="tapped")
        .play("backpropagation", "own 1")
        .expect(own={1: "4/2(4)"}))


def test_gru() -> None:
    (given(own={1: "gru"}, hand="backpropagation", deck="dropout, momentum")
        .attack(1, "enemy lab")
        .play("backpropagation", "own 1")
        .expect(own={1: "3/4(5) training !tapped"}, hand="dropout")
        .attack(1, "enemy lab")
        .expect(own={1: "3/3(5) tapped"}, enemy_funding=13))


def test_lstm() -> None:
    (given(own={1: "lstm"}, hand="backpropagation")
        .attack(1, "enemy lab")
        .attack(1, "enemy lab")
        .expect(own={1: "2/4(6) tapped"}, enemy_funding=14)
        .play("backpropagation", "own 1")
        .expect(own={1: "4/6(8)"}))


def test_seq2seq() -> None:
    (given(own={1: "seq2seq 3/2(3) hurt=1"}, hand="backpropagation, knowledge-distillation",
           deck="dropout, momentum, bert, gpt, gru, lstm, vgg-16")
        .play("backpropagation", "own 1")
        .expect(own={1: "4/3(4) !recurrent"}, hand="knowledge-distillation, dropout")
        .play("knowledge-distillation", "own 1")
        .expect(own={1: "empty"}, hand="dropout, momentum, bert, gpt, gru, lstm", deck="vgg-16"))


def test_bert() -> None:
    (given(own={1: "bert 2/5(6) hurt=1", 2: "perceptron"}, enemy={1: "perceptron"}, hand="backpropagation", funding=10)
        .play("backpropagation", "own 1")
        .expect(own={1: "3/6(7) guard"}, funding=14)
        .end_turn()
        .cannot_attack(1, "own 2", because="Guard"))
    (given(own={1: "bert 2/5(6) hurt=1"}, hand="backpropagation", funding=16)
        .play("backpropagation", "own 1")
        .expect(funding=18))  # never above what a lab starts with


def test_transformer() -> None:
    (given(own={1: "transformer", 2: "perceptron"}, enemy={1: "bert"}, hand="backpropagation, knowledge-distillation",
           deck="dropout, momentum, momentum")
        .attack(1, "enemy lab")
        .expect(own={1: "4/4(5)"}, enemy_funding=14)
        .play("backpropagation", "own 1")
        .expect(own={1: "5/5(6)"}, hand="knowledge-distillation, dropout")
        .play("knowledge-distillation", "own 1")
        .expect(own={1: "empty", 2: "2/5(5)"}))


def test_vision_transformer() -> None:
    (given(own={1: "vision-transformer", 2: "perceptron"}, enemy={1: "bert"},
           hand="backpropagation, knowledge-distillation")
        .attack(1, "enemy lab")
        .expect(own={1: "5/4(5)"}, enemy_funding=13)
        .play("backpropagation", "own 1")
        .expect(own={1: "6/5(6)"}, enemy={1: "2/3(6)"})
        .play("knowledge-distillation", "own 1")
        .expect(own={2: "2/5(5)"}))


def test_gpt() -> None:
    (given(enemy={1: "bert"}, hand="gpt, backpropagation", deck="dropout, momentum")
        .play("gpt")
        .expect(compute=3)
        .attack(1, "enemy lab")
        .expect(own={1: "5/3(4) tapped new"}, enemy_funding=13)
        .play("backpropagation", "own 1")
        .expect(own={1: "6/4(5)"}, hand="dropout"))


def test_mixture_of_experts() -> None:
    (given(own={1: "perceptron", 5: "bert 2/3(6)"}, enemy={1: "perceptron"}, hand="mixture-of-experts")
        .play("mixture-of-experts", "own 3")
        .expect(own={1: "2/5(5)", 3: "4/5(5)", 5: "3/4(7)"}, enemy={1: "1/4"}))
    (given(own={1: "perceptron", 3: "mixture-of-experts 4/4(5) hurt=1"}, hand="backpropagation")
        .play("backpropagation", "own 3")
        .expect(own={1: "2/5(5) !training updates=0", 3: "5/5(6) training"}))
