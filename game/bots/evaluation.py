"""How good a position is, in hundredths of a point of funding: what bots look ahead with."""

from __future__ import annotations

from game.engine.compiled import rule
from game.engine.legal import idle_reason
from game.engine.records import (
    CONVOLUTION,
    FROZEN,
    GUARD,
    RECURRENT,
    REGULARIZED,
    RUNNING,
    SLOTS,
    Lab,
    State,
    Unit,
)
from game.engine.units import shown_attack

WIN = 100_000


@rule
def worth_of_model(unit: Unit) -> int:
    """A Model's worth: attack, health, being there at all, and what its keywords add."""
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
    """A lab's worth; its last points of funding are worth more."""
    worth = 100 * lab.funding - 60 * max(0, 8 - lab.funding)
    worth += 70 * lab.hand_size + 80 * lab.racks + (60 if lab.researcher > 0 else 0)
    for slot in range(SLOTS):
        unit = lab.units[slot]
        if unit.card > 0:
            worth += worth_of_model(unit)
    return worth


@rule
def standing(state: State, player: int) -> int:
    """A player's lab's worth less the other's; a decided match counts ±:data:`WIN`."""
    if state.result != RUNNING:
        return WIN if state.result == player + 1 else -WIN if state.result == 2 - player else 0
    return worth_of_lab(state.labs[player]) - worth_of_lab(state.labs[1 - player])


@rule
def threats(state: State, player: int) -> int:
    """What the attacks that a player can still make this turn are worth."""
    worth = 0
    if state.player == player and state.result == RUNNING:
        for slot in range(SLOTS):
            unit = state.labs[player].units[slot]
            if idle_reason(state, unit) == 0:
                worth += 30 * shown_attack(unit)
    return worth
