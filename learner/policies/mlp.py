"""The mlp family: hidden layers, which is what back-propagation is for."""

from __future__ import annotations

import numpy as np

from game.engine import records as r
from learner import autodiff as ad
from learner import nn
from learner.autodiff import Tensor
from learner.policies.model import INPUTS, ModelPolicy, zero_layer

HIDDEN1, HIDDEN2 = 48, 32


class MLPPolicy(ModelPolicy):
    """Two hidden layers of ReLUs, shared by the scores and the damage prediction."""

    def __init__(self, generator: np.random.Generator) -> None:
        self.hidden1 = nn.Linear(INPUTS, HIDDEN1, generator=generator)
        self.hidden2 = nn.Linear(HIDDEN1, HIDDEN2, generator=generator)
        self.scores = nn.Linear(HIDDEN2, r.TOKENS, generator=generator)
        self.damage = zero_layer(HIDDEN2)

    def outputs(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """See :meth:`ModelPolicy.outputs`."""
        h = ad.relu(self.hidden2(ad.relu(self.hidden1(x))))
        return self.scores(h), self.damage(h)
