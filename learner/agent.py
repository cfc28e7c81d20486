"""An agent: one player network and five Model networks, as one file without code in it (safetensors)."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load as from_safetensors
from safetensors.numpy import save as to_safetensors

from game.cards import CardSet, first_set
from game.errors import GameError
from game.files import write_atomic
from learner.nn import Module
from learner.policies import FAMILY_POLICIES, ModelPolicy, PlayerPolicy
from learner.policies.features import FEATURES_VERSION, Encoder

FORMAT = "backpropagation agent"
VERSION = 1
NETWORKS = ("player", *FAMILY_POLICIES)


class Agent:
    """A lab's networks: ``agent.player`` and ``agent.models[family]``; ``agent.networks`` holds all six by name.

    ``seed`` fixes the fresh weights; every lab owns networks, a bot's too. ``temperature`` divides all logits when the
    agent plays: below 1 it prefers what it thinks best more strongly than it did in training, which is at 1.
    """

    temperature = 1.0

    def __init__(self, seed: int, cards: CardSet | None = None, name: str = "fresh") -> None:
        self.cards = cards or first_set()
        self.encoder = Encoder(self.cards)
        self.seed, self.name = seed, name
        self.player = PlayerPolicy(np.random.default_rng([seed, 0]))
        self.models: dict[str, ModelPolicy] = {
            family: policy(np.random.default_rng([seed, number]))
            for number, (family, policy) in enumerate(FAMILY_POLICIES.items(), start=1)}

    @property
    def networks(self) -> dict[str, Module]:
        """All networks by name: player, then the families."""
        return {"player": self.player, **self.models}

    def digest(self, network: str) -> str:
        """16 hexadecimal digits that name a network's weights."""
        return weights_digest(self.networks[network].state_dict())

    def state(self) -> dict[str, Any]:
        """All weights by "network/parameter", copies."""
        return {f"{network}/{key}": array for network, module in self.networks.items()
                for key, array in module.state_dict().items()}

    def load_state(self, state: dict[str, Any]) -> None:
        """Take over weights named as in :meth:`state`; ValueError, and no change, if any doesn't fit."""
        parts: dict[str, dict[str, Any]] = {name: {} for name in NETWORKS}
        for key, array in state.items():
            network, _, parameter = key.partition("/")
            if network not in parts:
                raise ValueError(f"unexpected weights {key!r}; the networks are {', '.join(NETWORKS)}")
            parts[network][parameter] = array
        before = self.state()
        try:
            for name, module in self.networks.items():
                module.load_state_dict(parts[name])
        except ValueError:
            if before is not state:
                self.load_state(before)
            raise

    def copy(self, name: str | None = None) -> Agent:
        """An independent agent with the same weights."""
        other = Agent(self.seed, self.cards, name or self.name)
        other.temperature = self.temperature
        other.load_state(self.state())
        return other

    # ---- files ----

    def to_bytes(self, **notes: Any) -> bytes:
        """The agent as a safetensors file's content; ``notes`` are kept as text beside the weights."""
        header = {"format": FORMAT, "version": VERSION, "features": FEATURES_VERSION, "cards": self.cards.hash,
                  "seed": self.seed, "name": self.name, "temperature": self.temperature, **notes}
        return to_safetensors(self.state(), {"agent": json.dumps(header)})

    def save(self, path: Path | str, **notes: Any) -> None:
        """Write the agent's file, whole or not at all."""
        write_atomic(path, self.to_bytes(**notes))

    @staticmethod
    def from_bytes(data: bytes, cards: CardSet | None = None) -> Agent:
        """An agent from a file's content; GameError if it is no agent, or one of another card set or version."""
        try:
            tensors = from_safetensors(data)
            size = int.from_bytes(data[:8], "little")
            header = json.loads(json.loads(data[8:8 + size])["__metadata__"]["agent"])
        except (SafetensorError, ValueError, KeyError, TypeError) as error:
            raise GameError(f"not an agent's file: {error}") from None
        if not isinstance(header, dict):
            raise GameError("not an agent's file: its header is damaged")
        cards = cards or first_set()
        for field, wanted in (("format", FORMAT), ("version", VERSION), ("features", FEATURES_VERSION),
                              ("cards", cards.hash)):
            if header.get(field) != wanted:
                raise GameError(f"an agent of another {field} ({header.get(field)!r}; this program needs {wanted!r})")
        try:
            agent = Agent(int(header["seed"]), cards, str(header["name"]))
            agent.temperature = check_temperature(header.get("temperature", 1.0))
        except (KeyError, TypeError, ValueError) as error:
            raise GameError(f"an agent without a seed or a name: {error}") from None
        try:
            agent.load_state(tensors)
        except ValueError as error:
            raise GameError(f"its weights don't fit: {' '.join(str(error).split())}") from None
        return agent

    @staticmethod
    def load(path: Path | str, cards: CardSet | None = None) -> Agent:
        """An agent from its file; GameError in one line if it can't be read or doesn't fit."""
        try:
            return Agent.from_bytes(Path(path).read_bytes(), cards)
        except OSError as error:
            raise GameError(f"{path}: can't be read: {error.strerror or error}") from None
        except GameError as error:
            raise GameError(f"{path}: {error}") from None


def check_temperature(value: Any) -> float:
    """The temperature as a float; GameError unless it is a finite number from 0.01 on."""
    try:
        temperature = float(value)
    except (TypeError, ValueError):
        temperature = 0.0
    if not 0.01 <= temperature < float("inf"):
        raise GameError(f"a temperature is a number from 0.01 on, not {value!r}")
    return temperature


def weights_digest(state: dict[str, Any]) -> str:
    """16 hexadecimal digits over the names, shapes and bits of a network's weights."""
    digest = hashlib.sha256()
    for key in sorted(state):
        array = np.ascontiguousarray(state[key])
        digest.update(f"{key}{array.shape}{array.dtype.str}".encode() + array.tobytes())
    return digest.hexdigest()[:16]
