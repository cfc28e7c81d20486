"""Writes what a run found into a page, between two marks; all around them is written by hand."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from game.errors import GameError
from game.files import write_atomic
from learner.cli.output import cell
from learner.lessons.lesson import Lesson, Table

BEGIN = "<!-- from the run: -->"
END = "<!-- end of the run -->"


def parts_of(page: Path) -> tuple[str, str, str]:
    """A page's text before its marks, between and behind them; GameError unless each mark is there once, in order."""
    if not page.is_file():
        raise GameError(f"{page}: there is no such page; write one with the lines '{BEGIN}' and '{END}'")
    words = page.read_text(encoding="utf-8")
    if words.count(BEGIN) != 1 or words.count(END) != 1 or words.index(BEGIN) > words.index(END):
        raise GameError(f"{page}: needs the line '{BEGIN}' and behind it '{END}', each once")
    before, rest = words.split(BEGIN)
    between, behind = rest.split(END)
    return before, between, behind


def write_page(page: Path, command: str, lesson: Lesson, pictures: Mapping[str, Path]) -> None:
    """Put a run's sentences, pictures (name → file) and tables between the page's marks."""
    before, _, behind = parts_of(page)
    links = {name: Path(os.path.relpath(file, page.parent)).as_posix() for name, file in pictures.items()}
    told = [f"What `{command}` found:", "\n".join(f"- {sentence}" for sentence in lesson.sentences),
            *(f"![{name}]({link})" for name, link in links.items()), *map(markdown, lesson.tables)]
    write_atomic(page, before + BEGIN + "\n\n" + "\n\n".join(told) + "\n\n" + END + behind)


def markdown(table: Table) -> str:
    """A table in Markdown, its title above it."""
    rows = [[cell(value).replace("|", "\\|") for value in row] for row in (table.columns, *table.rows)]
    rows.insert(1, ["---"] * len(table.columns))
    return f"**{table.title}**\n\n" + "\n".join(f"| {' | '.join(row)} |" for row in rows)
