"""Work that takes time, done elsewhere: the window asks, goes on drawing, and collects the answers.

The work itself (opponents, gradients, training, saving) is a :data:`Handler` that the command
hands in; nothing here knows what it does. It runs in a spawned process that imports no pygame,
ends when the window's end of the pipe is gone, and is never waited for.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, NamedTuple, Protocol

Handler = Callable[[str, dict[str, Any]], Any]
"""``handler(job, values)`` does a job and returns what the window is told."""


class Answer(NamedTuple):
    """What came of a job: its value, or in ``error`` one line that says why there is none."""

    ticket: int
    job: str
    value: Any
    error: str
    trace: str = ""


class Service(Protocol):
    """Does jobs in the order in which they are asked for."""

    def ask(self, job: str, **values: Any) -> int:
        """Hand in a job; returns its ticket."""

    def answers(self) -> list[Answer]:
        """What has been done since the last call; never waits."""

    def close(self) -> None:
        """No more jobs; those handed in are still done."""


class ProcessService:
    """A service in a process of its own. ``target(connection, *args)`` must call :func:`serve`."""

    def __init__(self, target: Callable[..., None], *args: Any) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, other = context.Pipe()
        self._process = context.Process(target=target, args=(other, *args), daemon=False)
        self._process.start()
        other.close()
        self._tickets = 0
        self._gone = False

    def ask(self, job: str, **values: Any) -> int:
        """See :class:`Service`."""
        self._tickets += 1
        with contextlib.suppress(OSError):
            self._pipe.send((self._tickets, job, values))
        return self._tickets

    def answers(self) -> list[Answer]:
        """See :class:`Service`."""
        found: list[Answer] = []
        try:
            while not self._gone and self._pipe.poll():
                found.append(Answer(*self._pipe.recv()))
        except (EOFError, OSError):
            self._gone = True
            found.append(Answer(0, "", None, "the process that plays and learns has ended"))
        return found

    def close(self) -> None:
        """See :class:`Service`; waits a few seconds for what is under way."""
        with contextlib.suppress(OSError):
            self._pipe.send(None)
        self._process.join(10)
        if self._process.is_alive():
            self._process.terminate()
            self._process.join(2)
        self._pipe.close()


class LocalService:
    """A service without a process, for tests: jobs are done when the answers are collected."""

    def __init__(self, handler: Handler) -> None:
        self.handler = handler
        self._waiting: list[tuple[int, str, dict[str, Any]]] = []
        self._tickets = 0

    def ask(self, job: str, **values: Any) -> int:
        """See :class:`Service`."""
        self._tickets += 1
        self._waiting.append((self._tickets, job, values))
        return self._tickets

    def answers(self) -> list[Answer]:
        """See :class:`Service`."""
        waiting, self._waiting = self._waiting, []
        return [Answer(*_do(self.handler, *job)) for job in waiting]

    def close(self) -> None:
        """See :class:`Service`."""
        self.answers()


def serve(pipe: Connection, handler: Handler) -> None:
    """The process's side: do jobs until the other end says so or is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # the window gets it, too, and tells us when to end
    with contextlib.suppress(EOFError, OSError):
        while (request := pipe.recv()) is not None:
            pipe.send(_do(handler, *request))


def _do(handler: Handler, ticket: int, job: str, values: dict[str, Any]) -> tuple[int, str, Any, str, str]:
    try:
        return (ticket, job, handler(job, values), "", "")
    except Exception as error:
        return (ticket, job, None, " ".join(str(error).split()) or type(error).__name__, traceback.format_exc())
