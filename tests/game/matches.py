"""Matches for tests: played at random, and copied with other hidden cards."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from game.cards import first_set
from game.decks import random_deck
from game.engine import compiled
from game.engine import records as r
from game.errors import IllegalAction
from game.match import Match
from game.updates import OUTCOMES, Verdict
from scripts.fuzz import play_randomly

compiled_only = pytest.mark.skipif(not compiled.ENABLED, reason="too many actions for interpreted rules")
"""For what takes tens of thousands of actions; the compiled run, the usual one, has it."""


def plies(seed: int) -> Iterator[Match]:
    """One random match at every ply, its beginning and end included; the same object each time."""
    for match, _ in play_randomly(seed):
        yield match


def finished(seed: int) -> Match:
    """A random match played to its end."""
    *_, match = plies(seed)
    return match


def stopping(seed: int) -> Iterator[Match]:
    """A random match without update source at every step: also where it awaits an update."""
    chance = np.random.default_rng(seed)
    match = new(seed)
    yield match
    while match.outcome is None:
        act(match, chance)
        yield match


def act(match: Match, chance: np.random.Generator) -> None:
    """A random legal action, or a random verdict where one is awaited."""
    if match.phase == "awaiting_update":
        match.give(Verdict(str(chance.choice(OUTCOMES)), int(chance.integers(1000))))
    else:
        match.play(int(chance.choice(match.legal_actions())))


def new(seed: int) -> Match:
    """A match of two random decks."""
    chance = np.random.default_rng(seed)
    return Match((random_deck(first_set(), chance), random_deck(first_set(), chance)), seed)


def refusing(match: Match, action: Any) -> str:
    """The refusal of an action that must change nothing."""
    before, past, phase = match.states.tobytes(), match.last, match.phase
    try:
        match.play(action)
    except IllegalAction as refusal:
        message = str(refusal)
    else:
        raise AssertionError(f"{action!r} was accepted")
    assert match.states.tobytes() == before
    assert match.last is past
    assert match.phase == phase
    assert not match._work["last"][0]
    assert message
    assert "\n" not in message
    return message


def leaves(dtype: Any, at: int = 0, name: str = "") -> Iterator[tuple[str, int, Any]]:
    """Every scalar in a record: name, byte offset, type."""
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        for index in range(int(np.prod(shape))):
            yield from leaves(base, at + index * base.itemsize, f"{name}[{index}]")
    elif dtype.names:
        for field in dtype.names:
            kind, offset = dtype.fields[field][:2]
            yield from leaves(kind, at + offset, f"{name}.{field}")
    else:
        yield name, at, dtype


STATE_LEAVES = list(leaves(r.State.dtype))
