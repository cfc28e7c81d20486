"""Properties that hold for any numbers: damage, healing, buffs, actions, observations, redaction."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given as always
from hypothesis import strategies as st

from game.actions import decode, encode, slot_token, token_slot
from game.bots.random import pick
from game.engine import records as r
from game.engine.observe import OBSERVATION_SIZE, view
from game.match import Match
from tests.scenarios.scenario import given
from tests.scenarios.testcards import extended

NUMBERS = extended("\n".join(
    f'[[card]]\nid = "hit-{n}"\ntarget = "any"\n'
    f'effects = [{{ trigger = "play", operation = "damage", scope = "chosen", amount = {n} }}]\n'
    f'[[card]]\nid = "mend-{n}"\ntarget = "any"\n'
    f'effects = [{{ trigger = "play", operation = "heal", scope = "chosen", amount = {n} }}]\n'
    f'[[card]]\nid = "weaken-{n}"\ntarget = "any"\n'
    f'effects = [{{ trigger = "play", operation = "buff", scope = "chosen", attack = -{n}, health = {n} }}]\n'
    for n in range(1, 13)))
amounts = st.lists(st.integers(1, 12), min_size=1, max_size=5)


@always(health=st.integers(1, 30), hits=amounts, regularized=st.booleans())
def test_the_counter_adds_the_health_really_lost(health: int, hits: list[int], regularized: bool) -> None:
    word = " regularized" if regularized else ""
    scene = given(enemy={1: f"bert 2/{health}{word}"}, hand=", ".join(f"hit-{n}" for n in hits), cards=NUMBERS)
    left = health
    for number, hit in enumerate(hits):
        if left:
            scene.play(f"hit-{hit}", "enemy 1")
            left = max(0, left - hit) if number or not regularized else left
            scene.expect(enemy={1: f"2/{left} hurt={health - left}" if left else "empty"})


@always(health=st.integers(1, 20), most=st.integers(1, 20), heal=st.integers(1, 12), hurt=st.integers(0, 5))
def test_healing_reaches_the_maximum_and_leaves_the_counter(health: int, most: int, heal: int, hurt: int) -> None:
    most = max(most, health)
    (given(own={1: f"bert 2/{health}({most}) hurt={hurt}"}, hand=f"mend-{heal}", cards=NUMBERS)
        .play(f"mend-{heal}", "own 1").expect(own={1: f"2/{min(most, health + heal)}({most}) hurt={hurt}"}))


@always(attack=st.integers(0, 15), rush=st.integers(0, 6), minus=amounts)
def test_permanent_attack_clamps_at_each_step_and_rush_comes_on_top(attack: int, rush: int, minus: list[int]) -> None:
    hand = ", ".join(f"weaken-{n}" for n in minus)
    scene = given(enemy={1: f"bert {attack}/6 rush={rush}"}, hand=hand, cards=NUMBERS)
    health = 6
    for n in minus:
        attack, health = max(0, attack - n), health + n
        scene.play(f"weaken-{n}", "enemy 1").expect(enemy={1: f"{attack + rush}/{health}({health}) attack={attack}"})


@always(one=st.integers(1, 12), other=st.integers(1, 12), health=st.integers(1, 12), others=st.integers(1, 12))
def test_an_attack_costs_both_the_others_attack(one: int, other: int, health: int, others: int) -> None:
    scene = given(own={1: f"gru {one}/{health}"}, enemy={1: f"gru {other}/{others}"}).attack(1, "enemy 1")
    for side, left in (("own", health - other), ("enemy", others - one)):
        scene.expect(**{side: {1: f"health={left}" if left > 0 else "empty"}})


@always(st.integers(0, r.ACTIONS - 1))
def test_action_numbers_and_their_parts(action: int) -> None:
    source, token = decode(action)
    assert encode(source, token) == action
    own, slot = token_slot(token)
    assert slot == -1 or slot_token(own, slot) == token


@always(st.integers(-10**6, 10**6), st.integers(-10**6, 10**6))
def test_numbers_outside_are_no_actions(source: int, token: int) -> None:
    if 0 <= source < r.SOURCES and 0 <= token < r.TOKENS:
        assert 0 <= encode(source, token) < r.ACTIONS
        return
    with pytest.raises(ValueError, match="no action has source"):
        encode(source, token)
    if not 0 <= source < r.ACTIONS:
        with pytest.raises(ValueError, match="there is no action"):
            decode(source)


@always(st.lists(st.integers(0, 3), max_size=3))
def test_observations_come_apart_in_any_number_of_axes(lead: list[int]) -> None:
    rows = np.arange(int(np.prod(lead, dtype=int)) * OBSERVATION_SIZE).reshape(*lead, OBSERVATION_SIZE)
    parts = view(rows)
    assert parts.tokens.shape == (*lead, 14, parts.tokens.shape[-1])
    joined = np.concatenate([parts.match, *(
        part.reshape(*lead, part.shape[-2] * part.shape[-1]) for part in (parts.tokens, parts.hand))], axis=-1)
    assert np.array_equal(joined, rows)


@always(st.integers(0, 400).filter(lambda size: size != OBSERVATION_SIZE))
def test_an_observation_of_another_size_is_refused(size: int) -> None:
    with pytest.raises(ValueError, match=f"has {OBSERVATION_SIZE} fields"):
        view(np.zeros((2, size)))


@always(st.lists(st.lists(st.booleans(), min_size=7, max_size=7).filter(any), min_size=1, max_size=9),
        st.integers(0, 2**64 - 1))
def test_a_random_pick_is_always_among_the_legal(rows: list[list[bool]], word: int) -> None:
    masks = np.array(rows, np.uint8)
    chosen = pick(masks, np.full(len(rows), word, np.uint64))
    assert all(mask[choice] for mask, choice in zip(masks, chosen, strict=True))


@always(seed=st.integers(0, 2**64 - 1))
def test_any_seed_deals_a_whole_deck(seed: int) -> None:
    match = Match(("1986", "sequence"), seed)
    for player, deck in enumerate(match.decks):
        lab = match.state.labs[player]
        assert tuple(sorted([*lab.deck[:lab.deck_size], *lab.hand[:lab.hand_size]])) == deck.rows(match.cards)
