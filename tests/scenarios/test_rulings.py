"""The rulings (a) to (i) on Backpropagation. A test's name says which ruling it is about."""

from __future__ import annotations

import pytest

from game.cards import first_set
from game.engine.observe import TOKEN_FIELDS, view
from game.engine.records import ENEMY_LAB
from tests.scenarios.scenario import given
from tests.scenarios.testcards import extended

PREPARED = extended('''
[[card]]
id = "self-inflicted"
target = "own"
effects = [{ trigger = "play", operation = "damage", scope = "chosen", amount = 1 },
           { trigger = "play", operation = "update", scope = "chosen", attack = 1, health = 1 }]

[[card]]
id = "freeze-first"
target = "own"
effects = [{ trigger = "play", operation = "keyword", scope = "chosen", keyword = "frozen" },
           { trigger = "play", operation = "update", scope = "chosen", attack = 1, health = 1 }]

[[card]]
id = "recall-first"
target = "own"
effects = [{ trigger = "play", operation = "recall", scope = "chosen" },
           { trigger = "play", operation = "update", scope = "chosen", attack = 1, health = 1 }]

[[card]]
id = "destroy-first"
target = "own"
effects = [{ trigger = "play", operation = "destroy", scope = "chosen" },
           { trigger = "play", operation = "update", scope = "chosen", attack = 1, health = 1 }]
''')


# (a) the damage counter is above 0; damage taken while attacking counts


def test_a_damage_taken_while_attacking_a_model_counts() -> None:
    (given(own={1: "bert"}, enemy={1: "adaline"}, hand="backpropagation")
        .attack(1, "enemy 1").expect(own={1: "hurt=2"}).play("backpropagation", "own 1"))


def test_a_damage_taken_while_attacking_the_lab_counts() -> None:
    (given(own={1: "bert"}, hand="backpropagation")
        .attack(1, "enemy lab").expect(own={1: "hurt=1"}).play("backpropagation", "own 1"))


def test_a_damage_from_a_technique_counts_and_healing_does_not_undo_it() -> None:
    (given(own={1: "bert"}, hand="dropout, batch-normalization, backpropagation")
        .play("dropout").play("batch-normalization").expect(own={1: "2/6(6) hurt=1"})
        .play("backpropagation", "own 1").expect(own={1: "3/7(7)"}))


def test_a_absorbed_damage_does_not_count() -> None:
    (given(own={1: "bert regularized"}, hand="dropout, backpropagation")
        .play("dropout").cannot_play("backpropagation", "own 1", because="took damage this turn"))


def test_a_being_below_the_maximum_is_not_enough() -> None:
    given(own={1: "bert 2/1(6)"}, hand="backpropagation").cannot_play("backpropagation", "own 1", because="took damage")


def test_a_damage_of_the_enemys_turn_is_forgotten() -> None:
    (given(own={1: "bert"}, enemy={1: "bert"}, hand="backpropagation")
        .end_turn().attack(1, "own 1").expect(own={1: "hurt=2"})
        .end_turn().expect(own={1: "2/4(6) hurt=0"}).cannot_play("backpropagation", "own 1", because="took damage"))


def test_a_only_health_really_lost_is_counted() -> None:
    given(own={1: "gpt"}, enemy={1: "bert 2/1(6)"}).attack(1, "enemy 1").happened("damage enemy 1").expect(
        own={1: "hurt=2"}, enemy={1: "empty"})
    scene = given(own={1: "bert"}, hand="gradient-descent, adversarial-example, backpropagation")
    scene.play("adversarial-example", "own 1").play("gradient-descent", "own 1").expect(own={1: "hurt=4"})


# (b) the target is alive, own and not Frozen when the card resolves


def test_b_an_enemy_model_cannot_be_chosen() -> None:
    (given(own={1: "bert"}, enemy={1: "bert"}, hand="backpropagation")
        .attack(1, "enemy 1").cannot_play("backpropagation", "enemy 1", because="must be one of your Models"))


def test_b_a_frozen_model_cannot_be_chosen() -> None:
    (given(own={1: "bert frozen"}, hand="dropout, backpropagation")
        .play("dropout").cannot_play("backpropagation", "own 1", because="Frozen Model can't be the target"))


def test_b_an_empty_slot_or_a_lab_cannot_be_chosen() -> None:
    (given(own={1: "bert hurt=1"}, hand="backpropagation")
        .cannot_play("backpropagation", "own 2", because="empty")
        .cannot_play("backpropagation", "own lab", because="needs a Model")
        .cannot_play("backpropagation", "enemy lab", because="needs a Model"))


@pytest.mark.parametrize(("card", "left"), [
    ("self-inflicted", "empty"), ("freeze-first", "2/1 frozen !training"), ("destroy-first", "empty"),
    ("recall-first", "empty")])
def test_b_a_target_lost_before_the_update_gets_none(card: str, left: str) -> None:
    scene = given(own={1: "adaline 2/1"}, hand=card, cards=PREPARED).play(card, "own 1")
    scene.expect(own={1: left}, winner="open")
    assert scene.match.phase == "action"
    assert scene.count("await_update") == scene.count("verdict") == 0


def test_b_a_target_that_survives_the_cards_damage_learns_from_it() -> None:
    scene = given(own={1: "adaline"}, hand="self-inflicted", cards=PREPARED).play("self-inflicted", "own 1")
    scene.expect(own={1: "4/2(3) hurt=1 training"})
    assert scene.match.updates[scene.you].requests[0].damage == 1


# (c) with no such target the card is unplayable, not useless


def test_c_without_a_target_the_card_cannot_be_played_at_all() -> None:
    scene = given(own={1: "bert"}, hand="backpropagation")
    for at, why in (("own lab", "needs a Model"), ("own 1", "took damage this turn"), ("own 2", "empty"),
                    ("enemy lab", "needs a Model"), ("enemy 1", "empty")):
        scene.cannot_play("backpropagation", at, because=why)
    assert not scene.match.mask()[:14].any()
    scene.expect(hand="backpropagation", compute=10)


# (d) +1/+1 raises attack, maximum and current health, for as long as the Model stays


def test_d_attack_maximum_and_current_health_rise_and_stay() -> None:
    (given(own={1: "gru 2/2(5) hurt=3"}, hand="backpropagation")
        .play("backpropagation", "own 1").expect(own={1: "3/3(6) attack=3"})
        .end_turn().end_turn().end_turn().end_turn().expect(own={1: "3/3(6) attack=3 updates=1"}))


# (e) "enters tapped" is the training mark


def test_e_the_opponents_turn_does_not_consume_the_mark() -> None:
    (given(own={1: "gru hurt=1"}, hand="backpropagation")
        .play("backpropagation", "own 1")
        .end_turn().expect(own={1: "training !tapped"})
        .end_turn().expect(own={1: "!training tapped"}).cannot_attack(1, "enemy lab", because="tapped")
        .end_turn().expect(own={1: "tapped"})
        .end_turn().expect(own={1: "!tapped !training"}).attack(1, "enemy lab"))


def test_e_a_marked_model_still_untapped_may_attack_this_turn() -> None:
    (given(own={1: "bert"}, hand="dropout, backpropagation")
        .play("dropout").play("backpropagation", "own 1").expect(own={1: "training !tapped"})
        .attack(1, "enemy lab").expect(enemy_funding=15, own={1: "training tapped"})
        .end_turn().end_turn().expect(own={1: "tapped !training"}))


def test_e_nothing_untaps_early() -> None:
    (given(own={1: "gru hurt=1"}, hand="backpropagation, transfer-learning, momentum")
        .play("backpropagation", "own 1").end_turn().end_turn()
        .play("transfer-learning", "own 1").play("momentum", "own 1")
        .cannot_attack(1, "enemy lab", because="tapped"))


# (f) two on one Model


def test_f_two_in_one_turn_give_two_and_skip_one_turn() -> None:
    (given(own={1: "gru 2/5 hurt=1"}, hand="backpropagation, backpropagation")
        .repeat(2, "backpropagation", "own 1").expect(own={1: "4/7(7) updates=2 training=1"})
        .end_turn().end_turn().expect(own={1: "tapped !training"})
        .end_turn().end_turn().expect(own={1: "!tapped"}))


def test_f_mark_and_tap_effect_do_not_add_up() -> None:
    (given(own={1: "gru hurt=1 held tapped"}, hand="backpropagation")
        .play("backpropagation", "own 1").expect(own={1: "training held tapped"})
        .end_turn().end_turn().expect(own={1: "tapped !training !held"})
        .end_turn().end_turn().expect(own={1: "!tapped"}).attack(1, "enemy lab"))


# (g) a Model that has attacked, or entered, this turn may be chosen


def test_g_a_model_that_attacked_may_be_chosen() -> None:
    (given(own={1: "bert"}, hand="backpropagation")
        .attack(1, "enemy lab").expect(own={1: "tapped"}).play("backpropagation", "own 1").expect(own={1: "training"}))


def test_g_a_model_that_entered_this_turn_may_be_chosen() -> None:
    (given(hand="perceptron, dropout, backpropagation")
        .play("perceptron").play("dropout").play("backpropagation", "own 1").expect(own={1: "3/4(5) new training"}))


# (h) mark, counter and number of updates are visible to both


def test_h_both_players_see_mark_counter_and_updates() -> None:
    scene = given(own={3: "gru hurt=4"}, hand="backpropagation").play("backpropagation", "own 3")
    for player, token in ((scene.you, 3), (1 - scene.you, ENEMY_LAB + 3)):
        seen = dict(zip(TOKEN_FIELDS, view(scene.match.observe(player)).tokens[token].tolist(), strict=True))
        assert (seen["training"], seen["hurt"], seen["updates"]) == (1, 4, 1)


# (i) when the Model leaves the board all that goes with it


def _printed(name: str) -> str:
    card = first_set().card(name)
    return f"{card.attack}/{card.health}({card.health})"


def test_i_a_recalled_model_comes_back_as_printed() -> None:
    (given(own={1: "gru hurt=1"}, hand="backpropagation, gradient-checkpointing, gradient-clipping")
        .play("backpropagation", "own 1").play("gradient-clipping", "own 1").play("gradient-checkpointing", "own 1")
        .expect(own={1: "empty"}, hand="momentum, gru")
        .play("gru", "own 1")
        .expect(own={1: f"{_printed('gru')} new !training !tapped !regularized hurt=0 updates=0"}))


def test_i_another_model_in_the_same_slot_inherits_nothing() -> None:
    (given(own={1: "gru hurt=1"}, hand="backpropagation, knowledge-distillation, gru")
        .play("backpropagation", "own 1").play("knowledge-distillation", "own 1").play("gru", "own 1")
        .end_turn().end_turn().expect(own={1: f"{_printed('gru')} !tapped !training updates=0"}))
