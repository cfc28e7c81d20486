"""Puzzles: the search finds what trying everything finds, and every puzzle that ships is proven again."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from game.bots import make_bot
from game.cards import first_set
from game.engine import records as r
from game.errors import GameError
from game.match import Match
from game.puzzles.find import GROUNDS, TEMPTERS, Finder
from game.puzzles.puzzle import KINDS, Goal, keeping, read_puzzles, shipped, write_puzzles
from game.puzzles.solve import answer
from game.puzzles.turn import END, Unproven, material, search, threatened
from game.updates import ScriptedUpdates
from scripts import make_puzzles
from tests.scenarios.scenario import given

CARDS = first_set()
PUZZLES = read_puzzles()
SAMPLE = [next(puzzle for puzzle in PUZZLES if puzzle.kind == kind) for kind in KINDS]


def named(puzzles):
    return pytest.mark.parametrize("puzzle", puzzles, ids=lambda puzzle: puzzle.id)


def proven(puzzle):
    """The keeping moves, by searching the turn again."""
    match = puzzle.match(CARDS)
    turn = search(match.states, CARDS)
    return turn, keeping(turn, puzzle.goal.reached(turn.endings, turn.left, turn.player, CARDS))


# ---- the puzzles that ship ----


def test_there_are_enough_of_every_kind():
    assert len(PUZZLES) >= 60
    assert all(sum(puzzle.kind == kind for puzzle in PUZZLES) >= 5 for kind in KINDS)
    assert len({puzzle.id for puzzle in PUZZLES}) == len(PUZZLES)
    assert len({puzzle.replay.digests[-1] for puzzle in PUZZLES}) > 0.9 * len(PUZZLES)


@named(SAMPLE)
def test_proof(puzzle):
    _, moves = proven(puzzle)
    assert moves == puzzle.moves
    legal = puzzle.match(CARDS).legal_actions()
    assert 0 < len(moves) <= len(legal) / 2


@pytest.mark.slow
@named(PUZZLES)
def test_every_proof(puzzle):
    test_proof(puzzle)


@named([puzzle for puzzle in PUZZLES if puzzle.kind in ("cast", "keep")])
def test_the_card_is_what_matters(puzzle):
    turn, _ = proven(puzzle)
    card, match = CARDS.row("backpropagation"), puzzle.match(CARDS)
    reached = puzzle.goal.reached(turn.endings, turn.left, turn.player, CARDS).astype(int)
    if puzzle.kind == "cast":
        assert turn.values(reached, without=card).max() < 1
        assert turn.values_with(card, reached).max() == 1
    else:
        assert turn.values_with(card, reached).max() < 1
        hand = match.states["labs"]["hand"][0, match.player]
        assert any(hand[move // r.TOKENS] == card for move in match.legal_actions() if move // r.TOKENS < r.HAND)


@named(SAMPLE)
def test_who_missed_it_misses_it(puzzle):
    for name in TEMPTERS:
        assert answer(make_bot(name), puzzle, CARDS).reached == (name not in puzzle.missed)


def test_no_simple_player_solves_all_and_a_right_one_would():
    for name in ("random", "greedy", "everything"):
        solved = sum(answer(make_bot(name), puzzle, CARDS).reached for puzzle in PUZZLES)
        assert solved < len(PUZZLES) / 2

    class Right:
        """Looks the proof up at every decision."""

        name = "right"

        def choose(self, decisions):
            turn = search(decisions._states, CARDS)
            return np.array([keeping(turn, goal.reached(turn.endings, turn.left, turn.player, CARDS))[0]])

    for puzzle in SAMPLE:
        goal = puzzle.goal
        assert answer(Right(), puzzle, CARDS).reached


# ---- the search beside trying everything ----


def brute(match, goal):
    """Whether the goal can be reached from here: every line played out on matches, nothing joined or left out."""
    player, turn = match.player, match.turn
    for action in match.legal_actions():
        after = match.clone()
        after.updates = (ScriptedUpdates(), ScriptedUpdates())
        after.play(action)
        if after.outcome is None and after.turn == turn:
            if brute(after, goal):
                return True
        elif holds(match, after, goal, player):
            return True
    return False


def holds(before, after, goal, player):
    if after.outcome is not None and after.outcome.winner is not None:
        return after.outcome.winner == player
    if after.outcome is not None:
        return goal.name == "draw"
    if goal.name == "material":
        return material(before.states, player)[0] >= goal.amount
    return goal.name in ("hold", "draw") and not beaten(after, player)


def beaten(match, player):
    """Whether the enemy wins by some order of attacks."""
    for action in match.legal_actions():
        if r.HAND <= action // r.TOKENS < r.END_TURN:
            after = match.clone()
            after.play(action)
            if after.outcome is not None and after.outcome.winner == 1 - player:
                return True
            if after.outcome is None and after.player != player and beaten(after, player):
                return True
    return False


def decisions_in(puzzle):
    return sum(len(layer.parent) for layer in proven(puzzle)[0].layers)


def test_trying_everything_says_the_same():
    for puzzle in [puzzle for puzzle in PUZZLES if decisions_in(puzzle) < 250][:12]:
        match, keepers = puzzle.match(CARDS), []
        for action in match.legal_actions():
            after = match.clone()
            after.updates = (ScriptedUpdates(), ScriptedUpdates())
            after.play(action)
            over = after.outcome is not None or after.turn != match.turn
            if holds(match, after, puzzle.goal, match.player) if over else brute(after, puzzle.goal):
                keepers.append(action)
        assert tuple(keepers) == puzzle.moves, puzzle.id


def test_threats_are_attacks_alone():
    lab = given(own={1: "perceptron"}, enemy={1: "dqn 4/4", 2: "dqn 3/3"}, funding=7).end_turn().match
    assert threatened(lab.states, lab.state.player ^ 1, CARDS).tolist() == [True]
    safe = given(own={1: "autoencoder"}, enemy={1: "dqn 4/4", 2: "dqn 3/3"}, funding=7).end_turn().match
    assert threatened(safe.states, safe.state.player ^ 1, CARDS).tolist() == [False]


def test_chance_is_no_proof():
    with pytest.raises(Unproven, match="chance"):
        search(given(hand="data-augmentation").match.states, CARDS)
    with pytest.raises(Unproven, match="chance"):
        search(given(own={1: "perceptron"}, hand="reinforce", deck="").match.states, CARDS)
    assert len(search(given(hand="data-augmentation", deck="").match.states, CARDS).layers) == 2


def test_too_large_a_turn_is_no_proof():
    position = given(own=dict.fromkeys(range(1, 7), "perceptron"), enemy=dict.fromkeys(range(1, 7), "adaline"))
    with pytest.raises(Unproven, match="too many"):
        search(position.match.states, CARDS, most=50)


def test_orders_that_lead_to_the_same_are_one():
    match = given(own={1: "perceptron", 2: "perceptron", 3: "perceptron"}).match
    turn = search(match.states, CARDS)
    assert [len(set(layer.parent.tolist())) for layer in turn.layers] == [1, 3, 3, 1]
    assert turn.values(np.ones(len(turn.endings), int))[END] == 1


def test_the_last_blow_is_found():
    turn = search(given(own={1: "perceptron 2/2", 2: "vgg-16 4/4"}, enemy={3: "autoencoder 0/2"},
                        enemy_funding=4).match.states, CARDS)
    moves = keeping(turn, Goal("win").reached(turn.endings, turn.left, turn.player, CARDS))
    assert moves == ((r.HAND + 0) * r.TOKENS + r.ENEMY_LAB + 3,)  # the weak one clears the way


# ---- finding, and the file ----


@pytest.mark.slow
def test_finding_depends_on_the_seed_alone():
    def some(seed):
        finder = Finder(CARDS, seed, 2)
        for _ in range(4):
            for ground in GROUNDS[:2]:
                finder.play(ground)
        return finder.found

    found = some(5)
    assert found == some(5)
    assert sum(map(len, found.values())) > 1
    assert found != some(6)
    for puzzles in found.values():
        for puzzle in puzzles:
            test_proof(puzzle)


@pytest.mark.slow
def test_the_script_writes_what_it_finds(tmp_path, monkeypatch, capsys):
    out = tmp_path / "new" / "puzzles.json"
    monkeypatch.setattr("sys.argv", ["make_puzzles.py", "--each", "1", "--matches", "12", "--out", str(out)])
    assert make_puzzles.main() in (0, 1)
    found = read_puzzles(out)
    assert found
    assert f"{len(found)} puzzles" in capsys.readouterr().out


def test_file_and_back(tmp_path):
    write_puzzles(tmp_path / "some.json", SAMPLE)
    assert read_puzzles(tmp_path / "some.json") == SAMPLE
    assert read_puzzles(shipped()) == PUZZLES


@pytest.mark.parametrize("change", [
    lambda raw: raw.update(version=2), lambda raw: raw.pop("puzzles"), lambda raw: raw["puzzles"][0].pop("kind"),
    lambda raw: raw["puzzles"][0].update(kind="chess"), lambda raw: raw["puzzles"][0]["goal"].update(name="stalemate"),
    lambda raw: raw["puzzles"][0]["replay"].update(seed=-1), lambda raw: raw["puzzles"][0].update(moves=None)])
def test_a_broken_file_is_told_in_one_line(tmp_path, change):
    path = tmp_path / "some.json"
    write_puzzles(path, SAMPLE[:1])
    raw = json.loads(path.read_text())
    change(raw)
    path.write_text(json.dumps(raw))
    with pytest.raises(GameError, match=r"some\.json: no file of puzzles") as told:
        read_puzzles(path)
    assert "\n" not in str(told.value)


def test_puzzles_of_another_card_set_are_refused():
    other = replace(SAMPLE[0], replay=replace(SAMPLE[0].replay, cards="0" * 16))
    with pytest.raises(GameError, match="make_puzzles"):
        other.match(CARDS)


def test_answers_differ_by_number_alone():
    puzzle = next(puzzle for puzzle in PUZZLES if len(puzzle.match(CARDS).legal_actions()) > 12)
    answers = [answer(make_bot("random"), puzzle, CARDS, number) for number in (0, 0, 1, 2, 3)]
    assert answers[0] == answers[1]
    assert len(set(answers)) > 1
    assert isinstance(puzzle.match(CARDS), Match)
