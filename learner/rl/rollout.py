"""Rounds of matches between labs, spread over processes; the same matches whatever their number.

A lab is an agent with an owner's name, or a bot with networks of its own (nobody's update is
granted without a gradient). Weights stand still while a round runs.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from typing import Any

from game.bots import Player, make_bot
from game.cards import CardSet, first_set
from game.decks import Deck, load_deck, random_deck, shipped_decks
from game.engine import compiled
from game.engine.chance import seeds_from
from game.errors import GameError
from game.settings import Settings
from game.vector import Pairing, Played, play_round
from learner.agent import Agent
from learner.ledger.replayed import Replays
from learner.ledger.updates import Entry, GradientSource
from learner.policies.acting import AgentPlayer, Memory
from learner.policies.guided import Guided
from learner.processes import become_worker, interrupts_held
from learner.rl.refusing import Refusing


@dataclass(frozen=True)
class Lab:
    """Who sits in a seat: an owner's name, its agent, and who decides: the agent, unless a bot does or a search."""

    owner: str
    agent: Agent
    bot: str = ""
    remembers: bool = False
    """Whether its decisions are kept for training."""
    simulations: int = 0
    """Of a search that the agent guides and that decides instead of it; 0: it samples."""
    refuses: frozenset[int] = frozenset()
    """Rows of cards that it never plays."""

    def player(self, memory: Memory | None = None) -> Player:
        """Who decides for it; an agent that samples keeps its decisions in the ``memory``."""
        decides = (make_bot(self.bot) if self.bot else
                   Guided(self.agent, self.simulations) if self.simulations else AgentPlayer(self.agent, memory))
        return Refusing(decides, self.refuses) if self.refuses else decides


@dataclass
class Collected:
    """What a round left behind."""

    played: list[Played]
    memories: list[list[dict[str, Any]]]
    """Per lab: arrays of its decisions, one dictionary a worker's share."""
    entries: list[list[Entry]]
    """Per lab: its learned gradients, ascending by row."""


class Rollouts:
    """Plays rounds with ``workers`` processes (1: in this one). Close it, or use it as a context manager."""

    def __init__(self, workers: int, cards: CardSet | None = None, settings: Settings | None = None,
                 places: int = 192) -> None:
        self.cards, self.settings, self.places = cards or first_set(), settings or Settings(), places
        self.workers = workers
        self._replays = Replays()
        self._pool: ProcessPoolExecutor | None = None
        compiled.prepare()  # here, before workers would each do it for themselves
        if workers > 1:
            self._pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _start_worker,
                                             (self.cards, self.settings, places))

    def __enter__(self) -> Rollouts:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop the workers."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def play(self, labs: Sequence[Lab], pairings: Sequence[Pairing],
             progress: Callable[[int], None] | None = None) -> Collected:
        """Play all pairings (seats are numbers of labs); ``progress`` is told how many more matches are done."""
        shares = _shares(list(pairings), self.workers)
        packed = [(lab.owner, lab.agent.to_bytes(), lab.bot, lab.remembers, lab.simulations, lab.refuses)
                  for lab in labs]
        if self._pool is None:
            parts = [_play_share(list(labs), share, self.cards, self.settings, self.places, self._replays, progress)
                     for share in shares]
        else:
            parts = self._spread(self._pool, packed, shares, progress)
        entries: list[list[Entry]] = [[] for _ in labs]
        memories: list[list[dict[str, Any]]] = [[] for _ in labs]
        for _, share_memories, share_entries in parts:
            for number in range(len(labs)):
                if share_memories[number] is not None:
                    memories[number].append(share_memories[number])
                entries[number] += share_entries[number]
        return Collected([played for part in parts for played in part[0]], memories,
                         [sorted(own, key=lambda e: e.row) for own in entries])

    def _spread(self, pool: ProcessPoolExecutor, packed: Any, shares: list[list[Pairing]],
                progress: Callable[[int], None] | None) -> list[Any]:
        """Each share's result; if the work is interrupted the workers are ended, not waited for."""
        found: dict[int, Any] = {}
        try:
            with interrupts_held():
                futures = {pool.submit(_work, packed, share): number for number, share in enumerate(shares)}
            for future in as_completed(futures):
                found[futures[future]] = future.result()
                if progress is not None:
                    progress(len(found[futures[future]][0]))
        except BaseException as error:
            for process in list((pool._processes or {}).values()):
                process.kill()
            if isinstance(error, BrokenProcessPool):
                raise GameError("a process that plays matches ended unexpectedly; is there enough memory?") from None
            raise
        return [found[number] for number in range(len(shares))]


def make_pairings(first: int, count: int, seed: int, decks: Sequence[tuple[Deck, Deck]],
                  seats: Sequence[tuple[int, int]]) -> list[Pairing]:
    """``count`` matches numbered from ``first``; match i has seed i, ``decks`` and ``seats`` in turn."""
    return [Pairing(first + i, decks[i % len(decks)], int(word), seats[i % len(seats)])
            for i, word in enumerate(seeds_from(seed, count))]


def paired(pairs: int, seed: int, decks: Sequence[tuple[Deck, Deck]], first: int = 0,
           seats: tuple[int, int] = (0, 1)) -> list[Pairing]:
    """Measuring matches: each seed and pair of decks twice, the second time with the seats swapped."""
    found = []
    for i, word in enumerate(seeds_from(seed, pairs)):
        for j, order in enumerate((seats, seats[::-1])):
            found.append(Pairing(first + 2 * i + j, decks[i % len(decks)], int(word), order))
    return found


def deck_pairs(names: Sequence[str], cards: CardSet, seed: int, drawn: int = 16) -> list[tuple[Deck, Deck]]:
    """All ordered pairs of the named decks (none: those that ship); "random" stands for ``drawn`` random pairs."""
    import numpy as np

    generator = np.random.default_rng([seed, 77])
    if list(names) == ["random"]:
        return [(random_deck(cards, generator), random_deck(cards, generator)) for _ in range(drawn)]
    decks = [load_deck(name, cards) for name in (names or shipped_decks())]
    pairs = [(a, b) for a in decks for b in decks]
    order = generator.permutation(len(pairs))
    return [pairs[int(i)] for i in order]


def _shares(pairings: list[Pairing], workers: int) -> list[list[Pairing]]:
    size = max(1, -(-len(pairings) // workers))
    return [pairings[i:i + size] for i in range(0, len(pairings), size)] or [[]]


def _play_share(labs: list[Lab], pairings: list[Pairing], cards: CardSet, settings: Settings, places: int,
                replays: Replays, progress: Callable[[int], None] | None = None) -> Any:
    sources = [GradientSource(lab.agent, lab.owner, replays.gradient) for lab in labs]
    memories = [Memory() if lab.remembers else None for lab in labs]
    players = [lab.player(memory) for lab, memory in zip(labs, memories, strict=True)]
    played = play_round(pairings, players, sources, cards, settings, places,
                        progress=None if progress is None else lambda _: progress(1))
    return played, [None if m is None else m.joined() for m in memories], [source.entries for source in sources]


_worker: dict[str, Any] = {}


def _start_worker(cards: CardSet, settings: Settings, places: int) -> None:
    become_worker()
    _worker.update(cards=cards, settings=settings, places=places, replays=Replays())


def _work(packed: list[tuple[Any, ...]], pairings: list[Pairing]) -> Any:
    labs = [Lab(owner, Agent.from_bytes(data, _worker["cards"]), *rest) for owner, data, *rest in packed]
    played, memories, entries = _play_share(labs, pairings, **_worker)
    slim = [replace(p, updates=tuple((seat, replace(request, observation=None, history=()), verdict)
                                     for seat, request, verdict in p.updates)) for p in played]
    return slim, memories, entries
