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
from learner.policies.model import INPUTS, ModelPolicy, side_by_side, zero_layer

WIDTH = 32


class RecurrentPolicy(ModelPolicy):
    """A layer of ReLUs on each observation, an LSTM over them, scores and damage from its last state."""

    recurrent = True

    def __init__(self, generator: np.random.Generator) -> None:
        self.embed = nn.Linear(INPUTS, WIDTH, generator=generator)
        self.cell = nn.LSTMCell(WIDTH, WIDTH, generator=generator)
        self.scores = nn.Linear(WIDTH, r.TOKENS, generator=generator)
        self.damage = zero_layer(WIDTH)

    def arrange(self, tokens: Any, actor: Any) -> tuple[Any, ...]:
        """For each step what is seen, ``(n, INPUTS)``, and whether anything is, bool ``(n, 1)``.

        Empty steps, all zeros, stand before histories that are shorter than others.
        """
        n, steps = tokens.shape[:2]
        x = side_by_side(tokens, actor).reshape(n, steps, INPUTS)
        return tuple(part for t in range(steps)
                     for part in (np.ascontiguousarray(x[:, t]), x[:, t].any(axis=1, keepdims=True)))

    def outputs(self, *inputs: Tensor) -> tuple[Tensor, Tensor]:
        """See :meth:`ModelPolicy.outputs`."""
        h = c = Tensor(np.zeros((len(inputs[0]), WIDTH), np.float32))
        for x, there in zip(inputs[::2], inputs[1::2], strict=True):
            new_h, new_c = self.cell(ad.relu(self.embed(x)), (h, c))
            h, c = ad.where(there, new_h, h), ad.where(there, new_c, c)
        return self.scores(h), self.damage(h)
