"""The card's gradient by recorded steps: many times a round, with the same bits as one at a time.

Most of what :func:`learner.ledger.updates.card_gradient` costs is Python's: it builds a graph and walks it for a
single row. Here each network's forward pass, loss and backward pass are recorded once for every shape of input and
then replayed (:func:`learner.autodiff.compile`), whatever the weights. Self-play does it this way; the audit goes on
computing every gradient as written, which checks the replays, too. What is recorded keeps all its arrays, so that
long sequences, which hardly ever come twice, are computed as written.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from learner import autodiff as ad
from learner.autodiff import Tensor, fixed_order
from learner.autodiff.replay import Compiled
from learner.ledger.updates import Gradient, Lesson, card_gradient, card_inputs, half_squared_error, judged
from learner.policies import FAMILY_POLICIES, ModelPolicy
from learner.policies.features import Encoder

LONGEST = 16
"""Earlier decisions in a lesson that is recorded, at most; a recording of so many keeps about 5 MB."""


class Replays:
    """Recorded steps of all families, on networks of their own that take over the weights asked for. For one thread."""

    def __init__(self) -> None:
        self._networks: dict[type[ModelPolicy], ModelPolicy] = {}
        self._steps: dict[tuple[type[ModelPolicy], int, int], Compiled] = {}
        self._named: WeakKeyDictionary[ModelPolicy, dict[str, Tensor]] = WeakKeyDictionary()

    def gradient(self, policy: ModelPolicy, encoder: Encoder, lesson: Lesson) -> Gradient:
        """As :func:`learner.ledger.updates.card_gradient`, to the bit."""
        if len(lesson.history) > LONGEST:
            return card_gradient(policy, encoder, lesson)
        kind = type(policy)
        if kind not in self._networks:
            self._networks[kind] = kind(np.random.default_rng(0))
        network, named = self._networks[kind], self._parameters(policy)
        for own, given in zip(self._parameters(network).values(), named.values(), strict=True):
            own.array[...] = given.array
        inputs, [at] = card_inputs(policy, encoder, [lesson])
        shape = kind, len(inputs), len(at)  # steps of a sequence, targets in the mean
        if shape not in self._steps:
            self._steps[shape] = _compiled(network)
        with np.errstate(all="ignore"):  # while it is recorded it runs as written
            prediction, loss, gradients = self._steps[shape](*inputs, np.array(at), np.array(lesson.damage, np.float32))
        return judged(lesson, prediction, loss,
                      {name: g.array for name, g in zip(named, gradients, strict=True) if g is not None})

    def steps(self, family: str) -> list[Compiled]:
        """A family's recorded steps, which count their recordings and replays."""
        return [step for (policy, _, _), step in self._steps.items() if policy is FAMILY_POLICIES[family]]

    def _parameters(self, policy: ModelPolicy) -> dict[str, Tensor]:
        """A network's parameters, looked for once."""
        if policy not in self._named:
            self._named[policy] = dict(policy.named_parameters())
        return self._named[policy]


def _compiled(network: ModelPolicy) -> Compiled:
    """The network's step: inputs, the tokens in the mean and the damage in; prediction, loss and gradients out."""
    parameters = list(network.parameters())

    def forward_and_backward(*arguments: Tensor) -> Any:
        *inputs, at, damage = arguments
        with fixed_order():
            _, predicted = network.outputs(*inputs)
            prediction, loss = half_squared_error(predicted, 0, at, damage)
            return prediction, loss, list(ad.grad(loss, parameters, allow_unused=True))

    return ad.compile(forward_and_backward)
