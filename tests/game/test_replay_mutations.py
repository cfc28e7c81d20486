"""Damaged replays, by the thousand: whatever is wrong with one, it is a ReplayError in one line or still true."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from game.errors import ReplayError
from game.replay import Replay
from tests.game.matches import compiled_only, finished

ODD: list[Any] = [None, True, False, 0, 1, -1, 2, 1.5, 1e308, 10**30, 2**31, 2**64, "", "x", "learned", "concede",
                  "\ud800",
                  "a\nb", [], {}, [1], ["concede", 0], ["learned", 0, ""], {"perceptron": 1}, "\x00", 237, 224]


def places(raw: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all values in a JSON tree."""
    found = [path] if path else []
    if isinstance(raw, dict):
        for key in raw:
            found += places(raw[key], (*path, key))
    elif isinstance(raw, list):
        for index in range(len(raw)):
            found += places(raw[index], (*path, index))
    return found


def mutated(text: str, chance: np.random.Generator) -> str:
    """The text with one to three random changes: in its tree, or in its characters."""
    if chance.random() < 0.3:
        for _ in range(chance.integers(1, 4)):
            at, kind = int(chance.integers(len(text))), chance.integers(4)
            piece = "" if kind == 0 else chr(int(chance.integers(32, 127))) if kind < 3 else text[at:at + 20] * 2
            text = text[:at] + piece + text[at + 1:]
        return text if chance.random() < 0.9 else text[:int(chance.integers(len(text)))]
    raw = json.loads(text)
    for _ in range(chance.integers(1, 4)):
        paths = places(raw)
        if not paths:
            break
        path = paths[int(chance.integers(len(paths)))]
        parent = raw
        for key in path[:-1]:
            parent = parent[key]
        kind = chance.integers(5)
        if kind == 0:
            del parent[path[-1]]
        elif kind == 1 and isinstance(parent, list):
            parent.insert(path[-1], parent[int(chance.integers(len(parent)))])
        elif kind == 2 and isinstance(parent, dict):
            parent[str(chance.choice(["x", "steps", "perceptron", "a\nb"]))] = parent[path[-1]]
        elif kind == 3 and isinstance(parent[path[-1]], int):
            parent[path[-1]] += int(chance.integers(-3, 4))
        else:
            parent[path[-1]] = ODD[int(chance.integers(len(ODD)))]
    return json.dumps(raw)


def outcomes(seed: int, count: int) -> tuple[int, int]:
    """How many mutations were refused, and how many were still true."""
    chance = np.random.default_rng(seed)
    texts = [Replay.of(finished(each)).to_json() for each in range(300, 304)]
    messages, true = [], 0
    for _ in range(count):
        text = mutated(texts[int(chance.integers(len(texts)))], chance)
        try:
            Replay.from_json(text).verify()
            true += 1
        except ReplayError as error:
            messages.append(str(error))
    for message in messages:
        assert message
        assert message.isprintable(), repr(message)
        assert len(message) < 400
    return len(messages), true


@compiled_only
def test_two_thousand_mutations() -> None:
    refused, true = outcomes(1, 2000)
    assert refused > 1700
    assert refused + true == 2000


@compiled_only
@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(2, 52))
def test_a_hundred_thousand_mutations(seed: int) -> None:
    assert sum(outcomes(seed, 2000)) == 2000
