"""The game as an OpenSpiel game, "python_backpropagation".

>>> import pyspiel, game.envs.openspiel                                              # doctest: +SKIP
>>> spiel = pyspiel.load_game("python_backpropagation", {"updates": "scripted"})     # doctest: +SKIP

Two players, zero-sum, imperfect information, chance explicit: four chance nodes at the beginning
draw the bytes of a 32-bit seed, evenly, and everything after them follows from it. So a state is
its history, and whoever clones one clones its hidden cards and its future chance, too: search on
clones sees more than a player does (the game's own bots search on imagined states instead).

The information state string has perfect recall: the opening hand and all events as the player is
told them. The observation tensor is the observation row (docs/observations.md) in three pieces.

Parameters: ``decks`` (two ids or files, joined by +), ``updates``: "scripted" for verdicts that no
gradient backs. A real source is an object, so it takes the constructor::

    BackpropagationGame(updates=GradientSource(agent, "me"))

A source is asked wherever a card is played, in clones and in every replay of a history too: its
ledger then has entries for lines that were only tried out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from game.cards import CardSet, first_set
from game.engine.observe import OBSERVATION_SIZE, view
from game.engine.records import ACTIONS
from game.envs.common import DECKS, Dealer, Sources, missing, reward
from game.errors import GameError
from game.events import redact
from game.match import Match
from game.replay import Replay
from game.settings import Settings
from game.text.board import board_text
from game.updates import ScriptedUpdates

try:
    import pyspiel
except ImportError as error:
    missing("OpenSpiel", error)

SEED_BYTES = 4
PARAMETERS = {"decks": "+".join(DECKS), "updates": ""}

_TYPE = pyspiel.GameType(
    short_name="python_backpropagation",
    long_name="Backpropagation",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=2,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification=PARAMETERS,
    default_loadable=False)


class BackpropagationGame(pyspiel.Game):  # type: ignore[misc]
    """Decks, settings and update sources; GameError if a deck asks for updates and ``updates`` is missing."""

    def __init__(self, params: dict[str, Any] | None = None, updates: Sources = None, cards: CardSet | None = None,
                 settings: Settings | None = None) -> None:
        given = {**PARAMETERS, **(params or {})}
        self.settings = settings or Settings()
        if updates is None and given["updates"]:
            if given["updates"] != "scripted":
                raise GameError(f"parameter updates: needs scripted or nothing, not {given['updates']!r}")
            updates = ScriptedUpdates()
        self.dealer = Dealer(given["decks"].split("+"), updates, cards or first_set(), self.settings)
        mulligans = self.settings.first_hand + self.settings.second_hand + 2
        info = pyspiel.GameInfo(
            num_distinct_actions=ACTIONS, max_chance_outcomes=256, num_players=2, min_utility=-1.0, max_utility=1.0,
            utility_sum=0.0, max_game_length=mulligans + self.settings.turn_limit * (self.settings.action_limit + 1))
        super().__init__(_TYPE, info, params or {})

    def new_initial_state(self) -> BackpropagationState:
        """A match whose seed isn't drawn yet."""
        return BackpropagationState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Observer:
        """Perfect recall: strings of all that was seen; else the observation, as tensor and text."""
        return Observer(iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False), params)


class Seen:
    """A match with all that each player has seen of it. Cloned and pickled without its update sources."""

    def __init__(self, match: Match, lines: list[list[str]] | None = None) -> None:
        self.match = match
        hands = [view(match.observe(player)).hand[:, 0] for player in range(2)]
        self.lines = lines or [[" ".join(["hand", *(str(card) for card in hand if card)])] for hand in hands]

    def play(self, action: int, updates: Sources) -> None:
        """Take an action and tell both players what happened."""
        player = self.match.player
        self.match.updates = updates  # type: ignore[assignment]
        events = self.match.play(action)
        for viewer in range(2):
            own = [f"#{action}"] if viewer == player else []
            self.lines[viewer].append(" ".join(own + [
                f"{e.kind}:{e.player},{e.slot},{e.card},{e.a},{e.b}" for e in redact(events, viewer)]))

    def __deepcopy__(self, memo: Any) -> Seen:
        """What OpenSpiel clones states with."""
        return Seen(self.match.clone(), [list(lines) for lines in self.lines])

    def __reduce__(self) -> Any:
        """What it serialises states with: a replay, as short as the match's past is long."""
        own = None if self.match.cards is first_set() else self.match.cards
        return _restore, (Replay.of(self.match).to_json(), own, self.lines)


def _restore(replay: str, cards: CardSet | None, lines: list[list[str]]) -> Seen:
    return Seen(Replay.from_json(replay).verify(cards), lines)


class BackpropagationState(pyspiel.State):  # type: ignore[misc]
    """Four chance nodes, then a match."""

    def __init__(self, game: BackpropagationGame) -> None:
        super().__init__(game)
        self.seed_bytes: list[int] = []
        self.seen: Seen | None = None

    def current_player(self) -> int:
        """Who is to act: a player, chance, or nobody any more."""
        if self.seen is None:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if self.is_terminal() else self.seen.match.player

    def _legal_actions(self, player: int) -> list[int]:
        return self.match.legal_actions() if player == self.match.player else []

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Any byte, evenly."""
        return [(byte, 1 / 256) for byte in range(256)]

    def _apply_action(self, action: int) -> None:
        dealer: Dealer = self.get_game().dealer
        if self.seen is not None:
            self.seen.play(action, dealer.sources)
            return
        self.seed_bytes.append(action)
        if len(self.seed_bytes) == SEED_BYTES:
            self.seen = Seen(dealer.deal(int.from_bytes(bytes(self.seed_bytes), "big")))

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"seed byte {action}"
        return f"{action}: {self.match.describe(action)}" if player == self.match.player else str(action)

    def is_terminal(self) -> bool:
        """Whether the match is over."""
        return self.seen is not None and self.seen.match.outcome is not None

    def returns(self) -> list[float]:
        """±1, or 0 for a draw and while the match runs."""
        return [0.0, 0.0] if self.seen is None else [reward(self.seen.match, player) for player in range(2)]

    @property
    def match(self) -> Match:
        """The match, once its seed is drawn."""
        if self.seen is None:
            raise GameError("the seed isn't drawn yet")
        return self.seen.match

    def __str__(self) -> str:
        if self.seen is None:
            return f"seed {self.seed_bytes}"
        return board_text(self.match.observe(self.match.player), self.match.cards)


class Observer:
    """OpenSpiel's PyObserver: ``tensor`` float32 (264,), ``dict`` its named pieces, and strings."""

    def __init__(self, kind: Any, params: Any) -> None:
        if params:
            raise ValueError(f"observers take no parameters, not {params}")
        self.recall = kind.perfect_recall
        self.tensor: Any = None if self.recall else np.zeros(OBSERVATION_SIZE, np.float32)
        self.dict: dict[str, Any] = {} if self.recall else dict(view(self.tensor)._asdict())

    def set_from(self, state: BackpropagationState, player: int) -> None:
        """Fill the tensor with what a player knows; zeros before the deal."""
        if self.tensor is not None:
            self.tensor[:] = 0 if state.seen is None else state.match.observe(player)

    def string_from(self, state: BackpropagationState, player: int) -> str:
        """What a player knows now, or (perfect recall) all that it has seen."""
        if state.seen is None:
            return f"player {player}, before the deal"
        if self.recall:
            return "\n".join([f"player {player}", *state.seen.lines[player]])
        return f"player {player} " + " ".join(map(str, state.match.observe(player).tolist()))


pyspiel.register_game(_TYPE, BackpropagationGame)
