"""Chance: one SplitMix64 generator a match, in its state; bounded draws and shuffles from it.

Source: G. Steele, D. Lea, C. Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA
2014. docs/rules.md fixes the bounded draw, the shuffle and the order of every call.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from game.engine.compiled import ENABLED, Word, rule
from game.engine.records import State, Words

if ENABLED:

    @rule
    def mix(word: Word) -> Word:
        """Output of SplitMix64 for a generator whose (advanced) state is ``word``."""
        z = word
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))

    @rule
    def advance(word: Word, steps: Word) -> Word:
        """The generator's state after ``steps`` outputs."""
        return word + steps * np.uint64(0x9E3779B97F4A7C15)

    @rule
    def scale(word: Word, n: int) -> int:
        """Map a random word to 0 … n−1: the high 32 bits times n, shifted down by 32."""
        return int(((word >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))

else:  # the same arithmetic modulo 2⁶⁴ on Python's integers: NumPy scalars warn where they wrap
    _ONES = 0xFFFFFFFFFFFFFFFF

    def mix(word: Word) -> Word:
        """Output of SplitMix64 for a generator whose (advanced) state is ``word``."""
        z = int(word)
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & _ONES
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & _ONES
        return np.uint64(z ^ (z >> 31))

    def advance(word: Word, steps: Word) -> Word:
        """The generator's state after ``steps`` outputs."""
        return np.uint64((int(word) + int(steps) * 0x9E3779B97F4A7C15) & _ONES)

    def scale(word: Word, n: int) -> int:
        """Map a random word to 0 … n−1: the high 32 bits times n, shifted down by 32."""
        return ((int(word) >> 32) * int(n)) >> 32


@rule(entry=True)
def word_at(seed: Word, index: Word) -> Word:
    """Output number ``index`` (from 0) of the SplitMix64 generator seeded with ``seed``."""
    return mix(advance(seed, index + np.uint64(1)))


@rule
def bounded(state: State, n: int) -> int:
    """A random whole number from 0 to n−1 (n at least 1) from the match's own generator."""
    state.rng = advance(state.rng, np.uint64(1))
    return scale(mix(state.rng), n)


def seeds_from(seed: int, n: int) -> Any:
    """``n`` seeds, uint64 ``(n,)``, for matches or workers: the first outputs of SplitMix64(seed)."""
    words: Words = np.empty(n, np.uint64)
    for index in range(n):
        words[index] = word_at(np.uint64(seed), np.uint64(index))
    return words
