"""Between rounds the ledger's gradients reach the weights, each exactly once.

Each family's entries make one step of plain stochastic gradient descent with their mean
gradient, w ← w − η·ḡ: a step that anyone can repeat from the weights before it and the entries.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from game.cards import CardSet
from game.events import Event
from game.settings import Settings
from game.vector import Played
from learner.agent import Agent
from learner.autodiff import Tensor, fixed_order, no_grad
from learner.ledger.store import MEASUREMENT, Store
from learner.ledger.updates import Entry, Lesson, card_inputs, card_loss, half_squared_error
from learner.optim import SGD
from learner.policies import ModelPolicy
from learner.policies.features import Encoder

CARD_LR = 0.02
"""Step size η of the card's updates."""


@dataclass(frozen=True)
class Step:
    """One optimizer step on one family: which entries it took and what it did."""

    owner: str
    family: str
    rows: tuple[int, ...]
    lr: float
    before: str
    after: str
    losses_before: tuple[float, ...]
    losses_after: tuple[float, ...]
    weights_before: dict[str, Any]
    weights_after: dict[str, Any]

    @property
    def moved(self) -> float:
        """How far the weights went, Euclidean."""
        return math.sqrt(sum(float(np.square(self.weights_after[name].astype(np.float64) - before).sum())
                             for name, before in self.weights_before.items()))

    @property
    def gradient_norm(self) -> float:
        """Norm of the mean gradient, from how far the weights went."""
        return self.moved / self.lr


def apply_entries(agent: Agent, entries: list[Entry], lr: float = CARD_LR) -> list[Step]:
    """Apply a lab's entries to its agent, family by family; the agent's weights change in place.

    Raises ValueError, with no weight changed, if an entry was computed on other weights than the
    agent's: its gradient would be a stranger's.
    """
    families: dict[str, list[Entry]] = defaultdict(list)
    for entry in sorted(entries, key=lambda e: e.row):
        families[entry.family].append(entry)
    for family, members in families.items():
        digest = agent.digest(family)
        for entry in members:
            if entry.weights != digest:
                raise ValueError(f"ledger entry {entry.row} was computed on weights {entry.weights}, "
                                 f"but {agent.name}'s {family} network is {digest}")
    return [_apply_family(agent, family, members, lr) for family, members in sorted(families.items())]


def _apply_family(agent: Agent, family: str, entries: list[Entry], lr: float) -> Step:
    policy = agent.models[family]
    before = policy.state_dict()
    digest = agent.digest(family)
    mean = mean_gradient([entry.arrays for entry in entries])
    optimizer = SGD(policy.parameters(), lr=lr)
    for name, parameter in policy.named_parameters():
        parameter.grad = Tensor(mean[name]) if name in mean else None
    optimizer.step()
    policy.zero_grad()
    if optimizer.skipped_steps:
        policy.load_state_dict(before)
        raise ValueError(f"the mean gradient of {len(entries)} {family} entries isn't finite; they stay pending")
    after = lesson_losses(policy, agent.encoder, [entry.lesson for entry in entries])
    return Step(entries[0].owner, family, tuple(entry.row for entry in entries), lr, digest, agent.digest(family),
                tuple(entry.loss for entry in entries), tuple(after), before, policy.state_dict())


def mean_gradient(gradients: list[dict[str, Any]]) -> dict[str, Any]:
    """Mean of gradients by parameter, summed in float64 in the order given, float32."""
    mean: dict[str, Any] = {}
    for name in sorted({name for arrays in gradients for name in arrays}):
        present = [arrays[name] for arrays in gradients if name in arrays]
        total = np.zeros(present[0].shape, np.float64)
        for array in present:
            total += array
        mean[name] = (total / len(gradients)).astype(np.float32)
    return mean


def lesson_loss(policy: ModelPolicy, encoder: Encoder, lesson: Lesson) -> float:
    """The loss of an update under the policy's present weights."""
    with no_grad(), fixed_order():
        _, loss = card_loss(policy, encoder, lesson)
    return float(loss.item())


def lesson_losses(policy: ModelPolicy, encoder: Encoder, lessons: Sequence[Lesson]) -> list[float]:
    """:func:`lesson_loss` of each, to the bit, in one forward pass: in fixed order a row's company doesn't matter."""
    with no_grad(), fixed_order(), np.errstate(all="ignore"):
        inputs, at = card_inputs(policy, encoder, lessons)
        _, predicted = policy.outputs(*map(Tensor, inputs))
        return [float(half_squared_error(predicted, row, at[row], float(lesson.damage))[1].item())
                for row, lesson in enumerate(lessons)]


def weights_asked(agents: Sequence[Agent], played: Sequence[Played]) -> list[dict[str, dict[str, Any]]]:
    """For each lab the weights, by family, of its networks that were asked for an update in these matches.

    To be called before they change: a verdict other than "learned" can only be checked on them.
    """
    asked: list[set[str]] = [set() for _ in agents]
    for match in played:
        for seat, request, _ in match.updates:
            asked[match.pairing.seats[seat]].add(request.family)
    return [{family: agent.models[family].state_dict() for family in sorted(families)}
            for agent, families in zip(agents, asked, strict=True)]


def record_steps(store: Store, round_number: int, steps: list[Step]) -> None:
    """Stamp the entries of steps as applied and keep the weights before and after."""
    for step in steps:
        store.add_weights(step.family, step.weights_before)
        store.add_weights(step.family, step.weights_after)
        store.add_step(round_number, step.owner, step.family, step.lr, list(step.rows), step.before, step.after,
                       list(step.losses_after))


def keep_matches(store: Store, round_number: int, played: Sequence[Played], owners: Sequence[str],
                 weights: Sequence[dict[str, dict[str, Any]]], cards: CardSet,
                 settings: Settings | None = None) -> None:
    """Keep matches, their replays and who sat where; counts the buffs that carry an entry as they are played again.

    ``weights``: what :func:`weights_asked` said of each lab; kept, too.
    """
    digests = [{family: store.add_weights(family, state) for family, state in own.items()} for own in weights]
    for match in played:
        events: list[Event] = []
        replay = match.replay(cards, settings or Settings(), ("learner", "learner"), events.extend)
        buffs = sum(event.kind == "buff" and event.entry > 0 for event in events)
        first, second = match.pairing.seats
        store.add_match(match.pairing.number, round_number, match.name, (owners[first], owners[second]), match.winner,
                        match.reason, match.turns, match.decisions, len(match.updates), buffs, replay.to_json(),
                        (digests[first], digests[second]))


def keep_measurement(store: Store, round_number: int, played: Sequence[Played], owners: Sequence[str],
                     agents: Sequence[Agent], entries: Sequence[list[Entry]], cards: CardSet) -> None:
    """Keep measuring matches: the entries are marked *measurement*, for the weights stood still. One transaction."""
    with store.transaction():
        keep_matches(store, round_number, played, owners, weights_asked(agents, played), cards)
        store.add_entries([entry for own in entries for entry in own], MEASUREMENT)
        store.seal()
