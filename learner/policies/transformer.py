"""The transformer family: every token attends to every other."""

from __future__ import annotations

from typing import Any

import numpy as np

from game.engine import records as r
from learner import nn
from learner.autodiff import Tensor
from learner.policies.features import ACTOR_FEATURES, TOKEN_FEATURES
from learner.policies.model import ModelPolicy, side_by_side, zeroed

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

    def arrange(self, tokens: Any, actor: Any) -> tuple[Any, ...]:
        """``(n, 14, …)``: a row a token."""
        return (side_by_side(tokens, actor),)

    def outputs(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """See :meth:`ModelPolicy.outputs`."""
        n = len(x)
        h = self.norm(self.block(self.embed(x) + self.place.weight))
        return self.scores(h).reshape(n, r.TOKENS), self.damage(h).reshape(n, r.TOKENS)
