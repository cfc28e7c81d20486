"""One player's knowledge of a match as named int32 fields, side by side in one row.

An observation is three pieces: what concerns the whole match, 14 tokens (own lab, own slots,
enemy lab, enemy slots), and the own hand. Nothing in it depends on what the player can't see:
the order of decks, the other's hand, the generator. :data:`OBSERVATION_VERSION` changes
whenever a field does; docs/observations.md is the table in words.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from game.engine.compiled import rule
from game.engine.legal import aims
from game.engine.play import cost_of
from game.engine.records import ENEMY_LAB, HAND, SLOTS, TOKENS, Ints, State, Table
from game.engine.units import shown_attack

OBSERVATION_VERSION = 1
MATCH_FIELDS = ("phase", "my_decision", "turn", "turn_limit", "actions", "action_limit", "starter", "mulligan",
                "update_token", "update_card",
                "compute", "racks", "hand_size", "deck_size", "fatigue",
                "enemy_compute", "enemy_racks", "enemy_hand_size", "enemy_deck_size", "enemy_fatigue")
TOKEN_FIELDS = ("card", "attack", "health", "max_health", "rush", "keywords", "tapped", "training", "held", "entered",
                "attacks", "hurt", "updates", "ablated", "aims", "entry")
HAND_FIELDS = ("card", "cost")

TOKENS_AT = len(MATCH_FIELDS)
HAND_AT = TOKENS_AT + TOKENS * len(TOKEN_FIELDS)
OBSERVATION_SIZE = HAND_AT + HAND * len(HAND_FIELDS)
_TOKEN_SIZE, _HAND_SIZE = len(TOKEN_FIELDS), len(HAND_FIELDS)


class View(NamedTuple):
    """Named pieces of observation rows ``(..., OBSERVATION_SIZE)``; views, not copies."""

    match: Any
    """``(..., len(MATCH_FIELDS))``"""
    tokens: Any
    """``(..., 14, len(TOKEN_FIELDS))``"""
    hand: Any
    """``(..., 10, len(HAND_FIELDS))``"""


def view(rows: Any) -> View:
    """Split observation rows, int32 ``(..., OBSERVATION_SIZE)``, into their named pieces."""
    rows = np.asarray(rows)
    if rows.shape[-1:] != (OBSERVATION_SIZE,):
        raise ValueError(f"observation rows end in {rows.shape[-1:]}, version {OBSERVATION_VERSION} "
                         f"has {OBSERVATION_SIZE} fields")
    lead = rows.shape[:-1]
    return View(rows[..., :TOKENS_AT],
                rows[..., TOKENS_AT:HAND_AT].reshape(*lead, TOKENS, _TOKEN_SIZE),
                rows[..., HAND_AT:].reshape(*lead, HAND, _HAND_SIZE))


@rule
def observe(state: State, table: Table, player: int, row: Ints) -> None:
    """Write ``player``'s observation into ``row``, ``(OBSERVATION_SIZE,)``."""
    own, enemy = state.labs[player], state.labs[1 - player]
    row[:] = 0
    row[0] = state.phase
    row[1] = 1 if state.player == player else 0
    row[2] = state.turn
    row[3] = state.turn_limit
    row[4] = state.actions
    row[5] = state.action_limit
    row[6] = 1 if state.starter == player else 0
    row[7] = state.mulligan if state.player == player else 0
    if state.update_card > 0:
        row[8] = state.update_slot + (1 if state.player == player else ENEMY_LAB + 1)
        row[9] = state.update_card
    row[10] = own.compute
    row[11] = own.racks
    row[12] = own.hand_size
    row[13] = own.deck_size
    row[14] = own.fatigue
    row[15] = enemy.compute
    row[16] = enemy.racks
    row[17] = enemy.hand_size
    row[18] = enemy.deck_size
    row[19] = enemy.fatigue
    for side in range(2):
        whose = player if side == 0 else 1 - player
        lab = state.labs[whose]
        at = TOKENS_AT + side * (SLOTS + 1) * _TOKEN_SIZE
        row[at] = lab.researcher
        row[at + 1] = 1  # what a lab hits back for
        row[at + 2] = lab.funding
        row[at + 3] = state.funding_cap
        for slot in range(SLOTS):
            at += _TOKEN_SIZE
            unit = lab.units[slot]
            if unit.card == 0:
                continue
            row[at] = unit.card
            row[at + 1] = shown_attack(unit)
            row[at + 2] = unit.health
            row[at + 3] = unit.max_health
            row[at + 4] = unit.rush
            row[at + 5] = unit.keywords
            row[at + 6] = unit.tapped
            row[at + 7] = unit.training
            row[at + 8] = unit.held
            row[at + 9] = 1 if unit.turn == state.turn else 0
            row[at + 10] = unit.attacks
            row[at + 11] = unit.hurt
            row[at + 12] = unit.updates
            row[at + 13] = unit.ablated
            row[at + 14] = aims(state, whose, slot)
            row[at + 15] = unit.entry
    at = HAND_AT
    for place in range(own.hand_size):
        card = own.hand[place]
        row[at] = card
        row[at + 1] = cost_of(state, table, player, card)
        at += _HAND_SIZE
