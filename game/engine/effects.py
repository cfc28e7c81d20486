"""A card's lines: which Models and labs a scope means, and the lines of a trigger in written order."""

from __future__ import annotations

from game.engine.chance import bounded
from game.engine.compiled import rule
from game.engine.labs import on_lab
from game.engine.records import (
    ALL,
    BUFF,
    CHOSEN,
    EFFECTS,
    ENEMY,
    NEIGHBOURS,
    ON_OWN_UPDATE,
    OTHER_OWN,
    OWN,
    RANDOM_ENEMY,
    RANDOM_OWN,
    SCOPE_ENEMY_LAB,
    SCOPE_OWN_LAB,
    SELF,
    SLOTS,
    UPDATE,
    Log,
    State,
    Table,
    Work,
)
from game.engine.units import living, on_unit


@rule
def random_living(state: State, player: int, table: Table, family: int) -> int:
    """Slot of a random living Model of a lab (of a family, 0 for any), or −1; draws only if there is one."""
    count = 0
    for slot in range(SLOTS):
        unit = state.labs[player].units[slot]
        if living(unit) and (family == 0 or table[unit.card].family == family):
            count += 1
    if count == 0:
        return -1
    skip = bounded(state, count)
    for slot in range(SLOTS):
        unit = state.labs[player].units[slot]
        if living(unit) and (family == 0 or table[unit.card].family == family):
            if skip == 0:
                return slot
            skip -= 1
    return -1


@rule
def on_slot(state: State, table: Table, log: Log, operation: int, player: int, slot: int, a: int, b: int,
            ref: int) -> None:
    """Do one operation to the Model in a slot, if the slot exists and isn't empty."""
    if 0 <= slot < SLOTS and state.labs[player].units[slot].card > 0:
        on_unit(state, table, log, operation, player, slot, a, b, ref)


@rule
def apply(state: State, table: Table, work: Work, log: Log, card: int, line: int, player: int, slot: int, entry: int,
          chosen_player: int, chosen_slot: int, chosen_entry: int) -> None:
    """Carry out one line of a card for ``player``.

    ``slot``, ``entry``: the Model whose effect it is (−1, 0 for Techniques and Researchers);
    ``chosen_…``: the Model that was chosen (or entered, or was updated), entry 0 for none.
    """
    effect = table[card].effects[line]
    operation, scope, a, b, ref = effect.operation, effect.scope, effect.a, effect.b, effect.ref
    centre_player, centre, centre_entry = player, slot, entry
    if slot < 0:
        centre_player, centre, centre_entry = chosen_player, chosen_slot, chosen_entry
    if scope == SCOPE_OWN_LAB:
        on_lab(state, table, work, log, operation, player, a, ref)
    elif scope == SCOPE_ENEMY_LAB:
        on_lab(state, table, work, log, operation, 1 - player, a, ref)
    elif scope == CHOSEN:
        if chosen_entry > 0 and state.labs[chosen_player].units[chosen_slot].entry == chosen_entry:
            on_slot(state, table, log, operation, chosen_player, chosen_slot, a, b, ref)
    elif scope == SELF:
        if entry > 0 and state.labs[player].units[slot].entry == entry:
            on_slot(state, table, log, operation, player, slot, a, b, ref)
    elif scope == NEIGHBOURS:
        if centre >= 0:
            on_slot(state, table, log, operation, centre_player, centre - 1, a, b, ref)
            on_slot(state, table, log, operation, centre_player, centre + 1, a, b, ref)
    elif scope == RANDOM_OWN:
        on_slot(state, table, log, operation, player, random_living(state, player, table, 0), a, b, ref)
    elif scope == RANDOM_ENEMY:
        on_slot(state, table, log, operation, 1 - player, random_living(state, 1 - player, table, 0), a, b, ref)
    else:
        if scope == OWN or scope == OTHER_OWN or scope == ALL:
            for place in range(SLOTS):
                if scope != OTHER_OWN or state.labs[player].units[place].entry != centre_entry:
                    on_slot(state, table, log, operation, player, place, a, b, ref)
        if scope == ENEMY or scope == ALL:
            for place in range(SLOTS):
                on_slot(state, table, log, operation, 1 - player, place, a, b, ref)


@rule
def run_lines(state: State, table: Table, work: Work, log: Log, trigger: int, card: int, player: int, slot: int,
              entry: int, chosen_player: int, chosen_slot: int, chosen_entry: int) -> bool:
    """Carry out a card's lines with this trigger, in written order; true if they ask for a gradient update."""
    if table[card].triggers & (1 << trigger) == 0:
        return False
    for line in range(EFFECTS):
        effect = table[card].effects[line]
        if effect.trigger == trigger:
            if effect.operation == UPDATE:
                return True
            if trigger == ON_OWN_UPDATE and effect.operation == BUFF and effect.scope == CHOSEN:
                continue  # was part of the update's own buff
            apply(state, table, work, log, card, line, player, slot, entry, chosen_player, chosen_slot, chosen_entry)
    return False
