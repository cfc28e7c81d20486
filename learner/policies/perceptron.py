"""The perceptron family: one linear layer, as in 1958 but for its training."""

from __future__ import annotations

import numpy as np

from game.engine import records as r
from learner import nn
from learner.autodiff import Tensor
from learner.policies.model import INPUTS, ModelPolicy, zero_layer


class PerceptronPolicy(ModelPolicy):
    """Scores and damage are linear in the inputs: what is not linearly separable it can't learn."""

    def __init__(self, generator: np.random.Generator) -> None:
        self.scores = nn.Linear(INPUTS, r.TOKENS, generator=generator)
        self.damage = zero_layer(INPUTS)

    def outputs(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """See :meth:`ModelPolicy.outputs`."""
        return self.scores(x), self.damage(x)
