"""The rules engine: decisions per second, one match from Python, compiling.

A decision is the whole of it: legal mask, observation, a random choice, the step; full rules and
set. Matches that end make room for new ones, so the figures are over whole matches and not over
openings. The peers (:mod:`learner.bench.games`) do the same work.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np

from game.cards import first_set
from game.decks import deck_rows, load_deck, shipped_decks
from game.engine import batch, compiled
from game.engine import records as r
from game.engine.chance import seeds_from
from game.engine.observe import OBSERVATION_SIZE
from game.match import Match
from game.settings import Settings
from game.updates import ScriptedUpdates, Verdict
from game.vector import VectorMatch
from learner.bench import Effort, Row, games, rate
from learner.pictures import scaling

NAME = "engine"
HELP = "the rules: decisions per second, a match from Python, compiling"
PEER = "OpenSpiel gin_rummy, from Python"
BATCHES = (1, 64, 2048, 8192)
SETTLE = 200
"""Decisions of each match before measuring: by then matches stand anywhere between opening and end."""


def measure(effort: Effort, progress: Callable[[str], None]) -> list[Row]:
    """All rows; ``progress`` is told what is done."""
    rows: list[Row] = []

    def add(row: Row) -> None:
        rows.append(row)
        progress(row.work)

    if compiled.ENABLED:
        _compiling(effort, add)
    theirs = games.gin_rummy(effort)
    peer = PEER if theirs else None
    for cores in range(1, min(2, os.cpu_count() or 1) + 1):
        for size in BATCHES:
            if size < cores:
                continue
            row = Row(f"batch {size:,}, {('one core', 'two cores')[cores - 1]}", "decisions/s",
                      _batch_rate(size, cores, effort), batch=size, cores=cores)
            add(replace(row, peer=peer, theirs=theirs, goal=1e6) if (size, cores) == (2048, 1) else row)
            for name in games.PGX_GAMES if effort.peers else ():
                if (same := games.pgx(name, size, cores, effort)) is not None:
                    add(replace(row, peer=f"Pgx {name}, CPU, same batch", theirs=same))
    single = Row("legal actions, observation, step with events: one match from Python", "µs",
                 1e6 / rate(_one_match(effort.seed), effort))
    add(replace(single, peer=peer, theirs=1e6 / theirs if theirs else None))
    for name in games.PETTINGZOO_GAMES:
        if (other := games.pettingzoo(name, effort)) is not None:
            add(replace(single, peer=f"PettingZoo {name}", theirs=1e6 / other))
    add(Row("Match.play alone", "µs", 1e6 / _play_rate(effort), goal=30))
    add(Row("Match.clone", "µs", 1e6 / rate(_clones(effort.seed), effort), goal=3))
    for threads in range(1, min(2, os.cpu_count() or 1) + 1):
        add(Row(f"search, {('one core', 'two cores')[threads - 1]}", "simulations/s", _search_rate(threads, effort)))
    add(Row("a game's state", "bytes", r.State.dtype.itemsize))
    add(Row("a game in a batch: state, observation, mask", "bytes", _bytes_a_game()))
    return rows


def picture(rows: list[Row], path: str) -> None:
    """Decisions per second against the batch, ours by cores and the peers' beside them."""
    lines: dict[str, list[tuple[int, float]]] = {}
    for row in rows:
        if row.batch is not None:
            points = lines.setdefault(f"this engine, {row.work.split(', ')[-1]}", [])
            if (row.batch, row.ours) not in points:
                points.append((row.batch, row.ours))
            if row.peer and row.theirs and row.cores == 1:
                lines.setdefault(row.peer, []).append((row.batch, row.theirs))
    scaling(lines, "matches side by side", "decisions per second", path)


def _compiling(effort: Effort, add: Callable[[Row], None]) -> None:
    """A cold start, if this is one or one is asked for, and a warm one."""
    folder = compiled.cache_folder()
    cold = folder is None or not any(folder.glob("complete-*"))
    began = time.perf_counter()
    compiled.prepare()
    if cold:
        add(Row("compiling the rules, cold cache", "s", time.perf_counter() - began, goal=40))
    elif effort.cold:
        with tempfile.TemporaryDirectory() as empty:
            add(Row("compiling the rules, cold cache", "s", _start_seconds(empty), goal=40))
    if folder is not None:
        add(Row("starting with a warm cache", "s", _start_seconds(), goal=2))


def _batch_rate(size: int, threads: int, effort: Effort) -> float:
    """Decisions per second over ``size`` matches, shared out over threads."""
    cards = first_set()
    listed = [load_deck(name, cards) for name in shipped_decks()]
    decks = np.stack([deck_rows((a, b), cards) for a in listed for b in listed])
    states: Any = np.zeros(size, r.State.dtype)
    works: Any = np.zeros(threads, r.Work.dtype)
    buffers = (np.zeros((0, len(r.EVENT_FIELDS)), np.int32), np.zeros((size, OBSERVATION_SIZE), np.int32),
               np.zeros((size, r.ACTIONS), np.uint8), np.zeros(size, np.int32), seeds_from(effort.seed, size),
               np.zeros(size, np.int32))
    fixed = (decks, Settings().row(cards), np.zeros(1, r.State.dtype))

    def share(worker: int, rounds: int) -> int:
        return int(batch.random_play(states, size * worker // threads, size * (worker + 1) // threads, cards.table,
                                     works, worker, *buffers, rounds, *fixed))

    rounds = max(1, 4096 // size)
    with ThreadPoolExecutor(threads) as pool:
        def play(rounds: int) -> int:
            return share(0, rounds) if threads == 1 else sum(pool.map(share, range(threads), [rounds] * threads))

        play(SETTLE)
        return rate(lambda: play(rounds), effort)


def _search_rate(threads: int, effort: Effort) -> float:
    """Simulations per second of the search bot, asked for the decisions of 64 matches in mid-game."""
    from game.bots import Decisions, Search

    board, each = VectorMatch(64), 200
    decks = [load_deck(name, board.cards) for name in shipped_decks()]
    board.deal_all([(a, b) for a in decks for b in decks], effort.seed)
    choose, search = np.random.default_rng(effort.seed), Search(each, threads=threads)
    for _ in range(60):
        board.look()
        board.step(np.array([choose.choice(np.flatnonzero(mask)) if mask.any() else -1 for mask in board.masks]))
        for place in board.awaiting():
            board.give(place, Verdict("learned"))
    board.look()
    asked = np.flatnonzero(board.counts > 1)

    def think() -> int:
        words = choose.integers(2**63, size=len(asked), dtype=np.uint64)
        search.choose(Decisions(board.cards, board.observations[asked], board.masks[asked], words, asked,
                                board.states["player"][asked].astype(np.int64), board.states[asked]))
        return each * len(asked)

    return rate(think, effort)


def _bytes_a_game() -> float:
    """What a match takes in a VectorMatch of 1,024, scratch space and all."""
    board = VectorMatch(1024)
    arrays = (board.states, board.observations, board.masks, board.counts)
    return float(sum(array.nbytes for array in arrays) / len(board))


def _one_match(seed: int) -> Callable[[], int]:
    """Plays a random match from Python; says how many decisions it took."""
    choose, source = random.Random(seed), ScriptedUpdates()

    def play() -> int:
        match, done = Match(("1986", "vision"), choose.getrandbits(32), updates=source), 0
        source.requests.clear()
        while match.outcome is None:
            legal = match.legal_actions()
            match.observe(match.player)
            match.play(legal[int(choose.random() * len(legal))])
            done += 1
        return done

    return play


def _play_rate(effort: Effort) -> float:
    """Calls of Match.play per second in random matches; finding the legal actions isn't counted."""
    choose, found = random.Random(effort.seed), []
    for _ in range(effort.repeats):
        done, spent = 0, 0.0
        while spent < effort.seconds:
            match = Match(("1986", "vision"), choose.getrandbits(32), updates=ScriptedUpdates())
            while match.outcome is None:
                action = choose.choice(match.legal_actions())
                began = time.perf_counter()
                match.play(action)
                spent += time.perf_counter() - began
                done += 1
        found.append(done / spent)
    return float(np.median(found))


def _clones(seed: int) -> Callable[[], int]:
    match = Match(("1986", "vision"), seed)
    for _ in range(20):
        match.play(match.legal_actions()[-1])

    def clone() -> int:
        for _ in range(1000):
            match.clone()
        return 1000

    return clone


def _start_seconds(cache: str | None = None) -> float:
    """How long a new process takes until the rules are ready, without Python's own start."""
    program = ("import time; began = time.perf_counter(); from game.engine import compiled; compiled.prepare(); "
               "print(time.perf_counter() - began)")
    environment = {**os.environ, **({"BACKPROP_CACHE_DIR": cache} if cache else {}),
                   "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    return float(done.stdout)
