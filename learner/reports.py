"""A network and an update in numbers that people can look at. Plain Python values: they cross a pipe."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from game.cards import CardSet
from game.engine.observe import TOKEN_FIELDS, view
from game.updates import UpdateRequest, Verdict
from learner.agent import Agent
from learner.autodiff import fixed_order, no_grad
from learner.ledger.ledger import CARD_LR
from learner.ledger.updates import EXPLODED_ABOVE, VANISHED_BELOW, Lesson, card_gradient
from learner.policies import ModelPolicy
from learner.policies.acting import distribution
from learner.policies.model import model_inputs

TILE = (8, 16)
"""Rows and columns of a layer's picture."""
PICTURE = 160
"""Weights that a Model card's picture is drawn from."""


def model_report(agent: Agent, family: str, row: Any, slot: int, history: Sequence[Any]) -> dict[str, Any]:
    """What a Model's network makes of an observation: scores, predicted damage, probabilities, layers."""
    policy = agent.models[family]
    inputs = model_inputs(policy, agent.encoder, np.asarray(row)[None], np.array([slot]),
                          [history if policy.recurrent else ()])
    with no_grad(), fixed_order():
        logits, damage = policy(*inputs)
    aims = inputs[2][0]
    played = logits.numpy() / np.float32(agent.temperature)
    chances = distribution(played, inputs[2])[0] if aims.any() else np.zeros(len(aims))
    return {"family": family, "probabilities": [float(p) for p in chances], "aims": [bool(a) for a in aims],
            "damage": [float(d) for d in damage.numpy()[0]],
            "logits": [float(v) if legal else 0.0 for v, legal in zip(logits.numpy()[0], aims, strict=True)],
            "layers": [_layer(name, array) for name, array in policy.state_dict().items()]}


def update_report(agent: Agent, request: UpdateRequest, verdict: Verdict, cards: CardSet) -> dict[str, Any]:
    """Everything about one update, from the arrays that decided it.

    ``after`` is what the network would choose if this gradient alone were applied.
    """
    policy = agent.models[request.family]
    lesson = Lesson.of(request, policy)
    found = card_gradient(policy, agent.encoder, lesson)
    tokens = [dict(zip(TOKEN_FIELDS, token, strict=True)) for token in view(lesson.observation).tokens.tolist()]
    before = model_report(agent, request.family, lesson.observation, lesson.slot, lesson.history)
    return {
        "card": request.card, "family": request.family, "cause": request.cause, "slot": request.slot,
        "turn": request.turn, "ply": request.ply, "target": request.target, "damage": request.damage,
        "prediction": found.prediction, "loss": found.loss, "norm": found.norm, "outcome": verdict.outcome,
        "entry": verdict.row, "lr": CARD_LR, "vanished_below": VANISHED_BELOW, "exploded_above": EXPLODED_ABOVE,
        "tokens": [{key: token[key] for key in ("card", "attack", "health")} for token in tokens],
        "before": before, "after": _after(agent, policy, request.family, lesson, found.arrays),
        "gradients": [_layer(name, array) for name, array in found.arrays.items()]}


def picture_weights(policy: ModelPolicy) -> list[float]:
    """Weights spread evenly over all of a network's, in units of their standard deviation."""
    flat = np.concatenate([array.ravel() for array in policy.state_dict().values()]).astype(np.float64)
    flat = flat[flat != 0]
    chosen = flat[np.linspace(0, len(flat) - 1, PICTURE).astype(int)]
    return [float(value) for value in chosen / max(float(flat.std()), 1e-9)]


def _after(agent: Agent, policy: ModelPolicy, family: str, lesson: Lesson, arrays: dict[str, Any]) -> dict[str, Any]:
    weights = policy.state_dict()
    try:
        policy.load_state_dict({name: array - np.float32(CARD_LR) * arrays[name] if name in arrays else array
                                for name, array in weights.items()})
        with np.errstate(all="ignore"):
            return model_report(agent, family, lesson.observation, lesson.slot, lesson.history)
    finally:
        policy.load_state_dict(weights)


def _layer(name: str, array: Any) -> dict[str, Any]:
    """A layer's shape, norm, largest value, and a small picture of it (means of its blocks' largest values)."""
    flat = np.nan_to_num(np.asarray(array, np.float64)).reshape(len(array) if array.ndim > 1 else 1, -1)
    high, wide = min(TILE[0], flat.shape[0]), min(TILE[1], flat.shape[1])
    tile = [[_strongest(block) for block in np.array_split(band, wide, axis=1)]
            for band in np.array_split(flat, high, axis=0)]
    return {"name": name, "shape": list(array.shape), "norm": float(np.sqrt(np.square(flat).sum())),
            "largest": float(np.abs(flat).max(initial=0.0)), "tile": tile}


def _strongest(block: Any) -> float:
    """The value of largest size."""
    return float(block.ravel()[np.abs(block).argmax()])
