"""Monte-Carlo tree search on imagined matches (UCT: L. Kocsis, C. Szepesvári 2006).

What is hidden is imagined several times; each imagined match gets a tree of its own, and the root
visits are added up (determinisation: D. Whitehouse, E. Powley, P. Cowling 2011). A leaf is judged
by the bots' evaluation, squashed to 0 … 1. The number of simulations is fixed, never the time, so
a move depends on nothing but the position and its random word.
"""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from game.bots.evaluation import standing, threats
from game.bots.greedy import opening_choice
from game.bots.protocol import Decisions
from game.engine.compiled import rule
from game.engine.legal import legal_mask
from game.engine.records import (
    ACTIONS,
    EVENT_FIELDS,
    MULLIGAN,
    RUNNING,
    Floats,
    Ints,
    Log,
    Mask,
    State,
    States,
    Table,
    Work,
    Works,
)
from game.engine.rules import step_assuming
from game.errors import GameError

EXPLORATION = 0.7
SCALE = 700.0
"""A lead of so many hundredths of a point is worth odds of e to one."""
BRANCHES = 40
"""Children a node has room for on average; a tree that runs out of room stops growing there."""


@rule
def judge(state: State, player: int) -> float:
    """How likely a player is to win, 0 … 1: exact where the match is decided."""
    if state.result != RUNNING:
        return 1.0 if state.result == player + 1 else 0.0 if state.result == 2 - player else 0.5
    lead = standing(state, player) + threats(state, player) - threats(state, 1 - player)
    return 1.0 / (1.0 + math.exp(-lead / SCALE))


@rule
def descend(first: Ints, count: Ints, visits: Ints, totals: Floats, node: int, mine: bool) -> int:
    """The child of a node to look at next, by upper confidence bound on its mean (its prior is one visit)."""
    best, choice = -1.0, 0
    parent = math.log(visits[node] + 1.0)
    for child in range(first[node], first[node] + count[node]):
        mean = totals[child] / visits[child]
        bound = (mean if mine else 1.0 - mean) + EXPLORATION * math.sqrt(parent / visits[child])
        if bound > best:
            best, choice = bound, child
    return choice


@rule(entry=True)
def grow(roots: States, simulations: int, table: Table, works: Works, log: Log, states: States, parents: Ints,
         taken: Ints, first: Ints, count: Ints, visits: Ints, held: Ints, totals: Floats, mask: Mask,
         votes: Ints) -> None:
    """Grow one tree from an imagined state and add the root's visits to ``votes`` int32 ``(238,)``.

    Nodes are rows of the scratch arrays; ``held[node]`` is the row of ``states`` that keeps its
    position, made when it is expanded (−1 before). The last row of ``states`` is for trying out.
    """
    player, spare = roots[0].player, len(states) - 1
    states[0] = roots[0]
    held[0], parents[0], count[0], visits[0], totals[0] = 0, -1, 0, 1, 0.0
    nodes, positions, room = 1, 1, len(parents)
    for _ in range(simulations):
        node = 0
        while count[node] > 0:
            node = descend(first, count, visits, totals, node, states[held[node]].player == player)
        if held[node] < 0:
            held[node] = positions
            positions += 1
            states[held[node]] = states[held[parents[node]]]
            step_assuming(states[held[node]], table, works[0], log, taken[node])
        value = judge(states[held[node]], player)
        legal = legal_mask(states[held[node]], table, mask)
        if legal > 0 and nodes + legal <= room:
            mine = states[held[node]].player == player
            first[node], count[node] = nodes, legal
            best = -1.0
            for action in range(ACTIONS):
                if mask[action]:
                    states[spare] = states[held[node]]
                    step_assuming(states[spare], table, works[0], log, action)
                    parents[nodes], taken[nodes], held[nodes], count[nodes] = node, action, -1, 0
                    visits[nodes], totals[nodes] = 1, judge(states[spare], player)
                    gain = totals[nodes] if mine else 1.0 - totals[nodes]
                    if gain > best:
                        best, value = gain, totals[nodes]
                    nodes += 1
        while node >= 0:
            visits[node] += 1
            totals[node] += value
            node = parents[node]
    for child in range(first[0], first[0] + count[0]):
        votes[taken[child]] += visits[child]


@rule(entry=True)
def opening(states: States, index: int, mask: Mask, table: Table) -> int:
    """The mulligan choice of an imagined state, −1 after the mulligan."""
    return opening_choice(states[index], mask, table) if states[index].phase == MULLIGAN else -1


class Search:
    """Determinised tree search: ``simulations`` in all, shared out over ``worlds`` imagined matches."""

    def __init__(self, simulations: int = 200, worlds: int = 4, threads: int = 1) -> None:
        if simulations < 1 or worlds < 1 or threads < 1:
            raise GameError("a search needs at least 1 simulation, 1 imagined world and 1 thread, not "
                            f"{simulations}, {worlds} and {threads}")
        self.simulations, self.worlds, self.threads = simulations, min(worlds, simulations), threads
        self.name = f"search:{simulations}"
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        self._scratch = [_Scratch(-(-simulations // self.worlds) + 1) for _ in range(threads)]

    def choose(self, decisions: Decisions) -> Any:
        """The most visited action of each decision, int64 ``(n,)``; the lowest number among equals."""
        votes = self.votes(decisions)
        return votes.argmax(axis=1)

    def votes(self, decisions: Decisions) -> Any:
        """Root visits, int32 ``(n, 238)``: how often each action was looked into."""
        n = len(decisions)
        votes = np.zeros((n, ACTIONS), np.int32)
        worlds = [decisions.imagine(salt=world) for world in range(self.worlds)]
        shares = [range(t, n, self.threads) for t in range(self.threads)]
        if self._pool is None:
            self._search(shares[0], 0, worlds, decisions, votes)
        else:
            for done in [self._pool.submit(self._search, share, t, worlds, decisions, votes)
                         for t, share in enumerate(shares)]:
                done.result()
        return votes

    def _search(self, share: range, worker: int, worlds: list[Any], decisions: Decisions, votes: Any) -> None:
        table, scratch = decisions.cards.table, self._scratch[worker]
        parents, taken, first, count, visits, held = scratch.ints
        for i in share:
            simple = opening(worlds[0], i, decisions.masks[i], table)
            if simple >= 0 or decisions.masks[i].sum() == 1:
                votes[i, simple if simple >= 0 else int(decisions.masks[i].argmax())] = self.simulations
                continue
            for world in range(self.worlds):
                share_of = self.simulations // self.worlds + (world < self.simulations % self.worlds)
                grow(worlds[world][i:i + 1], share_of, table, scratch.works, scratch.silent, scratch.states,
                     parents, taken, first, count, visits, held, scratch.totals, scratch.mask, votes[i])


class _Scratch:
    """Room for one tree."""

    def __init__(self, simulations: int) -> None:
        room = simulations * BRANCHES + ACTIONS
        self.works: Any = np.zeros(1, Work.dtype)
        self.silent: Any = np.zeros((0, len(EVENT_FIELDS)), np.int32)
        self.states: Any = np.zeros(simulations + 2, State.dtype)
        self.ints: list[Any] = [np.zeros(room, np.int32) for _ in range(6)]
        self.totals: Any = np.zeros(room, np.float64)
        self.mask: Any = np.zeros(ACTIONS, np.uint8)
