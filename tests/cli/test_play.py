"""A person in the terminal: whole matches, leaving and coming back, learning from it."""

from __future__ import annotations

import io
import json
import random
import re
import signal
import sys

import pytest

from game.errors import GameError, ReplayError
from learner.home import Home
from learner.ledger.audit import audit


class Person(io.StringIO):
    """Standard input that reads what was shown last: casts updates whenever it can, else picks at random."""

    def __init__(self, seed, shown, most=10_000):
        super().__init__()
        self.random, self.shown, self.left = random.Random(seed), shown, most

    def readline(self, size=-1):
        self.left -= 1
        if self.left < 0:
            return ""
        moves = re.split("What you can do|O que você pode fazer", self.shown())[-1]
        update = re.search(r"(?:play|jogar) (?:Backpropagation|Fine-Tuning|Ajuste Fino) \[\d+\]: (\d+)", moves)
        numbers = [int(n) for n in re.findall(r"(?:^|: |, ) *(\d+) ", moves, re.MULTILINE)]
        last = max(numbers)
        return f"{update[1] if update else self.random.randint(1, max(1, last - (self.random.random() < 0.8)))}\n"


@pytest.fixture
def person(monkeypatch, capsys):
    """Sits somebody down: ``person(seed, most)`` answers ``most`` prompts and then leaves."""
    shown = []

    def sit(seed, most=10_000):
        stream = io.StringIO()
        write = stream.write
        del shown[:]
        stream.write = lambda text: (shown.append(text), write(text))[1]
        monkeypatch.setattr(sys, "stdin", Person(seed, lambda: "".join(shown[-400:]), most))
        monkeypatch.setattr(sys, "stdout", stream)
        return stream

    return sit


def test_whole_matches_are_played_kept_and_learned_from(person, tmp_path):
    from learner.cli.main import main

    home = tmp_path / "home"
    for seed, lang, opponent in ((1, "en", "everything"), (2, "pt-BR", "greedy"), (3, "en", "fresh:5")):
        screen = person(seed)
        assert main(["play", "--text", "--seed", str(seed), "--data-dir", str(home), "--opponent", opponent,
                     "--lang", lang]) == 0
        assert ("The match is kept in" if lang == "en" else "A partida está guardada em") in screen.getvalue()
    report = audit(home)
    assert report.wrong == []
    assert report.matches == 3
    assert report.pending == 0
    assert report.applied == report.entries == report.buffs == report.verdicts["learned"] > 0
    assert len(list((home / "replays").iterdir())) == 3
    assert list((home / "saves").iterdir()) == []


def test_leaving_and_coming_back_changes_nothing(person, tmp_path):
    from learner.cli.main import main

    def replay_of(home, pieces):
        screens, args = "", ["play", "--text", "--seed", "7", "--data-dir", str(home), "--opponent", "everything"]
        stdin = None
        for piece in pieces:
            screen = person(11, piece)
            stdin = sys.stdin if stdin is None else stdin
            stdin.left, stdin.shown = piece, sys.stdin.shown
            sys.stdin = stdin
            assert main(args) == 0
            screens += screen.getvalue()
            args = ["play", "--text", "--data-dir", str(home), "--load"]
        assert "Saved in" in screens or len(pieces) == 1
        return (home / "replays" / "match-0000.json").read_text(), audit(home)

    whole, first = replay_of(tmp_path / "a", [10_000])
    parts, second = replay_of(tmp_path / "b", [5, 9, 10, 10_000])
    assert whole == parts
    assert first.as_dict() == second.as_dict()


def test_one_match_is_open_at_a_time(person, tmp_path, backprop):
    home = tmp_path / "home"
    person(1, 3)
    assert backprop("play", "--text", "--seed", "1", "--data-dir", home).code == 0
    again = backprop("play", "--text", "--seed", "1", "--data-dir", home)
    assert again.code == 2
    assert "--load" in again.err
    other = backprop("play", "--text", "--data-dir", home, "--load", tmp_path / "other.json")
    assert other.code == 2
    person(1, 0)
    assert backprop("play", "--text", "--discard", "--seed", "2", "--data-dir", home).code == 0


def test_a_save_that_was_changed_is_refused(person, tmp_path, backprop):
    home = tmp_path / "home"
    person(4, 12)
    assert backprop("play", "--text", "--seed", "4", "--data-dir", home, "--opponent", "everything").code == 0
    (file,) = (home / "saves").iterdir()
    save = json.loads(file.read_text())
    save["steps"][-1] = 0
    file.write_text(json.dumps(save))
    ran = backprop("play", "--text", "--data-dir", home, "--load")
    assert ran.code == 2
    assert ran.err.count("\n") == 1


def test_verdicts_of_other_networks_are_refused(tmp_path, person, backprop):
    home = tmp_path / "home"
    for seed in range(20):
        screen = person(seed, 25)
        assert backprop("play", "--text", "--discard", "--seed", seed, "--data-dir", home, "--opponent",
                        "everything").code == 0
        learned = re.search(r"^ *Your .* for good \(ledger entry \d+\)", screen.getvalue(), re.MULTILINE)
        if learned and list((home / "saves").iterdir()):
            break
    else:
        pytest.fail("nobody left a match in which a network of their own had learned")
    with Home(home, 0) as opened:
        lab = opened.person().agent
        for family, model in lab.models.items():
            state = {name: array + 0.5 for name, array in model.state_dict().items()}
            with opened.store.transaction():
                opened.store.add_step(1, "you", family, 0.1, [], "", opened.store.add_weights(family, state), [])
        with pytest.raises(ReplayError, match="computed by these networks"):
            opened.resume()


def test_a_folder_serves_one_match_at_a_time(tmp_path):
    with Home(tmp_path / "home", 0), pytest.raises(GameError, match="another match"):
        Home(tmp_path / "home", 0)
    Home(tmp_path / "home", 0).__exit__()


def test_commands_and_mistakes(monkeypatch, tmp_path, backprop):
    lines = ["help", "?", "board", "hand", "card 1", "card backpropagation", "card Momentum", "card zork", "card",
             "log", "0", "9999", "zork", "", "b", "²", "concede"]
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join(lines) + "\n"))
    ran = backprop("play", "--text", "--seed", "1", "--data-dir", tmp_path / "home")
    assert ran.code == 0
    assert ran.err == ""
    for text in ("show your hand with its texts", "There is no card zork", "Which card?", "There is no move 0",
                 "There is no move 9999", "zork? Type the number", "The enemy lab wins: the other lab gave up"):
        assert text in ran.out


@pytest.mark.parametrize("lang", ["en", "pt-BR"])
def test_the_end_of_input_saves(start, tmp_path, lang):
    process = start("play", "--text", "--seed", "1", "--data-dir", tmp_path / "home", "--lang", lang)
    out, err = process.communicate("1\n", timeout=120)
    assert process.returncode == 0
    assert err == ""
    assert str(tmp_path / "home" / "saves" / "match-0000.json") in out
    assert (tmp_path / "home" / "saves" / "match-0000.json").exists()


def test_ctrl_c_saves(start, tmp_path):
    process = start("play", "--text", "--seed", "1", "--data-dir", tmp_path / "home")
    shown = ""
    while not shown.endswith("\n> "):
        shown += process.stdout.read(1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "Traceback" not in out + err
    assert err.count("\n") == 1
    assert (tmp_path / "home" / "saves" / "match-0000.json").exists()


def test_json_keeps_the_talk_off_standard_output(start, tmp_path):
    process = start("play", "--text", "--json", "--seed", "1", "--data-dir", tmp_path / "home")
    out, err = process.communicate("concede\n", timeout=120)
    assert json.loads(out)["outcome"] == {"winner": 1, "reason": "concede"}
    assert "The enemy lab wins" in err
