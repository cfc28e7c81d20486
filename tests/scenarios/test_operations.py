"""Every operation, with test cards where the first set has none."""

from __future__ import annotations

import pytest

from tests.scenarios.scenario import given
from tests.scenarios.testcards import extended

CARDS = extended('''
[[card]]
id = "leak"
effects = [{ trigger = "play", operation = "discard", scope = "enemy_lab", amount = 2 }]
[[card]]
id = "budget-cut"
effects = [{ trigger = "play", operation = "damage", scope = "enemy_lab", amount = 3 }]
[[card]]
id = "mend"
target = "any"
effects = [{ trigger = "play", operation = "heal", scope = "chosen", amount = 2 }]
[[card]]
id = "sleep"
target = "any"
effects = [{ trigger = "play", operation = "tap", scope = "chosen" }]
[[card]]
id = "give-recurrent"
target = "any"
effects = [{ trigger = "play", operation = "keyword", scope = "chosen", keyword = "recurrent" }]
[[card]]
id = "recall-all"
effects = [{ trigger = "play", operation = "recall", scope = "own" }]
[[card]]
id = "gift"
effects = [{ trigger = "play", operation = "summon", scope = "enemy_lab", card = "perceptron", amount = 2 },
           { trigger = "play", operation = "compute", scope = "enemy_lab", amount = 2 },
           { trigger = "play", operation = "draw", scope = "enemy_lab", amount = 1 }]
[[card]]
id = "grants"
effects = [{ trigger = "play", operation = "rack", scope = "enemy_lab", amount = 3 },
           { trigger = "play", operation = "heal", scope = "enemy_lab", amount = 5 }]
[[card]]
id = "doom-and-mend"
target = "own"
effects = [{ trigger = "play", operation = "destroy", scope = "chosen" },
           { trigger = "play", operation = "heal", scope = "chosen", amount = 9 },
           { trigger = "play", operation = "buff", scope = "chosen", attack = 1, health = 9 }]
[[card]]
id = "doom-and-recall"
target = "own"
effects = [{ trigger = "play", operation = "destroy", scope = "chosen" },
           { trigger = "play", operation = "recall", scope = "chosen" }]
[[card]]
id = "wound-and-grow"
target = "own"
effects = [{ trigger = "play", operation = "damage", scope = "chosen", amount = 9 },
           { trigger = "play", operation = "buff", scope = "chosen", attack = 0, health = 2 }]
''')


def test_damage_more_than_the_health_takes_only_what_is_there() -> None:
    scene = given(enemy={1: "perceptron"}, hand="exploding-gradient").play("exploding-gradient", "enemy 1")
    scene.expect(enemy={1: "empty"})
    damage = next(event for event in scene.events if event.kind == "damage")
    assert (damage.a, damage.b) == (4, 5)


def test_damage_to_a_lab() -> None:
    given(hand="budget-cut", cards=CARDS).play("budget-cut").expect(funding=18, enemy_funding=15)


def test_heal_stops_at_the_maximum() -> None:
    (given(enemy={1: "bert 2/5(6)", 2: "bert 2/1(6)"}, hand="mend, mend", cards=CARDS)
        .play("mend", "enemy 1").play("mend", "enemy 2").expect(enemy={1: "2/6(6)", 2: "2/3(6)"}))


def test_heal_can_save_a_model_within_the_same_card() -> None:
    """Deaths are looked at after all effects of a card: what is above 0 again by then lives on."""
    (given(own={1: "perceptron"}, hand="wound-and-grow", cards=CARDS)
        .play("wound-and-grow", "own 1").expect(own={1: "1/2(6) hurt=4"}))


def test_destroying_is_not_damage_and_nothing_saves_from_it() -> None:
    scene = given(own={1: "perceptron regularized"}, hand="doom-and-mend", cards=CARDS)
    scene.play("doom-and-mend", "own 1")
    scene.expect(own={1: "empty"}).happened("destroy own 1", "heal own 1", "buff own 1", "death own 1")
    assert scene.count("damage") == scene.count("absorb") == 0
    scene = given(own={1: "hopfield-network"}, hand="doom-and-recall", deck="bert, gpt", cards=CARDS)
    scene.play("doom-and-recall", "own 1").expect(own={1: "empty"}, hand="bert")


def test_buff_and_its_clamp() -> None:
    (given(enemy={1: "perceptron"}, hand="vanishing-gradient", enemy_hand="straight-through-estimator")
        .play("vanishing-gradient", "enemy 1").expect(enemy={1: "0/4 attack=0"})
        .end_turn().play("straight-through-estimator", "enemy 1").expect(enemy={1: "1/4"}))


def test_shown_attack_counts_rush_on_top_of_a_clamped_attack() -> None:
    (given(own={1: "perceptron"}, enemy={1: "perceptron"}, hand="momentum, gradient-descent", enemy_hand="weight-decay")
        .end_turn().play("weight-decay").end_turn()
        .play("momentum", "own 1").expect(own={1: "3/4 attack=0 rush=3"})
        .play("gradient-descent", "own 1").expect(own={1: "5/3 attack=2"}))


def test_rush_gives_no_leave_to_attack_and_ends_with_the_turn() -> None:
    (given(own={1: "gru 2/5 tapped"}, hand="momentum, momentum")
        .repeat(2, "momentum", "own 1").expect(own={1: "8/5 rush=6"}).cannot_attack(1, "enemy lab", because="tapped")
        .end_turn().expect(own={1: "2/5 rush=0"}))


def test_rush_defends_too() -> None:
    (given(own={1: "gru"}, enemy={1: "bert"}, hand="momentum")
        .play("momentum", "own 1").attack(1, "enemy 1").expect(enemy={1: "2/1(6)"}))


def test_gaining_recurrent_untaps_nothing() -> None:
    (given(own={1: "bert"}, hand="give-recurrent", cards=CARDS)
        .attack(1, "enemy lab").play("give-recurrent", "own 1").expect(own={1: "recurrent tapped"})
        .cannot_attack(1, "enemy lab", because="tapped"))
    (given(own={1: "bert"}, hand="give-recurrent", cards=CARDS)
        .play("give-recurrent", "own 1").attack(1, "enemy lab").attack(1, "enemy lab").expect(enemy_funding=14))


def test_ablate_works_both_ways_and_never_kills() -> None:
    (given(own={1: "bert 0/1(9)", 2: "bert 5/9(9)", 3: "adaline 4/1(7)"}, hand=", ".join(["ablation-study"] * 3))
        .play("ablation-study", "own 1").expect(own={1: "2/1(6) !guard"})
        .play("ablation-study", "own 2").expect(own={2: "2/6(6)"})
        .play("ablation-study", "own 3").expect(own={3: "2/1(2)"}))


def test_an_ablated_model_keeps_mark_and_counter_and_can_still_learn() -> None:
    (given(own={1: "mlp-1986 2/2(3) hurt=1"}, hand="backpropagation, ablation-study, backpropagation")
        .play("backpropagation", "own 1").play("ablation-study", "own 1")
        .expect(own={1: "2/3(3) training hurt=1 updates=1 ablated"}, hand="backpropagation, momentum")
        .play("backpropagation", "own 1")
        .expect(own={1: "3/4(4) updates=2"}, hand="momentum"))  # its update trigger is gone


def test_an_ablated_model_loses_its_other_triggers() -> None:
    (given(own={1: "hopfield-network", 2: "dqn", 3: "td-gammon"},
           hand=", ".join(["ablation-study"] * 3 + ["adversarial-example"]))
        .play("ablation-study", "own 1").play("ablation-study", "own 2").play("ablation-study", "own 3")
        .attack(2, "enemy lab").play("adversarial-example", "own 1").expect(hand=0)
        .end_turn().expect(own={3: "3/4"}))


def test_an_ablated_model_can_gain_keywords_again() -> None:
    (given(own={1: "u-net"}, hand="ablation-study, gradient-clipping, dropout")
        .play("ablation-study", "own 1").play("gradient-clipping", "own 1").play("dropout")
        .expect(own={1: "3/3 !regularized ablated"}))


def test_tap_now_and_through_the_next_untap() -> None:
    (given(enemy={1: "gru"}, hand="sleep", cards=CARDS)
        .play("sleep", "enemy 1").expect(enemy={1: "tapped held"})
        .end_turn().expect(enemy={1: "tapped !held"})
        .end_turn().expect(enemy={1: "tapped"})
        .end_turn().expect(enemy={1: "!tapped"}))


def test_recall_is_not_a_death_and_tokens_vanish() -> None:
    scene = given(own={1: "hopfield-network", 2: "generator"}, hand="recall-all", cards=CARDS).play("recall-all")
    scene.expect(own={1: "empty", 2: "empty"}, hand="hopfield-network").happened("recall own 1", "vanish own 2")
    assert scene.count("death") == 0


def test_recall_into_a_full_hand_discards() -> None:
    (given(own={1: "gru", 3: "lstm"}, hand="recall-all" + ", momentum" * 9, cards=CARDS)
        .play("recall-all").happened("recall own 1", "recall own 3", "discard")
        .expect(own={1: "empty", 3: "empty"}, hand="momentum, " * 9 + "gru"))


def test_a_summoned_real_card_stays_one() -> None:
    (given(hand="madaline, gradient-checkpointing")
        .play("madaline", "own 2").play("gradient-checkpointing", "own 1").expect(hand="adaline"))


def test_discard_takes_random_cards_face_up_and_an_empty_hand_loses_nothing() -> None:
    left = set()
    for random in range(30):
        scene = given(hand="leak", enemy_hand="bert, gpt, gru", random=random, cards=CARDS).play("leak")
        scene.expect(enemy_hand=1, hand=0, enemy_funding=18)
        assert [event.card > 0 for event in scene.events if event.kind == "discard"] == [True, True]
        left.add(int(scene.match.state.labs[1 - scene.you].hand[0]))
    assert len(left) == 3
    given(hand="leak", enemy_hand="bert", cards=CARDS).play("leak").expect(enemy_hand=0)
    given(hand="leak", cards=CARDS).play("leak").expect(enemy_hand=0, enemy_fatigue=0)


def test_lab_operations_on_the_enemys_lab() -> None:
    (given(hand="gift", enemy={1: "bert"}, enemy_compute=3, enemy_deck="gpt, gru", cards=CARDS).play("gift")
        .expect(enemy={2: "perceptron 1/4", 3: "perceptron 1/4"}, enemy_compute=5, enemy_hand="gpt"))
    (given(hand="grants", enemy_racks=8, enemy_compute=4, enemy_funding=10, cards=CARDS).play("grants")
        .expect(enemy_racks=10, enemy_compute=4, enemy_funding=15))


def test_summons_take_the_lowest_empty_slot_and_fire_no_play_triggers() -> None:
    cards = extended('''
    [[card]]
    id = "hire"
    effects = [{ trigger = "play", operation = "summon", scope = "own_lab", card = "alphago" }]
    ''')
    (given(own={1: "bert", 3: "bert"}, enemy={1: "bert"}, hand="hire", cards=cards).play("hire")
        .expect(own={2: "alphago 4/5 new", 4: "empty"}, enemy={1: "bert"})
        .cannot_attack(2, "enemy 1", because="entered this turn"))


@pytest.mark.parametrize(("racks", "after"), [(8, 9), (9, 10), (10, 10)])
def test_a_rack_comes_empty_and_stops_at_ten(racks: int, after: int) -> None:
    (given(hand="learning-rate-warm-up", racks=racks, compute=2)
        .play("learning-rate-warm-up").expect(racks=after, compute=0))


def test_drawing_from_an_empty_deck_costs_more_each_time() -> None:
    (given(hand="data-augmentation, data-augmentation", deck="bert")
        .play("data-augmentation").expect(hand="data-augmentation, bert", funding=17, fatigue=1)
        .play("data-augmentation").expect(funding=12, fatigue=3))
