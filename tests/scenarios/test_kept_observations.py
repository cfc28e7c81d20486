"""Which observation an update learns from, what it should have predicted, and what a recurrent network gets besides."""

from __future__ import annotations

from game.engine.observe import MATCH_FIELDS, TOKEN_FIELDS, view
from game.updates import UpdateRequest
from tests.scenarios.scenario import Scenario, given
from tests.scenarios.testcards import extended

PAIN = extended('''
[[card]]
id = "pain"
type = "model"
health = 9
effects = [{ trigger = "turn_start", operation = "damage", scope = "self", amount = 2 }]
''')


def asked(scene: Scenario) -> UpdateRequest:
    """The latest request that the scenario's update source has answered."""
    request: UpdateRequest = scene.match.updates[scene.you].requests[-1]
    return request


def field(request: UpdateRequest, name: str) -> int:
    """A field of the kept observation that concerns the whole match."""
    return int(view(request.observation).match[MATCH_FIELDS.index(name)])


def compute(scene: Scenario) -> int:
    """Your compute as it is now."""
    return int(scene.match.state.labs[scene.you].compute)


def shown(row: object, slot: int, name: str) -> int:
    """A field of an own Model in an observation."""
    return int(view(row).tokens[slot, TOKEN_FIELDS.index(name)])


def test_the_request_says_whose_network_learns_what() -> None:
    scene = given(own={3: "gru"}, enemy={2: "adaline"}, hand="backpropagation").attack(3, "enemy 2")
    scene.play("backpropagation", "own 3")
    request = asked(scene)
    assert (request.player, request.slot, request.entry) == (scene.you, 2, 1)
    assert (request.card, request.family, request.cause, request.damage) == ("gru", "recurrent", "backpropagation", 2)
    assert (request.ply, request.observation_ply, request.turn) == (22, 21, 9)
    assert request.match == scene.match.name


def test_its_own_attack_that_hurt_it() -> None:
    scene = given(own={1: "bert"}, enemy={2: "adaline"}, hand="mixed-precision, backpropagation")
    before = compute(scene.play("mixed-precision"))
    scene.attack(1, "enemy 2").play("backpropagation", "own 1")
    request = asked(scene)
    assert (request.observation_ply, request.target) == (22, 9)
    assert shown(request.observation, 1, "health") == 6
    assert (field(request, "compute"), field(request, "hand_size")) == (before, 1)


def test_an_attack_on_the_lab_has_the_lab_as_its_target() -> None:
    scene = given(own={1: "bert"}, hand="backpropagation").attack(1, "enemy lab").play("backpropagation", "own 1")
    assert (asked(scene).target, asked(scene).damage) == (7, 1)


def test_the_latest_of_two_attacks_and_the_first_as_history() -> None:
    scene = given(own={1: "gru 2/5"}, enemy={1: "adaline 2/9"}, hand="backpropagation")
    scene.attack(1, "enemy 1").attack(1, "enemy lab").play("backpropagation", "own 1")
    request = asked(scene)
    assert (request.observation_ply, request.target, request.damage) == (22, 7, 3)
    assert [shown(row, 1, "health") for row in request.history] == [5]
    assert shown(request.observation, 1, "health") == 3


def test_history_reaches_back_over_turns_but_not_to_another_model_of_the_slot() -> None:
    scene = given(own={1: "gru 2/9"},
                  hand="backpropagation, knowledge-distillation, fine-tuning, transfer-learning, lstm")
    scene.attack(1, "enemy lab").end_turn().end_turn().attack(1, "enemy lab").play("backpropagation", "own 1")
    assert [shown(row, 1, "health") for row in asked(scene).history] == [9]
    scene.play("knowledge-distillation", "own 1").play("lstm", "own 1").play("transfer-learning", "own 1")
    scene.attack(1, "enemy lab")
    scene.end_turn().end_turn().play("fine-tuning", "own 1")
    assert [shown(row, 1, "card") for row in asked(scene).history] == [scene.match.cards.row("lstm")]


def test_hurt_by_a_card_the_decision_in_which_it_was_first_hurt() -> None:
    scene = given(own={1: "bert", 2: "gru"}, hand="mixed-precision, dropout, dropout, backpropagation")
    scene.play("mixed-precision").play("dropout").play("dropout").play("backpropagation", "own 1")
    request = asked(scene)
    assert (request.observation_ply, request.target, request.damage) == (22, -1, 2)
    assert shown(request.observation, 1, "health") == 6


def test_an_own_attack_goes_before_an_earlier_card_and_stays_before_a_later_one() -> None:
    scene = given(own={1: "bert"}, hand="dropout, dropout, backpropagation")
    scene.play("dropout").attack(1, "enemy lab").play("dropout").play("backpropagation", "own 1")
    assert (asked(scene).observation_ply, asked(scene).target, asked(scene).damage) == (22, 7, 3)


def test_an_attack_that_did_not_hurt_is_not_the_one() -> None:
    scene = given(own={1: "bert regularized"}, hand="dropout, backpropagation")
    scene.attack(1, "enemy lab").play("dropout").play("backpropagation", "own 1")
    assert (asked(scene).observation_ply, asked(scene).target, asked(scene).damage) == (22, -1, 1)


def test_hurt_by_a_trigger_the_turns_first_decision() -> None:
    scene = given(own={1: "pain"}, hand="backpropagation, mixed-precision", cards=PAIN).end_turn().end_turn()
    scene.expect(own={1: "hurt=2 hurt_ply=23"})
    scene.play("mixed-precision").play("backpropagation", "own 1")
    request = asked(scene)
    assert (request.observation_ply, request.damage) == (23, 2)
    assert (shown(request.observation, 1, "health"), shown(request.observation, 1, "hurt")) == (7, 2)


def test_that_first_decision_may_be_its_own_attack_and_has_its_target_though_it_did_not_hurt() -> None:
    scene = given(own={1: "pain"}, enemy={2: "adaline 0/9"}, hand="backpropagation", cards=PAIN).end_turn().end_turn()
    scene.attack(1, "enemy 2").play("backpropagation", "own 1")
    request = asked(scene)
    assert (request.observation_ply, request.target, request.damage) == (23, 9, 2)


def test_fine_tuning_of_an_unhurt_model_the_decision_before_the_card_was_paid() -> None:
    scene = given(own={1: "bert"}, hand="mixed-precision, fine-tuning").play("mixed-precision")
    before = compute(scene)
    scene.play("fine-tuning", "own 1")
    request = asked(scene)
    assert (request.observation_ply, request.damage, request.target) == (22, 0, -1)
    assert (field(request, "compute"), field(request, "hand_size")) == (before, 1)


def test_fine_tuning_of_a_hurt_model_learns_from_what_hurt_it() -> None:
    scene = given(own={1: "bert"}, hand="fine-tuning").attack(1, "enemy lab").play("fine-tuning", "own 1")
    assert (asked(scene).observation_ply, asked(scene).damage) == (21, 1)


def test_a_model_hurt_in_the_decision_in_which_it_entered_the_first_decision_that_shows_it() -> None:
    cards = extended('''
    [[card]]
    id = "rough-welcome"
    type = "researcher"
    effects = [{ trigger = "own_enter", operation = "damage", scope = "chosen", amount = 1 }]
    ''')
    scene = given(hand="bert, mixed-precision, backpropagation", researcher="rough-welcome", cards=cards)
    scene.play("bert").play("mixed-precision").play("backpropagation", "own 1")
    request = asked(scene)
    assert (request.observation_ply, request.damage) == (22, 1)
    assert shown(request.observation, 1, "health") == 5


def test_the_observation_is_the_owners() -> None:
    scene = given(own={1: "bert"}, enemy={1: "lstm"}, hand="backpropagation", enemy_hand="backpropagation")
    scene.end_turn().attack(1, "own 1").play("backpropagation", "enemy 1")
    request: UpdateRequest = scene.match.updates[0].requests[-1]
    assert request.player == 1 - scene.you
    assert (request.card, request.family, request.target) == ("lstm", "recurrent", 8)
    assert shown(request.observation, 1, "card") == scene.match.cards.row("lstm")
