"""Every scope and every target rule."""

from __future__ import annotations

import pytest

from tests.scenarios.scenario import given
from tests.scenarios.testcards import extended


def _card(name: str, scope: str, target: str = "none", operation: str = 'operation = "damage", amount = 1') -> str:
    return (f'[[card]]\nid = "{name}"\ntarget = "{target}"\n'
            f'effects = [{{ trigger = "play", scope = "{scope}", {operation} }}]\n')


CARDS = extended("\n".join([
    *(_card(f"hurt-{scope.replace('_', '-')}", scope) for scope in (
        "own", "other_own", "enemy", "all", "random_own", "random_enemy", "own_lab", "enemy_lab")),
    _card("hurt-chosen", "chosen", "any"), _card("hurt-neighbours", "neighbours", "any"),
    _card("teach-the-others", "other_own", "any"),
    '''
[[card]]
id = "recall-then-neighbours"
target = "any"
effects = [{ trigger = "play", operation = "recall", scope = "chosen" },
           { trigger = "play", operation = "damage", scope = "neighbours", amount = 1 }]
[[card]]
id = "heir"
type = "model"
attack = 1
health = 1
effects = [{ trigger = "death", operation = "summon", scope = "own_lab", card = "perceptron", amount = 2 }]
[[card]]
id = "farewell"
type = "model"
attack = 1
health = 1
effects = [{ trigger = "death", operation = "buff", scope = "other_own", attack = 1, health = 1 }]
[[card]]
id = "swap"
target = "own"
effects = [{ trigger = "play", operation = "recall", scope = "chosen" },
           { trigger = "play", operation = "summon", scope = "own_lab", card = "perceptron" },
           { trigger = "play", operation = "buff", scope = "other_own", attack = 1, health = 1 }]
[[card]]
id = "wound-all-then-pick"
effects = [{ trigger = "play", operation = "damage", scope = "enemy", amount = 2 },
           { trigger = "play", operation = "damage", scope = "random_enemy", amount = 1 }]
[[card]]
id = "doom-then-pick"
target = "enemy"
effects = [{ trigger = "play", operation = "destroy", scope = "chosen" },
           { trigger = "play", operation = "damage", scope = "random_enemy", amount = 1 }]
''']))
OWN, ENEMY = {1: "bert", 3: "gru", 4: "bert"}, {2: "gru", 3: "bert"}


def _hurt(scene: object) -> set[str]:
    places = [f"{side} {slot}" for side in ("own", "enemy") for slot in range(1, 7)]
    return {at for at in places if scene.unit(at).hurt}  # type: ignore[attr-defined]


@pytest.mark.parametrize(("card", "at", "hit"), [
    ("hurt-own", "", {"own 1", "own 3", "own 4"}),
    ("hurt-other-own", "", {"own 1", "own 3", "own 4"}),
    ("hurt-enemy", "", {"enemy 2", "enemy 3"}),
    ("hurt-all", "", {"own 1", "own 3", "own 4", "enemy 2", "enemy 3"}),
    ("hurt-chosen", "own 3", {"own 3"}),
    ("hurt-chosen", "enemy 3", {"enemy 3"}),
    ("hurt-neighbours", "own 3", {"own 4"}),
    ("hurt-neighbours", "own 4", {"own 3"}),
    ("hurt-neighbours", "enemy 3", {"enemy 2"}),
    ("teach-the-others", "own 3", {"own 1", "own 4"}),
    ("teach-the-others", "enemy 3", {"own 1", "own 3", "own 4"}),
    ("hurt-own-lab", "", set()), ("hurt-enemy-lab", "", set())])
def test_whom_a_scope_reaches(card: str, at: str, hit: set[str]) -> None:
    scene = given(own=OWN, enemy=ENEMY, hand=card, cards=CARDS).play(card, at)
    assert _hurt(scene) == hit
    scene.expect(funding=17 if card == "hurt-own-lab" else 18, enemy_funding=17 if card == "hurt-enemy-lab" else 18)


@pytest.mark.parametrize(("card", "among"), [
    ("hurt-random-own", {"own 1", "own 3", "own 4"}), ("hurt-random-enemy", {"enemy 2", "enemy 3"})])
def test_random_scopes_reach_each_candidate_and_one_at_a_time(card: str, among: set[str]) -> None:
    seen: set[str] = set()
    for random in range(40):
        hit = _hurt(given(own=OWN, enemy=ENEMY, hand=card, random=random, cards=CARDS).play(card))
        assert len(hit) == 1
        seen |= hit
    assert seen == among


@pytest.mark.parametrize("card", ["hurt-random-own", "hurt-random-enemy"])
def test_an_empty_random_scope_does_nothing_and_uses_no_chance(card: str) -> None:
    scene = given(hand=card, cards=CARDS)
    before = int(scene.match.state.rng)
    scene.play(card).expect(funding=18, enemy_funding=18)
    assert int(scene.match.state.rng) == before


def test_random_scopes_choose_among_living_models() -> None:
    """A Model at 0 health, or destroyed, still stands in its slot, but isn't chosen any more."""
    for random in range(20):
        (given(enemy={1: "adaline 2/2", 2: "bert"}, hand="wound-all-then-pick", random=random, cards=CARDS)
            .play("wound-all-then-pick").expect(enemy={1: "empty", 2: "2/3(6)"}))
        (given(enemy={1: "gru", 2: "bert"}, hand="doom-then-pick", random=random, cards=CARDS)
            .play("doom-then-pick", "enemy 1").expect(enemy={1: "empty", 2: "2/5(6)"}))


@pytest.mark.parametrize("side", ["own", "enemy"])
def test_neighbours_of_a_model_that_has_left_are_its_former_slots(side: str) -> None:
    (given(**{side: {2: "bert", 3: "gru", 4: "bert", 5: "bert"}}, hand="recall-then-neighbours", cards=CARDS)
        .play("recall-then-neighbours", f"{side} 3")
        .expect(**{side: {2: "2/5(6)", 3: "empty", 4: "2/5(6)", 5: "2/6"}}))


def test_slots_never_shift() -> None:
    (given(own={2: "gru 2/5", 5: "lstm"}, enemy={1: "adaline", 3: "gru"}, hand="adversarial-example")
        .play("adversarial-example", "enemy 1").expect(enemy={1: "empty", 2: "empty", 3: "gru"})
        .attack(5, "enemy 3").expect(own={1: "empty", 2: "gru 2/5", 5: "lstm 2/4(6)"}))


def test_the_other_own_models_are_all_but_the_one_whose_effect_it_is() -> None:
    (given(own={1: "farewell", 2: "bert", 4: "gru 2/5"}, hand="knowledge-distillation", cards=CARDS)
        .play("knowledge-distillation", "own 1").expect(own={2: "3/7(7)", 4: "3/6(6)"}))


def test_a_model_that_took_over_a_dead_models_slot_is_another_model() -> None:
    """Slot 1's death fills slots 1 and 2 before the death in slot 2 looks for "the others"."""
    (given(own={1: "heir", 2: "farewell", 3: "bert"}, hand="dropout", cards=CARDS)
        .play("dropout").happened("death own 2", "enter own 2", "trigger own 2")
        .expect(own={1: "perceptron 2/5", 2: "perceptron 2/5", 3: "3/6(7)"}))
    (given(own={1: "gru", 2: "bert"}, hand="swap", cards=CARDS)
        .play("swap", "own 1").expect(own={1: "perceptron 2/5", 2: "bert 3/7"}, hand="gru"))


# ---- target rules -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("card", "own", "enemy"), [
    ("gradient-descent", {1, 2, 3}, set()),  # own
    ("backpropagation", {2}, set()),  # own_hurt, and not Frozen
    ("forward-forward", {1}, set()),  # own_unhurt
    ("early-stopping", set(), {1, 2, 4}),  # enemy
    ("dead-relu", set(), {1, 4}),  # enemy_weak
    ("adversarial-example", {1, 2, 3}, {1, 2, 4}),  # any
    ("fine-tuning", {1, 2}, set())])  # own, and not Frozen
def test_which_models_a_target_rule_allows(card: str, own: set[int], enemy: set[int]) -> None:
    scene = given(own={1: "bert", 2: "bert hurt=1", 3: "bert frozen hurt=1"},
                  enemy={1: "bert", 2: "gpt", 4: "gpt 2/4"}, hand=card)
    allowed = {at for at in scene.places() if not scene.match.why_not(scene.number_of(card, at))}
    assert allowed == {f"own {slot}" for slot in own} | {f"enemy {slot}" for slot in enemy}


def test_enemy_weak_looks_at_the_shown_attack() -> None:
    (given(enemy={1: "gpt 2/4 rush=3", 2: "gpt 5/4"}, hand="dead-relu, vanishing-gradient")
        .cannot_play("dead-relu", "enemy 1", because="attack of 2 or less")
        .cannot_play("dead-relu", "enemy 2", because="attack of 2 or less")
        .play("vanishing-gradient", "enemy 2").play("dead-relu", "enemy 2").expect(enemy={2: "empty"}))


def test_a_card_without_target_is_always_playable_and_takes_none() -> None:
    (given(own={1: "bert"}, hand="weight-decay, batch-normalization, reinforce")
        .cannot_play("weight-decay", "own 1", because="takes no target")
        .cannot_play("weight-decay", "enemy lab", because="takes no target")
        .play("weight-decay").play("batch-normalization").play("reinforce"))


def test_a_model_goes_into_any_empty_slot_that_its_player_chooses() -> None:
    for slot in range(1, 7):
        given(hand="perceptron").play("perceptron", f"own {slot}").expect(own={slot: "perceptron"})
    (given(own={3: "bert"}, hand="perceptron")
        .cannot_play("perceptron", "own 3", because="one of your empty slots")
        .cannot_play("perceptron", "own lab", because="one of your empty slots")
        .cannot_play("perceptron", "enemy 1", because="one of your empty slots"))
