"""The lab's own network: which card to play where, which Model to send, when to end the turn.

It scores 147 choices: each hand card at each token (140), each own Model (6; the Model's network
picks its target), and "end turn". Cards meet targets in a scaled dot product.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from game.engine import records as r
from learner import autodiff as ad
from learner import nn
from learner.autodiff import Tensor
from learner.policies.features import HAND_FEATURES, MATCH_FEATURES, TOKEN_FEATURES, Encoded

CARD_CHOICES = r.HAND * r.TOKENS
CHOICES = CARD_CHOICES + r.SLOTS + 1
END_CHOICE = CHOICES - 1
TOKEN_WIDTH, HAND_WIDTH, TRUNK, KEY = 32, 48, 128, 32


class PlayerPolicy(nn.Module):
    """Scores of all choices and the value of the position.

    Shared encoders of tokens and of hand cards; a trunk of two layers over all tokens, the sum of
    the hand and the match features; heads for cards, Models, "end turn" and the value.
    """

    def __init__(self, generator: np.random.Generator) -> None:
        self.token = nn.Linear(TOKEN_FEATURES, TOKEN_WIDTH, generator=generator)
        self.place = nn.Embedding(r.TOKENS, TOKEN_WIDTH, generator=generator)
        self.card = nn.Linear(HAND_FEATURES, HAND_WIDTH, generator=generator)
        self.trunk1 = nn.Linear(r.TOKENS * TOKEN_WIDTH + HAND_WIDTH + MATCH_FEATURES, TRUNK, generator=generator)
        self.trunk2 = nn.Linear(TRUNK, TRUNK, generator=generator)
        self.query_card = nn.Linear(HAND_WIDTH, KEY, generator=generator)
        self.query_trunk = nn.Linear(TRUNK, KEY, generator=generator)
        self.key = nn.Linear(TOKEN_WIDTH, KEY, generator=generator)
        self.card_worth = nn.Linear(KEY, 1, generator=generator)
        self.unit_token = nn.Linear(TOKEN_WIDTH, KEY, generator=generator)
        self.unit_trunk = nn.Linear(TRUNK, KEY, generator=generator)
        self.unit_worth = nn.Linear(KEY, 1, generator=generator)
        self.end = nn.Linear(TRUNK, 1, generator=generator)
        self.value = nn.Linear(TRUNK, 1, generator=generator)

    def forward(self, encoded: Encoded) -> tuple[Tensor, Tensor]:
        """Logits ``(n, 147)`` (illegal choices not yet masked) and values ``(n,)`` in −1 … 1."""
        n = len(encoded.match)
        tokens = ad.relu(self.token(Tensor(encoded.tokens)) + self.place.weight)
        cards = ad.relu(self.card(Tensor(encoded.hand)))
        seen = ad.cat([tokens.reshape(n, r.TOKENS * TOKEN_WIDTH), cards.sum(1), Tensor(encoded.match)], 1)
        trunk = ad.relu(self.trunk2(ad.relu(self.trunk1(seen))))
        queries = ad.relu(self.query_card(cards) + self.query_trunk(trunk).reshape(n, 1, KEY))
        at_tokens = ad.matmul(queries, self.key(tokens).transpose(1, 2)) * (1 / math.sqrt(KEY))
        card_logits = (at_tokens + self.card_worth(queries)).reshape(n, CARD_CHOICES)
        units = ad.relu(self.unit_token(tokens[:, 1:1 + r.SLOTS]) + self.unit_trunk(trunk).reshape(n, 1, KEY))
        unit_logits = self.unit_worth(units).reshape(n, r.SLOTS)
        logits = ad.cat([card_logits, unit_logits, self.end(trunk)], 1)
        return logits, ad.tanh(self.value(trunk)).reshape(n)


def choice_mask(masks: Any) -> Any:
    """Which of the 147 choices are legal, bool ``(n, 147)``, from action masks uint8 ``(n, 238)``."""
    masks = np.asarray(masks).reshape(-1, r.SOURCES, r.TOKENS)
    cards, units, end = masks[:, :r.HAND], masks[:, r.HAND:r.END_TURN], masks[:, r.END_TURN, :1]
    return np.concatenate([cards.reshape(-1, CARD_CHOICES) > 0, units.any(axis=2), end > 0], axis=1)


def source_logp(probabilities: Any, choices: Any) -> Any:
    """Log-probability of each choice's source (a hand card, a Model, "end turn"), whatever the target.

    ``probabilities`` of all choices ``(n, 147)``, ``choices`` int64 ``(n,)``; float32 ``(n,)``.
    """
    chosen = np.where(choices < CARD_CHOICES, choices // r.TOKENS, choices - CARD_CHOICES + r.HAND)
    return np.log(by_source(probabilities)[np.arange(len(choices)), chosen]).astype(np.float32)


def by_source(probabilities: Any) -> Any:
    """Probabilities ``(n, 147)`` of choices summed over a card's targets: ``(n, 17)``, hand, Models, "end turn"."""
    cards = probabilities[:, :CARD_CHOICES].reshape(len(probabilities), r.HAND, r.TOKENS).sum(axis=2)
    return np.concatenate([cards, probabilities[:, CARD_CHOICES:]], axis=1)
