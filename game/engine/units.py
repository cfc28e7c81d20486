"""What happens to a Model: entering, damage, buffs, keywords, leaving.

An operation changes the state and may leave a :class:`~game.engine.records.Task` in the queue; it
never resolves deaths or calls back into the rules. That keeps recursion out, which compiled code
can't have; :mod:`game.engine.deaths` works the queue off.
"""

from __future__ import annotations

from game.engine.compiled import rule
from game.engine.journal import event, queue
from game.engine.records import (
    ABLATE,
    BUFF,
    DAMAGE,
    DESTROY,
    E_ABLATE,
    E_ABSORB,
    E_BUFF,
    E_DAMAGE,
    E_DESTROY,
    E_DISCARD,
    E_ENTER,
    E_HEAL,
    E_KEYWORD,
    E_RECALL,
    E_RUSH,
    E_TAP,
    E_VANISH,
    HAND,
    HEAL,
    KEYWORD,
    ON_OWN_ENTER,
    RECALL,
    RECURRENT,
    REGULARIZED,
    RUSH,
    TAP,
    Log,
    State,
    Table,
    Unit,
    Work,
)


@rule
def shown_attack(unit: Unit) -> int:
    """Attack as it counts: permanent plus this turn's rush, never below 0."""
    return max(0, unit.attack + unit.rush)


@rule
def living(unit: Unit) -> bool:
    """On the board, above 0 health, not destroyed."""
    return unit.card > 0 and unit.health > 0 and unit.doomed == 0


@rule
def clear(unit: Unit) -> None:
    """Empty a slot: all that a Model had goes with it."""
    unit.card = unit.entry = unit.attack = unit.health = unit.max_health = unit.rush = unit.keywords = 0
    unit.tapped = unit.training = unit.held = unit.ablated = unit.doomed = unit.attacks = unit.turn = 0
    unit.hurt = unit.updates = unit.hurt_ply = unit.attack_ply = unit.attack_token = 0


@rule
def lose_keyword(unit: Unit, keyword: int) -> None:
    """Take a keyword away; a Model that has attacked once and is no longer Recurrent is tapped."""
    if keyword == RECURRENT and unit.keywords & RECURRENT and unit.attacks > 0:
        unit.tapped = 1
    unit.keywords &= ~keyword


@rule
def damage_unit(state: State, log: Log, player: int, slot: int, amount: int) -> None:
    """Deal damage: Regularized absorbs it, else the counter adds the health really lost."""
    unit = state.labs[player].units[slot]
    if amount < 1:
        return
    if unit.keywords & REGULARIZED:
        lose_keyword(unit, REGULARIZED)
        event(log, E_ABSORB, player, slot, unit.card, amount, 0, 0)
        return
    lost = min(amount, unit.health)
    if lost > 0 and unit.hurt == 0:
        unit.hurt_ply = max(state.ply, state.turn_ply)
    unit.health -= lost
    unit.hurt += lost
    event(log, E_DAMAGE, player, slot, unit.card, lost, amount, 0)


@rule
def buff(state: State, log: Log, player: int, slot: int, attack: int, health: int, row: int) -> None:
    """Change attack (never below 0), maximum and current health for good. ``row``: an update's ledger entry."""
    unit = state.labs[player].units[slot]
    unit.attack = max(0, unit.attack + attack)
    unit.max_health += health
    unit.health += health
    event(log, E_BUFF, player, slot, unit.card, attack, health, row)


@rule
def ablate(table: Table, unit: Unit) -> None:
    """Back to the printed attack and maximum; keywords, triggers and rush are lost. Never kills."""
    printed = table[unit.card]
    unit.attack = printed.attack
    unit.max_health = printed.health
    unit.health = min(unit.health, printed.health)
    unit.rush = 0
    lose_keyword(unit, RECURRENT)
    unit.keywords = 0
    unit.ablated = 1


@rule
def take_into_hand(state: State, log: Log, player: int, card: int, kind: int) -> None:
    """Put a card into a hand; into a full hand it is discarded, face up. ``kind``: event to write, 0 for none."""
    lab = state.labs[player]
    if lab.hand_size < HAND:
        lab.hand[lab.hand_size] = card
        lab.hand_size += 1
        if kind > 0:
            event(log, kind, player, -1, card, 0, 0, 0)
    else:
        event(log, E_DISCARD, player, -1, card, 0, 0, 0)


@rule
def recall(state: State, table: Table, log: Log, player: int, slot: int) -> None:
    """Take a Model back to its owner's hand; not a death. A token vanishes."""
    unit = state.labs[player].units[slot]
    card = unit.card
    clear(unit)
    if table[card].token:
        event(log, E_VANISH, player, slot, card, 0, 0, 0)
    else:
        event(log, E_RECALL, player, slot, card, 0, 0, 0)
        take_into_hand(state, log, player, card, 0)


@rule
def enter(state: State, table: Table, work: Work, log: Log, player: int, slot: int, card: int) -> None:
    """Put a Model into an empty slot; its owner's Researcher may have something to say about it."""
    lab = state.labs[player]
    unit = lab.units[slot]
    printed = table[card]
    state.entries += 1
    unit.card = card
    unit.entry = state.entries
    unit.attack = printed.attack
    unit.health = printed.health
    unit.max_health = printed.health
    unit.keywords = printed.keywords
    unit.turn = state.turn
    event(log, E_ENTER, player, slot, card, printed.attack, printed.health, 0)
    researcher = table[lab.researcher]
    if researcher.triggers & (1 << ON_OWN_ENTER) and (researcher.family == 0 or researcher.family == printed.family):
        queue(work, ON_OWN_ENTER, player, slot, unit.entry, lab.researcher, printed.family, 0, 0, 0)


@rule
def on_unit(state: State, table: Table, log: Log, operation: int, player: int, slot: int, a: int, b: int,
            ref: int) -> None:
    """Do one operation to one Model."""
    unit = state.labs[player].units[slot]
    card = unit.card
    if operation == DAMAGE:
        damage_unit(state, log, player, slot, a)
    elif operation == HEAL:
        healed = max(0, min(a, unit.max_health - unit.health))
        unit.health += healed
        event(log, E_HEAL, player, slot, card, healed, 0, 0)
    elif operation == BUFF:
        buff(state, log, player, slot, a, b, 0)
    elif operation == RUSH:
        unit.rush += a
        event(log, E_RUSH, player, slot, card, a, 0, 0)
    elif operation == KEYWORD:
        unit.keywords |= ref
        event(log, E_KEYWORD, player, slot, card, ref, 0, 0)
    elif operation == ABLATE:
        ablate(table, unit)
        event(log, E_ABLATE, player, slot, card, 0, 0, 0)
    elif operation == DESTROY:
        unit.doomed = 1
        event(log, E_DESTROY, player, slot, card, 0, 0, 0)
    elif operation == RECALL and unit.doomed == 0:  # nothing saves from being destroyed
        recall(state, table, log, player, slot)
    elif operation == TAP:
        unit.tapped = 1
        unit.held = 1
        event(log, E_TAP, player, slot, card, 0, 0, 0)
