"""What all commands have in common: help, JSON, errors in one line, exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from game.errors import GameError
from game.match import Match
from game.updates import ScriptedUpdates
from learner.cli import cards as cards_command
from learner.cli.main import commands, main
from learner.cli.output import Stopped
from learner.finding import constants_of

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def replay(tmp_path):
    """A finished match's file."""
    match = Match(("1986", "vision"), 3, updates=ScriptedUpdates())
    while match.outcome is None:
        legal = match.legal_actions()
        match.play(legal[(7 * len(legal)) // 11] if len(legal) > 1 else legal[0])
    match.save(tmp_path / "replay.json")
    return tmp_path / "replay.json"


def test_the_commands_are_there():
    assert {"cards", "decks", "replay", "bench", "play", "selfplay", "train", "ladder", "audit"} <= set(commands())


@pytest.mark.parametrize("name", sorted(commands()))
def test_help(backprop, name):
    ran = backprop(name, "--help")
    assert ran.code == 0
    assert ran.err == ""
    assert ran.out.startswith(f"usage: backprop {name}")
    assert "--json" in ran.out


def test_help_lists_every_command_and_imports_none_of_them():
    program = ("import sys; from learner.cli.main import main; main(['--help']); "
               "sys.exit(any(m in sys.modules for m in ('numpy', 'numba', 'rich')))")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False,
                          env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert done.returncode == 0
    assert all(name in done.stdout for name in commands())


def test_a_command_is_a_file_with_two_strings(tmp_path):
    (tmp_path / "new.py").write_text('"""Doc."""\nimport no_such_module\nNAME = "new"\nHELP = "helps"\nN = 3\n')
    assert constants_of(tmp_path / "new.py") == {"NAME": "new", "HELP": "helps"}


def test_threads_are_held_to_one_unless_somebody_chose():
    program = ("import os; from learner.cli.main import THREAD_SETTINGS, main; main(['--version']); "
               "print([os.environ[name] for name in THREAD_SETTINGS])")
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    environment |= {"PYTHONPATH": str(ROOT), "MKL_NUM_THREADS": "7"}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.splitlines()[-1] == "['1', '7', '1', '1']"


@pytest.mark.parametrize("args", [
    ["cards"], ["cards", "backpropagation"], ["cards", "--family", "convnet", "--lang", "pt-BR"], ["decks"],
    ["decks", "1986"], ["bench", "engine", "--seconds", "0.001", "--repeats", "1"]], ids=" ".join)
def test_json_is_one_document_and_nothing_else(backprop, args):
    ran = backprop(*args, "--json")
    assert ran.code == 0
    assert isinstance(json.loads(ran.out), dict)
    assert backprop(*args).out.strip()


def test_replay_is_told_and_verified(backprop, replay):
    told = backprop("replay", replay)
    assert told.code == 0
    assert "Turn 2: lab" in told.out
    assert "true." in told.out.splitlines()[-1]
    verified = json.loads(backprop("replay", replay, "--verify", "--json").out)
    assert verified["verified"]
    assert "lines" not in verified
    assert json.loads(backprop("replay", replay, "--json").out)["lines"]


def test_cards_and_decks_of_ones_own(backprop, tmp_path):
    drop_in = ROOT / "tests" / "data" / "drop-in.toml"
    assert backprop("cards", "--check", drop_in).code == 0
    assert json.loads(backprop("cards", "--check", drop_in, "--json").out)["cards"]
    deck = tmp_path / "mine.toml"
    deck.write_bytes((ROOT / "assets" / "decks" / "1986.toml").read_bytes())
    assert "a legal deck, 30 cards" in backprop("decks", "--check", deck).out


BAD = [
    ["--nonsense"], ["nonsense"], ["cards", "bakcpropagation"], ["cards", "--family", "x"],
    ["cards", "--lang", "xx"], ["cards", "--check", "{}/none.toml"], ["cards", "--check", "{}/broken.toml"],
    ["cards", "--cards", "{}/broken.toml"], ["decks", "nope"], ["decks", "--check", "{}/none.toml"],
    ["decks", "--check", "{}/31.toml"], ["decks", "--check", "{}/three.toml"], ["replay"],
    ["replay", "{}/none.json"], ["replay", "{}/broken.toml"], ["replay", "{}"], ["bench", "nonsense"],
    ["bench", "engine", "--repeats", "0"], ["bench", "engine", "--seconds", "nan"],
    ["bench", "engine", "--seed", "-1"], ["play", "--size", "1x1"],
    ["play", "--text", "--deck", "nope", "--data-dir", "{}/home"],
    ["play", "--text", "--opponent", "nope", "--data-dir", "{}/home"],
    ["play", "--text", "--load", "--data-dir", "{}/home"], ["play", "--text", "--seed", "1.5"],
    ["play", "--text", "--data-dir", "{}/broken.toml"], ["play", "--text", "--load", "x", "--discard"],
]


@pytest.mark.parametrize("args", BAD, ids=" ".join)
def test_bad_input_is_one_line_and_code_2(backprop, tmp_path, args):
    (tmp_path / "broken.toml").write_text("not = [toml")
    deck = (ROOT / "assets" / "decks" / "1986.toml").read_text(encoding="utf-8")
    (tmp_path / "31.toml").write_text(deck + "momentum = 1\n")
    (tmp_path / "three.toml").write_text(deck.replace("dqn = 2", "dqn = 3").replace("gan = 2", "gan = 1"))
    before = sorted(tmp_path.rglob("*"))
    ran = backprop(*[arg.format(tmp_path) for arg in args])
    assert ran.code == 2
    assert ran.out == ""
    assert ran.err.count("\n") == 1
    assert ran.err.startswith("backprop")
    assert "Traceback" not in ran.err
    assert sorted(tmp_path.rglob("*")) == before


def test_no_command_shows_the_help(backprop):
    ran = backprop()
    assert ran.code == 0
    assert ran.out.startswith("usage: backprop")


@pytest.mark.parametrize(("error", "code", "line"), [
    (GameError("two\nlines"), 2, "backprop: two lines\n"),
    (OSError(28, "No space left on device", "/disk/file"), 2, "backprop: /disk/file: No space left on device\n"),
    (Stopped("kept in runs/1"), 130, "backprop: kept in runs/1\n"),
    (KeyboardInterrupt(), 130, "backprop: stopped\n"),
])
def test_what_leaves_a_command(backprop, monkeypatch, error, code, line):
    monkeypatch.setattr(cards_command, "run", lambda args: (_ for _ in ()).throw(error))
    assert backprop("cards") == (code, "", line)


@pytest.mark.parametrize("error", [ValueError("ours"), RuntimeError("ours"), AssertionError("ours")])
def test_faults_of_ours_keep_their_traceback(monkeypatch, error):
    monkeypatch.setattr(cards_command, "run", lambda args: (_ for _ in ()).throw(error))
    with pytest.raises(type(error), match="ours"):
        main(["cards"])


def test_a_reader_that_leaves_is_no_error(start):
    process = start("cards", "--json")
    process.stdout.read(10)
    process.stdout.close()
    process.stdin.close()
    assert process.wait(60) in (0, 141)
    assert process.stderr.read() == ""
    process.stderr.close()
