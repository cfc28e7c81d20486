"""A tree search that an agent guides: its policies say where to look, its value what a position is worth.

As :class:`game.bots.search.Search` it imagines what is hidden several times, grows a tree in each imagined match
and adds up how often the roots' actions were looked into. But the prior of an action is how likely the agent takes
it (of a Model's: that the player's network sends the Model, times that the Model's own network picks the target),
and what the player's network expects of a position counts half beside the bots' evaluation.

Its choice is a function of the decision alone: networks see blocks in which a row's neighbours don't matter
(:mod:`learner.policies.acting`), and trees share nothing. Neither the matches beside it nor the number of workers
change it. The measurements behind its numbers: docs/decisions/0007-a-search-guided-by-an-agent.md.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from game.bots.forest import Forest
from game.bots.protocol import Decisions
from game.engine import records as r
from game.errors import GameError
from learner.agent import Agent
from learner.policies.acting import AgentPlayer

WORLDS = 4
"""Imagined matches, over which the simulations are shared out."""
AT_ONCE = 25_600
"""Simulations whose trees are kept side by side: the memory it takes (about 80 MB), not what it finds."""


class Guided:
    """Searches with ``simulations`` in all for each decision, guided by an agent; the agent's weights stand still."""

    def __init__(self, agent: Agent, simulations: int = 200) -> None:
        if simulations < 1:
            raise GameError(f"a guided search needs at least 1 simulation, not {simulations}")
        self.agent, self.simulations, self.worlds = agent, simulations, min(WORLDS, simulations)
        self.name = f"guided:{simulations}:{agent.name}"
        self._guide = AgentPlayer(agent)

    def choose(self, decisions: Decisions) -> Any:
        """The action most looked into, of equals the likeliest: int64 ``(n,)``. No search where there is no choice."""
        actions = decisions.masks.argmax(axis=1).astype(np.int64)
        open_ones = np.flatnonzero(decisions.masks.sum(axis=1) > 1)
        size = max(1, AT_ONCE // self.simulations)
        if len(open_ones):
            worlds = [decisions.imagine(salt=world) for world in range(self.worlds)]
            for start in range(0, len(open_ones), size):
                own = open_ones[start:start + size]
                actions[own] = self._votes(decisions, own, worlds).argmax(axis=1)
        return actions

    def _votes(self, decisions: Decisions, own: Any, worlds: list[Any]) -> Any:
        """How often each action was looked into, in the decisions numbered ``own``: float64 ``(len(own), 238)``.

        Half an action's prior stands behind the point: it decides between equals.
        """
        each, more = divmod(self.simulations, self.worlds)
        roots = np.concatenate([r.copy_states(world[own]) for world in worlds])
        forest = Forest(roots, each + (more > 0), decisions.cards)
        places = np.tile(own, self.worlds)
        likely, wins = np.zeros((len(places), r.ACTIONS)), np.zeros(len(places))
        for simulation in range(each + (more > 0)):
            growing = len(places) if simulation < each else more * len(own)
            leaves = forest.descend(growing)
            if len(leaves):
                found, values = self._guide.judge(self._asked(decisions, places[leaves], forest, leaves))
                likely[leaves], wins[leaves] = found, (values.astype(np.float64) + 1) / 2
            forest.expand(growing, likely, wins)
        votes, priors = (found.reshape(self.worlds, len(own), r.ACTIONS) for found in forest.votes())
        return votes.sum(axis=0) + priors[0] / 2

    def _asked(self, decisions: Decisions, places: Any, forest: Forest, leaves: Any) -> Decisions:
        """The leaves as decisions of the players who are to act there.

        An own Model's earlier decisions are those it took in the match, not in the tree; the other's aren't known.
        """
        players, seats, zeros = forest.players[leaves], decisions.seats[places], np.zeros(len(leaves), np.int64)
        return Decisions(
            decisions.cards, forest.observations[leaves], forest.masks[leaves], zeros.astype(np.uint64), zeros,
            players.astype(np.int64), None,
            lambda i: decisions._own(int(places[i])) if players[i] == seats[i] else {})
