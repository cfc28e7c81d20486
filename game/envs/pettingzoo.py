"""The game as a PettingZoo AEC environment: two agents in turn.

>>> env = game.envs.pettingzoo.env(updates=ScriptedUpdates())          # doctest: +SKIP
>>> env.reset(seed=7)                                                  # doctest: +SKIP
>>> for agent in env.agent_iter():                                     # doctest: +SKIP
...     observation, reward, termination, truncation, info = env.last()
...     env.step(None if termination else env.action_space(agent).sample(observation["action_mask"]))

An observation is {"observation": int32 (264,), see docs/observations.md, "action_mask": int8
(238,)}; the mask of the agent that isn't to act is all zeros. Rewards come at the end: ±1, 0 for
a draw (the turn limit is a rule of the game, so it is a termination, never a truncation).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from game.cards import CardSet, first_set
from game.decks import DeckLike
from game.engine.observe import OBSERVATION_SIZE
from game.engine.records import ACTIONS
from game.envs.common import DECKS, Dealer, Sources, missing, reward
from game.match import Match
from game.settings import Settings
from game.text.board import board_text

try:
    from gymnasium import spaces
    from gymnasium.utils import seeding
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
except ImportError as error:
    missing("PettingZoo", error)

AGENTS = ("player_0", "player_1")


def env(**options: Any) -> AECEnv:
    """The environment in PettingZoo's usual wrappers: an illegal action ends the match, its agent gets −1."""
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(
        wrappers.TerminateIllegalWrapper(raw_env(**options), illegal_reward=-1)))


class raw_env(AECEnv):  # type: ignore[misc]  # noqa: N801  (PettingZoo's name for it)
    """The environment bare: an illegal action raises IllegalAction and changes nothing.

    ``updates``: the players' update source, or one each; needed as soon as a deck has a card that
    asks for a gradient update. ``reset(seed=s)`` fixes this match and all that follow it.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "name": "backpropagation_v1", "is_parallelizable": False}  # noqa: RUF012

    def __init__(self, decks: Sequence[DeckLike] = DECKS, updates: Sources = None, cards: CardSet | None = None,
                 settings: Settings | None = None, render_mode: str | None = None) -> None:
        super().__init__()
        self.dealer = Dealer(decks, updates, cards or first_set(), settings or Settings())
        self.render_mode = render_mode
        self.possible_agents = list(AGENTS)
        whole = np.iinfo(np.int32)
        self.observation_spaces = {agent: spaces.Dict({
            "observation": spaces.Box(whole.min, whole.max, (OBSERVATION_SIZE,), np.int32),
            "action_mask": spaces.Box(0, 1, (ACTIONS,), np.int8)}) for agent in AGENTS}
        self.action_spaces = {agent: spaces.Discrete(ACTIONS) for agent in AGENTS}
        self.match: Match | None = None
        self._random: np.random.Generator | None = None

    def observation_space(self, agent: str) -> Any:
        """The same object each time, as PettingZoo asks."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """238 numbers (see :mod:`game.actions`)."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal the next match."""
        if seed is not None or self._random is None:
            self._random, _ = seeding.np_random(seed)
        self.match = self.dealer.deal(int(self._random.integers(2**64, dtype=np.uint64)))
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self.agent_selection = AGENTS[self.match.player]

    def observe(self, agent: str) -> dict[str, Any]:
        """What an agent knows, and the actions it may take now."""
        match, player = self._running(), AGENTS.index(agent)
        acts = agent == self.agent_selection
        mask = match.mask().view(np.int8) if acts else np.zeros(ACTIONS, np.int8)
        return {"observation": match.observe(player), "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Take the selected agent's action."""
        if self.terminations[self.agent_selection] or self.truncations[self.agent_selection]:
            self._was_dead_step(action)
            return
        match = self._running()
        match.play(cast(int, action))
        self._cumulative_rewards[self.agent_selection] = 0.0
        if match.outcome is not None:
            self.terminations = dict.fromkeys(AGENTS, True)
            self.rewards = {agent: reward(match, player) for player, agent in enumerate(AGENTS)}
        self.agent_selection = AGENTS[match.player]
        self._accumulate_rewards()

    def render(self) -> str | None:
        """The board as the agent to act sees it, as text."""
        if self.render_mode is None:
            return None
        match = self._running()
        return board_text(match.observe(match.player), match.cards)

    def close(self) -> None:
        """Nothing is kept open."""

    def _running(self) -> Match:
        if self.match is None:
            raise RuntimeError("call reset() before anything else")
        return self.match
