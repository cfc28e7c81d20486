"""A player's answer to a puzzle: it plays the turn to its end, and what it has reached counts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from game.bots.protocol import Player
from game.bots.single import decide
from game.cards import CardSet
from game.match import Match
from game.puzzles.puzzle import Goal, Puzzle
from game.puzzles.turn import END, material
from game.updates import ScriptedUpdates


@dataclass(frozen=True)
class Answer:
    """The actions that a player took, and whether they reached the goal."""

    moves: tuple[int, ...]
    reached: bool


def play_turn(player: Player, match: Match, goal: Goal, number: int = 0) -> Answer:
    """Let a player play the rest of the turn; ``match`` is changed. Updates that it asks for are learned.

    ``number`` tells several answers of one player apart: it changes the random words that it decides with.
    """
    seat, turn, moves = match.player, match.turn, []
    match.updates = (ScriptedUpdates(), ScriptedUpdates())
    match.seed = (match.seed + number) % 2**64  # read by the random words alone, once cards are dealt
    while match.outcome is None and match.turn == turn:
        left = material(match.states, seat)
        moves.append(decide(player, match, number))
        match.play(moves[-1])
    if match.outcome is not None or moves[-1] != END:  # no turn's end was chosen: what is there now counts
        left = material(match.states, seat)
    reached = goal.reached(match.states.copy(), np.asarray(left), seat, match.cards)
    return Answer(tuple(moves), bool(reached[0]))


def answer(player: Player, puzzle: Puzzle, cards: CardSet, number: int = 0) -> Answer:
    """A player's answer to a puzzle."""
    return play_turn(player, puzzle.match(cards), puzzle.goal, number)
