"""An agent at play: it samples actions, and can remember what it did for training.

Rows of a batch must not influence each other, or the same agent would play differently beside
other matches. So networks always see blocks of up to :data:`BLOCK` rows, padded to a multiple of
:data:`GRAIN`, in which a row's place doesn't matter (:func:`learner.autodiff.modes.steady_rows`),
and the random numbers of a decision are drawn from (seed, seat, ply).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from game.bots.protocol import Decisions, salted
from game.engine import records as r
from learner.agent import Agent
from learner.autodiff import no_grad, steady_rows
from learner.health import check_outputs
from learner.policies.features import Encoded
from learner.policies.model import model_inputs
from learner.policies.player import CARD_CHOICES, END_CHOICE, choice_mask, source_logp

BLOCK, GRAIN = 128, 16
"""Rows of a block at most, and what their number is a multiple of: whole tiles of products, whole vectors of SIMD."""


@dataclass
class Memory:
    """Decisions that an agent took, in the order taken, as lists of blocks."""

    observations: list[Any] = field(default_factory=list)
    masks: list[Any] = field(default_factory=list)
    """bool ``(n, 147)``: legal choices."""
    choices: list[Any] = field(default_factory=list)
    targets: list[Any] = field(default_factory=list)
    """The token a Model chose, −1 where the player's network decided alone."""
    player_logp: list[Any] = field(default_factory=list)
    source_logp: list[Any] = field(default_factory=list)
    """Of that, what falls to the choice of a card, a Model or "end turn", whatever the target."""
    model_logp: list[Any] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)
    matches: list[Any] = field(default_factory=list)
    seats: list[Any] = field(default_factory=list)

    def joined(self) -> dict[str, Any]:
        """Every field as one array."""
        return {name: np.concatenate(getattr(self, name)) if getattr(self, name) else np.zeros(0)
                for name in self.__dataclass_fields__}


class AgentPlayer:
    """Plays as an agent does: samples from its policies. With a ``memory`` it keeps what training needs."""

    def __init__(self, agent: Agent, memory: Memory | None = None) -> None:
        self.agent, self.memory = agent, memory
        self.name = agent.name

    def choose(self, decisions: Decisions) -> Any:
        """Sample a legal action for each decision, int64 ``(n,)``."""
        agent, rows = self.agent, decisions.observations
        encoded = agent.encoder.encode(rows)
        masks = choice_mask(decisions.masks)
        logits, values = _in_blocks(agent, "player", encoded)
        choices, player_logp = sample(logits, masks, decisions.words)
        actions = np.where(choices < CARD_CHOICES, choices, r.END_TURN * r.TOKENS)
        targets = np.full(len(choices), -1)
        model_logp = np.zeros(len(choices), np.float32)
        units = np.flatnonzero((choices >= CARD_CHOICES) & (choices < END_CHOICE))
        slots = choices[units] - CARD_CHOICES
        for family, own, own_slots in by_family(agent, rows, units, slots):
            target_logits, aims = self._aim(family, decisions, own, own_slots, encoded.tokens)
            targets[own], model_logp[own] = sample(target_logits, aims, salted(decisions.words[own], 1))
            actions[own] = (r.HAND + own_slots) * r.TOKENS + targets[own]
        if self.memory is not None:
            chosen_source = source_logp(distribution(logits, masks), choices)
            for name, block in (("observations", rows), ("masks", masks), ("choices", choices), ("targets", targets),
                                ("player_logp", player_logp), ("source_logp", chosen_source),
                                ("model_logp", model_logp), ("values", values),
                                ("matches", decisions.matches), ("seats", decisions.seats)):
                getattr(self.memory, name).append(block)
        return actions

    def probabilities(self, decisions: Decisions) -> Any:
        """How likely :meth:`choose` is to take each action, over its random words: float64 ``(n, 238)``.

        Rows sum to 1; illegal actions have 0. A Model's action: the chance that the player's network
        picks the Model, times the chance that the Model's own network picks the target.
        """
        return self.judge(decisions)[0]

    def judge(self, decisions: Decisions) -> tuple[Any, Any]:
        """:meth:`probabilities`, and what the player's network expects of the match: values −1 … 1, ``(n,)``."""
        agent, rows, n = self.agent, decisions.observations, len(decisions)
        masks = choice_mask(decisions.masks)
        encoded = agent.encoder.encode(rows)
        logits, values = _in_blocks(agent, "player", encoded)
        choices = distribution(logits, masks)
        actions = np.zeros((n, r.SOURCES, r.TOKENS))
        actions[:, :r.HAND] = choices[:, :CARD_CHOICES].reshape(n, r.HAND, r.TOKENS)
        actions[:, r.END_TURN, 0] = choices[:, END_CHOICE]
        units, slots = np.nonzero(masks[:, CARD_CHOICES:END_CHOICE])
        for family, own, own_slots in by_family(agent, rows, units, slots):
            picked = choices[own, CARD_CHOICES + own_slots]
            actions[own, r.HAND + own_slots] = picked[:, None] * distribution(
                *self._aim(family, decisions, own, own_slots, encoded.tokens))
        return actions.reshape(n, r.ACTIONS), values

    def _aim(self, family: str, decisions: Decisions, own: Any, slots: Any, tokens: Any) -> tuple[Any, Any]:
        """Target logits and legal targets, each ``(k, 14)``, of the Models in ``slots[j]`` of decisions ``own[j]``.

        ``tokens``: all the decisions' encoded tokens.
        """
        policy = self.agent.models[family]
        histories = [decisions.history(i, slot) if policy.recurrent else () for i, slot in
                     zip(own.tolist(), slots.tolist(), strict=True)]
        inputs = model_inputs(policy, self.agent.encoder, decisions.observations[own], slots, histories,
                              tokens[own])
        logits, _ = _in_blocks(self.agent, family, *inputs)
        return logits, inputs[2]


def by_family(agent: Agent, rows: Any, units: Any, slots: Any) -> list[tuple[str, Any, Any]]:
    """Decisions taken by Models, family by family: (family, indices, slots)."""
    from game.engine.observe import view

    cards = view(rows).tokens[units, slots + 1, 0]
    families = agent.cards.table["family"][cards]
    return [(name, units[families == number], slots[families == number])
            for number, name in enumerate(r.FAMILIES) if number and (families == number).any()]


def distribution(logits: Any, masks: Any) -> Any:
    """Softmax over the legal entries, float64 ``(n, k)``: what :func:`sample` draws from."""
    weights = np.exp(_centred(logits, masks))
    return weights / weights.sum(axis=1, keepdims=True)


def sample(logits: Any, masks: Any, words: Any) -> tuple[Any, Any]:
    """Draw from softmax over the legal entries, by inverse distribution function of each row's random word.

    ``logits`` float32 ``(n, k)``, ``masks`` bool ``(n, k)`` with at least one legal entry a row,
    ``words`` uint64 ``(n,)``. Returns the choices int64 ``(n,)`` and their log-probabilities float32.
    """
    wide = _centred(logits, masks)
    weights = np.exp(wide)
    cumulative = np.cumsum(weights, axis=1)
    uniform = (np.asarray(words, np.uint64) >> np.uint64(11)).astype(np.float64) * 2.0**-53
    choices = (cumulative > (uniform * cumulative[:, -1])[:, None]).argmax(axis=1)
    at = np.arange(len(choices))
    return choices, (wide[at, choices] - np.log(cumulative[:, -1])).astype(np.float32)


def _centred(logits: Any, masks: Any) -> Any:
    """Legal logits less the row's largest in float64, −∞ elsewhere."""
    wide = np.where(masks, logits.astype(np.float64), -np.inf)
    return wide - wide.max(axis=1, keepdims=True)


def _in_blocks(agent: Agent, name: str, *inputs: Any) -> tuple[Any, Any]:
    """A network's two outputs over any number of rows, computed in blocks; logits by temperature.

    TrainingError if the first, the logits, aren't finite: nobody could choose by them.
    """
    network = agent.networks[name]
    n = len(inputs[0].match) if isinstance(inputs[0], Encoded) else len(inputs[0])
    first, second = [], []
    for start in range(0, n, BLOCK):
        count = min(BLOCK, n - start)
        size = -(-count // GRAIN) * GRAIN
        with no_grad(), steady_rows():
            a, b = network(*[_block(part, start, count, size) for part in inputs])
        first.append(a.numpy()[:count])
        second.append(b.numpy()[:count])
    logits = np.concatenate(first)
    check_outputs(name, logits)
    return logits / np.float32(agent.temperature), np.concatenate(second)


def _block(part: Any, start: int, count: int, size: int) -> Any:
    """``count`` rows from ``start``, and zeros behind them up to ``size``."""
    if isinstance(part, Encoded):
        return Encoded(*[_block(piece, start, count, size) for piece in part])
    if count == size:
        return part[start:start + size]
    padded = np.zeros((size, *part.shape[1:]), part.dtype)
    padded[:count] = part[start:start + count]
    return padded
