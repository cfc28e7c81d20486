"""Is a network still well? NaN, infinite and exploding values are found where they begin, and named.

Checks raise :class:`TrainingError`, whose text says which network, which parameter and the first
value that is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from game.errors import GameError
from learner.agent import Agent
from learner.autodiff import Tensor
from learner.autodiff.diagnose import Diagnosis, diagnose

LOSS_LIMIT = 1000.0
"""A mean loss beyond this has exploded: PPO's stays near 1, for results are ±1 and advantages normalised."""


class TrainingError(GameError):
    """Training can't go on: a value is NaN, infinite or has exploded."""

    def __init__(self, text: str, network: str = "", parameter: str = "") -> None:
        super().__init__(text)
        self.network, self.parameter = network, parameter


def first_wrong(array: Any) -> str:
    """ "[3, 17] is nan" for the first value that isn't finite; empty if all are."""
    wrong = np.flatnonzero(~np.isfinite(array))
    if not len(wrong):
        return ""
    place = np.unravel_index(int(wrong[0]), np.shape(array))
    more = f" (and {len(wrong) - 1:,} more of {np.size(array):,})" if len(wrong) > 1 else ""
    return f"[{', '.join(str(int(i)) for i in place)}] is {np.asarray(array)[place]}{more}"


def check_weights(agent: Agent, owner: str, when: str) -> None:
    """All weights of a lab's networks are finite, or TrainingError."""
    for network, name, parameter in _parameters(agent):
        if wrong := first_wrong(parameter.array):
            raise TrainingError(f"{owner}'s {network} network {when}: {name}{wrong}", network, name)


def check_outputs(network: str, outputs: Any) -> None:
    """What a network gave for a batch is finite, or TrainingError."""
    if not np.isfinite(outputs).all():
        raise TrainingError(f"the {network} network's output{first_wrong(outputs)}", network)


def check_loss(agent: Agent, loss: float, figures: dict[str, float], again: Callable[[], Tensor], when: str) -> None:
    """A loss is finite and hasn't exploded, or TrainingError.

    ``figures``: its parts, named ".../network" where they are one network's, else the player's;
    ``again``: computes it again, for the diagnosis.
    """
    if np.isfinite(loss) and abs(loss) <= LOSS_LIMIT:
        return
    found = diagnose(_Together(agent), again)
    figure = max(figures, key=lambda name: np.inf if not np.isfinite(figures[name]) else abs(figures[name]))
    network = figure.rpartition("/")[2]
    network = network if network in agent.networks else "player"
    for owner, name, parameter in _parameters(agent):
        if wrong := first_wrong(parameter.array):
            raise TrainingError(f"the loss is {loss:g} {when}: the {owner} network's {name}{wrong}", owner, name)
    name = _suspect(found, network)
    raise TrainingError(f"the loss is {loss:g} {when}: {figure} is {figures[figure]:g}, from the {network} network, "
                        f"whose steepest parameter is {name}{_first(found)}", network, name)


def check_gradients(agent: Agent, again: Callable[[], Tensor], when: str) -> None:
    """All gradients that are there are finite, or TrainingError."""
    for network, name, parameter in _parameters(agent):
        if parameter.grad is not None and (wrong := first_wrong(parameter.grad.array)):
            first = _first(diagnose(_Together(agent), again))
            raise TrainingError(f"a gradient isn't finite {when}, though the loss is: that of the {network} network's "
                                f"{name}{wrong}{first}", network, name)


class _Together:
    """All of an agent's parameters, by "network/name", as :func:`diagnose` asks for them."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent

    def named_parameters(self) -> Iterator[tuple[str, Any]]:
        for network, name, parameter in _parameters(self.agent):
            yield f"{network}/{name}", parameter


def _parameters(agent: Agent) -> Iterator[tuple[str, str, Any]]:
    for network, module in agent.networks.items():
        for name, parameter in module.named_parameters():
            yield network, name, parameter


def _suspect(found: Diagnosis, network: str) -> str:
    """The network's parameter with the steepest gradient (one that isn't finite before all), then the largest."""
    own = [p for p in found.parameters if p.name.startswith(f"{network}/")]

    def steepness(p: Any) -> tuple[float, float]:
        norm = 0.0 if p.grad_norm is None else p.grad_norm
        return (norm if np.isfinite(norm) else np.inf), p.weight_norm

    return max(own, key=steepness).name.partition("/")[2]


def _first(found: Diagnosis) -> str:
    nan = [text for text in found.findings if "NaN" in text]
    return f"; {nan[0]}" if nan else ""
