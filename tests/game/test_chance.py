"""The random generator: published outputs, the bounded draw, the shuffle; compiled and interpreted alike."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest

from game.engine import records as r
from game.engine.chance import bounded, seeds_from, word_at
from game.engine.setup import shuffle, sort_deck

REFERENCE = {1234567: (6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431,
                       16408922859458223821),
             0: (16294208416658607535, 7960286522194355700, 487617019471545679)}
"""Seed → first outputs: 1234567 as in Rosetta Code's SplitMix64 task, 0 as in the reference C program."""


def plain(word: int) -> tuple[int, int]:
    """SplitMix64 once more, from its paper: new state and output."""
    word = (word + 0x9E3779B97F4A7C15) % 2**64
    z = word
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
    return word, z ^ (z >> 31)


def trace(seed: int, bounds: list[int]) -> list[int]:
    """Bounded draws from a match's own generator, and its word at the end."""
    state = np.zeros(1, r.State.dtype)[0]
    state.rng = np.uint64(seed)
    return [*(int(bounded(state, n)) for n in bounds), int(state.rng)]


def shuffled(seed: int, size: int) -> list[int]:
    """A deck of ``size`` cards 1 … size, shuffled."""
    state = np.zeros(1, r.State.dtype)[0]
    state.rng = np.uint64(seed)
    lab = state.labs[0]
    lab.deck_size = size
    lab.deck[:size] = np.arange(1, size + 1)
    shuffle(state, lab)
    assert not lab.deck[size:].any()
    return [int(card) for card in lab.deck[:size]]


def everything() -> str:
    """What both modes must agree on, as JSON."""
    words = [[int(word_at(np.uint64(seed), np.uint64(i))) for i in range(5)] for seed in (0, 1234567, 2**64 - 1)]
    draws = [trace(seed, [2, 3, 6, 10, 30, 1, 7] * 20) for seed in (0, 1, 2**63, 2**64 - 1)]
    return json.dumps([words, draws, [shuffled(seed, n) for seed in range(20) for n in (0, 1, 2, 5, 30)]])


@pytest.mark.parametrize("seed", REFERENCE)
def test_published_outputs(seed: int) -> None:
    words = [int(word_at(np.uint64(seed), np.uint64(i))) for i in range(len(REFERENCE[seed]))]
    assert tuple(words) == REFERENCE[seed]
    assert tuple(int(word) for word in seeds_from(seed, len(words))) == REFERENCE[seed]


@pytest.mark.parametrize("seed", [0, 1, 99, 2**31, 2**63, 2**64 - 1])
def test_the_bounded_draw_is_the_high_half_times_n(seed: int) -> None:
    bounds = [1, 2, 3, 6, 10, 30] * 30
    word, expected = seed, []
    for n in bounds:
        word, output = plain(word)
        expected.append((output >> 32) * n >> 32)
    assert trace(seed, bounds) == [*expected, word]
    assert all(0 <= drawn < n for drawn, n in zip(expected, bounds, strict=True))


def test_the_bounded_draw_is_even() -> None:
    counts = Counter(trace(3, [6] * 12_000)[:-1])
    assert set(counts) == set(range(6))
    assert all(1800 < count < 2200 for count in counts.values())


@pytest.mark.parametrize("size", [0, 1, 2, 3, 30])
def test_the_shuffle_is_fisher_yates_from_the_end(size: int) -> None:
    for seed in range(10):
        deck, word = list(range(1, size + 1)), seed
        for i in range(size - 1, 0, -1):
            word, output = plain(word)
            j = (output >> 32) * (i + 1) >> 32
            deck[i], deck[j] = deck[j], deck[i]
        assert shuffled(seed, size) == deck


def test_all_orders_of_three_cards_come_up_alike() -> None:
    counts = Counter(tuple(shuffled(seed, 3)) for seed in range(6000))
    assert len(counts) == 6
    assert all(850 < count < 1150 for count in counts.values())


def test_a_sorted_deck_tells_nothing_of_its_order() -> None:
    lab = np.zeros(1, r.Lab.dtype)[0]
    lab.deck_size = 6
    lab.deck[:6] = [5, 3, 9, 3, 1, 9]
    sort_deck(lab)
    assert lab.deck.tolist()[:7] == [1, 3, 3, 5, 9, 9, 0]


def test_both_modes_draw_and_shuffle_alike() -> None:
    code = "from tests.game.test_chance import everything; print(everything())"
    interpreted = subprocess.run([sys.executable, "-c", code], env={**os.environ, "BACKPROP_INTERPRETED": "1",
                                 "PYTHONPATH": os.pathsep.join(sys.path)}, capture_output=True, text=True, check=True)
    assert interpreted.stderr == ""
    assert json.loads(interpreted.stdout) == json.loads(everything())
