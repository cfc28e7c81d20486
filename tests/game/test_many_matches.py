"""The loops over many matches do to each what a single match does; the engine's own random play is sound."""

from __future__ import annotations

from typing import Any

import numpy as np

from game.decks import deck_rows
from game.engine import batch
from game.engine import records as r
from game.engine.observe import OBSERVATION_SIZE
from game.match import Match
from game.settings import Settings
from game.updates import Verdict
from scripts.fuzz import state_faults

SILENT = np.zeros((0, len(r.EVENT_FIELDS)), np.int32)


class Table:
    """Arrays for ``n`` matches side by side."""

    def __init__(self, n: int) -> None:
        self.works = np.zeros(1, r.Work.dtype)
        self.rows = np.zeros((n, OBSERVATION_SIZE), np.int32)
        self.masks = np.zeros((n, r.ACTIONS), np.uint8)
        self.counts = np.zeros(n, np.int32)
        self.words = np.arange(n, dtype=np.uint64)
        self.actions = np.zeros(n, np.int32)


def test_many_matches_go_as_each_alone() -> None:
    matches = [Match(("1986", "vision"), seed) for seed in range(5)]
    states = np.concatenate([match.states for match in matches])
    at, cards = Table(5), matches[0].cards.table
    for _ in range(150):
        batch.look_many(states, 0, 5, cards, at.rows, at.masks, at.counts)
        batch.choose_many(0, 5, at.masks, at.counts, at.words, at.actions)
        at.actions[2] = -1  # left alone for once
        batch.step_many(states, 0, 5, cards, at.works, 0, SILENT, at.actions)
        for place, match in enumerate(matches):
            action = int(at.actions[place])
            if match.phase in ("mulligan", "action"):
                assert np.array_equal(at.rows[place], match.observe(match.player))
                assert np.array_equal(at.masks[place], match.mask())
                assert at.counts[place] == match.mask().sum()
            if action >= 0:
                match.play(action)
            assert states[place:place + 1].tobytes() == match.states.tobytes()
            if match.phase == "awaiting_update":
                match.give(Verdict("learned"))
                batch.verdict_one(states, place, cards, at.works, SILENT, r.LEARNED, 0)
    assert matches[2].state.ply == 0
    assert any(match.outcome is not None for match in matches)


def test_the_engines_random_play_takes_legal_actions_to_sound_states() -> None:
    match = Match(("1986", "vision"), 0)
    n, rounds = 4, 60
    states: Any = np.zeros(n, r.State.dtype)
    blank, at = np.zeros(1, r.State.dtype), Table(n)
    pairs = np.stack([deck_rows(match.decks, match.cards)] * 3)
    limits = Settings().row(match.cards)
    taken = batch.random_play(states, 0, n, match.cards.table, at.works, 0, SILENT, at.rows, at.masks, at.counts,
                              at.words, at.actions, rounds, pairs, limits, blank)
    assert taken == n * rounds
    for place in range(n):
        match.states = states[place:place + 1].copy()
        assert state_faults(match) == []
        assert match.turn > 0
    assert len({state.tobytes() for state in states}) == n
