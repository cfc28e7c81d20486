"""The transformer family: every token attends to every other."""

from __future__ import annotations

from typing import Any

import numpy as np

from game.engine import records as r
from learner import nn
from learner.autodiff import Tensor
from learner.policies.features import ACTOR_FEATURES, TOKEN_FEATURES
from learner.policies.model import ModelPolicy, zeroed

WIDTH, HEADS, INNER = 32, 4, 64


class TransformerPolicy(ModelPolicy):
    """One pre-norm block of self-attention over the 14 tokens; a token scores itself."""

    def __init__(self, generator: np.random.Generator) -> None:
        self.embed = nn.Linear(TOKEN_FEATURES + ACTOR_FEATURES, WIDTH, generator=generator)
        self.place = nn.Embedding(r.TOKENS, WIDTH, generator=generator)
        self.block = nn.TransformerBlock(WIDTH, HEADS, INNER, generator=generator)
        self.norm = nn.LayerNorm(WIDTH)
        self.scores = nn.Linear(WIDTH, 1, generator=generator)
        self.damage = zeroed(nn.Linear(WIDTH, 1, generator=generator))

    def outputs(self, tokens: Any, actor: Any) -> tuple[Tensor, Tensor]:
        """See :meth:`ModelPolicy.outputs`."""
        x = self.embed(Tensor(np.concatenate([tokens, actor], axis=2))) + self.place.weight
        h = self.norm(self.block(x))
        return self.scores(h).reshape(len(tokens), r.TOKENS), self.damage(h).reshape(len(tokens), r.TOKENS)
