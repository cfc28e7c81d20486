"""Takes the action after which the board looks best, one step ahead.

It tries each legal action on an imagined copy (nothing hidden is left in it, an awaited update
is assumed to be learned) and ends the turn when no action improves on standing still.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from game.bots.evaluation import standing, threats
from game.bots.protocol import Decisions
from game.engine.compiled import rule
from game.engine.records import (
    END_TURN,
    EVENT_FIELDS,
    MULLIGAN,
    TOKENS,
    Ints,
    Log,
    Mask,
    Masks,
    State,
    States,
    Table,
    Work,
    Works,
)
from game.engine.rules import step_assuming

DEAR = 4
"""An opening card of this printed cost or more is exchanged."""


@rule
def opening_choice(state: State, place_masks: Mask, table: Table) -> int:
    """The mulligan of all bots that look ahead: exchange what is dear, last place first."""
    action = END_TURN * TOKENS
    lab = state.labs[state.player]
    for place in range(lab.hand_size):
        if place_masks[place * TOKENS] and table[lab.hand[place]].cost >= DEAR:
            action = place * TOKENS
    return action


@rule(entry=True)
def greedy_many(states: States, masks: Masks, table: Table, works: Works, log: Log, actions: Ints) -> None:
    """The greedy action of each imagined state but the last; the last one is scratch space."""
    scratch = len(states) - 1
    for i in range(scratch):
        player = states[i].player
        if states[i].phase == MULLIGAN:
            actions[i] = opening_choice(states[i], masks[i], table)
            continue
        best, choice = standing(states[i], player) + threats(states[i], player), END_TURN * TOKENS
        for action in range(END_TURN * TOKENS):
            if masks[i, action]:
                states[scratch] = states[i]
                step_assuming(states[scratch], table, works[0], log, action)
                value = standing(states[scratch], player) + threats(states[scratch], player)
                if value > best:
                    best, choice = value, action
        actions[i] = choice


class Greedy:
    """One-step look-ahead with a readable evaluation."""

    name = "greedy"

    def __init__(self) -> None:
        self._works: Any = np.zeros(1, Work.dtype)
        self._silent: Any = np.zeros((0, len(EVENT_FIELDS)), np.int32)

    def choose(self, decisions: Decisions) -> Any:
        """A legal action for each decision, int32 ``(n,)``."""
        states = decisions.imagine(blank=1)
        actions = np.zeros(len(decisions), np.int32)
        greedy_many(states, decisions.masks, decisions.cards.table, self._works, self._silent, actions)
        return actions


