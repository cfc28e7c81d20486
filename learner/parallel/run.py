"""Starting a group of processes, and ending it: with a result of each, or with none of them left."""

from __future__ import annotations

import multiprocessing
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from typing import Any

from learner.parallel.group import Group
from learner.processes import become_worker, interrupts_held


class ProcessFailed(RuntimeError):
    """A process of a group raised an error, whose traceback is in the text, or ended without a word."""


def run(function: Callable[..., Any], size: int, *arguments: Any) -> list[Any]:
    """``function(group, *arguments)`` in `size` processes; their results, by rank.

    The function must be importable, since processes are spawned (as macOS and Windows do anyway), and arguments and
    results must pickle. If one process fails the others are ended at once and ProcessFailed is raised; the same goes
    for Ctrl-C, with KeyboardInterrupt.
    """
    context = multiprocessing.get_context("spawn")
    ends: list[dict[int, Connection]] = [{} for _ in range(size)]
    for a in range(size):
        for b in range(a):
            ends[a][b], ends[b][a] = context.Pipe()
    reports, processes = [], []
    try:
        for rank in range(size):
            report, own = context.Pipe(duplex=False)
            reports.append(report)
            process = context.Process(target=_serve, args=(own, rank, size, ends[rank], function, arguments),
                                      daemon=True)
            with interrupts_held():
                process.start()
                processes.append(process)
            for end in (own, *ends[rank].values()):
                end.close()  # the child's alone now, so that its end is noticed
        return _results(reports)
    finally:
        for process in processes:
            process.kill()  # nothing happens to one that is done
            process.join()
            process.close()
        for connection in (*reports, *(end for own in ends for end in own.values())):
            connection.close()


def _results(reports: list[Connection]) -> list[Any]:
    """Each process's result, or ProcessFailed with the first failure."""
    found: dict[int, Any] = {}
    while len(found) < len(reports):
        for ready in wait([report for rank, report in enumerate(reports) if rank not in found]):
            rank = next(r for r, report in enumerate(reports) if report is ready)
            try:
                failure, result = reports[rank].recv()
            except EOFError:
                raise ProcessFailed(f"process {rank} of {len(reports)} ended without a result") from None
            if failure:
                raise ProcessFailed(f"process {rank} of {len(reports)} failed:\n{failure}")
            found[rank] = result
    return [found[rank] for rank in range(len(reports))]


def _serve(report: Connection, rank: int, size: int, peers: dict[int, Connection], function: Callable[..., Any],
           arguments: tuple[Any, ...]) -> None:
    """A process's life."""
    become_worker()
    try:
        report.send(("", function(Group(rank, size, peers), *arguments)))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return  # another process is gone; the parent hears of that from the first one
    except Exception:
        report.send((traceback.format_exc(), None))
    # Leaving closes the pipes; what was sent can still be received.
