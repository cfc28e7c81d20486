"""Clones share nothing; an emptied slot keeps nothing."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from game.engine import records as r
from game.engine.units import clear
from game.match import Match
from tests.game.matches import STATE_LEAVES, act, plies, stopping
from tests.scenarios.scenario import given
from tests.scenarios.testcards import extended


def test_the_state_is_its_fields_without_gaps() -> None:
    """Equal states have equal bytes only if no byte lies between the fields."""
    covered = sorted((at, at + kind.itemsize) for _, at, kind in STATE_LEAVES)
    assert covered[0][0] == 0
    assert all(end == begin for (_, end), (begin, _) in itertools.pairwise(covered))
    assert covered[-1][1] == r.State.dtype.itemsize
    assert {kind.str for _, _, kind in STATE_LEAVES} == {"<u8", "<i4"}


@pytest.mark.parametrize("seed", [11, 12])
def test_at_every_ply_each_field_of_a_clone_is_its_own(seed: int) -> None:
    for match in plies(seed):
        clone = match.clone()
        before = match.states.tobytes()
        assert clone.states.tobytes() == before
        assert not np.shares_memory(clone.states, match.states)
        whole = clone.states.view(np.uint8)
        for name, at, _ in STATE_LEAVES:
            whole[at] ^= 1
            assert clone.states.tobytes() != before, f"{name} isn't part of the state"
            assert match.states.tobytes() == before, f"{name} is shared"
            whole[at] ^= 1
        assert clone.states.tobytes() == before


@pytest.mark.parametrize("seed", [21, 22])
def test_playing_on_a_clone_leaves_the_match_and_the_other_way_round(seed: int) -> None:
    chance = np.random.default_rng(seed)
    for match in stopping(seed):
        if match.outcome is not None:
            break
        before, past, name = match.states.tobytes(), match.last, match.name
        clone = match.clone()
        while clone.outcome is None and clone.states["ply"][0] < match.states["ply"][0] + 8:
            act(clone, chance)
        assert (match.states.tobytes(), match.last, match.name) == (before, past, name)
        assert clone.name == name
    clone, ended = match.clone(), match.digest()
    assert clone.outcome == match.outcome
    assert clone.digest() == ended


def test_a_clone_has_every_attribute_and_no_update_sources() -> None:
    scene = given(own={1: "gru hurt=1"}, hand="backpropagation")
    clone = scene.match.clone()
    for name in Match.__slots__:
        assert hasattr(clone, name), name
    assert clone.updates == (None, None)
    clone.play(scene.number_of("backpropagation", "own 1"))
    assert clone.phase == "awaiting_update"
    assert scene.match.phase == "action"


def test_a_clone_of_a_clone_remembers_the_whole_past() -> None:
    matches = list(plies(31))
    match = matches[-1]
    assert [link.done for link in match.clone().clone().links()] == [link.done for link in match.links()]


def test_clear_zeroes_every_field_of_a_unit() -> None:
    units = np.zeros(1, r.Unit.dtype)
    units.view(np.uint8)[:] = 1
    getattr(clear, "py_func", clear)(units[0])
    for name in r.Unit.dtype.names:
        assert units[0][name] == 0, name


def test_a_slot_that_was_left_is_all_zeros_in_the_rules_too() -> None:
    cards = extended('''
    [[card]]
    id = "everyone-home"
    effects = [{ trigger = "play", operation = "recall", scope = "all" }]
    ''')
    scene = given(own={2: "gru"}, enemy={5: "generator"}, hand="everyone-home", cards=cards)
    for at, card in (("own 2", "gru"), ("enemy 5", "generator")):
        unit = scene.unit(at)
        for name in r.Unit.dtype.names:
            unit[name] = 1
        unit.card, unit.doomed, unit.entry = cards.row(card), 0, 1 if at == "own 2" else 2
    scene.play("everyone-home")
    for at in ("own 2", "enemy 5"):
        assert bytes(scene.unit(at).tobytes()) == bytes(r.Unit.dtype.itemsize), at
