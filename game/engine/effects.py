"""What a card's lines do: operations on Models and labs, scopes, and the queue of triggers.

Nothing here resolves deaths or calls back into the rules: an operation changes the state and
may leave a :class:`~game.engine.records.Task` in the queue. :mod:`game.engine.rules` decides
when the queue is worked off. That keeps recursion out, which compiled code can't have.
"""

from __future__ import annotations

from game.engine.chance import bounded
from game.engine.compiled import rule
from game.engine.records import (
    ABLATE,
    ALL,
    BUFF,
    CHOSEN,
    COMPUTE,
    DAMAGE,
    DESTROY,
    DISCARD,
    DRAW,
    E_ABLATE,
    E_ABSORB,
    E_BUFF,
    E_COMPUTE,
    E_DAMAGE,
    E_DESTROY,
    E_DISCARD,
    E_DRAW,
    E_ENTER,
    E_FATIGUE,
    E_HEAL,
    E_KEYWORD,
    E_LAB_DAMAGE,
    E_LAB_HEAL,
    E_NO_ROOM,
    E_RACK,
    E_RECALL,
    E_RUSH,
    E_TAP,
    E_VANISH,
    EFFECTS,
    ENEMY,
    HAND,
    HEAL,
    KEYWORD,
    LOOP_LIMIT,
    NEIGHBOURS,
    ON_OWN_ENTER,
    ON_OWN_UPDATE,
    OTHER_OWN,
    OWN,
    RACK,
    RANDOM_ENEMY,
    RANDOM_OWN,
    RECALL,
    RECURRENT,
    REGULARIZED,
    RUSH,
    SCOPE_ENEMY_LAB,
    SCOPE_OWN_LAB,
    SELF,
    SLOTS,
    SUMMON,
    TAP,
    TASKS,
    UPDATE,
    Lab,
    Log,
    State,
    Table,
    Unit,
    Work,
)


@rule
def event(log: Log, kind: int, player: int, slot: int, card: int, a: int, b: int, entry: int) -> None:
    """Write one event if there is a log; past its end only the count goes on, so that readers can tell."""
    if log.shape[0] == 0:
        return
    used = log[0, 0] + 1
    log[0, 0] = used
    if used < log.shape[0]:
        row = log[used]
        row[0], row[1], row[2], row[3], row[4], row[5], row[6] = kind, player, slot, card, a, b, entry


@rule
def queue(work: Work, trigger: int, player: int, slot: int, entry: int, card: int, family: int, residual: int,
          attack: int, health: int) -> None:
    """Let a trigger wait for its turn, behind those that wait already."""
    if work.last >= TASKS:  # 12 deaths and 12 entries are the most that boards can hold: only a loop gets here
        work.waves = LOOP_LIMIT
        return
    task = work.tasks[work.last]
    work.last += 1
    task.trigger, task.player, task.slot, task.entry = trigger, player, slot, entry
    task.card, task.family, task.residual, task.attack, task.health = card, family, residual, attack, health


# ---- Models -------------------------------------------------------------------------------------


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


# ---- labs ---------------------------------------------------------------------------------------


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


# ---- a card's lines -----------------------------------------------------------------------------


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
