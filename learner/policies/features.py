"""From observations (whole numbers, see docs/observations.md) to what networks take in (float32, around 1).

Cards are described by what they do, never by their name, so that a network can read a card it
hasn't met. :data:`FEATURES_VERSION` is stamped in agents: weights mean nothing under another one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from game.cards import CardSet
from game.engine import records as r
from game.engine.observe import HAND_AT, HAND_FIELDS, TOKEN_FIELDS, TOKENS_AT
from learner.autodiff.kernels import compiled

FEATURES_VERSION = 1

_TOKEN_SIZE, _HAND_SIZE = len(TOKEN_FIELDS), len(HAND_FIELDS)
_CARD, _ATTACK, _HEALTH, _MAX_HEALTH, _RUSH, _KEYWORDS = range(6)
_TAPPED, _TRAINING, _HELD, _ENTERED, _ATTACKS, _HURT, _UPDATES, _ABLATED, _AIMS = range(6, 15)

MATCH_FEATURES = 18
"""phase, turn, actions, starter, five numbers of each lab, and the update awaited."""
TOKEN_DYNAMIC = 23
"""present, lab, attack, health, maximum, rush, 8 keywords, tapped … ablated, ready."""
TOKEN_STATIC = 5 + 5 + 1 + 3
"""family, triggers, cost, what a Researcher watches."""
TOKEN_FEATURES = TOKEN_DYNAMIC + TOKEN_STATIC
HAND_DYNAMIC = 4
"""present, cost now, affordable, exchangeable."""
HAND_STATIC = 3 + 2 + 8 + 5 + 8 + 6 + 15 + 1 + 11
"""type, attack and health, keywords, family, target rule, triggers, operations, health of a buff, scopes."""
HAND_FEATURES = HAND_DYNAMIC + HAND_STATIC
ACTOR_FEATURES = 4
"""For the Model that decides, of each token: is itself, can be aimed at, would die, would kill it."""


class Encoded(NamedTuple):
    """Network inputs, float32."""

    match: Any
    """``(n, MATCH_FEATURES)``"""
    tokens: Any
    """``(n, 14, TOKEN_FEATURES)``"""
    hand: Any
    """``(n, 10, HAND_FEATURES)``"""


class Encoder:
    """Encodes observations made with a card set."""

    def __init__(self, cards: CardSet) -> None:
        self.token_static: Any = np.zeros((len(cards) + 1, TOKEN_STATIC), np.float32)
        self.hand_static: Any = np.zeros((len(cards) + 1, HAND_STATIC), np.float32)
        for row in range(1, len(cards) + 1):
            card = cards.table[row]
            self.token_static[row] = _describe_on_board(card)
            self.hand_static[row] = _describe_in_hand(card)

    def encode(self, rows: Any) -> Encoded:
        """Observation rows, int32 ``(n, OBSERVATION_SIZE)``, as network inputs."""
        rows = np.ascontiguousarray(rows, np.int32)
        n = len(rows)
        out = Encoded(np.zeros((n, MATCH_FEATURES), np.float32), np.zeros((n, r.TOKENS, TOKEN_FEATURES), np.float32),
                      np.zeros((n, r.HAND, HAND_FEATURES), np.float32))
        _encode(rows, self.token_static, self.hand_static, out.match, out.tokens, out.hand)
        return out


def encode_actor(rows: Any, slots: Any) -> Any:
    """What each token is to the own Model in ``slots[i]``: float32 ``(n, 14, ACTOR_FEATURES)``."""
    out = np.zeros((len(rows), r.TOKENS, ACTOR_FEATURES), np.float32)
    _encode_actor(np.ascontiguousarray(rows, np.int32), np.ascontiguousarray(slots, np.int64), out)
    return out


def aim_mask(rows: Any, slots: Any) -> Any:
    """Tokens at which the own Model in ``slots[i]`` may aim as the Guards stand: bool ``(n, 14)``."""
    rows = np.asarray(rows)
    bits = rows[np.arange(len(rows)), TOKENS_AT + (np.asarray(slots) + 1) * _TOKEN_SIZE + _AIMS]
    return (bits[:, None] >> np.arange(r.TOKENS)) & 1 == 1


# ---- descriptions of cards ----------------------------------------------------------------------


def _one_hot(index: int, size: int) -> list[float]:
    return [1.0 if place == index else 0.0 for place in range(size)]


def _bits(bits: int, places: range) -> list[float]:
    return [1.0 if bits >> place & 1 else 0.0 for place in places]


def _describe_on_board(card: Any) -> list[float]:
    triggers = int(card.triggers)
    return [*_one_hot(int(card.family) - 1, 5), *_bits(triggers, range(r.ON_DEATH, r.ON_UPDATE + 1)),
            int(card.cost) / 5, *_bits(triggers, range(r.ON_OWN_ENTER, r.ON_OWN_UPDATE + 1)),
            float(card.discount > 0)]


def _describe_in_hand(card: Any) -> list[float]:
    operations, scopes, health = [0.0] * 15, [0.0] * 11, 0.0
    for effect in card.effects:
        if effect.operation:
            immediate = 1.0 if effect.trigger == r.ON_PLAY else 0.5
            amount = int(effect.a) if effect.a else 3
            operations[effect.operation - 1] += immediate * max(-2.0, min(2.0, amount / 3))
            scopes[effect.scope - 1] = 1.0
            health += immediate * int(effect.b) / 2
    return [*_one_hot(int(card.type), 3), int(card.attack) / 4, int(card.health) / 6,
            *_bits(int(card.keywords), range(8)), *_one_hot(int(card.family) - 1, 5), *_one_hot(int(card.target), 8),
            *_bits(int(card.triggers), range(r.ON_PLAY, r.ON_UPDATE + 1)), *operations, health, *scopes]


# ---- loops -----------------------------------------------------------------------------------------


def _encode_loop(rows: Any, token_static: Any, hand_static: Any, match: Any, tokens: Any, hand: Any) -> None:
    f = np.float32
    for i in range(rows.shape[0]):
        row = rows[i]
        m = match[i]
        m[0] = f(1) if row[0] == 0 else f(0)
        m[1] = row[2] / f(20)
        m[2] = row[4] / f(10)
        m[3] = row[6]
        m[4] = f(1) if row[9] > 0 else f(0)
        for side in range(2):
            for k in range(5):
                m[5 + side * 5 + k] = row[10 + side * 5 + k] / (f(5) if k < 3 else f(10))
        m[15] = f(1)
        m[16] = f(1) if row[13] == 0 else f(0)
        m[17] = f(1) if row[18] == 0 else f(0)
        for j in range(14):
            at = TOKENS_AT + j * _TOKEN_SIZE
            t = tokens[i, j]
            lab = j in (0, 7)
            card = row[at + _CARD]
            if not lab and card == 0:
                continue
            t[0] = 1
            t[1] = 1 if lab else 0
            t[2] = row[at + _ATTACK] / f(4)
            t[3] = row[at + _HEALTH] / (f(9) if lab else f(6))
            t[4] = row[at + _MAX_HEALTH] / (f(9) if lab else f(6))
            t[5] = row[at + _RUSH] / f(3)
            for bit in range(8):
                t[6 + bit] = (row[at + _KEYWORDS] >> bit) & 1
            t[14] = row[at + _TAPPED]
            t[15] = row[at + _TRAINING]
            t[16] = row[at + _HELD]
            t[17] = row[at + _ENTERED]
            t[18] = row[at + _ATTACKS]
            t[19] = row[at + _HURT] / f(4)
            t[20] = row[at + _UPDATES] / f(2)
            t[21] = row[at + _ABLATED]
            awake = row[at + _ENTERED] == 0 or (row[at + _KEYWORDS] >> 1) & 1
            frozen = (row[at + _KEYWORDS] >> 7) & 1
            t[22] = 1 if not lab and awake and not frozen and row[at + _TAPPED] == 0 and row[at + _ATTACK] > 0 else 0
            for k in range(TOKEN_STATIC):
                t[TOKEN_DYNAMIC + k] = token_static[card, k]
        for j in range(10):
            card = row[HAND_AT + j * _HAND_SIZE]
            if card == 0:
                continue
            h = hand[i, j]
            cost = row[HAND_AT + j * _HAND_SIZE + 1]
            h[0] = 1
            h[1] = cost / f(5)
            h[2] = 1 if cost <= row[10] else 0
            h[3] = (row[7] >> j) & 1
            for k in range(HAND_STATIC):
                h[HAND_DYNAMIC + k] = hand_static[card, k]


def _encode_actor_loop(rows: Any, slots: Any, out: Any) -> None:
    for i in range(rows.shape[0]):
        row = rows[i]
        own = TOKENS_AT + (slots[i] + 1) * _TOKEN_SIZE
        attack, health, aims = row[own + _ATTACK], row[own + _HEALTH], row[own + _AIMS]
        for j in range(14):
            at = TOKENS_AT + j * _TOKEN_SIZE
            out[i, j, 0] = 1 if j == slots[i] + 1 else 0
            if (aims >> j) & 1:
                out[i, j, 1] = 1
                out[i, j, 2] = 1 if attack >= row[at + _HEALTH] else 0
                out[i, j, 3] = 1 if row[at + _ATTACK] >= health else 0


_encode = compiled(_encode_loop) or _encode_loop
_encode_actor = compiled(_encode_actor_loop) or _encode_actor_loop

