"""What every Model's network has in common: target scores and a damage prediction for every target.

The predicted damage is subtracted from the scores, detached: what a Model has learned from being
hurt changes what it attacks next, and nothing but the card Backpropagation teaches it. The
prediction's last layer starts at zero, so a fresh Model fears nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from game.engine import records as r
from learner import autodiff as ad
from learner import nn
from learner.autodiff import Tensor
from learner.policies.features import ACTOR_FEATURES, TOKEN_FEATURES, Encoder, aim_mask, encode_actor

INPUTS = r.TOKENS * (TOKEN_FEATURES + ACTOR_FEATURES)
FAR_BELOW = -1e9
"""What an illegal logit becomes: finite, so that no 0 · ∞ arises."""


class ModelPolicy(nn.Module):
    """The network of a Model. Subclasses define ``__init__`` and :meth:`outputs`, some :meth:`arrange`."""

    recurrent = False
    """Whether it takes the Model's whole sequence of observations, not just the present one."""

    def __init__(self, generator: np.random.Generator) -> None:
        """Fresh weights; all that is random about them comes from the generator."""
        raise TypeError(f"{type(self).__name__} must define __init__")

    def arrange(self, tokens: Any, actor: Any) -> tuple[Any, ...]:
        """What :meth:`outputs` takes, as arrays: here all tokens in one float32 row, ``(n, INPUTS)``.

        ``tokens`` ``(n, 14, TOKEN_FEATURES)``, ``actor`` ``(n, 14, ACTOR_FEATURES)``; recurrent policies
        get ``(n, T, 14, …)``, the present observation last.
        """
        return (side_by_side(tokens, actor).reshape(len(tokens), INPUTS),)

    def outputs(self, *inputs: Any) -> tuple[Tensor, Tensor]:
        """Scores and predicted damage, each ``(n, 14)``, from tensors of what :meth:`arrange` returns."""
        raise TypeError(f"{type(self).__name__} must define outputs")

    def forward(self, tokens: Any, actor: Any, aims: Any) -> tuple[Tensor, Tensor]:
        """Target logits with illegal ones far below, and predicted damage, each ``(n, 14)``.

        ``aims`` bool ``(n, 14)``: legal targets. Only the scores carry a gradient from the logits.
        """
        scores, damage = self.outputs(*map(Tensor, self.arrange(tokens, actor)))
        return ad.where(Tensor(aims), scores - damage.detach(), FAR_BELOW), damage


def model_inputs(policy: ModelPolicy, encoder: Encoder, rows: Any, slots: Any, histories: Sequence[Sequence[Any]],
                 tokens: Any = None) -> tuple[Any, Any, Any]:
    """What a policy takes for the own Models in ``slots[i]``: tokens, actor, aims.

    ``rows`` int32 ``(n, OBSERVATION_SIZE)``; ``histories[i]``: observations of the Model's earlier
    decisions, oldest first, which only recurrent policies look at; ``tokens``: those of ``rows``, where
    they are encoded already.
    """
    aims = aim_mask(rows, slots)
    if not policy.recurrent:
        return encoder.encode(rows).tokens if tokens is None else tokens, encode_actor(rows, slots), aims
    n, steps = len(rows), 1 + max((len(history) for history in histories), default=0)
    own = [[*history, row] for history, row in zip(histories, rows, strict=True)]
    flat = np.array([row for sequence in own for row in sequence], np.int32)
    places = np.array([i * steps + steps - len(sequence) + t for i, sequence in enumerate(own)
                       for t in range(len(sequence))])
    tokens = np.zeros((n * steps, r.TOKENS, TOKEN_FEATURES), np.float32)
    actor = np.zeros((n * steps, r.TOKENS, ACTOR_FEATURES), np.float32)
    tokens[places] = encoder.encode(flat).tokens
    actor[places] = encode_actor(flat, np.asarray(slots)[places // steps])
    return tokens.reshape(n, steps, *tokens.shape[1:]), actor.reshape(n, steps, *actor.shape[1:]), aims


def side_by_side(tokens: Any, actor: Any) -> Any:
    """Each token's features and what it is to the actor in one row: ``(…, 14, TOKEN_FEATURES + ACTOR_FEATURES)``."""
    return np.concatenate([tokens, actor], axis=-1)


def zeroed(layer: nn.Linear) -> nn.Linear:
    """A damage prediction's last layer begins at zero."""
    nn.init.zeros_(layer.weight)
    if layer.bias is not None:
        nn.init.zeros_(layer.bias)
    return layer


def zero_layer(inputs: int) -> nn.Linear:
    """A damage prediction for all 14 tokens at once, all zeros."""
    return zeroed(nn.Linear(inputs, r.TOKENS, generator=np.random.default_rng(0)))
