"""The PettingZoo environment: the library's own tests, and what they don't look at."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pettingzoo", reason="PettingZoo isn't installed (extra envs)")

from game.envs import pettingzoo as adapter
from game.errors import GameError, IllegalAction
from game.updates import ScriptedUpdates, Verdict


def env(**options: Any) -> Any:
    return adapter.env(updates=ScriptedUpdates(), **options)


def test_pettingzoos_own_tests() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the tests warn of dictionaries as observations, and of their own imports
        from pettingzoo.test import api_test, seed_test

        api_test(env(), num_cycles=200)
        seed_test(env, num_cycles=200)


def play(environment: Any, seed: int) -> tuple[list[int], dict[str, float]]:
    """A match of seeded random actions: what was played, and the rewards that the agents were given."""
    chance, played, given = np.random.default_rng(seed), [], {}
    environment.reset(seed=seed)
    for agent in environment.agent_iter():
        observation, reward, over, cut, _ = environment.last()
        assert not cut
        if over:
            given[agent] = reward
            environment.step(None)
        else:
            assert reward == 0
            assert observation["action_mask"].any()
            played.append(int(chance.choice(np.flatnonzero(observation["action_mask"]))))
            environment.step(played[-1])
    return played, given


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_rewards_come_at_the_end_and_are_the_matchs_result(seed: int) -> None:
    environment = env()
    played, given = play(environment, seed)
    outcome = environment.unwrapped.match.outcome
    assert given == ({"player_0": 0, "player_1": 0} if outcome.winner is None else
                     {f"player_{outcome.winner}": 1, f"player_{1 - outcome.winner}": -1})
    assert play(env(), seed) == (played, given)


def test_only_who_acts_has_a_mask_and_sees_its_own_side() -> None:
    environment = adapter.raw_env(updates=ScriptedUpdates())
    environment.reset(seed=4)
    acting = environment.agent_selection
    other = next(agent for agent in environment.agents if agent != acting)
    assert environment.observe(acting)["action_mask"].tolist() == environment.match.mask().tolist()
    assert not environment.observe(other)["action_mask"].any()
    for player, agent in enumerate(environment.agents):
        assert np.array_equal(environment.observe(agent)["observation"], environment.match.observe(player))


def test_an_illegal_action_ends_the_wrapped_and_is_refused_by_the_bare_environment() -> None:
    bare = adapter.raw_env(updates=ScriptedUpdates())
    bare.reset(seed=5)
    before = bare.match.digest()
    with pytest.raises(IllegalAction):
        bare.step(200)
    assert bare.match.digest() == before
    wrapped = env()
    wrapped.reset(seed=5)
    agent = wrapped.agent_selection
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wrapped.step(200)
    assert wrapped.terminations[agent]
    assert wrapped.rewards[agent] == -1


def test_without_a_source_nothing_is_granted() -> None:
    with pytest.raises(GameError, match=r"player 0's deck has backpropagation.*updates=ScriptedUpdates"):
        adapter.env()
    with pytest.raises(GameError, match="player 1's deck has"):
        adapter.env(updates=(ScriptedUpdates(), None))


def test_without_cards_that_ask_none_is_needed() -> None:
    from game.cards import first_set

    calm = [card for card in first_set().cards if card and not card.token and card.type != "researcher"
            and not any(effect["operation"] == "update" for effect in card.effects)]
    deck = {card.id: 2 for card in calm[:15]}
    assert play(adapter.env(decks=(deck, deck)), 6)[1]


def test_a_source_is_asked_with_the_environments_match_number() -> None:
    asked = []

    class Asking:
        name = "asking"

        def update(self, request: Any) -> Verdict:
            asked.append(request.number)
            return Verdict("vanished")

    environment = adapter.env(updates=Asking())
    for seed in range(8):
        play(environment, seed)
    assert len(set(asked)) > 1
    assert asked == sorted(asked)
    assert max(asked) <= 7


def test_the_board_as_text() -> None:
    environment = env(render_mode="ansi")
    environment.reset(seed=1)
    assert "Your hand" in environment.render()
