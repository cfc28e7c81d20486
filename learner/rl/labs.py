"""Who plays in a run: labs that PPO trains, their past selves, which only the card still teaches, an opponent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from game.cards import CardSet
from learner.agent import Agent
from learner.optim import AdamW
from learner.rl import checkpoint
from learner.rl.plan import OPPONENT
from learner.rl.rollout import Lab


@dataclass
class Learner:
    """A lab that learns by PPO as well as by the card."""

    owner: str
    agent: Agent
    optimizers: dict[str, AdamW]


@dataclass
class Past:
    """A past self: its card updates still reach its weights (every lab's do), PPO no longer does."""

    owner: str
    agent: Agent


def snapshot(learners: Sequence[Learner], past: Sequence[Past],
             opponent: Lab | None) -> tuple[dict[str, Any], dict[str, Any]]:
    """All weights and optimizers' states as named arrays, and facts for JSON."""
    tensors: dict[str, Any] = {}
    optimizers: dict[str, Any] = {}
    for learner in learners:
        tensors |= {f"lab/{learner.owner}/{name}": array for name, array in learner.agent.state().items()}
        for name, optimizer in learner.optimizers.items():
            prefix = f"ppo/{learner.owner}/{name}"
            arrays, optimizers[prefix] = checkpoint.optimizer_tensors(prefix, optimizer)
            tensors |= arrays
    for one in past:
        tensors |= {f"past/{one.owner}/{name}": array for name, array in one.agent.state().items()}
    if opponent is not None:
        tensors |= {f"{OPPONENT}/{opponent.owner}/{name}": array for name, array in opponent.agent.state().items()}
    return tensors, {"optimizers": optimizers, "past": [one.owner for one in past],
                     "opponent": None if opponent is None else {
                         "bot": opponent.bot, "simulations": opponent.simulations}}


def restore(tensors: dict[str, Any], facts: dict[str, Any], learners: Sequence[Learner], seed: int,
            cards: CardSet) -> tuple[list[Past], Lab | None]:
    """Put a :func:`snapshot` into the learners; returns the past selves and the opponent.

    KeyError or ValueError if it doesn't fit.
    """
    for learner in learners:
        learner.agent.load_state(checkpoint.part(tensors, f"lab/{learner.owner}/"))
        for name, optimizer in learner.optimizers.items():
            prefix = f"ppo/{learner.owner}/{name}"
            checkpoint.restore_optimizer(prefix, optimizer, tensors, facts["optimizers"][prefix])
    found = []
    for owner in facts["past"]:
        agent = Agent(seed, cards, owner)
        agent.load_state(checkpoint.part(tensors, f"past/{owner}/"))
        found.append(Past(owner, agent))
    return found, _opponent(tensors, facts, cards)


def _opponent(tensors: dict[str, Any], facts: dict[str, Any], cards: CardSet) -> Lab | None:
    if facts.get("opponent") is None:
        return None
    agent = Agent(0, cards, OPPONENT)
    agent.load_state(checkpoint.part(tensors, f"{OPPONENT}/{OPPONENT}/"))
    return Lab(OPPONENT, agent, **facts["opponent"])


def players_in(path: Path, cards: CardSet) -> list[Lab]:
    """Everybody in a run's checkpoint file: the labs that learn, their past selves, and the opponent."""
    tensors, facts = checkpoint.read(path)
    opponent = _opponent(tensors, facts, cards)
    found = [] if opponent is None else [opponent]
    for kind, owner in sorted({tuple(name.split("/")[:2]) for name in tensors}):
        if kind in ("lab", "past"):
            found.append(Lab(owner, Agent(0, cards, owner)))
            found[-1].agent.load_state(checkpoint.part(tensors, f"{kind}/{owner}/"))
    return found
