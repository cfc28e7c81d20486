"""Proximal policy optimization over whole matches (J. Schulman et al. 2017), for several networks at once.

Read top to bottom: advantages from a lab's own decisions, then epochs of minibatches made of whole
matches, each a clipped surrogate for the player's factor and for the deciding Model's, a value
loss and an entropy bonus. γ = 1, the reward is the result (+1, −1, 0 for a draw) at the last
decision. The damage predictions are not touched: only the card trains them.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

from game.engine.observe import TOKEN_FIELDS, view
from learner import autodiff as ad
from learner.agent import NETWORKS, Agent
from learner.autodiff import Tensor
from learner.health import TrainingError, check_gradients, check_loss
from learner.optim import AdamW
from learner.optim.clip import clip_grad_norm_
from learner.policies.acting import by_family
from learner.policies.model import FAR_BELOW, model_inputs
from learner.policies.player import CARD_CHOICES, END_CHOICE
from learner.rl.factors import kl_estimate, player_figures


@dataclass(frozen=True)
class Config:
    """PPO's settings; the names are CleanRL's where it has one."""

    learning_rate: float = 1e-3
    """The player's network's."""
    model_rate: float = 0.3
    """The Models' networks' learning rate, as a share of the player's: they decide less often, and collapsed early
    at the same rate (docs/decisions/0006)."""
    update_epochs: int = 3
    minibatch_size: int = 2048
    """Decisions; a minibatch is filled with whole matches until it has at least so many."""
    gae_lambda: float = 0.95
    clip_coef: float = 0.2
    ent_coef: float = 0.02
    vf_coef: float = 0.5
    max_grad_norm: float = 0.5
    """Per network."""
    target_kl: float = 0.03
    """Epochs stop when the player's factor has moved this far."""


@dataclass
class Batch:
    """A lab's decisions, sorted by match and seat, with what PPO derives from them."""

    data: dict[str, Any]
    sequences: list[slice]
    """One slice a match and seat."""
    advantages: Any
    returns: Any
    before: Any
    """int64 ``(n,)``: where the same Model last decided, −1 where it hadn't or the player's network decided alone."""

    def __len__(self) -> int:
        return len(self.returns)

    def history(self, i: int) -> list[Any]:
        """The observations of the decisions that the Model which decided at i had taken before, oldest first."""
        rows: list[Any] = []
        while (i := int(self.before[i])) >= 0:
            rows.append(self.data["observations"][i])
        return rows[::-1]


def make_batch(parts: list[dict[str, Any]], rewards: dict[tuple[int, int], float], config: Config) -> Batch:
    """Join a lab's memories, sort them, and estimate advantages (generalised, J. Schulman et al. 2016).

    ``rewards[(match, seat)]`` is the seat's result. Every match ended by the rules, so there is
    nothing to bootstrap from: truncation doesn't occur.
    """
    data = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    order = np.lexsort((np.arange(len(data["seats"])), data["seats"], data["matches"]))
    data = {name: array[order] for name, array in data.items()}
    keys = data["matches"] * 2 + data["seats"]
    edges = np.flatnonzero(np.diff(keys)) + 1
    sequences = [slice(a, b) for a, b in itertools.pairwise([0, *edges.tolist(), len(keys)])]
    advantages = np.zeros(len(keys), np.float64)
    values = data["values"].astype(np.float64)
    for part in sequences:
        carried, following = 0.0, 0.0
        reward = rewards[(int(data["matches"][part.start]), int(data["seats"][part.start]))]
        for t in range(part.stop - 1, part.start - 1, -1):
            delta = reward + following - values[t]
            carried = delta + config.gae_lambda * carried
            advantages[t] = carried
            following, reward = values[t], 0.0
    return Batch(data, sequences, advantages.astype(np.float32), (advantages + values).astype(np.float32),
                 _links(data, sequences))


def _links(data: dict[str, Any], sequences: list[slice]) -> Any:
    """For each decision that a Model took, where it took its last one."""
    before = np.full(len(data["choices"]), -1)
    units = np.flatnonzero((data["choices"] >= CARD_CHOICES) & (data["choices"] < END_CHOICE))
    slots = data["choices"][units] - CARD_CHOICES
    entries = view(data["observations"]).tokens[units, slots + 1, TOKEN_FIELDS.index("entry")]
    bounds = np.searchsorted(units, [part.start for part in sequences] + [len(before)])
    for start, stop in itertools.pairwise(bounds.tolist()):
        last: dict[int, int] = {}
        for k in range(start, stop):
            before[units[k]] = last.get(int(entries[k]), -1)
            last[int(entries[k])] = int(units[k])
    return before


def make_optimizers(agent: Agent, config: Config) -> dict[str, AdamW]:
    """One optimizer a network, over the parameters that PPO trains (not the damage predictions)."""
    return {name: AdamW([p for key, p in module.named_parameters() if not key.startswith("damage")],
                        lr=step_size(name, config), eps=1e-5, weight_decay=0.0)
            for name, module in agent.networks.items()}


def step_size(network: str, config: Config) -> float:
    """A network's step size."""
    return config.learning_rate * (1.0 if network == "player" else config.model_rate)


@dataclass
class Losses:
    """A minibatch's loss (0-d tensor) and figures."""

    total: Tensor
    figures: dict[str, float]


def minibatch_loss(agent: Agent, batch: Batch, index: Any, advantages: Any, config: Config) -> Losses:
    """PPO's loss on the decisions ``index``; ``advantages`` float32, normalised, for exactly those."""
    data, n = batch.data, len(index)
    rows, choices = data["observations"][index], data["choices"][index]
    encoded = agent.encoder.encode(rows)
    logits, values = agent.player(encoded)
    masks, old_logp = data["masks"][index], data["player_logp"][index]
    logp = ad.log_softmax(ad.where(Tensor(masks), logits, FAR_BELOW), 1)
    surrogate, entropy, kl = _factor(logp, masks, choices, old_logp, advantages, config)
    value_loss = ad.huber_loss(values, Tensor(batch.returns[index]))
    total = surrogate * (1 / n) - config.ent_coef / n * entropy + config.vf_coef * value_loss
    figures = {"policy_loss/player": float(surrogate.item()) / n, "value_loss": float(value_loss.item()),
               "entropy/player": float(entropy.item()) / n, "kl/player": kl,
               **player_figures(logp.detach().numpy(), choices, old_logp, data["source_logp"][index])}
    units = np.flatnonzero((choices >= CARD_CHOICES) & (choices < END_CHOICE))
    for family, own, slots in by_family(agent, rows, units, choices[units] - CARD_CHOICES):
        policy = agent.models[family]
        histories = [batch.history(int(i)) if policy.recurrent else () for i in index[own]]
        inputs = model_inputs(policy, agent.encoder, rows[own], slots, histories, encoded.tokens[own])
        target_logits, _ = policy(*inputs)
        surrogate, entropy, kl = _factor(ad.log_softmax(target_logits, 1), inputs[2], data["targets"][index][own],
                                         data["model_logp"][index][own], advantages[own], config)
        total = total + surrogate * (1 / n) - config.ent_coef / n * entropy
        figures[f"policy_loss/{family}"] = float(surrogate.item()) / n
        figures[f"entropy/{family}"] = float(entropy.item()) / len(own)
        figures[f"kl/{family}"] = kl
    return Losses(total, figures)


def _factor(logp: Tensor, legal: Any, choices: Any, old_logp: Any, advantages: Any,
            config: Config) -> tuple[Tensor, Tensor, float]:
    """Sums over the rows: the clipped surrogate's loss and the entropy over legal entries; and the mean KL.

    ``logp``: log-probabilities ``(n, k)``, illegal entries far below.
    """
    chosen = ad.gather(logp, 1, Tensor(choices[:, None])).reshape(len(choices))
    log_ratio = chosen - Tensor(old_logp)
    ratio = ad.exp(log_ratio)
    advantage = Tensor(advantages)
    clipped = ad.clip(ratio, 1 - config.clip_coef, 1 + config.clip_coef)
    surrogate = -ad.minimum(ratio * advantage, clipped * advantage).sum()
    entropy = -(ad.where(Tensor(legal), ad.exp(logp) * logp, 0.0)).sum()
    return surrogate, entropy, kl_estimate(log_ratio.detach().numpy())


def minibatches(batch: Batch, size: int, generator: np.random.Generator) -> list[Any]:
    """Indices of minibatches of whole matches, shuffled; a small rest joins the one before."""
    found: list[list[Any]] = [[]]
    filled = 0
    for number in generator.permutation(len(batch.sequences)):
        part = batch.sequences[int(number)]
        if filled >= size:
            found.append([])
            filled = 0
        found[-1].append(np.arange(part.start, part.stop))
        filled += part.stop - part.start
    if len(found) > 1 and filled < size // 2:
        rest = found.pop()
        found[-1] += rest
    return [np.concatenate(parts) for parts in found if parts]


def normalised(advantages: Any) -> Any:
    """Mean 0, deviation 1; a constant or single advantage only loses its mean's scale, never becomes NaN."""
    wide = advantages.astype(np.float64)
    deviation = wide.std()
    return ((wide - wide.mean()) / (deviation + 1e-8) if deviation > 0 else wide).astype(np.float32)


def ppo_update(agent: Agent, optimizers: dict[str, AdamW], batch: Batch, config: Config,
               generator: np.random.Generator) -> dict[str, float]:
    """Train the agent on a round's decisions, in place; returns mean figures.

    TrainingError with a diagnosis when a loss or a gradient isn't finite or has exploded: the
    weights are then those from before.
    """
    before = agent.state()
    try:
        with np.errstate(all="ignore"):  # what overflows is found and named by the checks
            return _epochs(agent, optimizers, batch, config, generator)
    except TrainingError:
        agent.load_state(before)
        for module in agent.networks.values():
            module.zero_grad()
        raise


def _epochs(agent: Agent, optimizers: dict[str, AdamW], batch: Batch, config: Config,
            generator: np.random.Generator) -> dict[str, float]:
    sums: dict[str, float] = {}
    counts: dict[str, int] = {}
    steps = 0
    for epoch in range(config.update_epochs):
        moved: list[float] = []
        for number, index in enumerate(minibatches(batch, config.minibatch_size, generator)):
            losses = _step(agent, optimizers, batch, index, config, f"in PPO's epoch {epoch + 1}, step {number + 1}")
            steps += 1
            moved.append(losses.figures["kl/player"])
            for key, value in losses.figures.items():
                sums[key] = sums.get(key, 0.0) + value
                counts[key] = counts.get(key, 0) + 1
        if np.mean(moved) > config.target_kl:
            break
    return {**{key: sums[key] / counts[key] for key in sums}, "epochs": float(epoch + 1), "ppo_steps": float(steps)}


def _step(agent: Agent, optimizers: dict[str, AdamW], batch: Batch, index: Any, config: Config, when: str) -> Losses:
    """One step of every network that decided in this minibatch; ``when``, for a diagnosis."""
    def loss() -> Losses:
        return minibatch_loss(agent, batch, index, normalised(batch.advantages[index]), config)

    losses = loss()
    check_loss(agent, float(losses.total.item()), losses.figures, lambda: loss().total, when)
    losses.total.backward()
    norms = {}
    for name in NETWORKS:
        parameters = [p for p in agent.networks[name].parameters() if p.grad is not None]
        if parameters:
            norms[name] = float(clip_grad_norm_(parameters, config.max_grad_norm))
    if not np.isfinite(list(norms.values())).all():
        check_gradients(agent, lambda: loss().total, when)
    for name, norm in norms.items():
        losses.figures[f"grad_norm/{name}"] = norm
        optimizers[name].step()
        agent.networks[name].zero_grad()
    return losses


def unreached(agent: Agent, batch: Batch, config: Config) -> list[str]:
    """Names of parameters that PPO should train but that get no, a zero or a non-finite gradient from the batch."""
    index = np.concatenate([np.arange(part.start, part.stop) for part in batch.sequences])[:4 * config.minibatch_size]
    for module in agent.networks.values():
        module.zero_grad()
    minibatch_loss(agent, batch, index, normalised(batch.advantages[index]), config).total.backward()
    wrong = []
    for network, module in agent.networks.items():
        for name, parameter in module.named_parameters():
            g = None if parameter.grad is None else parameter.grad.array
            if not name.startswith("damage") and (g is None or not np.isfinite(g).all() or not g.any()):
                kind = "none" if g is None else "zero" if np.isfinite(g).all() else "not finite"
                wrong.append(f"{network}/{name} ({kind})")
        module.zero_grad()
    return wrong
