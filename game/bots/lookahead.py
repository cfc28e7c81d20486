"""Plans its whole turn: a beam search for the line after which the board looks best.

The plan is made anew at every decision, on an imagined copy (nothing hidden is left in it; an
awaited update is assumed to be learned), and its first action is played. Bounded: at most
WIDTH positions a depth, DEPTH actions deep.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from game.bots.evaluation import standing
from game.bots.greedy import opening_choice
from game.bots.protocol import Decisions
from game.engine.compiled import rule
from game.engine.legal import legal_mask
from game.engine.records import (
    ACTIONS,
    END_TURN,
    EVENT_FIELDS,
    MULLIGAN,
    RUNNING,
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

WIDTH, DEPTH = 16, 12


@rule(entry=True)
def plan_many(states: States, first: int, last: int, masks: Masks, table: Table, works: Works, worker: int, log: Log,
              beams: States, values: Ints, starts: Ints, mask: Mask, actions: Ints) -> None:
    """The planned action of each imagined state first ≤ i < last.

    Scratch: ``beams`` two beams of WIDTH states and one more, ``values`` and ``starts`` int32
    ``(2 · WIDTH,)``, ``mask`` ``(238,)``.
    """
    spare = 2 * WIDTH
    for i in range(first, last):
        player, turn = states[i].player, states[i].turn
        if states[i].phase == MULLIGAN:
            actions[i] = opening_choice(states[i], masks[i], table)
            continue
        best, choice = standing(states[i], player), END_TURN * TOKENS
        beams[0] = states[i]
        starts[0] = -1
        size, old, new = 1, 0, WIDTH
        for _ in range(DEPTH):
            found = 0
            for b in range(size):
                legal_mask(beams[old + b], table, mask)
                for action in range(END_TURN * TOKENS):
                    if mask[action] == 0:
                        continue
                    beams[spare] = beams[old + b]
                    step_assuming(beams[spare], table, works[worker], log, action)
                    value = standing(beams[spare], player)
                    start = action if starts[old + b] < 0 else starts[old + b]
                    if value > best:
                        best, choice = value, start
                    if beams[spare].result != RUNNING or beams[spare].turn != turn:
                        continue
                    place = found
                    while place > 0 and values[new + place - 1] < value:
                        place -= 1
                    if place >= WIDTH or (place > 0 and values[new + place - 1] == value):
                        continue  # no better than all that is kept, or most likely one of them by another order
                    for k in range(min(found, WIDTH - 1), place, -1):
                        beams[new + k] = beams[new + k - 1]
                        values[new + k] = values[new + k - 1]
                        starts[new + k] = starts[new + k - 1]
                    beams[new + place] = beams[spare]
                    values[new + place] = value
                    starts[new + place] = start
                    found = min(found + 1, WIDTH)
            if found == 0:
                break
            size, old, new = found, new, old
        actions[i] = choice


class Lookahead:
    """The best line within its own turn, by beam search."""

    name = "lookahead"

    def choose(self, decisions: Decisions) -> Any:
        """A legal action for each decision, int32 ``(n,)``."""
        n = len(decisions)
        beams = np.zeros(2 * WIDTH + 1, State.dtype)
        actions = np.zeros(n, np.int32)
        plan_many(decisions.imagine(), 0, n, decisions.masks, decisions.cards.table, np.zeros(1, Work.dtype), 0,
                  np.zeros((0, len(EVENT_FIELDS)), np.int32), beams, np.zeros(2 * WIDTH, np.int32),
                  np.zeros(2 * WIDTH, np.int32), np.zeros(ACTIONS, np.uint8), actions)
        return actions
