"""The mask is the truth: at every ply, an action is in it if and only if a clone accepts it."""

from __future__ import annotations

import pytest

from game.actions import END
from game.engine import records as r
from game.errors import IllegalAction
from game.match import Match
from tests.game.matches import compiled_only, plies, stopping


def _check(match: Match) -> None:
    mask = match.mask()
    before = match.states.tobytes()
    assert set(mask.tolist()) <= {0, 1}
    scratch = match.clone()
    for action in range(r.ACTIONS):
        try:
            scratch.play(action)
        except IllegalAction:
            accepted = False
            assert scratch.states.tobytes() == before, f"refused action {action} changed something"
        else:
            accepted = True
            scratch = match.clone()
        assert accepted == bool(mask[action]), match.describe(action)
        assert (match.why_not(action) == "") == accepted
    assert match.legal_actions() == [i for i in range(r.ACTIONS) if mask[i]]


@compiled_only
@pytest.mark.parametrize("seed", range(100, 106))
def test_in_the_mask_if_and_only_if_accepted(seed: int) -> None:
    for match in plies(seed):
        _check(match)


@compiled_only
def test_also_while_an_update_is_awaited_and_after_the_end() -> None:
    for match in stopping(107):
        _check(match)
    assert not match.mask().any()


@compiled_only
@pytest.mark.nightly
@pytest.mark.parametrize("block", range(50))
def test_in_the_mask_if_and_only_if_accepted_in_500_matches(block: int) -> None:
    for seed in range(1000 + 10 * block, 1010 + 10 * block):
        for match in plies(seed):
            _check(match)


def test_end_turn_is_always_legal_and_sometimes_alone() -> None:
    alone = 0
    for seed in range(110, 116):
        for match in stopping(seed):
            if match.phase in ("mulligan", "action"):
                assert match.mask()[END]
                alone += match.mask().sum() == 1
    assert alone > 0
