"""Everything that a run needs to go on exactly, as one safetensors file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load as from_safetensors
from safetensors.numpy import save as to_safetensors

from game.errors import GameError
from game.files import write_atomic
from learner.optim import AdamW

VERSION = 1


def write(path: Path, tensors: dict[str, Any], facts: dict[str, Any]) -> None:
    """Write arrays and JSON facts, whole or not at all."""
    header = {"checkpoint": json.dumps({"version": VERSION, **facts})}
    write_atomic(path, to_safetensors({name: np.ascontiguousarray(array) for name, array in tensors.items()}, header))


def read(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Arrays and facts; GameError in one line if the file is missing or damaged."""
    try:
        data = path.read_bytes()
        size = int.from_bytes(data[:8], "little")
        facts = json.loads(json.loads(data[8:8 + size])["__metadata__"]["checkpoint"])
        tensors = from_safetensors(data)
    except OSError as error:
        raise GameError(f"{path}: can't be read: {error.strerror or error}") from None
    except (SafetensorError, ValueError, KeyError, TypeError) as error:
        raise GameError(f"{path}: not a checkpoint: {error}") from None
    if facts.get("version") != VERSION:
        raise GameError(f"{path}: checkpoint version {facts.get('version')!r}; this program reads {VERSION}")
    return tensors, facts


def optimizer_tensors(prefix: str, optimizer: AdamW) -> tuple[dict[str, Any], dict[str, Any]]:
    """An optimizer's state as named arrays and JSON facts."""
    state = optimizer.state_dict()
    tensors = {f"{prefix}/{number}/{slot}": array for number, entry in state["state"].items()
               for slot, array in entry.items() if slot != "step"}
    facts = {"steps": [int(entry["step"]) for entry in state["state"].values()], "groups": state["param_groups"],
             "skipped_steps": state["skipped_steps"]}
    return tensors, facts


def restore_optimizer(prefix: str, optimizer: AdamW, tensors: dict[str, Any], facts: dict[str, Any]) -> None:
    """Take over a state saved by :func:`optimizer_tensors`."""
    state = {number: {"step": step} for number, step in enumerate(facts["steps"])}
    for number, entry in state.items():
        for slot in optimizer.slots:
            entry[slot] = tensors[f"{prefix}/{number}/{slot}"]
    groups = [{**group, "betas": tuple(group["betas"])} for group in facts["groups"]]
    optimizer.load_state_dict({"state": state, "param_groups": groups, "skipped_steps": facts["skipped_steps"]})


def part(tensors: dict[str, Any], prefix: str) -> dict[str, Any]:
    """The arrays whose names begin with a prefix, without it."""
    return {name[len(prefix):]: array for name, array in tensors.items() if name.startswith(prefix)}
