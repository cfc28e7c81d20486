"""The OpenSpiel game: the library's random simulations, and what a player's information is."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel isn't installed (extra envs)")

from game.engine.observe import OBSERVATION_SIZE
from game.envs.openspiel import BackpropagationGame
from game.envs.promises import disguised
from game.errors import GameError
from game.match import Match
from game.updates import ScriptedUpdates


@pytest.fixture(scope="module")
def spiel() -> Any:
    return pyspiel.load_game("python_backpropagation", {"updates": "scripted"})


def started(spiel: Any, seed: int) -> Any:
    state = spiel.new_initial_state()
    for byte in seed.to_bytes(4, "big"):
        assert state.is_chance_node()
        state.apply_action(byte)
    return state


def test_openspiels_random_simulations(spiel: Any) -> None:
    """Serialisation, clones, observers, undoing and legality in random matches, as for every game there."""
    pyspiel.random_sim_test(spiel, 3, True, False)


@pytest.mark.parametrize("seed", [0, 77, 2**32 - 1])
def test_after_the_chance_nodes_it_is_the_match_of_that_seed(spiel: Any, seed: int) -> None:
    state, match = started(spiel, seed), Match(("1986", "vision"), seed, updates=ScriptedUpdates())
    chance = np.random.default_rng(seed)
    while match.outcome is None:
        assert state.current_player() == match.player
        assert state.legal_actions() == match.legal_actions()
        assert np.array_equal(state.observation_tensor(0), match.observe(0))
        action = int(chance.choice(match.legal_actions()))
        state.apply_action(action)
        match.play(action)
    assert state.is_terminal()
    winner = match.outcome.winner
    assert state.returns() == ([0, 0] if winner is None else [1, -1] if winner == 0 else [-1, 1])


def test_the_information_state_recalls_everything_and_knows_nothing_hidden(spiel: Any) -> None:
    state, chance = started(spiel, 5), np.random.default_rng(5)
    before = ["", ""]
    while not state.is_terminal():
        for player in range(2):
            now = state.information_state_string(player)
            assert now.startswith(before[player])
            before[player] = now
        twin = state.clone()
        viewer = 1 - state.current_player()
        twin.seen.match = disguised(twin.seen.match, viewer, int(chance.integers(2**63)))
        assert twin.information_state_string(viewer) == before[viewer]
        assert twin.observation_string(viewer) == state.observation_string(viewer)
        state.apply_action(int(chance.choice(state.legal_actions())))
    assert before[0] != before[1]


def test_own_decisions_are_recalled_also_where_nobody_is_told(spiel: Any) -> None:
    state = started(spiel, 9)
    player = state.current_player()
    state.apply_action(224)
    assert "#224 mulligan_done" in state.information_state_string(player)
    assert "#224" not in state.information_state_string(1 - player)


def test_clones_and_pickles_go_on_alone(spiel: Any) -> None:
    state = started(spiel, 11)
    state.apply_action(224)
    digest = state.match.digest()
    for other in (state.clone(), pickle.loads(pickle.dumps(state))):
        assert other.match.digest() == digest
        other.apply_action(other.legal_actions()[0])
        assert other.match.digest() != digest
        assert state.match.digest() == digest


def test_observer_pieces_share_the_tensor(spiel: Any) -> None:
    from open_spiel.python.observation import make_observation

    observer = make_observation(spiel)
    state = started(spiel, 3)
    observer.set_from(state, 1)
    assert observer.tensor.shape == (OBSERVATION_SIZE,)
    assert observer.dict["tokens"].shape == (14, 16)
    assert np.shares_memory(observer.dict["tokens"], observer.tensor)
    assert np.array_equal(observer.tensor, state.match.observe(1))


def test_updates_come_from_a_named_source_only() -> None:
    with pytest.raises(GameError, match="asks for a gradient update"):
        BackpropagationGame()
    with pytest.raises(GameError, match="needs scripted or nothing"):
        BackpropagationGame({"updates": "yes"})
    source = ScriptedUpdates("vanished")
    game = BackpropagationGame(updates=source)
    chance = np.random.default_rng(1)
    for seed in range(6):
        state = started(game, seed)
        while not state.is_terminal():
            state.apply_action(int(chance.choice(state.legal_actions())))
    assert source.requests
