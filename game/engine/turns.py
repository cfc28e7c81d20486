"""A turn: how it begins, how it ends, and the triggers at either end."""

from __future__ import annotations

from game.engine.compiled import rule
from game.engine.deaths import finish, look_at_labs, settle
from game.engine.effects import run_lines
from game.engine.journal import event
from game.engine.labs import draw
from game.engine.records import (
    ACTION,
    BY_TURN_LIMIT,
    DRAWN,
    E_END_TURN,
    E_RACK,
    E_TRIGGER,
    E_TURN,
    ON_TURN_END,
    ON_TURN_START,
    OVER,
    SLOTS,
    Log,
    State,
    Table,
    Work,
)


@rule
def turn_triggers(state: State, table: Table, work: Work, log: Log, trigger: int) -> None:
    """The active player's turn_start or turn_end triggers in slot order, each with its deaths."""
    player, present = state.player, state.entries
    for slot in range(SLOTS):
        unit = state.labs[player].units[slot]
        if state.phase == OVER or unit.card == 0 or unit.entry > present or unit.ablated:
            continue
        if table[unit.card].triggers & (1 << trigger):
            event(log, E_TRIGGER, player, slot, unit.card, trigger, 0, 0)
            run_lines(state, table, work, log, trigger, unit.card, player, slot, unit.entry, player, slot, unit.entry)
            settle(state, table, work, log)
            look_at_labs(state, log)


@rule
def begin_turn(state: State, table: Table, work: Work, log: Log) -> None:
    """Rack, refill, untap, turn_start triggers, draw."""
    player = state.player
    lab = state.labs[player]
    state.turn += 1
    state.turn_ply = state.ply + 1
    event(log, E_TURN, player, -1, 0, state.turn, 0, 0)
    if lab.racks < state.rack_cap:
        lab.racks += 1
        event(log, E_RACK, player, -1, 0, 1, 0, 0)
    lab.compute = lab.racks
    for slot in range(SLOTS):
        unit = lab.units[slot]
        unit.tapped = 1 if unit.training or unit.held else 0
        unit.training = unit.held = 0
    state.phase = ACTION
    turn_triggers(state, table, work, log, ON_TURN_START)
    if state.phase != OVER:
        draw(state, log, player)
        look_at_labs(state, log)


@rule
def end_turn(state: State, table: Table, work: Work, log: Log, forced: int) -> None:
    """turn_end triggers, what lasts "this turn" ends on both sides, the other player's turn begins."""
    event(log, E_END_TURN, state.player, -1, 0, forced, 0, 0)
    state.forced_ends += forced
    turn_triggers(state, table, work, log, ON_TURN_END)
    if state.phase == OVER:
        return
    for player in range(2):
        for slot in range(SLOTS):
            unit = state.labs[player].units[slot]
            unit.rush = unit.hurt = unit.attacks = unit.hurt_ply = unit.attack_ply = unit.attack_token = 0
    state.actions = 0
    if state.turn >= state.turn_limit:
        finish(state, log, DRAWN, BY_TURN_LIMIT)
        return
    state.player = 1 - state.player
    begin_turn(state, table, work, log)


@rule
def conclude(state: State, table: Table, work: Work, log: Log) -> None:
    """After an action is resolved: look at the labs; a turn of too many actions ends by itself."""
    look_at_labs(state, log)
    if state.phase == ACTION and state.actions >= state.action_limit:
        end_turn(state, table, work, log, 1)
