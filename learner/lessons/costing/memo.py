"""The chain rule with and without memory: every path once, or every value once."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np

import learner.autodiff as ad
from learner import svg
from learner.lessons.lesson import Lesson, Picture, Table

DEPTHS = (2, 4, 8, 12, 16)


@dataclass(frozen=True)
class Walk:
    """A derivative of x_n = sin(x_{n-1}) + x_{n-1}² / 2, over and over: slopes multiplied, seconds, the result."""

    multiplications: int
    seconds: float
    slope: float


def values(depth: int) -> list[float]:
    """x_0 … x_depth."""
    found = [0.3]
    for _ in range(depth):
        found.append(math.sin(found[-1]) + found[-1] ** 2 / 2)
    return found


def without_memory(depth: int) -> Walk:
    """Expand dx_n/dx_0 = cos(x_{n-1}) dx_{n-1}/dx_0 + x_{n-1} dx_{n-1}/dx_0, each branch for itself."""
    x, count = values(depth), 0

    def slope(n: int) -> float:
        nonlocal count
        if n == 0:
            return 1.0
        count += 2
        return math.cos(x[n - 1]) * slope(n - 1) + x[n - 1] * slope(n - 1)

    began = time.perf_counter()
    found = slope(depth)
    return Walk(count, time.perf_counter() - began, found)


def with_memory(depth: int) -> Walk:
    """Backwards, adding up at every value what its branches send."""
    x, count = values(depth), 0
    began, sent = time.perf_counter(), 1.0
    for n in reversed(range(depth)):
        sent = math.cos(x[n]) * sent + x[n] * sent
        count += 2
    return Walk(count, time.perf_counter() - began, sent)


def by_autodiff(depth: int) -> float:
    """The same slope from the tape."""
    x = start = ad.tensor(np.array(0.3), requires_grad=True)
    for _ in range(depth):
        x = ad.sin(x) + x**2 / 2
    return float(ad.grad(x, start)[0].item())


def run(seed: int) -> Lesson:
    """All depths; there is no chance in it."""
    found = {depth: (without_memory(depth), with_memory(depth)) for depth in DEPTHS}
    apart = max(abs(walk.slope / by_autodiff(d) - 1) for d, walks in found.items() for walk in walks)
    deep, kept = found[DEPTHS[-1]]
    return Lesson(
        [Table("A derivative through values that branch in two", ["depth", "paths", "multiplications without memory",
               "with memory", "times as many"],
               [[d, 2**d, a.multiplications, b.multiplications, a.multiplications / b.multiplications]
                for d, (a, b) in found.items()])],
        [Picture("memo", svg.picture([svg.lines("Multiplications", {
            "without memory": [(d, a.multiplications) for d, (a, _) in found.items()],
            "with memory": [(d, b.multiplications) for d, (_, b) in found.items()]}, "depth", "multiplications",
            log_y=True)]))],
        [f"At depth {DEPTHS[-1]} the chain rule takes {deep.multiplications:,} multiplications path by path and "
         f"{kept.multiplications} when every value's gradient is computed once and kept: {deep.seconds * 1e3:.3g} ms "
         f"and {kept.seconds * 1e3:.2g} ms. Both lie within {apart:.0e} of autodiff's."])
