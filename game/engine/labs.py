"""What happens to a lab: funding, compute, hand, deck, summons."""

from __future__ import annotations

from game.engine.chance import bounded
from game.engine.compiled import rule
from game.engine.journal import event
from game.engine.records import (
    COMPUTE,
    DAMAGE,
    DISCARD,
    DRAW,
    E_COMPUTE,
    E_DISCARD,
    E_DRAW,
    E_FATIGUE,
    E_LAB_DAMAGE,
    E_LAB_HEAL,
    E_NO_ROOM,
    E_RACK,
    HEAL,
    RACK,
    SLOTS,
    SUMMON,
    Lab,
    Log,
    State,
    Table,
    Work,
)
from game.engine.units import enter, take_into_hand


@rule
def damage_lab(state: State, log: Log, player: int, amount: int) -> None:
    """Cost a lab funding; whether it has lost is looked at when everything is resolved."""
    if amount > 0:
        state.labs[player].funding -= amount
        event(log, E_LAB_DAMAGE, player, -1, 0, amount, 0, 0)


@rule
def draw(state: State, log: Log, player: int) -> None:
    """Draw one card; from an empty deck a lab pays 1 funding the first time, 2 the second, and so on."""
    lab = state.labs[player]
    if lab.deck_size == 0:
        lab.fatigue += 1
        event(log, E_FATIGUE, player, -1, 0, lab.fatigue, 0, 0)
        damage_lab(state, log, player, lab.fatigue)
        return
    lab.deck_size -= 1
    card = lab.deck[lab.deck_size]
    lab.deck[lab.deck_size] = 0
    take_into_hand(state, log, player, card, E_DRAW)


@rule
def remove_from_hand(lab: Lab, index: int) -> None:
    """Take the card at ``index`` out of a hand; those behind it move up."""
    lab.hand_size -= 1
    for place in range(index, lab.hand_size):
        lab.hand[place] = lab.hand[place + 1]
    lab.hand[lab.hand_size] = 0


@rule
def discard_random(state: State, log: Log, player: int) -> None:
    """Discard a random card of a hand, face up; an empty hand loses nothing."""
    lab = state.labs[player]
    if lab.hand_size > 0:
        index = bounded(state, lab.hand_size)
        event(log, E_DISCARD, player, -1, lab.hand[index], 0, 0, 0)
        remove_from_hand(lab, index)


@rule
def summon(state: State, table: Table, work: Work, log: Log, player: int, card: int) -> None:
    """Put a Model into the lowest empty slot; on a full board nothing happens."""
    for slot in range(SLOTS):
        if state.labs[player].units[slot].card == 0:
            enter(state, table, work, log, player, slot, card)
            return
    event(log, E_NO_ROOM, player, -1, card, 0, 0, 0)


@rule
def on_lab(state: State, table: Table, work: Work, log: Log, operation: int, player: int, a: int, ref: int) -> None:
    """Do one operation to one lab."""
    lab = state.labs[player]
    if operation == DAMAGE:
        damage_lab(state, log, player, a)
    elif operation == HEAL:
        healed = max(0, min(a, state.funding_cap - lab.funding))
        lab.funding += healed
        event(log, E_LAB_HEAL, player, -1, 0, healed, 0, 0)
    elif operation == DRAW:
        for _ in range(a):
            draw(state, log, player)
    elif operation == DISCARD:
        for _ in range(a):
            discard_random(state, log, player)
    elif operation == COMPUTE:
        lab.compute += a
        event(log, E_COMPUTE, player, -1, 0, a, 0, 0)
    elif operation == RACK:
        gained = min(a, state.rack_cap - lab.racks)
        lab.racks += gained
        event(log, E_RACK, player, -1, 0, gained, 0, 0)
    elif operation == SUMMON:
        for _ in range(a):
            summon(state, table, work, log, player, ref)
