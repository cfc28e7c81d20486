"""The convnet family: the board as six lanes, own and enemy features as channels, the same filters everywhere."""

from __future__ import annotations

from typing import Any

import numpy as np

from game.engine import records as r
from learner import autodiff as ad
from learner import nn
from learner.autodiff import Tensor
from learner.policies.features import ACTOR_FEATURES, TOKEN_FEATURES
from learner.policies.model import ModelPolicy, side_by_side, zeroed

WIDTH = TOKEN_FEATURES + ACTOR_FEATURES
CHANNELS = 24
OWN, ENEMY = slice(1, 1 + r.SLOTS), slice(2 + r.SLOTS, 2 + 2 * r.SLOTS)


class ConvnetPolicy(ModelPolicy):
    """Two convolutions of width 3 over the lanes; a lane's channels score its two slots, their mean the labs."""

    def __init__(self, generator: np.random.Generator) -> None:
        self.conv1 = nn.Conv1d(2 * WIDTH, CHANNELS, 3, padding=1, generator=generator)
        self.conv2 = nn.Conv1d(CHANNELS, CHANNELS, 3, padding=1, generator=generator)
        self.labs = nn.Linear(2 * WIDTH, CHANNELS, generator=generator)
        self.scores_lane = nn.Linear(CHANNELS, 2, generator=generator)
        self.scores_labs = nn.Linear(2 * CHANNELS, 2, generator=generator)
        self.damage_lane = zeroed(nn.Linear(CHANNELS, 2, generator=generator))
        self.damage_labs = zeroed(nn.Linear(2 * CHANNELS, 2, generator=generator))

    def arrange(self, tokens: Any, actor: Any) -> tuple[Any, ...]:
        """The lanes, ``(n, 2 · WIDTH, 6)``, and the two labs, ``(n, 2 · WIDTH)``."""
        x = side_by_side(tokens, actor)
        lanes = np.concatenate([x[:, OWN], x[:, ENEMY]], axis=2).transpose(0, 2, 1)
        return np.ascontiguousarray(lanes), np.concatenate([x[:, 0], x[:, 1 + r.SLOTS]], axis=1)

    def outputs(self, lanes: Tensor, labs: Tensor) -> tuple[Tensor, Tensor]:
        """See :meth:`ModelPolicy.outputs`."""
        h = ad.relu(self.conv2(ad.relu(self.conv1(lanes))))
        seen = ad.cat([h.mean(2), ad.relu(self.labs(labs))], 1)
        by_lane = h.transpose(1, 2)
        return (_arrange(self.scores_lane(by_lane), self.scores_labs(seen)),
                _arrange(self.damage_lane(by_lane), self.damage_labs(seen)))


def _arrange(lanes: Tensor, labs: Tensor) -> Tensor:
    """``(n, 6, 2)`` own and enemy slots and ``(n, 2)`` labs as ``(n, 14)`` tokens."""
    return ad.cat([labs[:, :1], lanes[:, :, 0], labs[:, 1:], lanes[:, :, 1]], 1)
