"""A puzzle: a position, what is to be reached this turn, and the first moves that can still reach it. Their file."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from game.assets import assets
from game.cards import CardSet
from game.engine import records as r
from game.errors import GameError, ReplayError
from game.files import write_atomic
from game.match import Match
from game.puzzles.turn import Turn, threatened
from game.replay import Replay

KINDS = ("lethal", "guard", "trade", "cast", "keep", "race", "double")
"""Win this turn; survive the enemy's attacks; the best exchange; Backpropagation must be cast; it must be kept; decks
are empty; both labs can fall at once."""
GOALS = ("win", "hold", "draw", "material")
FORMAT, VERSION = "backpropagation puzzles", 1


@dataclass(frozen=True)
class Goal:
    """What the turn must end with.

    win: the match is won, at the latest as the next turn begins. hold: it is won, or runs on and the enemy's Models
    can't win it by attacking in their next turn. draw: that, or it is drawn. material: it is won, or the own Models'
    attack and health exceed the enemy's by ``amount`` when the turn is ended.
    """

    name: str
    amount: int = 0

    def reached(self, endings: Any, left: Any, player: int, cards: CardSet) -> Any:
        """Whether each ending of a turn does, bool ``(n,)``; see :class:`~game.puzzles.turn.Turn`."""
        result = endings["result"]
        good = result == player + 1
        if self.name == "material":
            return good | ((result == r.RUNNING) & (left >= self.amount))
        if self.name == "draw":
            good |= result == r.DRAWN
        if self.name in ("hold", "draw"):
            running = np.flatnonzero(result == r.RUNNING)
            good[running] = ~threatened(endings[running], player, cards)
        return good


@dataclass(frozen=True)
class Puzzle:
    """``moves``: the first actions that keep the goal within reach, proven; all other legal ones lose it.

    ``missed``: bots whose turn, played to its end, doesn't reach the goal, as the puzzle was made.
    """

    id: str
    kind: str
    goal: Goal
    moves: tuple[int, ...]
    missed: tuple[str, ...]
    replay: Replay

    def match(self, cards: CardSet) -> Match:
        """The match in the puzzle's position; GameError if cards or rules are no longer those it was made with."""
        try:
            return self.replay.verify(cards)
        except ReplayError as error:
            raise GameError(f"puzzle {self.id}: {error}; make them anew: python scripts/make_puzzles.py") from None


def keeping(turn: Turn, reached: Any) -> tuple[int, ...]:
    """The first actions of a turn from which one of the endings that count is still reached."""
    return tuple(np.flatnonzero(turn.values(reached.astype(np.int64)) == 1).tolist())


def shipped() -> Path:
    """The file of puzzles that ships."""
    return assets() / "puzzles" / "puzzles.json"


def write_puzzles(path: Path, puzzles: list[Puzzle]) -> None:
    """One line a puzzle, so that a change shows which."""
    lines = ",\n".join(json.dumps(asdict(puzzle), separators=(",", ":")) for puzzle in puzzles)
    write_atomic(path, f'{{"format":"{FORMAT}","version":{VERSION},"puzzles":[\n{lines}\n]}}\n')


def read_puzzles(path: Path | None = None) -> list[Puzzle]:
    """All puzzles of a file (by default those that ship); GameError in one line if it is none."""
    path = path or shipped()
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        if raw["format"] != FORMAT or raw["version"] != VERSION:
            raise ValueError(f"this program reads {FORMAT!r}, version {VERSION}")
        return [_puzzle(entry) for entry in raw["puzzles"]]
    except OSError as error:
        raise GameError(f"{path}: can't be read: {error.strerror or error}") from None
    except (ValueError, KeyError, TypeError, GameError) as error:
        raise GameError(f"{path.name}: no file of puzzles: {error}") from None


def _puzzle(raw: dict[str, Any]) -> Puzzle:
    goal = Goal(str(raw["goal"]["name"]), int(raw["goal"]["amount"]))
    if raw["kind"] not in KINDS or goal.name not in GOALS:
        raise ValueError(f"puzzle {raw['id']}: kinds are {', '.join(KINDS)}, goals {', '.join(GOALS)}")
    return Puzzle(str(raw["id"]), raw["kind"], goal, tuple(int(move) for move in raw["moves"]),
                  tuple(str(name) for name in raw["missed"]),
                  Replay.from_json(json.dumps({"format": "backpropagation replay", "version": 1, **raw["replay"]})))
