"""How the commands that run experiments (lesson, history, compare) tell what they found."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from game.errors import GameError
from game.files import write_atomic
from learner.cli import arguments
from learner.cli.output import Output, Progress
from learner.cli.page import parts_of, write_page
from learner.lessons.lesson import Lesson

FOLDER = Path("runs") / "lessons"
"""Where pictures go unless somebody chose, in the current folder."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Seed, where pictures go, which page gets the results."""
    arguments.add_seed(parser)
    parser.add_argument("--output", type=Path, metavar="DIR",
                        help=f"folder for the pictures, made if it isn't there (default: {FOLDER}, or the page's)")
    parser.add_argument("--page", type=Path, metavar="FILE",
                        help="also write the results into this page, between its two marks")


@dataclass(frozen=True)
class Telling:
    """An experiment being told: checked before it runs, printed and saved when it has."""

    out: Output
    name: str
    command: str
    folder: Path
    page: Path | None

    @classmethod
    def of(cls, args: argparse.Namespace, name: str, command: str) -> Telling:
        """Where everything will go; GameError if that can't be."""
        if args.page is not None:
            parts_of(args.page)
        folder = args.output or (args.page.parent if args.page else FOLDER)
        there = next(path for path in (folder, *folder.parents) if path.exists())
        if not there.is_dir():
            raise GameError(f"--output {folder}: is {'' if there == folder else 'below '}a file; name a folder")
        return cls(Output(args.json), name.lower(), f"backprop {command} --seed {args.seed}", folder, args.page)

    @contextlib.contextmanager
    def progress(self, steps: int) -> Iterator[Progress]:
        """A bar over the run's steps."""
        with self.out.progress(self.name, steps, "steps") as progress:
            yield progress

    def tell(self, lesson: Lesson, **more: Any) -> None:
        """Tables, sentences, and where the pictures are; ``more`` stands in the JSON document besides."""
        self.folder.mkdir(parents=True, exist_ok=True)
        files = {picture.name: self.folder / f"{self.name}-{picture.name}.svg" for picture in lesson.pictures}
        for picture in lesson.pictures:
            write_atomic(files[picture.name], picture.svg)
        if self.page is not None:
            write_page(self.page, self.command, lesson, files)
        for table in lesson.tables:
            self.out.table(table.title, table.columns, table.rows)
            self.out.say()
        for sentence in lesson.sentences:
            self.out.say(sentence)
        for file in files.values():
            self.out.say(f"picture: {file}")
        self.out.result({
            "name": self.name, "sentences": list(lesson.sentences),
            "pictures": {name: str(file) for name, file in files.items()},
            "tables": [{"title": table.title,
                        "rows": [dict(zip(table.columns, row, strict=True)) for row in table.rows]}
                       for table in lesson.tables], **more})
