"""Many search trees grown side by side, leaf by leaf, for somebody who judges many positions at once.

Each tree begins with an imagined match. In one simulation :meth:`Forest.descend` goes down every tree to a
leaf; the owner says of each leaf how likely its player takes each action and how likely it wins; and
:meth:`Forest.expand` makes the actions the leaf's children and carries a judgement up to the root: half the
owner's, half that of the bots' evaluation one step ahead. On the way down the next child is the one with the
highest bound, of PUCT (D. Silver et al., "Mastering the game of Go without human knowledge", Nature 550, 2017)
and UCT (L. Kocsis, C. Szepesvári 2006) together, n the child's visits and N its parent's:

    mean + GUIDED · prior · sqrt(N) / n + UNGUIDED · sqrt(log(N + 1) / n)

The second lets the search find what the owner thinks unlikely. A child begins with one visit, worth what the
evaluation says. What happens in one tree depends on nothing in another.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from game.bots.search import BRANCHES, judge
from game.cards import CardSet
from game.engine.compiled import rule
from game.engine.legal import legal_mask
from game.engine.observe import OBSERVATION_SIZE, observe
from game.engine.records import (
    ACTIONS,
    EVENT_FIELDS,
    FloatRows,
    Floats,
    Ints,
    Log,
    Masks,
    Rows,
    State,
    States,
    Table,
    Work,
    Works,
)
from game.engine.rules import step_assuming

PARENT, ACTION, FIRST, CHILDREN, VISITS, POSITION = range(6)
"""Rows of whole numbers of the nodes. POSITION: the state that holds its position, −1 before it is looked at."""
TOTAL, PRIOR = range(2)
"""Rows of the nodes' other numbers: the sum of the judgements, for the root's player, and the prior."""
NODES, POSITIONS, LEAF = range(3)
"""Rows of the trees' numbers: nodes and states used up, and the leaf that it has come down to."""
GUIDED, UNGUIDED = 0.2, 0.2
TRUST = 0.5
"""The owner's share in the judgement of a leaf."""


@rule
def promising(nodes: Rows, worth: FloatRows, node: int, mine: bool) -> int:
    """The child of a node with the highest bound; ``mine``: the root's player is to act there."""
    best, choice = -1.0, 0
    guided, unguided = GUIDED * math.sqrt(nodes[VISITS, node]), math.log(nodes[VISITS, node] + 1.0)
    for child in range(nodes[FIRST, node], nodes[FIRST, node] + nodes[CHILDREN, node]):
        visits = nodes[VISITS, child]
        mean = worth[TOTAL, child] / visits
        bound = (mean if mine else 1.0 - mean) + guided * worth[PRIOR, child] / visits
        bound += UNGUIDED * math.sqrt(unguided / visits)
        if bound > best:
            best, choice = bound, child
    return choice


@rule(entry=True)
def descend_all(growing: int, table: Table, works: Works, log: Log, states: States, trees: Rows,
                nodes: Rows, worth: FloatRows, observations: Rows, masks: Masks, legal: Ints, players: Ints) -> None:
    """Go down the first ``growing`` trees and look at the leaves."""
    count = trees.shape[1]
    room, keep = nodes.shape[1] // count, (len(states) - 1) // count
    for tree in range(growing):
        node, player = tree * room, states[tree * keep].player
        while nodes[CHILDREN, node] > 0:
            mine = states[nodes[POSITION, node]].player == player
            node = promising(nodes, worth, node, mine)
        if nodes[POSITION, node] < 0:
            nodes[POSITION, node] = tree * keep + trees[POSITIONS, tree]
            trees[POSITIONS, tree] += 1
            states[nodes[POSITION, node]] = states[nodes[POSITION, nodes[PARENT, node]]]
            step_assuming(states[nodes[POSITION, node]], table, works[0], log, nodes[ACTION, node])
        at = nodes[POSITION, node]
        trees[LEAF, tree], players[tree] = node, states[at].player
        legal[tree] = legal_mask(states[at], table, masks[tree])
        if legal[tree] > 0:
            observe(states[at], table, states[at].player, observations[tree])


@rule(entry=True)
def expand_all(growing: int, table: Table, works: Works, log: Log, states: States, trees: Rows, nodes: Rows,
               worth: FloatRows, masks: Masks, legal: Ints, likely: FloatRows, wins: Floats) -> None:
    """Give the leaves of the first ``growing`` trees their children and carry the judgements up.

    The last state is for trying out.
    """
    count, spare = trees.shape[1], len(states) - 1
    room, keep = nodes.shape[1] // count, spare // count
    for tree in range(growing):
        node, player = trees[LEAF, tree], states[tree * keep].player
        at = nodes[POSITION, node]
        value = judge(states[at], player)
        if legal[tree] > 0:
            mine = states[at].player == player
            if trees[NODES, tree] + legal[tree] <= room:
                nodes[FIRST, node], nodes[CHILDREN, node] = tree * room + trees[NODES, tree], legal[tree]
                best = -1.0
                for action in range(ACTIONS):
                    if masks[tree, action]:
                        states[spare] = states[at]
                        step_assuming(states[spare], table, works[0], log, action)
                        child = tree * room + trees[NODES, tree]
                        trees[NODES, tree] += 1
                        nodes[PARENT, child], nodes[ACTION, child] = node, action
                        nodes[CHILDREN, child], nodes[POSITION, child], nodes[VISITS, child] = 0, -1, 1
                        worth[TOTAL, child], worth[PRIOR, child] = judge(states[spare], player), likely[tree, action]
                        gain = worth[TOTAL, child] if mine else 1.0 - worth[TOTAL, child]
                        if gain > best:
                            best, value = gain, worth[TOTAL, child]
            value = (1.0 - TRUST) * value + TRUST * (wins[tree] if mine else 1.0 - wins[tree])
        while node >= 0:
            nodes[VISITS, node] += 1
            worth[TOTAL, node] += value
            node = nodes[PARENT, node]


class Forest:
    """Trees of at most ``simulations`` simulations each, one for each imagined state of ``roots``.

    After :meth:`descend`, of each tree's leaf: ``observations`` int32 ``(n, OBSERVATION_SIZE)`` as its player sees
    it, ``masks`` uint8 ``(n, 238)``, ``legal`` int32 ``(n,)`` (0: the match is over), ``players`` int32 ``(n,)``.
    A tree that runs out of room for nodes stops growing at its leaves.
    """

    def __init__(self, roots: Any, simulations: int, cards: CardSet) -> None:
        n, keep, room = len(roots), simulations + 1, simulations * BRANCHES + ACTIONS
        self.cards = cards
        self.observations: Any = np.zeros((n, OBSERVATION_SIZE), np.int32)
        self.masks: Any = np.zeros((n, ACTIONS), np.uint8)
        self.legal: Any = np.zeros(n, np.int32)
        self.players: Any = np.zeros(n, np.int32)
        self._states: Any = np.zeros(n * keep + 1, State.dtype)
        raw = self._states.view(np.uint8).reshape(n * keep + 1, -1)
        raw[:-1:keep] = np.frombuffer(roots.tobytes(), np.uint8).reshape(n, -1)
        self._nodes: Any = np.zeros((6, n * room), np.int32)
        self._worth: Any = np.zeros((2, n * room), np.float64)
        self._trees: Any = np.ones((3, n), np.int32)
        self._roots = np.arange(n) * room
        self._nodes[PARENT, self._roots], self._nodes[POSITION, self._roots] = -1, np.arange(n) * keep
        self._works: Any = np.zeros(1, Work.dtype)
        self._silent: Any = np.zeros((0, len(EVENT_FIELDS)), np.int32)

    def descend(self, growing: int) -> Any:
        """Come down the first ``growing`` trees; returns those whose leaf is to be judged, int64 ``(k,)``."""
        descend_all(growing, self.cards.table, self._works, self._silent, self._states, self._trees,
                    self._nodes, self._worth, self.observations, self.masks, self.legal, self.players)
        return np.flatnonzero(self.legal[:growing] > 0)

    def expand(self, growing: int, likely: Any, wins: Any) -> None:
        """Take in what is thought of the leaves.

        ``likely`` float64 ``(n, 238)``: how likely the leaf's player takes each action; ``wins`` float64 ``(n,)``:
        how likely it wins, 0 … 1. Of a match that is over they aren't asked for.
        """
        expand_all(growing, self.cards.table, self._works, self._silent, self._states, self._trees, self._nodes,
                   self._worth, self.masks, self.legal, likely, wins)

    def votes(self) -> tuple[Any, Any]:
        """How often each of the roots' actions was looked into, and its prior: int32 and float64 ``(n, 238)``."""
        votes, priors = np.zeros((len(self.legal), ACTIONS), np.int32), np.zeros((len(self.legal), ACTIONS))
        for tree, root in enumerate(self._roots.tolist()):
            first = int(self._nodes[FIRST, root])
            children = slice(first, first + int(self._nodes[CHILDREN, root]))
            actions = self._nodes[ACTION, children]
            votes[tree, actions] = self._nodes[VISITS, children] - 1
            priors[tree, actions] = self._worth[PRIOR, children]
        return votes, priors
