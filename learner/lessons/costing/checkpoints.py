"""Checkpointing: memory bought with time, for segments of every length that divides the network."""

from __future__ import annotations

import statistics
import time
import tracemalloc
from dataclasses import dataclass

import numpy as np

import learner.autodiff as ad
import learner.nn as nn
from learner import svg
from learner.lessons.lesson import Lesson, Picture, Table

BLOCKS, WIDTH, SHAPE, ROUNDS = 12, 64, (32, 16, 64), 7
LENGTHS = (0, 1, 2, 3, 4, 6, 12)
"""Blocks in a segment, of which only the input is kept; 0 keeps everything."""


@dataclass(frozen=True)
class Step:
    """One step's peak of memory in bytes, seconds, and the norm and digest of its gradients."""

    length: int
    peak: int
    seconds: float
    gradients: bytes


class Blocks:
    """A transformer's blocks and the loss of one batch, computed in segments."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.model = nn.Sequential(*(nn.TransformerBlock(WIDTH, 4, generator=rng) for _ in range(BLOCKS)))
        self.x = ad.tensor(rng.standard_normal(SHAPE).astype(np.float32), requires_grad=True)

    def step(self, length: int) -> None:
        """Forward and backward; gradients end in the parameters."""
        self.model.zero_grad()
        out = self.x
        if length:
            for first in range(0, BLOCKS, length):
                out = ad.checkpoint(nn.Sequential(*list(self.model)[first:first + length]), out)
        else:
            out = self.model(out)
        out.square().mean().backward()

    def gradients(self) -> bytes:
        """Every bit of them."""
        return b"".join(p.grad.numpy().tobytes() for p in self.model.parameters() if p.grad is not None)


def measure(seed: int, rounds: int = ROUNDS) -> list[Step]:
    """Every segment length. Times are taken in turns, so that a machine that slows down slows all; the peak is that of
    NumPy's allocations, of which tracemalloc hears, beyond what was there before."""
    blocks, peaks, gradients = Blocks(seed), {}, {}
    blocks.step(0)  # what is compiled at the first step takes memory, too
    for length in LENGTHS:
        blocks.model.zero_grad()
        tracemalloc.start()
        blocks.step(length)
        peaks[length] = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        gradients[length] = blocks.gradients()
    took: dict[int, list[float]] = {length: [] for length in LENGTHS}
    for _ in range(rounds):
        for length in LENGTHS:
            began = time.perf_counter()
            blocks.step(length)
            took[length].append(time.perf_counter() - began)
    return [Step(n, peaks[n], statistics.median(took[n]), gradients[n]) for n in LENGTHS]


def run(seed: int) -> Lesson:
    """The trade, and that no gradient changes by a bit."""
    steps = measure(seed)
    plain, best = steps[0], min(steps, key=lambda s: s.peak)
    equal = sum(s.gradients == plain.gradients for s in steps[1:])
    return Lesson(
        [Table(f"One step of {BLOCKS} transformer blocks", ["blocks in a segment", "peak bytes", "share",
               "milliseconds", "times as long", "gradients equal to the bit"],
               [[s.length or "everything kept", s.peak, s.peak / plain.peak, s.seconds * 1e3, s.seconds / plain.seconds,
                 s.gradients == plain.gradients] for s in steps])],
        [Picture("checkpoints", svg.picture([svg.lines("Memory against time", {
            "everything kept" if s.length == 0 else f"segments of {s.length}": [(s.peak / plain.peak,
                                                                                s.seconds / plain.seconds)]
            for s in steps}, "share of the peak", "times as long", dots=True)]))],
        [f"Segments of {best.length} of {BLOCKS} blocks need {best.peak / plain.peak:.0%} of the memory and "
         f"{best.seconds / plain.seconds:.2f} times the time of keeping everything, the least memory of the lengths "
         f"tried (√{BLOCKS} = {BLOCKS**0.5:.1f}); one segment of all {BLOCKS} needs {steps[-1].peak / plain.peak:.0%} "
         f"and {steps[-1].seconds / plain.seconds:.2f} times. {equal} of {len(steps) - 1} give the plain gradient to "
         f"the bit."])
