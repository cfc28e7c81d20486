"""Which decisions are legal, and the reason why one is not.

A decision is a source (hand place 0–9, own slot as 10–15, 16 for "end turn" or "done") and a
token, a place on the board seen from the acting player: 0 the own lab, 1–6 own slots, 7 the
enemy lab, 8–13 enemy slots. Token 0 also stands for "no target". Its number is
source · 14 + token. :func:`refusal` judges one decision and :func:`legal_mask` writes them all;
a test holds them equal.
"""

from __future__ import annotations

from game.engine.compiled import rule
from game.engine.play import cost_of
from game.engine.records import (
    ATTENTION,
    AWAITING_UPDATE,
    END_TURN,
    ENEMY_LAB,
    FROZEN,
    GUARD,
    HAND,
    MULLIGAN,
    OVER,
    OWN_LAB,
    PRETRAINED,
    SLOTS,
    SOURCES,
    TARGET_ANY,
    TARGET_EMPTY_SLOT,
    TARGET_ENEMY,
    TARGET_ENEMY_WEAK,
    TARGET_NONE,
    TARGET_OWN,
    TARGET_OWN_HURT,
    TARGET_OWN_UNHURT,
    TOKENS,
    Mask,
    State,
    Table,
    Unit,
)
from game.engine.units import shown_attack

REFUSALS = (
    "",
    "the match is over",
    "a gradient update is awaited; no other action is legal until its verdict",
    "there is no such action",
    "there is no card at that place of the hand",
    "that card was already exchanged, or wasn't an opening card",
    "the deck is empty, so there is nothing to exchange the card for",
    "not enough compute",
    "a Model needs one of your empty slots",
    "this card takes no target",
    "this card needs a Model as its target",
    "the slot that was aimed at is empty",
    "the target must be one of your Models",
    "the target must be an enemy Model",
    "the target must be one of your Models that took damage this turn",
    "the target must be one of your Models that took no damage this turn",
    "the target must have an attack of 2 or less",
    "a Frozen Model can't be the target of a gradient update",
    "there is no Model of yours in that slot",
    "that Model is tapped",
    "that Model entered this turn and isn't Pretrained",
    "that Model is Frozen",
    "that Model has no attack",
    "Models attack enemy Models or the enemy lab",
    "an enemy Guard must be attacked first",
    "\"end turn\" takes no target",
)
(R_OVER, R_AWAITING, R_NO_SUCH, R_NO_CARD, R_EXCHANGED, R_NO_DECK, R_COMPUTE, R_NEEDS_SLOT, R_NO_TARGET, R_NEEDS_MODEL,
 R_EMPTY, R_OWN, R_ENEMY, R_HURT, R_UNHURT, R_WEAK, R_UPDATE_FROZEN, R_NO_MODEL, R_TAPPED, R_ENTERED, R_FROZEN,
 R_NO_ATTACK, R_AIM, R_GUARD, R_END_TARGET) = range(1, 26)


@rule
def guarded(state: State, player: int) -> bool:
    """Whether a lab has a Guard (tapped, Frozen or without attack too)."""
    for slot in range(SLOTS):
        if state.labs[player].units[slot].keywords & GUARD:
            return True
    return False


@rule
def aims(state: State, player: int, slot: int) -> int:
    """Bits of the tokens at which a Model may aim an attack as the Guards stand (whether or not it can attack)."""
    unit = state.labs[player].units[slot]
    enemy = 1 - player
    free = unit.keywords & ATTENTION or not guarded(state, enemy)
    tokens = 1 << ENEMY_LAB if free else 0
    for place in range(SLOTS):
        other = state.labs[enemy].units[place]
        if other.card > 0 and (free or other.keywords & GUARD):
            tokens |= 1 << (ENEMY_LAB + 1 + place)
    return tokens


@rule
def idle_reason(state: State, unit: Unit) -> int:
    """Why a Model can't attack now, 0 if it can."""
    if unit.card == 0:
        return R_NO_MODEL
    if unit.keywords & FROZEN:
        return R_FROZEN
    if unit.tapped:
        return R_TAPPED
    if unit.turn == state.turn and not unit.keywords & PRETRAINED:
        return R_ENTERED
    if shown_attack(unit) < 1:
        return R_NO_ATTACK
    return 0


@rule
def target_reason(state: State, table: Table, card: int, token: int) -> int:
    """Why a card can't be played at a token as far as its target rule goes, 0 if it can."""
    target = table[card].target
    if target == TARGET_NONE:
        return R_NO_TARGET if token != OWN_LAB else 0
    if target == TARGET_EMPTY_SLOT:
        if token < 1 or token > SLOTS or state.labs[state.player].units[token - 1].card > 0:
            return R_NEEDS_SLOT
        return 0
    if token == OWN_LAB or token == ENEMY_LAB:
        return R_NEEDS_MODEL
    own = token < ENEMY_LAB
    slot = token - 1 if own else token - ENEMY_LAB - 1
    unit = state.labs[state.player if own else 1 - state.player].units[slot]
    if unit.card == 0:
        return R_EMPTY
    if not own and (target == TARGET_OWN or target == TARGET_OWN_HURT or target == TARGET_OWN_UNHURT):
        return R_OWN
    if own and (target == TARGET_ENEMY or target == TARGET_ENEMY_WEAK):
        return R_ENEMY
    if target == TARGET_OWN_HURT and unit.hurt < 1:
        return R_HURT
    if target == TARGET_OWN_UNHURT and unit.hurt > 0:
        return R_UNHURT
    if target == TARGET_ENEMY_WEAK and shown_attack(unit) > 2:
        return R_WEAK
    if table[card].updates and unit.keywords & FROZEN:
        return R_UPDATE_FROZEN
    return 0


@rule
def refusal(state: State, table: Table, source: int, token: int) -> int:
    """Why a decision of the player to act is illegal: an index into :data:`REFUSALS`, 0 if it is legal."""
    if state.phase == OVER:
        return R_OVER
    if state.phase == AWAITING_UPDATE:
        return R_AWAITING
    if source < 0 or source >= SOURCES or token < 0 or token >= TOKENS:
        return R_NO_SUCH
    lab = state.labs[state.player]
    if source == END_TURN:
        return R_END_TARGET if token != OWN_LAB else 0
    if source < HAND and source >= lab.hand_size:
        return R_NO_CARD
    if state.phase == MULLIGAN:
        if source >= HAND or token != OWN_LAB:
            return R_NO_SUCH
        if not state.mulligan & (1 << source):
            return R_EXCHANGED
        return R_NO_DECK if lab.deck_size == 0 else 0
    if source < HAND:
        if cost_of(state, table, state.player, lab.hand[source]) > lab.compute:
            return R_COMPUTE
        return target_reason(state, table, lab.hand[source], token)
    slot = source - HAND
    reason = idle_reason(state, lab.units[slot])
    if reason > 0:
        return reason
    if token < ENEMY_LAB:
        return R_AIM
    if token > ENEMY_LAB and state.labs[1 - state.player].units[token - ENEMY_LAB - 1].card == 0:
        return R_EMPTY
    return 0 if aims(state, state.player, slot) & (1 << token) else R_GUARD


@rule
def legal_mask(state: State, table: Table, mask: Mask) -> int:
    """Write 1 at each legal decision's number, 0 elsewhere, ``(238,)``; returns how many there are."""
    mask[:] = 0
    count = 0
    if state.phase == OVER or state.phase == AWAITING_UPDATE:
        return 0
    lab = state.labs[state.player]
    mask[END_TURN * TOKENS] = 1
    count += 1
    if state.phase == MULLIGAN:
        for place in range(lab.hand_size):
            if state.mulligan & (1 << place) and lab.deck_size > 0:
                mask[place * TOKENS] = 1
                count += 1
        return count
    for place in range(lab.hand_size):
        card = lab.hand[place]
        if cost_of(state, table, state.player, card) <= lab.compute:
            target = table[card].target
            first, last = 0, TOKENS
            if target == TARGET_NONE:
                last = 1
            elif target == TARGET_EMPTY_SLOT:
                first, last = 1, SLOTS + 1
            elif target == TARGET_ENEMY or target == TARGET_ENEMY_WEAK:
                first = ENEMY_LAB + 1
            elif target != TARGET_ANY:
                first, last = 1, SLOTS + 1
            for token in range(first, last):
                if target_reason(state, table, card, token) == 0:
                    mask[place * TOKENS + token] = 1
                    count += 1
    for slot in range(SLOTS):
        if idle_reason(state, lab.units[slot]) == 0:
            tokens = aims(state, state.player, slot)
            for token in range(ENEMY_LAB, TOKENS):
                if tokens & (1 << token):
                    mask[(HAND + slot) * TOKENS + token] = 1
                    count += 1
    return count


