"""What a lesson gives back, and where lessons are found."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from game.errors import GameError
from learner.finding import named_modules


@dataclass(frozen=True)
class Table:
    """Rows of numbers and words under named columns."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]


@dataclass(frozen=True)
class Picture:
    """An SVG document; ``name`` tells it from its lesson's others, in letters that a file's name may have."""

    name: str
    svg: str


@dataclass(frozen=True)
class Lesson:
    """What one run found. Each sentence says what the run shows, in numbers of that run."""

    tables: Sequence[Table]
    pictures: Sequence[Picture]
    sentences: Sequence[str]


def joined(parts: Sequence[Lesson]) -> Lesson:
    """Several experiments as one lesson, in their order."""
    return Lesson([table for part in parts for table in part.tables],
                  [picture for part in parts for picture in part.pictures],
                  [sentence for part in parts for sentence in part.sentences])


class Progress(Protocol):
    """Hears how far a run is."""

    def advance(self, steps: float = 1, note: str = "") -> None:
        """``steps`` more are done."""


class Part(Protocol):
    """A file with one experiment of a lesson."""

    def run(self, seed: int) -> Lesson:
        """The experiment."""


def run_parts(parts: Mapping[str, Part], seed: int, progress: Progress) -> Lesson:
    """The parts' experiments as one lesson, a step of the run each; ``parts`` by the names that progress tells."""
    found = []
    for name, part in parts.items():
        found.append(part.run(seed))
        progress.advance(1, name)
    return joined(found)


class LessonModule(Protocol):
    """A lesson's file: its name, what it is about, how many steps its run reports, and the run."""

    NAME: str
    HELP: str
    STEPS: int

    def run(self, seed: int, progress: Progress) -> Lesson:
        """The whole experiment; equal seeds give equal results, but for times."""


@functools.cache
def lessons() -> dict[str, tuple[str, str]]:
    """Name → (module, help) of every lesson, found by reading the files beside this one."""
    return named_modules(Path(__file__).parent, __package__ or "learner.lessons")


def find_lesson(name: str) -> LessonModule:
    """The lesson of that name in small or capital letters; GameError if there is none."""
    if name.upper() not in lessons():
        raise GameError(f"lesson {name}: there is none of that name; there are {', '.join(lessons())}")
    return importlib.import_module(lessons()[name.upper()][0])
