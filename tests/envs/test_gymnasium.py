"""The Gymnasium environment: the library's checker, seats, opponents, illegal actions."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium", reason="Gymnasium isn't installed (extra envs)")

from game.bots import make_bot
from game.bots.single import decide
from game.envs.gymnasium import MatchEnv
from game.errors import GameError, IllegalAction
from game.match import Match
from game.updates import ScriptedUpdates


def env(**options: Any) -> Any:
    return MatchEnv(updates=ScriptedUpdates(), **{"opponent": "random", **options})


def play(environment: Any, seed: int) -> tuple[list[int], float]:
    """One match of seeded random actions."""
    chance, played = np.random.default_rng(seed), []
    _, info = environment.reset(seed=seed)
    while True:
        assert np.array_equal(environment.action_masks(), info["action_mask"].astype(bool))
        played.append(int(chance.choice(np.flatnonzero(info["action_mask"]))))
        _, reward, over, cut, info = environment.step(played[-1])
        assert not cut
        if over:
            return played, reward
        assert reward == 0


def test_gymnasiums_checker() -> None:
    from gymnasium.utils.env_checker import check_env

    made = gymnasium.make("game.envs.gymnasium:Backpropagation-v1", updates=ScriptedUpdates(), render_mode="ansi")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(made.unwrapped)


@pytest.mark.parametrize("seat", [0, 1])
def test_it_is_the_match_against_the_opponent(seat: int) -> None:
    """The same match, played by hand with the bot's own decisions."""
    environment = env(opponent="greedy", seat=seat)
    played, reward = play(environment, 3)
    own, ours = environment.match, iter(played)
    match = Match(own.decks, own.seed, updates=ScriptedUpdates())
    while match.outcome is None:
        match.play(next(ours) if match.player == seat else decide(make_bot("greedy"), match))
    assert match.digest() == own.digest()
    winner = match.outcome.winner
    assert reward == (0 if winner is None else 1 if winner == seat else -1)


def test_seeds_and_seats() -> None:
    assert play(env(), 7) == play(env(), 7)
    environment = env()
    seats = set()
    for seed in range(12):
        environment.reset(seed=seed)
        seats.add(environment.player)
    assert seats == {0, 1}


def test_decks_and_sources_are_the_agents_and_the_opponents_whatever_the_seat() -> None:
    for seat in (0, 1):
        mine, yours = ScriptedUpdates(), ScriptedUpdates("vanished")
        environment = MatchEnv("random", decks=("1986", "vision"), updates=(mine, yours), seat=seat)
        for seed in range(6):
            play(environment, seed)
            assert environment.match.decks[seat].id == "1986"
            assert environment.match.decks[1 - seat].id == "vision"
        assert {request.player for request in mine.requests} == {seat}
        assert {request.player for request in yours.requests} == {1 - seat}


def test_an_illegal_action_gives_the_match_up_or_is_refused() -> None:
    environment = env()
    environment.reset(seed=1)
    _, reward, over, _, info = environment.step(200)
    assert (reward, over) == (-1, True)
    assert environment.match.outcome == (1 - environment.player, "concede")
    assert info["illegal"]
    strict = env(illegal="raise")
    strict.reset(seed=1)
    before = strict.match.digest()
    with pytest.raises(IllegalAction):
        strict.step(200)
    assert strict.match.digest() == before


def test_refusals_at_construction() -> None:
    with pytest.raises(GameError, match="asks for a gradient update"):
        MatchEnv()
    with pytest.raises(GameError, match="asks for a gradient update"):
        MatchEnv(updates=(None, ScriptedUpdates()))
    for wrong in ({"seat": 2}, {"illegal": "ignore"}, {"opponent": "nobody"}, {"decks": ("1986",)}):
        with pytest.raises(GameError):
            env(**wrong)
