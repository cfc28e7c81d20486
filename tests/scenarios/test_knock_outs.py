"""How matches end: by funding, and double knock-outs by attack, technique and fatigue. Both seats, see conftest."""

from __future__ import annotations

from tests.scenarios.scenario import given
from tests.scenarios.testcards import extended

CARDS = extended('''
[[card]]
id = "martyr"
type = "model"
attack = 1
health = 1
effects = [{ trigger = "death", operation = "damage", scope = "own_lab", amount = 2 }]
[[card]]
id = "recoil"
type = "model"
attack = 2
health = 9
effects = [{ trigger = "attack", operation = "damage", scope = "own_lab", amount = 2 }]
[[card]]
id = "crash"
effects = [{ trigger = "play", operation = "damage", scope = "enemy_lab", amount = 2 },
           { trigger = "play", operation = "damage", scope = "own_lab", amount = 2 }]
[[card]]
id = "drain"
effects = [{ trigger = "play", operation = "draw", scope = "enemy_lab", amount = 1 },
           { trigger = "play", operation = "draw", scope = "own_lab", amount = 1 }]
[[card]]
id = "spite"
type = "model"
attack = 1
health = 5
effects = [{ trigger = "turn_end", operation = "damage", scope = "enemy_lab", amount = 2 },
           { trigger = "turn_start", operation = "damage", scope = "enemy_lab", amount = 2 }]
[[card]]
id = "lesson"
target = "own"
effects = [{ trigger = "play", operation = "update", scope = "chosen", attack = 1, health = 1 }]
[[card]]
id = "pupil"
type = "model"
attack = 1
health = 5
effects = [{ trigger = "update", operation = "damage", scope = "enemy_lab", amount = 2 }]
''')


def test_a_lab_at_zero_has_lost() -> None:
    given(own={1: "gru"}, enemy_funding=2).attack(1, "enemy lab").expect(winner="you", enemy_funding=0)
    given(own={1: "gru"}, enemy_funding=1).attack(1, "enemy lab").expect(winner="you", enemy_funding=-1)
    given(own={1: "gru"}, enemy_funding=3).attack(1, "enemy lab").expect(winner="open", enemy_funding=1)


def test_one_can_lose_by_ones_own_card() -> None:
    for funding, winner in ((3, "enemy"), (4, "open")):
        (given(hand="data-augmentation", deck="", funding=funding)
            .play("data-augmentation").expect(winner=winner, funding=funding - 3))


def test_double_knock_out_by_attack_through_a_death() -> None:
    (given(own={1: "martyr 2/1"}, funding=2, enemy_funding=2, cards=CARDS)
        .attack(1, "enemy lab").expect(winner="nobody", reason="double knock-out", funding=0, enemy_funding=0))


def test_double_knock_out_by_attack_through_its_trigger() -> None:
    (given(own={1: "recoil"}, funding=2, enemy_funding=1, cards=CARDS)
        .attack(1, "enemy lab").expect(winner="nobody", reason="double knock-out"))


def test_double_knock_out_by_two_deaths_in_one_attack() -> None:
    (given(own={1: "martyr"}, enemy={1: "martyr"}, funding=2, enemy_funding=2, cards=CARDS)
        .attack(1, "enemy 1").expect(winner="nobody", reason="double knock-out"))


def test_double_knock_out_by_technique_whatever_the_order_of_its_lines() -> None:
    (given(hand="crash", funding=2, enemy_funding=1, cards=CARDS)
        .play("crash").expect(winner="nobody", reason="double knock-out", funding=0, enemy_funding=-1))
    given(hand="crash", funding=3, enemy_funding=2, cards=CARDS).play("crash").expect(winner="you", reason="funding")
    given(hand="crash", funding=2, enemy_funding=3, cards=CARDS).play("crash").expect(winner="enemy", reason="funding")


def test_double_knock_out_by_fatigue() -> None:
    (given(hand="drain", deck="", enemy_deck="", funding=1, enemy_funding=1, cards=CARDS)
        .play("drain").expect(winner="nobody", reason="double knock-out"))


def test_double_knock_out_by_attack_and_fatigue() -> None:
    """DQN's draw belongs to the attack: the labs are looked at after it."""
    (given(own={1: "dqn"}, deck="", funding=1, enemy_funding=4)
        .attack(1, "enemy lab").expect(winner="nobody", reason="double knock-out"))


def test_fatigue_in_the_turns_draw_loses_alone() -> None:
    given(enemy_deck="", enemy_funding=1).end_turn().expect(winner="you", reason="funding", enemy_fatigue=1)


def test_labs_are_looked_at_after_each_turn_trigger() -> None:
    """The first trigger decides; the second one isn't fired any more, and no draw follows."""
    scene = given(own={1: "spite", 2: "spite"}, enemy_funding=2, cards=CARDS).end_turn()
    scene.expect(winner="you", enemy_funding=0)
    assert scene.count("trigger") == 1
    assert scene.count("draw") == 0
    scene = given(enemy={1: "spite", 2: "spite"}, funding=2, cards=CARDS).end_turn()
    scene.expect(winner="enemy", funding=0)
    assert (scene.count("trigger"), scene.count("draw")) == (1, 0)


def test_an_update_can_end_the_match() -> None:
    (given(own={1: "pupil"}, hand="lesson", enemy_funding=2, cards=CARDS)
        .play("lesson", "own 1").expect(winner="you", reason="funding"))


def test_a_win_on_turn_sixty_is_a_win_and_else_it_is_a_draw() -> None:
    given(own={1: "gru"}, enemy_funding=2, turn=60).attack(1, "enemy lab").expect(winner="you", reason="funding")
    given(own={1: "spite"}, enemy_funding=2, turn=60, cards=CARDS).end_turn().expect(winner="you", reason="funding")
    given(turn=60).end_turn().expect(winner="nobody", reason="turn limit")
    given(turn=59).end_turn().expect(winner="open").end_turn().expect(winner="nobody", reason="turn limit")


def test_after_the_end_nothing_is_legal() -> None:
    (given(own={1: "gru", 2: "gru"}, enemy_funding=2, hand="dropout").attack(1, "enemy lab")
        .cannot_attack(2, "enemy lab", because="the match is over")
        .cannot_play("dropout", because="the match is over"))
