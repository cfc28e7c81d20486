"""All printing of the commands: tables for people, one JSON document for machines, progress, stopping.

Results go to standard output, everything else to standard error.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from types import FrameType
from typing import Any, TextIO

PLAIN_EVERY = 10.0
"""Seconds between two lines of progress where there is no terminal."""


class Stopped(Exception):
    """The user ended the work early and what was to be kept is kept; the text says what and where."""


class Output:
    """What a command says. With ``as_json`` people's lines are dropped and :meth:`result` prints."""

    def __init__(self, as_json: bool = False) -> None:
        self.as_json = as_json
        self._printed = False

    def say(self, text: str = "") -> None:
        """A line for people, part of the result."""
        if not self.as_json:
            print(text)

    def note(self, text: str) -> None:
        """A remark on the way, on standard error."""
        print(text, file=sys.stderr, flush=True)

    def table(self, title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        """A table for people. Columns in which every cell is a number stand to the right."""
        if self.as_json:
            return
        from rich.box import SIMPLE_HEAD
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        table = Table(title=title or None, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
        for place, column in enumerate(columns):
            values = [row[place] for row in rows]
            right = bool(values) and all(isinstance(value, (int, float)) or value is None for value in values)
            table.add_column(column, justify="right" if right else "left", overflow="fold")
        for row in rows:
            table.add_row(*[Text(cell(value)) for value in row])
        # Off a terminal a row stays one line, however long: half a row is hard to search.
        console = Console(width=None if sys.stdout.isatty() else 1000, highlight=False)
        with console.capture() as captured:
            console.print(table)
        print("\n".join(line.rstrip() for line in captured.get().strip("\n").splitlines()))

    def result(self, document: dict[str, Any]) -> None:
        """The one JSON document of ``--json``; NumPy numbers are welcome, NaN and infinity become null."""
        if not self.as_json:
            return
        assert not self._printed, "a command prints one document"
        self._printed = True
        print(json.dumps(_plain(document), ensure_ascii=False, allow_nan=False, indent=2))

    @contextlib.contextmanager
    def progress(self, label: str, total: float | None = None, unit: str = "") -> Iterator[Progress]:
        """A bar on a terminal; elsewhere a line every ten seconds. ``total`` None: the end isn't known."""
        if sys.stderr.isatty():
            with _bar(label, total, unit) as bar:
                yield bar
        else:
            yield _Lines(label, total, unit)


class Progress:
    """How far a piece of work is."""

    def advance(self, steps: float = 1, note: str = "") -> None:
        """``steps`` more are done; ``note`` stands behind the bar until the next one."""

    def show(self, lines: Sequence[str]) -> None:
        """Figures under the bar, until others are shown; off a terminal at most every ten seconds."""


class _Lines(Progress):
    def __init__(self, label: str, total: float | None, unit: str) -> None:
        self.label, self.total, self.unit = label, total, unit
        self.done, self.last, self.shown = 0.0, time.monotonic(), -math.inf

    def show(self, lines: Sequence[str]) -> None:
        now = time.monotonic()
        if now - self.shown >= PLAIN_EVERY:
            self.shown = now
            print("\n".join(lines), file=sys.stderr, flush=True)

    def advance(self, steps: float = 1, note: str = "") -> None:
        self.done += steps
        now = time.monotonic()
        if now - self.last >= PLAIN_EVERY:
            self.last = now
            of = f" of {self.total:g}" if self.total is not None else ""
            parts = [f"{self.label}: {self.done:g}{of} {self.unit}".rstrip(), note]
            print(", ".join(part for part in parts if part), file=sys.stderr, flush=True)


@contextlib.contextmanager
def _bar(label: str, total: float | None, unit: str) -> Iterator[Progress]:
    from rich.console import Console, RenderableType
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Rich
    from rich.text import Text

    columns = [TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[figure]}"), TimeElapsedColumn(),
               *([TimeRemainingColumn()] if total is not None else []), TextColumn("{task.fields[note]}")]
    figures: list[str] = []

    class WithFigures(Rich):
        def get_renderables(self) -> Iterator[RenderableType]:
            yield from super().get_renderables()
            if figures:
                yield Text("\n".join(figures))

    with WithFigures(*columns, console=Console(stderr=True), transient=True) as rich:
        task = rich.add_task(label, total=total, figure="", note="")

        class Bar(Progress):
            done = 0.0

            def show(self, lines: Sequence[str]) -> None:
                figures[:] = lines
                rich.refresh()

            def advance(self, steps: float = 1, note: str = "") -> None:
                self.done += steps
                figure = f"{self.done:g}" + (f"/{total:g}" if total is not None else "") + (f" {unit}" if unit else "")
                rich.update(task, completed=self.done, figure=figure, note=note)

        bar = Bar()
        bar.advance(0)
        yield bar


# ---- stopping ------------------------------------------------------------------------------------


class Stop:
    """Whether the user has asked for the end."""

    requested = False


@contextlib.contextmanager
def stoppable() -> Iterator[Stop]:
    """Ctrl-C (or a termination signal) sets ``requested`` so that work can end at a good place.

    A second Ctrl-C ends at once with KeyboardInterrupt. Off the main thread, where signals can't
    be caught, nothing changes.
    """
    stop = Stop()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return

    def ask(number: int, frame: FrameType | None) -> None:
        if stop.requested:
            raise KeyboardInterrupt
        stop.requested = True
        # print() isn't safe inside a signal handler: it may interrupt another print.
        os.write(2, b"stopping at the next good place; Ctrl-C again ends at once\n")

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


# ---- details -------------------------------------------------------------------------------------


def use_utf8() -> None:
    """Texts here aren't ASCII: pipes and files get UTF-8 on every system, and no character ends a command."""
    stream: TextIO
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            if stream.isatty() or "PYTHONIOENCODING" in os.environ:
                stream.reconfigure(errors="replace")
            else:
                stream.reconfigure(encoding="utf-8", errors="replace")
    if not sys.stdin.isatty() and "PYTHONIOENCODING" not in os.environ and hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(encoding="utf-8", errors="replace")


def cell(value: Any) -> str:
    """A value as tables show it."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return str(value)


def _plain(value: Any) -> Any:
    """Containers and numbers as JSON has them."""
    if isinstance(value, dict):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value
