"""Stopped or killed at any moment, a run goes on as if nothing had happened, to the bit."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from game.errors import GameError
from learner.ledger.store import Store
from learner.rl import season as season_module
from learner.rl.plan import Plan
from learner.rl.rollout import Rollouts
from learner.rl.season import Season

ROOT = Path(__file__).resolve().parents[3]
PLAN = Plan(seed=6, matches=6, past_every=1, past_most=2, past_share=0.5)


def play(path, plan=PLAN, rounds=3, workers=1):
    with Season.create(path, plan, workers) as season:
        for _ in range(rounds):
            season.round()
    return path


def go_on(path, rounds=3):
    with Season.resume(path) as season:
        while season.done < rounds:
            season.round()
    return path


@pytest.fixture(scope="module")
def straight(tmp_path_factory):
    """Three rounds in one go."""
    return play(tmp_path_factory.mktemp("straight") / "run")


def test_the_runs_compared_here_do_learn(straight, contents):
    found = contents(straight)
    assert len(found["entries"]) > 10
    assert len({line["kl/player"] for line in _figures(found)}) == 3
    assert found["metrics"][-1]["league"] == 2


def _figures(found):
    return [{key.removeprefix("agent/"): value for key, value in line.items()} for line in found["metrics"]]


@pytest.mark.parametrize("first", [0, 1, 2])
def test_stopped_and_resumed_equals_never_stopped(tmp_path, straight, contents, first):
    go_on(play(tmp_path / "run", rounds=first))
    assert contents(tmp_path / "run") == contents(straight)


def test_two_labs_resume_too(tmp_path, contents):
    plan = Plan(seed=7, labs=("A", "B"), matches=6)
    play(tmp_path / "one", plan, rounds=2)
    go_on(play(tmp_path / "two", plan, rounds=1), rounds=2)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_a_resume_without_a_round_changes_nothing(tmp_path, contents):
    play(tmp_path / "run", rounds=1)
    before = contents(tmp_path / "run")
    for _ in range(2):
        with Season.resume(tmp_path / "run"):
            pass
    assert contents(tmp_path / "run") == before


def test_neither_workers_nor_places_change_anything(tmp_path, straight, contents):
    play(tmp_path / "two", workers=2)
    assert contents(tmp_path / "two") == contents(straight)
    one = contents(play(tmp_path / "one", rounds=1))
    with Season.create(tmp_path / "few", PLAN) as season:
        season.rollouts = Rollouts(1, places=5)
        season.round()
    assert contents(tmp_path / "few") == one


# ---- what can go wrong within a round -----------------------------------------------------------


class Broken(Exception):
    """The process dies here."""


@pytest.mark.parametrize("where", ["Store.add_match", "Store.add_entries", "Store.add_step", "Store.add_metrics",
                                   "Store.seal", "Season._write_checkpoint", "Season._write_agents",
                                   "apply_entries", "ppo_update", "keep_matches"])
def test_broken_off_anywhere_in_a_round(tmp_path, straight, contents, monkeypatch, where):
    play(tmp_path / "run", rounds=1)
    with Season.resume(tmp_path / "run") as season, monkeypatch.context() as broken:
        owner, _, name = where.rpartition(".")
        holder = {"Store": Store, "Season": Season, "": season_module}[owner]

        def fail(*args, **kwargs):
            raise Broken

        broken.setattr(holder, name, fail)
        with pytest.raises(Broken):
            season.round()
    store = Store(tmp_path / "run" / "ledger.sqlite")
    assert store.meta("round") == (2 if where == "Season._write_agents" else 1)
    assert store.count("matches") == PLAN.matches * store.meta("round")
    store.close()
    go_on(tmp_path / "run")
    assert contents(tmp_path / "run") == contents(straight)


def test_a_full_disk_in_the_database(tmp_path, straight, contents):
    play(tmp_path / "run", rounds=1)
    before = contents(tmp_path / "run")
    with Season.resume(tmp_path / "run") as season:
        season.store._db.execute("PRAGMA max_page_count = 1")  # SQLite makes it as many as there are
        with pytest.raises(OSError, match="full"):
            season.round()
    after = contents(tmp_path / "run")
    assert {key: after[key] for key in before if key != "files"} == {
        key: before[key] for key in before if key != "files"}
    go_on(tmp_path / "run")
    assert contents(tmp_path / "run") == contents(straight)


def test_a_full_disk_for_the_checkpoint(tmp_path, straight, contents, monkeypatch):
    play(tmp_path / "run", rounds=1)
    with Season.resume(tmp_path / "run") as season, monkeypatch.context() as full:
        def refuse(handle):
            raise OSError(28, "No space left on device")

        full.setattr(os, "fsync", refuse)
        with pytest.raises(OSError, match="No space"):
            season.round()
    assert not [path for path in (tmp_path / "run").rglob(".*") if path.is_file()]
    go_on(tmp_path / "run")
    assert contents(tmp_path / "run") == contents(straight)


def test_a_checkpoint_newer_than_the_database_is_ignored(tmp_path, straight, contents):
    play(tmp_path / "run", rounds=1)
    newer = tmp_path / "run" / "checkpoints" / "000002.safetensors"
    newer.write_bytes(b"from a round that was never whole")
    go_on(tmp_path / "run")
    assert contents(tmp_path / "run") == contents(straight)


def test_a_run_that_another_process_works_on(tmp_path):
    with Season.create(tmp_path / "run", PLAN), pytest.raises(GameError, match="another process"):
        Season.resume(tmp_path / "run")
    Season.resume(tmp_path / "run").close()


@pytest.mark.parametrize("spoil", [
    lambda run: (run / "ledger.sqlite").unlink(),
    lambda run: (run / "ledger.sqlite").write_bytes(b"nonsense" * 999),
    lambda run: (run / "checkpoints" / "000001.safetensors").unlink(),
    lambda run: (run / "checkpoints" / "000001.safetensors").write_bytes(b"\x08\0\0\0\0\0\0\0nonsense"),
    lambda run: os.truncate(run / "checkpoints" / "000001.safetensors", 5000),
    lambda run: (run / "checkpoints" / "000001.safetensors").write_bytes((run / "agent.safetensors").read_bytes()),
    lambda run: _meta(run, "cards", '"0123"'), lambda run: _meta(run, "plan", '{"seed": 1}'),
    lambda run: _meta(run, "plan", "nonsense"), lambda run: _meta(run, "plan", "null"),
    lambda run: _meta(run, "schema", "99")])
def test_a_spoilt_run_is_refused_in_one_line(tmp_path, spoil):
    play(tmp_path / "run", rounds=1)
    spoil(tmp_path / "run")
    files = {path: path.read_bytes() for path in (tmp_path / "run").rglob("*.s*")}
    with pytest.raises(GameError) as error:
        Season.resume(tmp_path / "run")
    assert str(tmp_path / "run") in str(error.value)
    assert "\n" not in str(error.value)
    assert {path: path.read_bytes() for path in files} == files


def _meta(run, key, value):
    import sqlite3

    db = sqlite3.connect(run / "ledger.sqlite")
    with db:
        db.execute("UPDATE meta SET value = ? WHERE key = ?", (value, key))
    db.close()


def test_a_beginning_that_fails_leaves_nothing(tmp_path, monkeypatch):
    def fail(*args, **kwargs):
        raise Broken

    monkeypatch.setattr(Season, "_write_agents", fail)
    (tmp_path / "empty").mkdir()
    for path in (tmp_path / "new", tmp_path / "empty"):
        with pytest.raises(Broken):
            Season.create(path, PLAN)
    assert [path.name for path in tmp_path.rglob("*")] == ["empty"]


# ---- kill -9 -------------------------------------------------------------------------------------


def train(path, *more):
    return subprocess.Popen([sys.executable, "-m", "learner.cli.main", "train", "--rounds", "4", "--out", str(path),
                             *more], env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, encoding="utf-8")


def rounds_of(path):
    try:
        store = Store(path / "ledger.sqlite")
    except GameError:
        return None
    done = store.meta("round")
    store.close()
    return done


def kill_and_resume(path, delays, workers):
    """Kill the command after each delay (seconds after it began to play), then let it finish."""
    begin = ["--seed", "6", "--matches", "8", "--workers", workers]
    for delay in delays:
        process = train(path, *(["--resume", "--workers", workers] if rounds_of(path) is not None else begin))
        while process.poll() is None and rounds_of(path) is None:
            time.sleep(0.02)
        time.sleep(delay)
        os.kill(process.pid, signal.SIGKILL) if process.poll() is None else None
        process.communicate()
    done = train(path, "--resume", "--workers", "1")
    error = done.communicate()[1]
    assert done.returncode == 0, error


@pytest.fixture(scope="module")
def four(tmp_path_factory):
    """What ``train --seed 6 --matches 8 --rounds 4`` makes when nobody kills it."""
    return play(tmp_path_factory.mktemp("four") / "run", Plan(seed=6, matches=8), rounds=4)


def test_killed_once(tmp_path, four, contents):
    kill_and_resume(tmp_path / "run", [0.9], "1")
    assert contents(tmp_path / "run") == contents(four)


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["1", "2"])
def test_killed_at_many_moments(tmp_path, four, contents, workers):
    generator = random.Random(int(workers))
    for number in range(4):
        path = tmp_path / f"run{number}"
        kill_and_resume(path, [generator.uniform(0, 4) for _ in range(3)], workers)
        assert contents(path) == contents(four)
