"""Layer by layer: what a network computed at a moment, and what came back through it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from game.engine import records as r
from learner import autodiff as ad
from learner.agent import Agent
from learner.autodiff import Tensor
from learner.autodiff.draw import VIEWS, draw_tape
from learner.autodiff.inspection import Index, Tape
from learner.ledger.updates import Gradient, Lesson, card_gradient, card_loss
from learner.nn import Module
from learner.policies.model import FAR_BELOW, model_inputs
from learner.policies.player import CARD_CHOICES, END_CHOICE, choice_mask


@dataclass(frozen=True)
class Layer:
    """One layer; norms are Euclidean, None where nothing arrives or the layer wasn't used."""

    name: str
    kind: str
    parameters: int
    output: tuple[int, ...] | None
    """Shape of what it gave, for one row."""
    activation: float | None
    """Norm of that."""
    gradient: float | None
    """Norm of the gradient with respect to that."""
    weight_gradient: float | None
    """Norm of the gradient with respect to its parameters."""


@dataclass(frozen=True)
class Explained:
    """A network's layers at a moment and the program that it ran."""

    network: str
    layers: list[Layer]
    tape: Tape
    differentiated: str
    """What the gradients are of."""

    def svg(self) -> str:
        """The computation as a picture, views left out."""
        return draw_tape(self.tape, VIEWS)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"network": self.network, "gradient_of": self.differentiated,
                "layers": [asdict(layer) for layer in self.layers]}


def explain_update(agent: Agent, family: str, lesson: Lesson) -> tuple[Explained, Gradient]:
    """A Backpropagation: the loss's gradients, and the verdict as the card computes it, in fixed order."""
    policy = agent.models[family]
    return (_explain(policy, family, lambda: card_loss(policy, agent.encoder, lesson)[1],
                     "the loss ½ (prediction − damage)²"), card_gradient(policy, agent.encoder, lesson))


def explain_choice(agent: Agent, row: Any, mask: Any, action: int) -> tuple[Explained, Any, float]:
    """The player's network at a decision: gradients of log π(choice); π of its 147 choices, float64; the value."""
    legal = choice_mask(np.asarray(mask)[None])
    encoded = agent.encoder.encode(np.asarray(row)[None])
    choice = choice_of(action)

    def logp() -> Tensor:
        logits, _ = agent.player(encoded)
        return ad.log_softmax(ad.where(Tensor(legal), logits, FAR_BELOW), 1)[0, choice]

    with ad.no_grad():
        logits, value = agent.player(encoded)
        chances = ad.softmax(ad.where(Tensor(legal), logits, FAR_BELOW), 1).numpy()[0].astype(np.float64)
    return (_explain(agent.player, "player", logp, "the log-probability of what was chosen"), chances,
            float(value.numpy()[0]))


def explain_target(agent: Agent, family: str, row: Any, slot: int, history: Any, target: int) -> tuple[Explained, Any]:
    """A Model's network at its own decision: gradients of log π(target); and π of the 14 tokens, float64."""
    policy = agent.models[family]
    inputs = model_inputs(policy, agent.encoder, np.asarray(row)[None], np.array([slot]),
                          [history if policy.recurrent else ()])
    with ad.no_grad():
        chances = ad.softmax(policy(*inputs)[0], 1).numpy()[0].astype(np.float64)
    return _explain(policy, family, lambda: ad.log_softmax(policy(*inputs)[0], 1)[0, target],
                    "the log-probability of the target that was chosen"), chances


def choice_of(action: int) -> int:
    """Which of the player's network's 147 choices an action belongs to."""
    source = action // r.TOKENS
    if source < r.HAND:
        return action
    return CARD_CHOICES + source - r.HAND if source < r.END_TURN else END_CHOICE


def shapes(agent: Agent) -> list[tuple[str, str, str, int]]:
    """(network, parameter, shape, numbers in it) of all six networks, in order."""
    return [(network, name, " × ".join(map(str, parameter.shape)), int(parameter.numel()))
            for network, module in agent.networks.items() for name, parameter in module.named_parameters()]


def layer_outputs(tape: Tape) -> tuple[dict[int, str], dict[str, int]]:
    """Entries that are a layer's parameters, or views of them, and where each layer's output is.

    A layer's output is the last value computed from its parameters and something else.
    """
    owners: dict[int, str] = {}
    outputs: dict[str, int] = {}
    for entry in tape.entries:
        sources = [o for o in entry.operands if isinstance(o, Index)]
        if entry.op is None:
            if entry.tensor.requires_grad and entry.name:
                owners[entry.index] = entry.name.rpartition(".")[0]
        elif sources and all(o in owners for o in sources):
            owners[entry.index] = owners[sources[0]]
        else:
            outputs |= {owners[o]: entry.index for o in sources if o in owners}
    return owners, outputs


# ---- details -------------------------------------------------------------------------------------


def _explain(module: Module, network: str, function: Callable[[], Tensor], what: str) -> Explained:
    tape = Tape.record(function, names=dict(module.named_parameters()))
    layers = layers_of(module, tape)
    for entry in tape.entries:
        if entry.op is None and not entry.name:
            entry.name = {"f": "observation", "b": "legal"}.get(entry.tensor.array.dtype.kind, "")
    for name, at in layer_outputs(tape)[1].items():
        entry = tape.entries[at]
        entry.name = f"{name}: {entry.label}"
    tape.entries[tape.at].name = what.partition(" ½")[0]
    return Explained(network, layers, tape, what)


def layers_of(module: Module, tape: Tape) -> list[Layer]:
    """A line for each part of a module that has parameters of its own, in the order they were used."""
    owners, outputs = layer_outputs(tape)
    gradients: dict[str, float] = {}
    for entry in tape.entries:
        if entry.op is None and entry.index in owners and entry.index in tape.gradients:
            layer = owners[entry.index]
            gradients[layer] = float(np.hypot(gradients.get(layer, 0.0), _norm(tape.gradients[entry.index])))
    found = []
    for name, part in module.named_modules():
        own = [parameter for key, parameter in part.named_parameters() if "." not in key]
        if own:
            at = outputs.get(name)
            found.append(Layer(
                name, type(part).__name__, sum(int(p.numel()) for p in own),
                None if at is None else tuple(tape.entries[at].tensor.shape),
                None if at is None else _norm(tape.entries[at].tensor.array),
                None if at is None or at not in tape.gradients else _norm(tape.gradients[at]),
                gradients.get(name)))
    last = len(tape.entries)
    return sorted(found, key=lambda layer: outputs.get(layer.name, last))


def _norm(array: Any) -> float:
    return float(np.linalg.norm(np.asarray(array, np.float64)))
