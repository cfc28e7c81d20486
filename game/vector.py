"""Many matches stepped together, for agents: whole matches, on as many cores as asked for.

:class:`VectorMatch` is the board of N matches; :func:`play_round` plays a list of pairings on it
with players and update sources, keeps its places full by starting the next match where one has
ended, and drops none. How many places there are, and which match sits where, changes no result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from game.bots.protocol import Decisions, Player, decision_words
from game.cards import CardSet, first_set
from game.decks import Deck, deck_rows
from game.engine import batch, compiled
from game.engine import records as r
from game.engine.chance import seeds_from
from game.engine.observe import OBSERVATION_SIZE
from game.errors import GameError
from game.events import Event
from game.match import state_digest
from game.replay import Replay, Step
from game.settings import Settings, check_seed
from game.start import Start
from game.updates import UpdateRequest, UpdateSource, Verdict, make_request


class VectorMatch:
    """N matches side by side. After :meth:`look`, row i of each buffer is match i's player to act.

    Attributes: ``states`` ``(n,)``; ``observations`` int32 ``(n, OBSERVATION_SIZE)``; ``masks``
    uint8 ``(n, 238)``; ``counts`` int32 ``(n,)``, legal actions (0: over, or an update is awaited).
    """

    def __init__(self, n: int, cards: CardSet | None = None, settings: Settings | None = None,
                 threads: int = 1) -> None:
        if n < 1 or threads < 1:
            raise GameError(f"a VectorMatch needs at least 1 match and 1 thread, not {n} and {threads}")
        compiled.prepare()
        self.cards = cards or first_set()
        self.settings = settings or Settings()
        self.states: Any = np.zeros(n, r.State.dtype)
        self.observations: Any = np.zeros((n, OBSERVATION_SIZE), np.int32)
        self.masks: Any = np.zeros((n, r.ACTIONS), np.uint8)
        self.counts: Any = np.zeros(n, np.int32)
        self._works: Any = np.zeros(threads, r.Work.dtype)
        self._silent: Any = np.zeros((0, len(r.EVENT_FIELDS)), np.int32)
        self._limits = self.settings.row(self.cards)
        self._raw = self.states.view(np.uint8).reshape(n, r.State.dtype.itemsize)
        self._shares = [(n * t // threads, n * (t + 1) // threads) for t in range(threads)]
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None

    def __len__(self) -> int:
        return len(self.states)

    def deal(self, index: int, decks: Any, seed: int) -> None:
        """Start a new match at a place; ``decks`` int32 ``(2, 31)`` (see :func:`game.decks.deck_rows`)."""
        self._raw[index] = 0
        batch.deal_one(self.states, index, self._silent, np.uint64(seed), decks, self._limits)

    def deal_all(self, decks: Sequence[Sequence[Deck]], seed: int) -> None:
        """Start all matches, match i with ``decks[i % len(decks)]`` and the i-th seed drawn from ``seed``."""
        rows = [deck_rows(pair, self.cards) for pair in decks]
        for index, word in enumerate(seeds_from(check_seed(seed), len(self))):
            self.deal(index, rows[index % len(rows)], int(word))

    def put(self, index: int, state: bytes) -> None:
        """Put a match as it stands at a place; ``state``: a State's bytes."""
        self._raw[index] = np.frombuffer(state, np.uint8)

    def look(self) -> None:
        """Fill observations, masks and counts for every match's player to act."""
        self._share(lambda worker, first, last: batch.look_many(
            self.states, first, last, self.cards.table, self.observations, self.masks, self.counts))

    def step(self, actions: Any) -> None:
        """Take ``actions[i]`` in match i, int32 ``(n,)``; −1 leaves a match alone. Actions must be legal."""
        actions = np.ascontiguousarray(actions, np.int32)
        self._share(lambda worker, first, last: batch.step_many(
            self.states, first, last, self.cards.table, self._works, worker, self._silent, actions))

    def awaiting(self) -> list[int]:
        """Places whose match awaits a gradient update."""
        return [int(i) for i in np.flatnonzero(self.states["phase"] == r.AWAITING_UPDATE)]

    def give(self, index: int, verdict: Verdict) -> None:
        """The verdict on the update that a match awaits."""
        batch.verdict_one(self.states, index, self.cards.table, self._works, self._silent,
                          r.VERDICTS.index(verdict.outcome), verdict.row)

    def _share(self, work: Callable[[int, int, int], None]) -> None:
        if self._pool is None:
            work(0, *self._shares[0])
        else:
            for done in [self._pool.submit(work, t, *share) for t, share in enumerate(self._shares)]:
                done.result()


@dataclass(frozen=True)
class Pairing:
    """A match to play: decks and seats. ``seats[p]`` is the number of the player who is player p."""

    number: int
    """The match's number in its run, from 0."""
    decks: tuple[Deck, Deck]
    seed: int
    seats: tuple[int, int]
    start: Start | None = None
    """Where the match goes on from, if it isn't to be dealt; ``seed`` then gives the decisions' random words alone."""


@dataclass
class Played:
    """A finished match."""

    pairing: Pairing
    name: str
    winner: int | None
    """0 or 1 (a seat), None for a draw."""
    reason: str
    turns: int
    starter: int
    forced_ends: int
    decisions: int
    steps: tuple[Step, ...]
    updates: tuple[tuple[int, UpdateRequest, Verdict], ...]
    """(seat, request, verdict) of each update that was asked for; like the steps, those since a ``start``."""

    def replay(self, cards: CardSet, settings: Settings, sources: tuple[str, str],
               watch: Callable[[list[Event]], None] | None = None) -> Replay:
        """The match's record; plays it once more for the digests, telling ``watch`` the events of each step."""
        return Replay.from_steps(self.pairing.decks, self.pairing.seed, settings, cards, sources, self.steps, watch)

    def reward(self, seat: int) -> float:
        """A seat's result: 1, 0 for a draw, −1."""
        return 0.0 if self.winner is None else 1.0 if self.winner == seat else -1.0

    def winning_player(self) -> int | None:
        """The number of the player who won, None for a draw."""
        return None if self.winner is None else self.pairing.seats[self.winner]


@dataclass
class _Seat:
    """What a place of the board remembers of the match in it."""

    pairing: Pairing
    name: str
    steps: list[Step] = field(default_factory=list)
    updates: list[tuple[int, UpdateRequest, Verdict]] = field(default_factory=list)
    turn_rows: list[tuple[int, Any, int]] = field(default_factory=list)
    """The turn's decisions: (ply, observation, action)."""
    own_rows: dict[int, list[tuple[int, Any]]] = field(default_factory=dict)
    """Entry number → (ply, observation) of each decision the Model took itself."""


def play_round(pairings: Sequence[Pairing], players: Sequence[Player], sources: Sequence[UpdateSource],
               cards: CardSet | None = None, settings: Settings | None = None, places: int = 256, threads: int = 1,
               progress: Callable[[Played], None] | None = None) -> list[Played]:
    """Play every pairing to its end and return the matches in the order of the pairings.

    ``players[k]`` decides and ``sources[k]`` judges updates for the seats numbered k;
    ``progress`` is called with each match as it ends. Weights must not change meanwhile.
    """
    return _Round(pairings, players, sources, cards, settings, places, threads).play(progress)


class _Round:
    def __init__(self, pairings: Sequence[Pairing], players: Sequence[Player], sources: Sequence[UpdateSource],
                 cards: CardSet | None, settings: Settings | None, places: int, threads: int) -> None:
        self.pairings, self.players, self.sources = list(pairings), players, sources
        self.board = VectorMatch(max(1, min(places, len(self.pairings))), cards, settings, threads)
        n = len(self.board)
        self.seats: list[_Seat | None] = [None] * n
        self.numbers = np.zeros((n, 2), np.int64)
        """Player numbers by place and seat."""
        self.seeds = np.zeros(n, np.uint64)
        self.waiting = 0
        self.rows: dict[tuple[int, int], Any] = {}

    def play(self, progress: Callable[[Played], None] | None) -> list[Played]:
        done: dict[int, Played] = {}
        for place in range(len(self.board)):
            self._seat_next(place)
        while any(seat is not None for seat in self.seats):
            self._decide()
            for place in self.board.awaiting():
                self._update(place)
            for place in np.flatnonzero(self.board.states["phase"] == r.OVER).tolist():
                if self.seats[place] is not None:
                    played = self._finish(place)
                    done[id(played.pairing)] = played
                    if progress is not None:
                        progress(played)
                    self._seat_next(place)
        return [done[id(pairing)] for pairing in self.pairings]

    def _seat_next(self, place: int) -> None:
        if self.waiting == len(self.pairings):
            self.seats[place] = None
            return
        pairing = self.pairings[self.waiting]
        self.waiting += 1
        self.numbers[place] = pairing.seats
        self.seeds[place] = pairing.seed
        if (start := pairing.start) is not None:
            self.board.put(place, start.state)
            self.seats[place] = _Seat(pairing, start.name, turn_rows=list(start.turn_rows),
                                      own_rows={entry: list(rows) for entry, rows in start.own_rows.items()})
            return
        key = (id(pairing.decks[0]), id(pairing.decks[1]))
        if key not in self.rows:
            self.rows[key] = deck_rows(pairing.decks, self.board.cards)
        self.board.deal(place, self.rows[key], pairing.seed)
        name = state_digest(r.copy_states(self.board.states[place:place + 1]), self.board.cards)
        self.seats[place] = _Seat(pairing, name)

    def _decide(self) -> None:
        board = self.board
        board.look()
        active = np.flatnonzero(board.counts > 0)
        seats = board.states["player"].astype(np.int32)
        plies = board.states["ply"].astype(np.int32)
        words = np.empty(len(board), np.uint64)
        decision_words(self.seeds, seats, plies, words)
        deciders = self.numbers[np.arange(len(board)), seats]
        actions = np.full(len(board), -1, np.int32)
        for number in np.unique(deciders[active]):
            chosen = active[deciders[active] == number]
            decisions = Decisions(
                board.cards, board.observations[chosen], board.masks[chosen], words[chosen],
                np.array([self.seats[i].pairing.number for i in chosen], np.int64),
                seats[chosen].astype(np.int64), _LazyStates(board.states, chosen),
                lambda i, chosen=chosen: self.seats[chosen[i]].own_rows)  # type: ignore[misc]
            actions[chosen] = self.players[number].choose(decisions)
        self._remember(active, actions)
        board.step(actions)

    def _remember(self, active: Any, actions: Any) -> None:
        """Keep what an update could learn from: this turn's observations, and each Model's own decisions."""
        board = self.board
        plies, starts = board.states["ply"] + 1, board.states["turn_ply"]
        players, entries = board.states["player"], board.states["labs"]["units"]["entry"]
        rows = board.observations[active]
        for place, row in zip(active.tolist(), rows, strict=True):
            seat, ply, action = self.seats[place], int(plies[place]), int(actions[place])
            assert seat is not None
            if ply == starts[place]:
                seat.turn_rows.clear()
            seat.turn_rows.append((ply, row, action))
            source = action // r.TOKENS
            if r.HAND <= source < r.END_TURN:
                entry = int(entries[place, players[place], source - r.HAND])
                seat.own_rows.setdefault(entry, []).append((ply, row))
            seat.steps.append(action)

    def _update(self, place: int) -> None:
        seat = self.seats[place]
        assert seat is not None
        state = self.board.states[place]
        player = int(state.player)
        asked = len(seat.updates) + (seat.pairing.start.asked if seat.pairing.start else 0)
        request = make_request(state, self.board.cards, seat.name, seat.turn_rows,
                               seat.own_rows.get(int(state.update_entry), []), seat.pairing.number, asked)
        verdict = self.sources[seat.pairing.seats[player]].update(request)
        seat.updates.append((player, request, verdict))
        seat.steps.append((verdict.outcome, verdict.row, verdict.gradient))
        self.board.give(place, verdict)

    def _finish(self, place: int) -> Played:
        seat = self.seats[place]
        assert seat is not None
        state = self.board.states[place]
        result = int(state.result)
        return Played(seat.pairing, seat.name, None if result == r.DRAWN else result - 1, r.REASONS[state.reason],
                      int(state.turn), int(state.starter), int(state.forced_ends), int(state.ply), tuple(seat.steps),
                      tuple(seat.updates))


class _LazyStates:
    """The chosen states' bytes, copied only if a player imagines."""

    def __init__(self, states: Any, chosen: Any) -> None:
        self._states, self._chosen = states, chosen

    def tobytes(self) -> bytes:
        raw = self._states.view(np.uint8).reshape(len(self._states), -1)
        data: bytes = raw[self._chosen].tobytes()
        return data

    def __len__(self) -> int:
        return len(self._chosen)
