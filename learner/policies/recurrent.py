"""The recurrent family: an LSTM over the Model's own decisions, trained through time.

Its memory is advanced by observations only (those of its earlier attacks, oldest first), so
whoever plays leaves the same state; it belongs to the Model by entry number and goes with it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from game.engine import records as r
from learner import autodiff as ad
from learner import nn
from learner.autodiff import Tensor
from learner.policies.model import INPUTS, ModelPolicy, zero_layer

WIDTH = 32


class RecurrentPolicy(ModelPolicy):
    """A layer of ReLUs on each observation, an LSTM over them, scores and damage from its last state."""

    recurrent = True

    def __init__(self, generator: np.random.Generator) -> None:
        self.embed = nn.Linear(INPUTS, WIDTH, generator=generator)
        self.cell = nn.LSTMCell(WIDTH, WIDTH, generator=generator)
        self.scores = nn.Linear(WIDTH, r.TOKENS, generator=generator)
        self.damage = zero_layer(WIDTH)

    def outputs(self, tokens: Any, actor: Any) -> tuple[Tensor, Tensor]:
        """See :meth:`ModelPolicy.outputs`; here ``(n, T, 14, …)``, empty steps (all zeros) before shorter histories."""
        n, steps = tokens.shape[:2]
        x = np.concatenate([tokens, actor], axis=3).reshape(n, steps, INPUTS)
        h = c = Tensor(np.zeros((n, WIDTH), np.float32))
        for t in range(steps):
            there = Tensor(x[:, t].any(axis=1, keepdims=True))
            new_h, new_c = self.cell(ad.relu(self.embed(Tensor(np.ascontiguousarray(x[:, t])))), (h, c))
            h, c = ad.where(there, new_h, h), ad.where(there, new_c, c)
        return self.scores(h), self.damage(h)
