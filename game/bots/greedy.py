"""Takes the action after which the board looks best, one step ahead.

It tries each legal action on an imagined copy (nothing hidden is left in it, an awaited update
is assumed to be learned) and ends the turn when no action improves on standing still.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from game.bots.protocol import Decisions
from game.engine.compiled import rule
from game.engine.effects import shown_attack
from game.engine.legal import idle_reason
from game.engine.records import (
    AWAITING_UPDATE,
    CONVOLUTION,
    END_TURN,
    FROZEN,
    GUARD,
    LEARNED,
    MULLIGAN,
    RECURRENT,
    REGULARIZED,
    RUNNING,
    SLOTS,
    TOKENS,
    Ints,
    Lab,
    Log,
    Masks,
    State,
    States,
    Table,
    Unit,
    Works,
)
from game.engine.rules import give_verdict, step

WIN = 100_000
DEAR = 4
"""An opening card of this printed cost or more is exchanged."""


@rule
def worth_of_model(unit: Unit) -> int:
    """A Model's worth, in hundredths of a point of funding."""
    worth = 60 * unit.attack + 50 * unit.health + 40
    if unit.keywords & GUARD:
        worth += 40
    if unit.keywords & REGULARIZED:
        worth += 60
    if unit.keywords & CONVOLUTION:
        worth += 50
    if unit.keywords & RECURRENT:
        worth += 40 * unit.attack
    if unit.keywords & FROZEN:
        worth -= 50 * unit.attack
    if unit.training or unit.held:
        worth -= 20 * unit.attack
    return worth


@rule
def worth_of_lab(lab: Lab) -> int:
    """A lab's worth, in hundredths of a point of funding; its last points are worth more."""
    worth = 100 * lab.funding - 60 * max(0, 8 - lab.funding)
    worth += 70 * lab.hand_size + 80 * lab.racks + (60 if lab.researcher > 0 else 0)
    for slot in range(SLOTS):
        unit = lab.units[slot]
        if unit.card > 0:
            worth += worth_of_model(unit)
    return worth


@rule
def evaluate(state: State, player: int) -> int:
    """How good a state is for a player: its lab's worth less the other's, an unused attack counting as a threat."""
    if state.result != RUNNING:
        return WIN if state.result == player + 1 else -WIN if state.result == 2 - player else 0
    worth = worth_of_lab(state.labs[player]) - worth_of_lab(state.labs[1 - player])
    if state.player == player:
        for slot in range(SLOTS):
            unit = state.labs[player].units[slot]
            if idle_reason(state, unit) == 0:
                worth += 30 * shown_attack(unit)
    return worth


@rule(entry=True)
def greedy_many(states: States, masks: Masks, table: Table, works: Works, log: Log, actions: Ints) -> None:
    """The greedy action of each imagined state but the last; the last one is scratch space."""
    scratch = len(states) - 1
    for i in range(scratch):
        player = states[i].player
        if states[i].phase == MULLIGAN:
            actions[i] = END_TURN * TOKENS
            lab = states[i].labs[player]
            for place in range(lab.hand_size):
                if masks[i, place * TOKENS] and table[lab.hand[place]].cost >= DEAR:
                    actions[i] = place * TOKENS
            continue
        best, choice = evaluate(states[i], player), END_TURN * TOKENS
        for action in range(END_TURN * TOKENS):
            if masks[i, action]:
                states[scratch] = states[i]
                step(states[scratch], table, works[0], log, action // TOKENS, action % TOKENS)
                if states[scratch].phase == AWAITING_UPDATE:
                    give_verdict(states[scratch], table, works[0], log, LEARNED, 0)
                value = evaluate(states[scratch], player)
                if value > best:
                    best, choice = value, action
        actions[i] = choice


class Greedy:
    """One-step look-ahead with a readable evaluation."""

    name = "greedy"

    def __init__(self) -> None:
        from game.engine.records import EVENT_FIELDS, Work

        self._works: Any = np.zeros(1, Work.dtype)
        self._silent: Any = np.zeros((0, len(EVENT_FIELDS)), np.int32)

    def choose(self, decisions: Decisions) -> Any:
        """A legal action for each decision, int32 ``(n,)``."""
        states = decisions.imagine(blank=1)
        actions = np.zeros(len(decisions), np.int32)
        greedy_many(states, decisions.masks, decisions.cards.table, self._works, self._silent, actions)
        return actions


