"""The game as a Gymnasium environment: one agent against a bot, or any other Player.

>>> env = gymnasium.make("game.envs.gymnasium:Backpropagation-v1", updates=ScriptedUpdates())   # doctest: +SKIP
>>> observation, info = env.reset(seed=7)                                                       # doctest: +SKIP
>>> env.step(env.action_space.sample(info["action_mask"]))                                      # doctest: +SKIP

Observations are int32 (264,) (docs/observations.md); legal actions are in ``info["action_mask"]``
int8 (238,) and in ``action_masks()`` bool (238,), where Stable-Baselines' MaskablePPO looks for
them. The reward comes at the end: ±1, 0 for a draw. A match is never truncated.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from game.bots import Player, make_bot
from game.bots.single import decide
from game.cards import CardSet, first_set
from game.decks import DeckLike
from game.engine.observe import OBSERVATION_SIZE
from game.engine.records import ACTIONS
from game.envs.common import DECKS, Dealer, Sources, missing, reward
from game.errors import GameError, IllegalAction
from game.match import Match
from game.settings import Settings
from game.text.board import board_text

try:
    import gymnasium
    from gymnasium import spaces
except ImportError as error:
    missing("Gymnasium", error)


class MatchEnv(gymnasium.Env):
    """One match an episode.

    ``opponent``: a bot's name or a :class:`~game.bots.protocol.Player`. ``seat``: the agent is
    player 0 or 1; None: drawn for each match. ``decks`` and ``updates`` are the agent's and the
    opponent's, whatever the seat (one source serves both). ``illegal``: "concede" gives the match up
    at an illegal action (reward −1, the refusal in ``info["illegal"]``), "raise" raises IllegalAction
    and changes nothing.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012

    def __init__(self, opponent: str | Player = "greedy", decks: Sequence[DeckLike] = DECKS, updates: Sources = None,
                 seat: int | None = None, illegal: str = "concede", cards: CardSet | None = None,
                 settings: Settings | None = None, render_mode: str | None = None) -> None:
        if seat not in (0, 1, None):
            raise GameError(f"seat: needs 0, 1 or None, not {seat!r}")
        if illegal not in ("concede", "raise"):
            raise GameError(f"illegal: needs concede or raise, not {illegal!r}")
        self.opponent = make_bot(opponent) if isinstance(opponent, str) else opponent
        self.dealer = Dealer(decks, updates, cards or first_set(), settings or Settings())
        self.seat, self.illegal, self.render_mode = seat, illegal, render_mode
        whole = np.iinfo(np.int32)
        self.observation_space = spaces.Box(whole.min, whole.max, (OBSERVATION_SIZE,), np.int32)
        self.action_space = spaces.Discrete(ACTIONS)
        self.match: Match | None = None
        self.player = 0
        """The agent's number in this match."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Deal the next match and let the opponent act until the agent is to."""
        super().reset(seed=seed)
        word = int(self.np_random.integers(2**64, dtype=np.uint64))
        self.player = int(self.np_random.integers(2)) if self.seat is None else self.seat
        self.match = self.dealer.deal(word, swapped=self.player == 1)
        self._answer()
        return self._observation(), self._info()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """The agent's action, then the opponent's until the agent is to act again or the match is over."""
        match, refused = self._running(), {}
        try:
            match.play(action)
        except IllegalAction as refusal:
            if self.illegal == "raise" or match.outcome is not None:
                raise
            match.concede(self.player)
            refused = {"illegal": str(refusal)}
        self._answer()
        return (self._observation(), reward(match, self.player), match.outcome is not None, False,
                {**self._info(), **refused})

    def action_masks(self) -> Any:
        """Legal actions, bool ``(238,)``."""
        return self._running().mask().astype(bool)

    def render(self) -> Any:
        """The board as the agent sees it, as text."""
        if self.render_mode is None:
            return None
        match = self._running()
        return board_text(match.observe(self.player), match.cards)

    def _answer(self) -> None:
        match = self._running()
        while match.outcome is None and match.player != self.player:
            match.play(decide(self.opponent, match, self.dealer.dealt - 1))

    def _observation(self) -> Any:
        return self._running().observe(self.player)

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._running().mask().view(np.int8), "player": self.player}

    def _running(self) -> Match:
        if self.match is None:
            raise RuntimeError("call reset() before anything else")
        return self.match


gymnasium.register("Backpropagation-v1", entry_point="game.envs.gymnasium:MatchEnv", disable_env_checker=True)
