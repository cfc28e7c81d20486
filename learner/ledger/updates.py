"""One Backpropagation: the forward pass, the loss, the backward pass and the verdict.

The Model's own network takes the observation kept for it and predicts the damage: for the
target it had chosen, else the mean over the targets that were legal for it. The loss is
½(prediction − damage taken)². One row at a time, in fixed order, so that anyone can compute the
same gradient again, to the bit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from game.engine.observe import OBSERVATION_SIZE
from game.updates import UpdateRequest, Verdict
from learner import autodiff as ad
from learner.agent import Agent, weights_digest
from learner.autodiff import Tensor, fixed_order
from learner.autodiff.fixed import sum_rows
from learner.policies import ModelPolicy
from learner.policies.features import Encoder
from learner.policies.model import model_inputs

VANISHED_BELOW = 1e-6
EXPLODED_ABOVE = 1000.0
ROWS_PER_MATCH = 256
"""Ledger entries are numbered 256 · match number + 1, + 2, …: the same whichever match ends first."""


@dataclass(frozen=True)
class Gradient:
    """What one backward pass found."""

    outcome: str
    prediction: float
    damage: int
    loss: float
    norm: float
    digest: str
    arrays: dict[str, Any] = field(repr=False)
    """Gradient by parameter; parameters that the loss doesn't reach have none."""


@dataclass(frozen=True)
class Lesson:
    """What one update learns from: all that a gradient depends on beside the weights."""

    observation: Any = field(repr=False)
    """int32 ``(OBSERVATION_SIZE,)``"""
    history: tuple[Any, ...] = field(repr=False)
    """Observations of the Model's earlier decisions; only recurrent networks look at them."""
    slot: int
    target: int
    """The token the Model had chosen, −1 for the mean over its legal ones."""
    damage: int

    @staticmethod
    def of(request: UpdateRequest, policy: ModelPolicy) -> Lesson:
        """The lesson in a request; without the history where the policy has no memory."""
        history = request.history if policy.recurrent else ()
        return Lesson(request.observation, history, request.slot, request.target, request.damage)

    def to_bytes(self) -> bytes:
        """The observations, little-endian int32, the one kept for the update last."""
        return np.array([*self.history, self.observation], "<i4").tobytes()


@dataclass(frozen=True)
class Entry:
    """One learned gradient in the ledger: where it came from, what it was computed from, what it is."""

    row: int
    match: int
    name: str
    """The match's first digest."""
    owner: str
    """The lab whose network learned."""
    seat: int
    ply: int
    turn: int
    slot: int
    model: int
    """The Model's entry number."""
    card: str
    family: str
    cause: str
    observation_ply: int
    target: int
    damage: int
    prediction: float
    loss: float
    norm: float
    gradient: str
    weights: str
    observation: bytes = field(repr=False)
    """The observations of the lesson, little-endian int32, the one kept for it last."""
    arrays: dict[str, Any] = field(repr=False, compare=False)

    @property
    def lesson(self) -> Lesson:
        """What the gradient was computed from."""
        return lesson_from(self.observation, self.slot, self.target, self.damage)


def lesson_from(observations: bytes, slot: int, target: int, damage: int) -> Lesson:
    """A lesson from an entry's fields."""
    rows = np.frombuffer(observations, "<i4").astype(np.int32).reshape(-1, OBSERVATION_SIZE)
    return Lesson(rows[-1], tuple(rows[:-1]), slot, target, damage)


def card_inputs(policy: ModelPolicy, encoder: Encoder,
                lessons: Sequence[Lesson]) -> tuple[tuple[Any, ...], list[list[int]]]:
    """What the network takes in for some updates, a row each, and for each the tokens whose prediction counts."""
    tokens, actor, aims = model_inputs(
        policy, encoder, np.array([lesson.observation for lesson in lessons]),
        np.array([lesson.slot for lesson in lessons]), [lesson.history for lesson in lessons])
    return policy.arrange(tokens, actor), [
        [lesson.target] if lesson.target >= 0 else np.flatnonzero(legal).tolist()
        for lesson, legal in zip(lessons, aims, strict=True)]


def half_squared_error(predicted: Tensor, row: int, at: Any, damage: Any) -> tuple[Tensor, Tensor]:
    """Prediction and loss of a row, 0-d tensors: ½(mean of the damage predicted for the tokens ``at`` − damage)²."""
    prediction = predicted[row, at].mean()
    error = prediction - damage
    return prediction, 0.5 * error * error


def card_loss(policy: ModelPolicy, encoder: Encoder, lesson: Lesson) -> tuple[Tensor, Tensor]:
    """Prediction and loss, 0-d tensors, of one update."""
    inputs, [at] = card_inputs(policy, encoder, [lesson])
    _, predicted = policy.outputs(*map(Tensor, inputs))
    return half_squared_error(predicted, 0, at, float(lesson.damage))


def card_gradient(policy: ModelPolicy, encoder: Encoder, lesson: Lesson) -> Gradient:
    """Forward, loss, backward and verdict of one update; the policy's weights and gradients stay untouched."""
    names, parameters = zip(*policy.named_parameters(), strict=True)
    with fixed_order(), np.errstate(all="ignore"):
        prediction, loss = card_loss(policy, encoder, lesson)
        gradients = ad.grad(loss, parameters, allow_unused=True)
    arrays = {name: g.array.copy() for name, g in zip(names, gradients, strict=True) if g is not None}
    return judged(lesson, prediction, loss, arrays)


def judged(lesson: Lesson, prediction: Tensor, loss: Tensor, arrays: dict[str, Any]) -> Gradient:
    """What a backward pass found, and the verdict on it; ``arrays``: see :class:`Gradient`."""
    norm = gradient_norm(arrays)
    return Gradient(judge(norm), float(prediction.item()), lesson.damage, float(loss.item()), norm,
                    weights_digest(arrays), arrays)


def gradient_norm(arrays: dict[str, Any]) -> float:
    """Euclidean norm over all arrays, squares added in float64 one after the other."""
    flat = np.concatenate([array.ravel() for array in arrays.values()], dtype=np.float64)
    with np.errstate(all="ignore"):
        return math.sqrt(sum_rows((flat * flat)[None])[0])


def judge(norm: float) -> str:
    """The verdict on a gradient: learned, vanished (below 10⁻⁶) or exploded (NaN, infinite, above 1000)."""
    if not math.isfinite(norm) or norm > EXPLODED_ABOVE:
        return "exploded"
    return "vanished" if norm < VANISHED_BELOW else "learned"


class GradientSource:
    """A lab's update source: its own networks learn. Learned gradients wait in :attr:`entries`.

    ``gradient``: how they are computed; :class:`learner.ledger.replayed.Replays` does it faster, to the same bits.
    """

    name = "learner"

    def __init__(self, agent: Agent, owner: str,
                 gradient: Callable[[ModelPolicy, Encoder, Lesson], Gradient] = card_gradient) -> None:
        self.agent, self.owner, self.gradient = agent, owner, gradient
        self.entries: list[Entry] = []
        self._digests: dict[str, str] = {}

    def update(self, request: UpdateRequest) -> Verdict:
        """Compute the gradient and judge it. Weights don't change here, but must not change between calls either."""
        if request.ordinal >= ROWS_PER_MATCH - 1:
            raise ValueError(f"match {request.number} asks for its {request.ordinal + 1}th update; "
                             f"a match has room for {ROWS_PER_MATCH - 1}")
        policy = self.agent.models[request.family]
        lesson = Lesson.of(request, policy)
        found = self.gradient(policy, self.agent.encoder, lesson)
        details = {"prediction": found.prediction, "damage": found.damage, "loss": found.loss, "norm": found.norm}
        if found.outcome != "learned":
            return Verdict(found.outcome, 0, found.digest, details)
        row = request.number * ROWS_PER_MATCH + request.ordinal + 1
        if request.family not in self._digests:
            self._digests[request.family] = self.agent.digest(request.family)
        self.entries.append(Entry(
            row, request.number, request.match, self.owner, request.player, request.ply, request.turn, request.slot,
            request.entry, request.card, request.family, request.cause, request.observation_ply, request.target,
            found.damage, found.prediction, found.loss, found.norm, found.digest, self._digests[request.family],
            lesson.to_bytes(), found.arrays))
        return Verdict(found.outcome, row, found.digest, details)
