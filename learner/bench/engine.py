"""The rules engine: decisions per second, one match from Python, compiling.

A decision is the whole of it: legal mask, observation, a random choice, the step; full rules and
set. Matches that end make room for new ones, so the figures are over whole matches and not over
openings. OpenSpiel's gin_rummy does the same work, driven from Python as its users drive it.
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
from game.decks import load_deck, shipped_decks
from game.engine import batch, compiled
from game.engine import records as r
from game.engine.chance import seeds_from
from game.engine.observe import OBSERVATION_SIZE
from game.match import Match, Settings, deck_rows
from game.updates import ScriptedUpdates
from learner.bench import Effort, Row, rate

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
    theirs = _gin_rummy(effort)
    peer = PEER if theirs else None
    for size in BATCHES:
        row = Row(f"batch {size:,}, one core", "decisions/s", _batch_rate(size, 1, effort))
        add(replace(row, peer=peer, theirs=theirs, goal=1e6) if size == 2048 else row)
    for size in BATCHES[1:] if (os.cpu_count() or 1) > 1 else ():
        add(Row(f"batch {size:,}, two cores", "decisions/s", _batch_rate(size, 2, effort)))
    add(Row("legal actions, observation, step with events: one match from Python", "µs",
            1e6 / rate(_one_match(effort.seed), effort), peer, 1e6 / theirs if theirs else None))
    add(Row("Match.play alone", "µs", 1e6 / _play_rate(effort), goal=30))
    add(Row("Match.clone", "µs", 1e6 / rate(_clones(effort.seed), effort), goal=3))
    return rows


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


def _gin_rummy(effort: Effort) -> float | None:
    """OpenSpiel's decisions per second on the same work; None where it isn't installed."""
    try:
        import pyspiel
    except ImportError:
        return None
    game, choose = pyspiel.load_game("gin_rummy"), random.Random(effort.seed)

    def play() -> int:
        state, done = game.new_initial_state(), 0
        while not state.is_terminal():
            legal = state.legal_actions()
            if not state.is_chance_node():
                state.observation_tensor(state.current_player())
                done += 1
            state.apply_action(legal[int(choose.random() * len(legal))])
        return done

    return rate(play, effort)
