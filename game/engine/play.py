"""What a player does in a turn: playing a card, attacking with a Model."""

from __future__ import annotations

from game.engine.compiled import rule
from game.engine.deaths import settle, work_off
from game.engine.effects import run_lines
from game.engine.journal import event
from game.engine.labs import damage_lab, draw, remove_from_hand
from game.engine.records import (
    AWAITING_UPDATE,
    CONVOLUTION,
    DISCOUNT_MODEL,
    DISCOUNT_RESEARCHER,
    DISCOUNT_TECHNIQUE,
    DISCOUNT_UPDATE,
    E_ATTACK,
    E_PLAY,
    E_RESEARCHER,
    E_TRIGGER,
    ENEMY_LAB,
    LOOP_LIMIT,
    MODEL,
    ON_ATTACK,
    ON_PLAY,
    OVER,
    RECURRENT,
    RESEARCHER,
    SLOTS,
    TECHNIQUE,
    Log,
    State,
    Table,
    Work,
)
from game.engine.turns import conclude
from game.engine.units import damage_unit, enter, shown_attack
from game.engine.update import await_update


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
