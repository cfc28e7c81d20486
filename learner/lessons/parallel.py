"""The backward pass spread over processes: equal to one process, at what traffic, for what memory."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from learner import svg
from learner.autodiff.table import Array
from learner.lessons.lesson import Lesson, Picture, Progress, Table, joined
from learner.parallel.group import Group
from learner.parallel.run import run as run_group
from learner.parallel.training import STRATEGIES, Task, Trained, alone

NAME = "PARALLEL"
HELP = "gradients averaged over processes, optimizer states and parameters in shards: equality, bytes, memory"

SIZES = (2, 4)
"""Processes in a group."""
LENGTH, SUMS = 100_000, 4
"""Numbers in the vectors that are summed, and processes that sum them."""
REDUCTIONS = {"by parts": Group.all_reduce, "around a ring": Group.ring_all_reduce,
              "through one": Group.star_all_reduce}
MODEL, PROCESSES = 27e9, 64
"""A large model's parameters, and processes among which it is shared out on paper."""
STEPS = len(SIZES) * len(STRATEGIES) + 1


@dataclass(frozen=True)
class Sum:
    """One process's sum of everybody's vectors by one way, and the bytes it sent for it."""

    total: Array
    sent: int


def sums(group: Group, length: int, seed: int) -> dict[str, Sum]:
    """What a process of a group does: sums its vector with the others', in every way."""
    own, found = vector(length, seed, group.rank), {}
    for name, reduction in REDUCTIONS.items():
        before = group.sent
        found[name] = Sum(reduction(group, own), group.sent - before)
    return found


def vector(length: int, seed: int, rank: int) -> Array:
    """A process's float32 vector."""
    return np.random.default_rng([seed, rank]).standard_normal(length).astype(np.float32)


def run(seed: int, progress: Progress) -> Lesson:
    """Sums first, then every strategy in every size."""
    parts = [_summed(seed)]
    progress.advance(1, "sums")
    task = Task(seed=seed)
    trained = {}
    for size in SIZES:
        for name, strategy in STRATEGIES.items():
            trained[name, size] = run_group(strategy, size, task)
            progress.advance(1, f"{name}, {size} processes")
    return joined([*parts, _told(task, trained)])


def _summed(seed: int) -> Lesson:
    found = run_group(sums, SUMS, LENGTH, seed)
    exact = np.sum([vector(LENGTH, seed, rank).astype(np.float64) for rank in range(SUMS)], axis=0)
    rows = []
    for name in REDUCTIONS:
        each = [own[name] for own in found]
        rows.append([name, max(s.sent for s in each), sum(s.sent for s in each),
                     all((s.total == each[0].total).all() for s in each), float(np.abs(each[0].total - exact).max())])
    whole = 4 * LENGTH
    busiest = {name: most / whole for name, most, *_ in rows}
    return Lesson(
        [Table(f"The sum of {SUMS} processes' vectors of {LENGTH:,} numbers ({whole:,} bytes)",
               ["way", "bytes sent by the busiest", "by all", "equal everywhere", "rounding error"], rows)],
        [], [f"To sum {SUMS} vectors, the busiest process sends " +
             ", ".join(f"{share:.2f} vectors {name}" for name, share in busiest.items()) +
             f" (2 (n − 1) / n is {2 * (SUMS - 1) / SUMS:.2f})."])


def _told(task: Task, trained: dict[tuple[str, int], list[Trained]]) -> Lesson:
    whole = alone(task)
    vector_bytes = whole.parameters.nbytes
    rows: list[list[Any]] = []
    equal = 0
    for (name, size), processes in trained.items():
        shares = alone(task, size)
        same = all((process.parameters == shares.parameters).all() for process in processes)
        equal += same
        held, sent = processes[0].held, max(max(process.sent) for process in processes)
        rows.append([name, size, same, _apart(shares, whole), sent / vector_bytes, *(held[key] for key in (
            "parameters", "gradients", "optimizer", "gathered")), sum(held.values())])
    first = {size: _apart(alone(replace(task, steps=1), size), alone(replace(task, steps=1))) for size in SIZES}
    kept = {name: trained[name, SIZES[-1]][0].held for name in STRATEGIES}
    total = {name: sum(held.values()) for name, held in kept.items()}
    lasting = {name: held["parameters"] + held["optimizer"] for name, held in kept.items()}
    billions = MODEL * 4 * 4 / 1e9
    return Lesson(
        [Table(f"{task.steps} steps of AdamW, {whole.parameters.size:,} parameters ({vector_bytes:,} bytes), "
               f"{task.rows} examples a step", ["strategy", "processes", "equal to one process, to the bit",
               "whole batch at once: largest difference", "vectors sent in a step", "parameters", "gradients",
               "optimizer", "gathered", "bytes in all"], rows)],
        [Picture("memory", svg.picture([
            svg.bars(f"Bytes in each of {SIZES[-1]} processes", {n: float(b) for n, b in total.items()}, "bytes"),
            svg.bars(f"Sent in a step by each of {SIZES[-1]}", {
                row[0]: row[4] for row in rows if row[1] == SIZES[-1]}, "vectors of parameters")]))],
        [f"{equal} of {len(rows)} groups of processes end with the very bits of one process that adds the shares' "
         f"gradients in the same order. One that takes the batch as a whole adds in another order: its parameters "
         f"differ after one step by up to {max(first.values()):.0e}, after {task.steps} by up to "
         f"{max(row[3] for row in rows):.0e}.",
         f"With {SIZES[-1]} processes, each keeps from step to step {lasting['zero1'] / lasting['replicated']:.0%} of "
         f"the bytes of parameters and optimizer with the optimizer's state in shards, and "
         f"{lasting['zero3'] / lasting['replicated']:.0%} with the parameters in shards, too; with gradients and "
         f"gathered layers, at most {total['zero1'] / total['replicated']:.0%} and "
         f"{total['zero3'] / total['replicated']:.0%}.",
         "For that, each sends in a step "
         "" + ", ".join(f"{row[4]:.2f} ({row[0]})" for row in rows if row[1] == SIZES[-1])
         + " times its parameters' bytes.",
         f"On paper, {MODEL:,.0f} parameters with gradients and AdamW's two moments in float32 need {billions:,.0f} "
         f"GB; in shards among {PROCESSES} processes {billions / PROCESSES:.2f} GB each, besides the gathered layers."])


def _apart(a: Trained, b: Trained) -> float:
    return float(np.abs(a.parameters - b.parameters).max())
