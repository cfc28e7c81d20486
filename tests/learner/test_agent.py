"""Agents' files and ledgers: back bit for bit, or refused in one line."""

from __future__ import annotations

import json
import sqlite3

import numpy as np
import pytest
from safetensors.numpy import load, save

from game.errors import GameError
from learner.agent import Agent
from learner.ledger.store import Store
from learner.rl.measure import find_player


@pytest.fixture(scope="module")
def agent(cards):
    return Agent(50, cards, "mine")


def test_saved_and_loaded_bit_for_bit(agent, tmp_path):
    agent.save(tmp_path / "a.safetensors", rounds=3)
    again = Agent.load(tmp_path / "a.safetensors")
    assert (again.seed, again.name) == (50, "mine")
    mine, theirs = agent.state(), again.state()
    assert mine.keys() == theirs.keys()
    assert all(mine[name].tobytes() == theirs[name].tobytes() and mine[name].dtype == theirs[name].dtype
               for name in mine)
    assert {n: agent.digest(n) for n in agent.networks} == {n: again.digest(n) for n in again.networks}
    again.save(tmp_path / "b.safetensors", rounds=3)
    assert (tmp_path / "a.safetensors").read_bytes() == (tmp_path / "b.safetensors").read_bytes()


def test_a_seed_fixes_the_weights_and_seeds_differ(cards):
    digests = [tuple(Agent(seed, cards).digest(n) for n in ("player", "mlp", "convnet")) for seed in (0, 0, 1)]
    assert digests[0] == digests[1]
    assert all(a != b for a, b in zip(digests[0], digests[2], strict=True))


def test_a_copy_shares_nothing(agent):
    other = agent.copy("other")
    for parameter in other.player.parameters():
        parameter.array[...] = 0
    assert agent.digest("player") != other.digest("player")


def changed(agent, header=None, tensors=None, drop=()):
    data = agent.to_bytes()
    size = int.from_bytes(data[:8], "little")
    meta = json.loads(json.loads(data[8:8 + size])["__metadata__"]["agent"])
    weights = {name: array for name, array in load(data).items() if name not in drop}
    return save({**weights, **(tensors or {})}, {"agent": json.dumps({**meta, **(header or {})})})


BIAS = "mlp/hidden1.bias"
SPOILT = {
    "empty": lambda a: b"", "short": lambda a: a.to_bytes()[:7], "truncated": lambda a: a.to_bytes()[:-100],
    "header cut": lambda a: a.to_bytes()[:200], "nonsense": lambda a: b"nonsense" * 100,
    "json": lambda a: b"{}", "pickle": lambda a: b"\x80\x04K\x01.",
    "no agent": lambda a: save({"x": np.zeros(3, np.float32)}),
    "another format": lambda a: changed(a, {"format": "another"}),
    "another version": lambda a: changed(a, {"version": 99}),
    "another features": lambda a: changed(a, {"features": 99}), "another cards": lambda a: changed(a, {"cards": "0"}),
    "seed": lambda a: changed(a, {"seed": "x"}), "no seed": lambda a: changed(a, {"seed": None}),
    "header a list": lambda a: save({"x": np.zeros(3, np.float32)}, {"agent": "[]"}),
    "missing": lambda a: changed(a, drop=(BIAS,)), "more": lambda a: changed(a, tensors={"mlp/x": np.zeros(3)}),
    "another network": lambda a: changed(a, tensors={"gpt/x": np.zeros(3)}),
    "misshapen": lambda a: changed(a, tensors={BIAS: np.zeros(7, np.float32)}),
}


@pytest.mark.parametrize("kind", SPOILT)
def test_a_spoilt_file_is_refused_in_one_line(agent, tmp_path, kind):
    path = tmp_path / "spoilt.safetensors"
    path.write_bytes(SPOILT[kind](agent))
    with pytest.raises(GameError) as error:
        Agent.load(path)
    assert str(error.value).startswith(str(path))
    assert "\n" not in str(error.value)
    if kind.startswith("another ") and kind != "another network":
        assert kind.removeprefix("another ") in str(error.value)


def test_files_that_cant_be_read(tmp_path):
    for path in (tmp_path, tmp_path / "none.safetensors"):
        with pytest.raises(GameError, match="can't be read"):
            Agent.load(path)


def test_loading_weights_that_dont_fit_changes_nothing(agent):
    other = agent.copy()
    state = agent.state()
    state["transformer/embed.bias"] = np.zeros(1, np.float32)
    state["player/value.bias"] = state["player/value.bias"] + 1
    with pytest.raises(ValueError, match="embed"):
        other.load_state(state)
    assert {n: other.digest(n) for n in other.networks} == {n: agent.digest(n) for n in agent.networks}


# ---- stores --------------------------------------------------------------------------------------


def test_a_store_is_made_once_and_reopened(tmp_path):
    store = Store(tmp_path / "ledger.sqlite", create=True)
    store.set_meta("x", [1, None, "é"])
    store.close()
    with pytest.raises(GameError, match="already exists"):
        Store(tmp_path / "ledger.sqlite", create=True)
    again = Store(tmp_path / "ledger.sqlite")
    assert again.meta("x") == [1, None, "é"]
    assert again.meta("y", 7) == 7
    again.close()


@pytest.mark.parametrize("spoil", [
    lambda path: path.write_bytes(b""), lambda path: path.write_bytes(b"nonsense" * 500),
    lambda path: path.write_bytes(path.read_bytes()[:50]),
    lambda path: _sql(path, "UPDATE meta SET value = '99' WHERE key = 'schema'"),
    lambda path: _sql(path, "UPDATE meta SET value = 'x' WHERE key = 'schema'"),
    lambda path: _sql(path, "DELETE FROM meta"), lambda path: _sql(path, "DROP TABLE meta")])
def test_an_unreadable_store_is_refused_in_one_line(tmp_path, spoil):
    path = tmp_path / "ledger.sqlite"
    Store(path, create=True).close()
    spoil(path)
    with pytest.raises(GameError) as error:
        Store(path)
    assert str(error.value).startswith(str(path))
    assert "\n" not in str(error.value)


def _sql(path, statement):
    db = sqlite3.connect(path)
    with db:
        db.execute(statement)
    db.close()


def test_a_transaction_is_all_or_nothing(tmp_path):
    store = Store(tmp_path / "ledger.sqlite", create=True)

    def half():
        with store.transaction():
            store.set_meta("a", 1)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        half()
    assert store.meta("a") is None
    other = sqlite3.connect(tmp_path / "ledger.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    store._db.execute("PRAGMA busy_timeout = 10")
    with pytest.raises(OSError, match="locked"), store.transaction():
        pass
    other.close()
    with store.transaction():
        store.set_meta("a", 2)
    assert store.meta("a") == 2
    store.close()


def test_a_temperature_is_kept_and_checked(agent, cards, tmp_path):
    cool = agent.copy()
    cool.temperature = 0.4
    cool.save(tmp_path / "cool.safetensors")
    assert Agent.load(tmp_path / "cool.safetensors").temperature == 0.4
    assert cool.copy().temperature == 0.4
    assert agent.temperature == 1.0
    assert find_player(f"{tmp_path / 'cool.safetensors'}@0.5", cards).agent.temperature == 0.5
    assert find_player("fresh:3@0.25", cards).agent.temperature == 0.25
    for wrong in ("fresh@0", "fresh@-1", "fresh@nan", "fresh@inf", "fresh@", "fresh@warm"):
        with pytest.raises(GameError, match="temperature"):
            find_player(wrong, cards)
    with pytest.raises(GameError, match="temperature"):
        Agent.from_bytes(agent.to_bytes(temperature="hot"))
