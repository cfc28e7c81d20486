"""The gradient update: the rules stop, ask for a verdict, and go on with it."""

from __future__ import annotations

from game.engine.compiled import rule
from game.engine.deaths import settle
from game.engine.journal import event, queue
from game.engine.records import (
    ACTION,
    AWAITING_UPDATE,
    BUFF,
    CHOSEN,
    E_AWAIT_UPDATE,
    E_TRAINING,
    E_VERDICT,
    EFFECTS,
    FROZEN,
    LEARNED,
    ON_OWN_UPDATE,
    ON_UPDATE,
    UPDATE,
    Log,
    State,
    Table,
    Work,
)
from game.engine.turns import conclude
from game.engine.units import buff


@rule
def await_update(state: State, table: Table, log: Log, card: int, player: int, slot: int, entry: int) -> None:
    """Stop and ask for a gradient update of the chosen Model, if it is still there, own, alive and not Frozen."""
    if entry == 0 or player != state.player:
        return
    unit = state.labs[player].units[slot]
    if unit.entry != entry or unit.health <= 0 or unit.doomed or unit.keywords & FROZEN:
        return
    for line in range(EFFECTS):
        effect = table[card].effects[line]
        if effect.operation == UPDATE:
            state.update_attack = effect.a
            state.update_health = effect.b
    state.update_slot = slot
    state.update_entry = entry
    state.update_card = card
    state.phase = AWAITING_UPDATE
    event(log, E_AWAIT_UPDATE, player, slot, unit.card, card, 0, 0)


@rule
def give_verdict(state: State, table: Table, work: Work, log: Log, verdict: int, row: int) -> None:
    """Go on with the verdict on the awaited update; ``row`` is its ledger entry (0: scripted or assumed).

    Learned: buff (with the Researcher's addition), mark, count, the Model's update trigger, then
    the Researcher's. Vanished or exploded: the card is spent, nothing else.
    """
    player, slot, entry, cause = state.player, state.update_slot, state.update_entry, state.update_card
    unit = state.labs[player].units[slot]
    attack_gain, health_gain = state.update_attack, state.update_health
    state.update_slot = state.update_entry = state.update_card = state.update_attack = state.update_health = 0
    state.phase = ACTION
    event(log, E_VERDICT, player, slot, unit.card, verdict, cause, row)
    if verdict == LEARNED:
        chief = state.labs[player].researcher
        listens = table[chief].triggers & (1 << ON_OWN_UPDATE) and (
            table[chief].family == 0 or table[chief].family == table[unit.card].family)
        if listens:
            for line in range(EFFECTS):
                effect = table[chief].effects[line]
                if effect.trigger == ON_OWN_UPDATE and effect.operation == BUFF and effect.scope == CHOSEN:
                    attack_gain += effect.a
                    health_gain += effect.b
        buff(state, log, player, slot, attack_gain, health_gain, row)
        unit.training = 1
        unit.updates += 1
        event(log, E_TRAINING, player, slot, unit.card, unit.updates, 0, row)
        queue(work, ON_UPDATE, player, slot, entry, unit.card, 0, 0, 0, 0)
        if listens:
            queue(work, ON_OWN_UPDATE, player, slot, entry, chief, 0, 0, 0, 0)
    settle(state, table, work, log)
    conclude(state, table, work, log)
