"""After effects: waiting triggers, deaths, their triggers, the look at both labs, the end.

The order is the rules page's (docs/rules.md, "Order"); read :func:`settle` beside it.
"""

from __future__ import annotations

from game.engine.compiled import rule
from game.engine.effects import random_living, run_lines
from game.engine.journal import event, queue
from game.engine.records import (
    BY_DOUBLE_KNOCK_OUT,
    BY_FUNDING,
    BY_LOOP,
    DRAWN,
    E_DEATH,
    E_OVER,
    E_RESIDUAL,
    E_TRIGGER,
    LOOP_LIMIT,
    ON_DEATH,
    ON_UPDATE,
    OVER,
    RESIDUAL,
    SLOTS,
    Log,
    State,
    Table,
    Work,
)
from game.engine.units import buff, clear


@rule
def finish(state: State, log: Log, result: int, reason: int) -> None:
    """End the match; nothing is awaited or exchanged any more."""
    state.phase = OVER
    state.mulligan = 0
    state.update_slot = state.update_entry = state.update_card = state.update_attack = state.update_health = 0
    state.result = result
    state.reason = reason
    event(log, E_OVER, state.player, -1, 0, result, reason, 0)


@rule
def look_at_labs(state: State, log: Log) -> None:
    """Both labs at once: one at 0 or less has lost, both are a draw."""
    if state.phase == OVER:
        return
    first, second = state.labs[0].funding <= 0, state.labs[1].funding <= 0
    if first and second:
        finish(state, log, DRAWN, BY_DOUBLE_KNOCK_OUT)
    elif first:
        finish(state, log, 2, BY_FUNDING)
    elif second:
        finish(state, log, 1, BY_FUNDING)


@rule
def pass_on(state: State, table: Table, log: Log, player: int, card: int, family: int, attack: int,
            health: int) -> None:
    """Residual: what a fallen Model had gained goes to a random living one of its family, else to any."""
    if attack == 0 and health == 0:
        return
    heir = random_living(state, player, table, family)
    if heir < 0:
        heir = random_living(state, player, table, 0)
    if heir >= 0:
        event(log, E_RESIDUAL, player, heir, card, attack, health, 0)
        buff(state, log, player, heir, attack, health, 0)


@rule
def run_task(state: State, table: Table, work: Work, log: Log, index: int) -> None:
    """Carry out one waiting trigger: an update's, a Researcher's, or a death with its Residual."""
    task = work.tasks[index]
    trigger, card, player, slot, entry = task.trigger, task.card, task.player, task.slot, task.entry
    own_slot, own_entry, chosen_entry = slot, entry, entry
    if trigger == ON_UPDATE:
        unit = state.labs[player].units[slot]
        if unit.entry != entry or unit.ablated:
            card = 0
    elif trigger == ON_DEATH:
        chosen_entry = 0
    else:  # a Researcher's: the Model that entered, or learned, is the chosen one
        own_slot, own_entry = -1, 0
    if table[card].triggers & (1 << trigger):
        event(log, E_TRIGGER, player, own_slot, card, trigger, 0, 0)
        run_lines(state, table, work, log, trigger, card, player, own_slot, own_entry, player, slot, chosen_entry)
    if task.residual:
        pass_on(state, table, log, player, task.card, task.family, task.attack, task.health)


@rule
def work_off(state: State, table: Table, work: Work, log: Log) -> None:
    """Carry out the waiting triggers, first come first served, with those they add."""
    while work.first < work.last and work.waves < LOOP_LIMIT:
        work.first += 1
        run_task(state, table, work, log, work.first - 1)
    work.first = work.last = 0


@rule
def remove_fallen(state: State, table: Table, work: Work, log: Log) -> bool:
    """Remove every Model at 0 or less (or destroyed) at once and queue their death triggers; true if any fell."""
    fell = False
    for side in range(2):
        player = state.player if side == 0 else 1 - state.player
        for slot in range(SLOTS):
            unit = state.labs[player].units[slot]
            if unit.card > 0 and (unit.health <= 0 or unit.doomed):
                fell = True
                printed = table[unit.card]
                gained_attack = max(0, unit.attack - printed.attack)
                gained_health = max(0, unit.max_health - printed.health)
                residual = 1 if unit.keywords & RESIDUAL else 0
                event(log, E_DEATH, player, slot, unit.card, 0, 0, 0)
                queue(work, ON_DEATH, player, slot, unit.entry, 0 if unit.ablated else unit.card, printed.family,
                      residual, gained_attack, gained_health)
                clear(unit)
    return fell


@rule
def settle(state: State, table: Table, work: Work, log: Log) -> None:
    """After effects: waiting triggers, then deaths with theirs, again and again until nothing dies."""
    work_off(state, table, work, log)
    while work.waves < LOOP_LIMIT and remove_fallen(state, table, work, log):
        work.waves += 1
        work_off(state, table, work, log)
    if work.waves >= LOOP_LIMIT:
        work.first = work.last = 0
        finish(state, log, DRAWN, BY_LOOP)
    work.waves = 0
