"""``backprop puzzles``: listing, showing, scoring."""

from __future__ import annotations

import json

import pytest

from game.puzzles.puzzle import KINDS, read_puzzles


def test_list(backprop):
    told = json.loads(backprop("puzzles", "--json").out)["puzzles"]
    assert len(told) == len(read_puzzles())
    assert {puzzle["kind"] for puzzle in told} == set(KINDS)
    assert "Defesa" in backprop("puzzles", "--lang", "pt-BR").out


def test_show(backprop):
    puzzle = read_puzzles()[0]
    shown, solved = backprop("puzzles", puzzle.id), backprop("puzzles", puzzle.id, "--solution")
    assert shown.code == 0
    assert "Your hand" in shown.out or "no cards" in shown.out
    assert solved.out.startswith(shown.out.rstrip("\n"))
    assert len(solved.out) > len(shown.out)
    told = json.loads(backprop("puzzles", puzzle.id, "--json", "--solution").out)
    assert told["moves"] == list(puzzle.moves)
    assert len(told["solution"]) == len(puzzle.moves)
    assert set(told["moves"]) < set(told["legal"])


def test_score(backprop):
    told = json.loads(backprop("puzzles", "--agent", "greedy,random,fresh:1", "--json").out)
    assert set(told["players"]) == {"greedy", "random", "fresh:1"}
    for player in told["players"].values():
        assert set(player) == {"all", *KINDS}
        assert all(0 <= share < 1 for share in player.values())
    again = json.loads(backprop("puzzles", "--agent", "greedy,random,fresh:1", "--json").out)
    assert again == told
    other = json.loads(backprop("puzzles", "--agent", "random", "--repeats", "3", "--json").out)
    assert other["players"]["random"] != told["players"]["random"]


@pytest.mark.parametrize("args", [["chess-1"], ["--agent", "nobody"], ["--agent", "greedy,"],
                                  ["lethal-1", "--agent", "greedy"], ["--file", "none.json"],
                                  ["--repeats", "0"]], ids=" ".join)
def test_bad_input(backprop, args):
    ran = backprop("puzzles", *args)
    assert ran.code == 2
    assert ran.out == ""
    assert ran.err.count("\n") == 1
