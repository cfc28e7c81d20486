"""Seeds: every one counts, bad ones are refused, and global random state is none of the match's business."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from game.engine.chance import seeds_from
from game.errors import GameError
from game.match import Match
from tests.game.matches import finished, stopping

SEEDS = [0, 1, 2, 2**31 - 1, 2**31, 2**32, 2**63 - 1, 2**63, 2**64 - 1]


def test_edge_seeds_give_distinct_matches() -> None:
    digests = {Match(("1986", "vision"), seed).digest() for seed in SEEDS}
    assert len(digests) == len(SEEDS)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_seed_is_kept_and_gives_the_same_match_again(seed: int) -> None:
    one, other = Match(("1986", "vision"), seed), Match(("1986", "vision"), np.uint64(seed))
    assert (one.seed, one.digest()) == (other.seed, other.digest())
    assert isinstance(other.seed, int)


@pytest.mark.parametrize("seed", [-1, 2**64, 10**30, 1.0, 1.5, "1", None, True, False, np.float64(3), np.bool_(True)])
def test_bad_seeds_are_refused(seed: Any) -> None:
    with pytest.raises(GameError, match=r"a seed is a whole number from 0 to 2\^64 - 1"):
        Match(("1986", "vision"), seed)


def test_burning_global_random_state_changes_nothing() -> None:
    quiet = [match.digest() for match in stopping(77)]
    noisy = []
    for match in stopping(77):
        random.seed(len(noisy))
        np.random.seed(len(noisy))  # noqa: NPY002
        random.random()
        np.random.random(5)  # noqa: NPY002
        noisy.append(match.digest())
    assert noisy == quiet


def test_both_players_start_about_equally_often() -> None:
    starts = sum(Match(("1986", "vision"), seed).player for seed in range(400))
    assert 150 < starts < 250


def test_workers_seeds_and_their_matches_differ() -> None:
    seeds = seeds_from(5, 200)
    assert len(set(seeds.tolist())) == 200
    assert len({Match(("1986", "vision"), seed).digest() for seed in seeds}) == 200
    assert set(seeds_from(5, 10).tolist()) & set(seeds_from(6, 200).tolist()) == set()


def test_a_finished_match_can_be_played_again() -> None:
    assert finished(78).digest() == finished(78).digest()
