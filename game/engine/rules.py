"""The course of a match: set-up, turns, playing, attacking, deaths, and the update that stops it all.

The order in which things happen is the rules page's "Order" (docs/rules.md); read
:func:`settle` beside it. Callers make sure that an action is legal (:mod:`game.engine.legal`).
"""

from __future__ import annotations

from game.engine.chance import bounded
from game.engine.compiled import Word, rule
from game.engine.effects import (
    buff,
    clear,
    damage_lab,
    damage_unit,
    draw,
    enter,
    event,
    queue,
    random_living,
    remove_from_hand,
    run_lines,
    shown_attack,
    take_into_hand,
)
from game.engine.records import (
    ACTION,
    AWAITING_UPDATE,
    BUFF,
    BY_DOUBLE_KNOCK_OUT,
    BY_FUNDING,
    BY_LOOP,
    BY_TURN_LIMIT,
    CHOSEN,
    CONVOLUTION,
    DISCOUNT_MODEL,
    DISCOUNT_RESEARCHER,
    DISCOUNT_TECHNIQUE,
    DISCOUNT_UPDATE,
    DRAWN,
    E_ATTACK,
    E_AWAIT_UPDATE,
    E_DEATH,
    E_DRAW,
    E_END_TURN,
    E_MULLIGAN,
    E_MULLIGAN_DONE,
    E_OVER,
    E_PLAY,
    E_RACK,
    E_RESEARCHER,
    E_RESIDUAL,
    E_TRAINING,
    E_TRIGGER,
    E_TURN,
    E_VERDICT,
    EFFECTS,
    END_TURN,
    ENEMY_LAB,
    FROZEN,
    HAND,
    LEARNED,
    LOOP_LIMIT,
    MODEL,
    MULLIGAN,
    ON_ATTACK,
    ON_DEATH,
    ON_OWN_UPDATE,
    ON_PLAY,
    ON_TURN_END,
    ON_TURN_START,
    ON_UPDATE,
    OVER,
    RECURRENT,
    RESEARCHER,
    RESIDUAL,
    SLOTS,
    TECHNIQUE,
    UPDATE,
    Lab,
    Log,
    State,
    Table,
    Work,
)

# ---- the end -----------------------------------------------------------------------------------


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


# ---- deaths and triggers -----------------------------------------------------------------------


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


# ---- turns -------------------------------------------------------------------------------------


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


# ---- actions -----------------------------------------------------------------------------------


@rule
def cost_of(state: State, table: Table, player: int, card: int) -> int:
    """What a card costs its player now: the printed cost less the Researcher's discount, at least 0."""
    printed = table[card]
    researcher = table[state.labs[player].researcher]
    kind, applies = researcher.discount, False
    if kind == DISCOUNT_UPDATE:
        applies = printed.updates == 1
    elif kind == DISCOUNT_MODEL:
        applies = printed.type == MODEL
    elif kind == DISCOUNT_TECHNIQUE:
        applies = printed.type == TECHNIQUE
    elif kind == DISCOUNT_RESEARCHER:
        applies = printed.type == RESEARCHER
    cost: int = printed.cost
    return max(0, cost - researcher.discount_amount) if applies else cost


@rule
def play_card(state: State, table: Table, work: Work, log: Log, index: int, token: int) -> None:
    """Pay a hand card and resolve it at a token (see legal.py for tokens); may stop for an update."""
    player = state.player
    lab = state.labs[player]
    card = lab.hand[index]
    printed = table[card]
    lab.compute -= cost_of(state, table, player, card)
    remove_from_hand(lab, index)
    event(log, E_PLAY, player, -1, card, token, 0, 0)
    chosen_player = player if token < ENEMY_LAB else 1 - player
    slot, chosen = -1, -1
    entry, chosen_entry = 0, 0
    if printed.type == MODEL:
        slot = token - 1
        enter(state, table, work, log, player, slot, card)
        entry = state.entries
        work_off(state, table, work, log)
    elif printed.type == RESEARCHER:
        lab.researcher = card
        event(log, E_RESEARCHER, player, -1, card, 0, 0, 0)
        draw(state, log, player)
    elif token != 0:
        chosen = token - 1 if token < ENEMY_LAB else token - ENEMY_LAB - 1
        chosen_entry = state.labs[chosen_player].units[chosen].entry
    if run_lines(state, table, work, log, ON_PLAY, card, player, slot, entry, chosen_player, chosen, chosen_entry):
        work_off(state, table, work, log)
        if work.waves < LOOP_LIMIT:
            await_update(state, table, log, card, chosen_player, chosen, chosen_entry)
    if state.phase != AWAITING_UPDATE:
        settle(state, table, work, log)
        conclude(state, table, work, log)


@rule
def attack(state: State, table: Table, work: Work, log: Log, slot: int, token: int) -> None:
    """A Model attacks an enemy Model or the enemy lab."""
    player, enemy = state.player, 1 - state.player
    unit = state.labs[player].units[slot]
    entry, card, strength, hurt = unit.entry, unit.card, shown_attack(unit), unit.hurt
    unit.attacks += 1
    if not (unit.keywords & RECURRENT and unit.attacks < 2):
        unit.tapped = 1
    event(log, E_ATTACK, player, slot, card, token, strength, 0)
    if token == ENEMY_LAB:
        damage_lab(state, log, enemy, strength)
        damage_unit(state, log, player, slot, 1)
    else:
        target = token - ENEMY_LAB - 1
        convolution = unit.keywords & CONVOLUTION
        answer = shown_attack(state.labs[enemy].units[target])
        damage_unit(state, log, enemy, target, strength)
        damage_unit(state, log, player, slot, answer)
        if convolution:
            for neighbour in range(max(0, target - 1), min(SLOTS, target + 2)):
                if neighbour != target and state.labs[enemy].units[neighbour].card > 0:
                    damage_unit(state, log, enemy, neighbour, 1)
    settle(state, table, work, log)
    if state.phase != OVER and unit.entry == entry and unit.ablated == 0 and table[card].triggers & (1 << ON_ATTACK):
        event(log, E_TRIGGER, player, slot, card, ON_ATTACK, 0, 0)
        run_lines(state, table, work, log, ON_ATTACK, card, player, slot, entry, player, slot, entry)
        settle(state, table, work, log)
    if unit.entry == entry and unit.hurt > hurt:
        unit.attack_ply = state.ply
        unit.attack_token = token
    conclude(state, table, work, log)


# ---- the gradient update -------------------------------------------------------------------------


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


# ---- set-up ----------------------------------------------------------------------------------------


@rule
def shuffle(state: State, lab: Lab) -> None:
    """Fisher-Yates from the deck's end: place i changes with a random place 0 … i, for i = size−1 … 1."""
    for i in range(lab.deck_size - 1, 0, -1):
        j = bounded(state, i + 1)
        lab.deck[i], lab.deck[j] = lab.deck[j], lab.deck[i]


@rule
def sort_deck(lab: Lab) -> None:
    """Insertion sort of a deck by card row: afterwards nothing tells its old order."""
    for i in range(1, lab.deck_size):
        card, j = lab.deck[i], i
        while j > 0 and lab.deck[j - 1] > card:
            lab.deck[j] = lab.deck[j - 1]
            j -= 1
        lab.deck[j] = card


@rule
def deal(state: State, log: Log, seed: Word, first_hand: int, second_hand: int) -> None:
    """Start a match: ``labs[p].deck`` and the limits are set, everything else is zero.

    Coin, shuffle of player 0's deck, of player 1's, the starter's opening cards, the other's.
    """
    state.rng = seed
    state.starter = bounded(state, 2)
    state.player = state.starter
    for player in range(2):
        state.labs[player].funding = state.funding_cap
        shuffle(state, state.labs[player])
    for _ in range(first_hand):
        draw(state, log, state.starter)
    for _ in range(second_hand):
        draw(state, log, 1 - state.starter)
    state.phase = MULLIGAN
    state.mulligan = (1 << state.labs[state.starter].hand_size) - 1


@rule
def exchange(state: State, log: Log, index: int) -> None:
    """Mulligan: set an opening card aside; its replacement, drawn at once, takes its place in the hand."""
    lab = state.labs[state.player]
    old = lab.hand[index]
    lab.aside[lab.aside_size] = old
    lab.aside_size += 1
    lab.deck_size -= 1
    lab.hand[index] = lab.deck[lab.deck_size]
    lab.deck[lab.deck_size] = 0
    state.mulligan &= ~(1 << index)
    event(log, E_MULLIGAN, state.player, -1, old, index, lab.hand[index], 0)


@rule
def finish_mulligan(state: State, table: Table, work: Work, log: Log) -> None:
    """Shuffle what was exchanged back in; then the other player's mulligan, or the first turn."""
    player = state.player
    lab = state.labs[player]
    event(log, E_MULLIGAN_DONE, player, -1, 0, lab.aside_size, 0, 0)
    for place in range(lab.aside_size):
        lab.deck[lab.deck_size] = lab.aside[place]
        lab.deck_size += 1
        lab.aside[place] = 0
    if lab.aside_size > 0:
        lab.aside_size = 0
        shuffle(state, lab)
    state.player = 1 - player
    if player == state.starter:
        state.mulligan = (1 << state.labs[state.player].hand_size) - 1
        return
    state.mulligan = 0
    if state.coin > 0:
        take_into_hand(state, log, player, state.coin, E_DRAW)
    begin_turn(state, table, work, log)


# ---- one decision ------------------------------------------------------------------------------------


@rule
def step(state: State, table: Table, work: Work, log: Log, source: int, token: int) -> None:
    """Take one legal decision: see :mod:`game.actions` for what source and token mean."""
    state.ply += 1
    if state.phase == MULLIGAN:
        if source == END_TURN:
            finish_mulligan(state, table, work, log)
        else:
            exchange(state, log, source)
    elif source == END_TURN:
        end_turn(state, table, work, log, 0)
    else:
        state.actions += 1
        if source < HAND:
            play_card(state, table, work, log, source, token)
        else:
            attack(state, table, work, log, source - HAND, token)
