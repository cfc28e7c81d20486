"""A network at one decision as a picture needs it: units with their activations, and what each adds to the next.

Between a hidden unit and what comes after it an edge is activation × slope, the slope being the
real derivative (for two dense layers that is activation × weight). A board token isn't one number,
so its edge is what a hidden unit loses when the token is taken away. Only the strongest units and
edges are kept: people can't look at thousands.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from game.engine import records as r
from learner import autodiff as ad
from learner.agent import Agent
from learner.autodiff import Tensor
from learner.autodiff.inspection import Entry, Index, Tape
from learner.explain.layers import layer_outputs
from learner.policies import ModelPolicy
from learner.policies.model import model_inputs

COLUMNS = {"perceptron": (), "mlp": ("hidden1", "hidden2"), "convnet": ("conv1", "conv2"),
           "recurrent": ("embed", "cell"), "transformer": ("block.linear1", "norm")}
"""The layers of each family whose activations are shown, first to last."""
UNITS, EDGES = 12, 4
"""Units shown of a layer, and edges shown that lead into one unit or target: the strongest."""


def wiring(agent: Agent, family: str, row: Any, slot: int, history: Any) -> dict[str, Any]:
    """Layers, units and edges of a Model's network on an observation, in plain values.

    ``columns``: one a hidden layer: its name, how many units it has, and those shown as (number,
    activation). ``edges``: one list before each column and one before the targets; an edge is (from,
    to, strength), both as places in the columns shown; the first list comes from tokens 0–13, the
    last leads to tokens 0–13.
    """
    policy = agent.models[family]
    tokens, actor, aims = model_inputs(policy, agent.encoder, np.asarray(row)[None], np.array([slot]),
                                       [history if policy.recurrent else ()])
    scores, hidden = _run(policy, family, tokens, actor)
    values = [entry.tensor.array.ravel().astype(np.float64) for entry in hidden]
    shown = [np.sort(np.argsort(-np.abs(value), kind="stable")[:UNITS]) for value in values]
    targets = np.flatnonzero(aims[0])
    edges: list[list[tuple[int, int, float]]] = []
    first = shown[0] if hidden else targets
    lost = _losses(policy, family, tokens, actor, (hidden[0] if hidden else scores).tensor.array.ravel())
    edges.append(_strongest(lost[:, first].T, range(r.TOKENS), range(len(first)) if hidden else targets.tolist()))
    for place, entry in enumerate(hidden):
        last = place == len(hidden) - 1
        following, wanted = (scores, targets) if last else (hidden[place + 1], shown[place + 1])
        slopes = _slopes(following, entry, wanted)[:, shown[place]] * values[place][shown[place]]
        edges.append(_strongest(slopes, range(len(shown[place])), targets.tolist() if last else range(len(wanted))))
    columns = [{"name": name, "units": len(value), "shown": [(int(u), float(value[u])) for u in units]}
               for name, value, units in zip(COLUMNS[family], values, shown, strict=True)]
    return {"family": family, "columns": columns, "edges": edges, "targets": [int(t) for t in targets],
            "there": [bool(there) for there in tokens.reshape(-1, *tokens.shape[-2:])[-1].any(axis=1)]}


def _run(policy: ModelPolicy, family: str, tokens: Any, actor: Any) -> tuple[Entry, list[Entry]]:
    """The scores and the hidden activations of one row, as entries of a recorded program."""
    inputs = policy.arrange(tokens, actor)
    tape = Tape.record(lambda: policy.outputs(*map(Tensor, inputs))[0], names=dict(policy.named_parameters()))
    owners, outputs = layer_outputs(tape)
    found = []
    for name in COLUMNS[family]:
        if name == "cell":  # its state is what the scores are made of
            operands = tape.entries[outputs["scores"]].operands
            at: int = next(o for o in operands if isinstance(o, Index) and o not in owners)
        else:
            at = _activated(tape, outputs[name])
        found.append(tape.entries[at])
    return tape.entries[tape.at], found


def _activated(tape: Tape, at: int) -> int:
    """Where a layer's output has gone through its activation function, if it has one."""
    while True:
        entry = next((e for e in tape.entries[at + 1:] if e.op is not None and e.op.name in ("relu", "gelu", "reshape")
                      and any(isinstance(o, Index) and o == at for o in e.operands)), None)
        if entry is None or entry.op is None:
            return at
        at = entry.index
        if entry.op.name != "reshape":
            return at


def _losses(policy: ModelPolicy, family: str, tokens: Any, actor: Any, values: Any) -> Any:
    """``(14, units)``: how much of each of the first layer's ``values`` goes when a token is taken away now."""
    lost = []
    for token in range(r.TOKENS):
        without, other = tokens.copy(), actor.copy()
        (without[:, -1] if policy.recurrent else without)[:, token] = 0
        (other[:, -1] if policy.recurrent else other)[:, token] = 0
        scores, hidden = _run(policy, family, without, other)
        lost.append(values - (hidden[0] if hidden else scores).tensor.array.ravel())
    return np.array(lost, np.float64)


def _slopes(following: Entry, entry: Entry, wanted: Any) -> Any:
    """``(wanted, units)``: derivatives of the wanted units of what follows with respect to every unit of a layer."""
    found = []
    for unit in wanted:
        g = np.zeros(following.tensor.shape, np.float32)
        g.reshape(-1)[unit] = 1
        slopes = ad.grad(following.tensor, entry.tensor, Tensor(g), retain_graph=True, allow_unused=True)[0]
        found.append(np.zeros(entry.tensor.numel()) if slopes is None else slopes.numpy().astype(np.float64).ravel())
    return np.array(found).reshape(len(wanted), entry.tensor.numel())


def _strongest(strengths: Any, sources: Any, targets: Any) -> list[tuple[int, int, float]]:
    """The strongest edges into each target; ``strengths``: ``(targets, sources)``."""
    found = []
    for place, target in enumerate(targets):
        row = strengths[place]
        best = np.argsort(-np.abs(row), kind="stable")[:EDGES]
        found += [(int(sources[i]), int(target), float(row[i])) for i in sorted(best) if row[i] != 0]
    return found
