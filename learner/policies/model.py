"""What every Model's network has in common: target scores and a damage prediction for every target.

The predicted damage is subtracted from the scores, detached: what a Model has learned from being
hurt changes what it attacks next, and nothing but the card Backpropagation teaches it. The
prediction's last layer starts at zero, so a fresh Model fears nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from game.engine import records as r
from learner import autodiff as ad
from learner import nn
from learner.autodiff import Tensor
from learner.policies.features import ACTOR_FEATURES, TOKEN_FEATURES

INPUTS = r.TOKENS * (TOKEN_FEATURES + ACTOR_FEATURES)
FAR_BELOW = -1e9
"""What an illegal logit becomes: finite, so that no 0 · ∞ arises."""


class ModelPolicy(nn.Module):
    """The network of a Model. Subclasses define :meth:`outputs`."""

    def outputs(self, tokens: Any, actor: Any) -> tuple[Tensor, Tensor]:
        """Scores and predicted damage, each ``(n, 14)``, from ``(n, 14, TOKEN_FEATURES)`` and ``(n, 14, 4)``."""
        raise TypeError(f"{type(self).__name__} must define outputs")

    def forward(self, tokens: Any, actor: Any, aims: Any) -> tuple[Tensor, Tensor]:
        """Target logits with illegal ones far below, and predicted damage, each ``(n, 14)``.

        ``aims`` bool ``(n, 14)``: legal targets. Only the scores carry a gradient from the logits.
        """
        scores, damage = self.outputs(tokens, actor)
        return ad.where(Tensor(aims), scores - damage.detach(), FAR_BELOW), damage


def flat_inputs(tokens: Any, actor: Any) -> Tensor:
    """Tokens and what they are to the actor side by side, ``(n, INPUTS)``."""
    return Tensor(np.concatenate([tokens, actor], axis=2).reshape(len(tokens), INPUTS))


def zero_layer(inputs: int) -> nn.Linear:
    """A damage prediction's last layer: all zeros."""
    layer = nn.Linear(inputs, r.TOKENS, generator=np.random.default_rng(0))
    nn.init.zeros_(layer.weight)
    assert layer.bias is not None
    nn.init.zeros_(layer.bias)
    return layer
