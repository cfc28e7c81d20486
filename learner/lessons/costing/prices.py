"""Two forward passes a parameter against one backward pass for all, timed side by side."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import learner.autodiff as ad
import learner.nn as nn
from learner import svg
from learner.lessons.differences import slopes_at
from learner.lessons.lesson import Lesson, Picture, Table

WIDTHS = {100: 8, 1_000: 30, 10_000: 98, 100_000: 314, 1_000_000: 998}
"""Parameters, about, of a network of two hidden layers → their width."""
INPUTS, ROWS, REPEATS = 2, 16, 9
BUDGET = 4.0
"""Seconds of differences for one network; where all parameters would take longer, that many are drawn at random."""
MODEL, PASS = 27e9, 1e-3
"""A large model's parameters, and the seconds that are supposed for one of its forward passes."""
MONTH = 365.25 / 12 * 24 * 3600


@dataclass(frozen=True)
class Price:
    """Seconds for one network's gradient. `worst`: how far differences lay from backward at most, beside the largest
    element of the gradient among those measured."""

    parameters: int
    measured: int
    forward: float
    backward: float
    """A recorded forward pass and a backward pass."""
    sampled: float
    """What the differences of `measured` parameters took."""
    worst: float

    @property
    def differences(self) -> float:
        """All parameters' differences: measured, or scaled from those that were."""
        return self.sampled * self.parameters / self.measured


def price(width: int, seed: int, budget: float = BUDGET) -> Price:
    """Measure a network of two hidden layers of that width, in float64."""
    rng = np.random.default_rng(seed)
    model = nn.Sequential(nn.Linear(INPUTS, width, dtype=np.float64, generator=rng), nn.Tanh(),
                          nn.Linear(width, width, dtype=np.float64, generator=rng), nn.Tanh(),
                          nn.Linear(width, 1, dtype=np.float64, generator=rng))
    x, y = ad.tensor(rng.standard_normal((ROWS, INPUTS))), ad.tensor(rng.standard_normal((ROWS, 1)))
    parameters = list(model.parameters())

    def evaluate() -> float:
        with ad.no_grad():
            return float(ad.mse_loss(model(x), y).item())

    def gradient() -> None:
        model.zero_grad()
        ad.mse_loss(model(x), y).backward()

    forward, backward = seconds(evaluate), seconds(gradient)
    total = sum(p.numel() for p in parameters)
    count = min(total, max(100, int(budget / (2 * forward))))
    places = np.arange(total) if count == total else rng.choice(total, count, replace=False)
    flat = np.concatenate([p.array.reshape(-1) for p in parameters])
    ends = np.cumsum([p.numel() for p in parameters])
    for p, end in zip(parameters, ends, strict=True):  # each parameter a view into one vector, to reach it by a number
        p.array = flat[end - p.numel():end].reshape(p.shape)
    exact = np.concatenate([p.grad.numpy().reshape(-1) for p in parameters if p.grad is not None])[places]
    began = time.perf_counter()
    found = slopes_at(evaluate, flat, places)
    took = time.perf_counter() - began
    return Price(total, count, forward, backward, took, float(np.abs(found - exact).max() / np.abs(exact).max()))


def seconds(work: Callable[[], object]) -> float:
    """The median of several runs; the first isn't counted."""
    work()
    found = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        work()
        found.append(time.perf_counter() - began)
    return statistics.median(found)


def passes(parameters: float, seconds_each: float) -> tuple[float, float]:
    """(forward passes, months) that central differences of that many parameters take."""
    count = 2.0 * parameters
    return count, count * seconds_each / MONTH


def growth(prices: list[Price], of: Callable[[Price], float]) -> float:
    """The power of the number of parameters with which a time grows, by least squares over the larger networks."""
    large = [p for p in prices if p.parameters >= 10_000]
    return float(np.polyfit(np.log([p.parameters for p in large]), np.log([of(p) for p in large]), 1)[0])


def run(seed: int) -> Lesson:
    """All widths, then the arithmetic for a large model."""
    prices = [price(width, seed) for width in WIDTHS.values()]
    count, months = passes(MODEL, PASS)
    largest = prices[-1]
    whole = max(p.parameters for p in prices if p.measured == p.parameters)
    scale = MODEL / largest.parameters
    return Lesson(
        [Table("Seconds for one gradient", ["parameters", "forward passes", "one pass", "differences measured for",
               "all differences", "forward and backward", "times longer", "worst mismatch"],
               [[p.parameters, 2 * p.parameters, f"{p.forward:.2e}", p.measured, f"{p.differences:.2e}"
                 + ("" if p.measured == p.parameters else " (scaled)"), f"{p.backward:.2e}",
                 p.differences / p.backward, f"{p.worst:.0e}"] for p in prices])],
        [Picture("prices", svg.picture([svg.lines("One gradient", {
            "finite differences": [(p.parameters, p.differences) for p in prices],
            "forward and backward": [(p.parameters, p.backward) for p in prices],
            "forward": [(p.parameters, p.forward) for p in prices]},
            "parameters", "seconds", log_x=True, log_y=True)]))],
        [f"For {whole:,} parameters, differences measured for every one take {_of(prices, whole).differences:.3g} s "
         f"and a forward and a backward pass {_of(prices, whole).backward:.1e} s, "
         f"{_of(prices, whole).differences / _of(prices, whole).backward:,.0f} times less; for {largest.parameters:,} "
         f"parameters, {largest.measured:,} of them measured and scaled, {largest.differences:,.0f} s against "
         f"{largest.backward:.1e} s, {largest.differences / largest.backward:,.0f} times less.",
         f"From {min(p.parameters for p in prices if p.parameters >= 10_000):,} parameters on, the time of differences "
         f"grows with the {growth(prices, lambda p: p.differences):.2f}th power of their number, that of forward and "
         f"backward with the {growth(prices, lambda p: p.backward):.2f}th.",
         f"{MODEL:,.0f} parameters take {count:,.0f} forward passes: at {PASS * 1000:g} ms each {months:.1f} months "
         f"for one step. If this machine's times grew in proportion to the parameters, a step would take it "
         f"{largest.backward * scale / 60:,.1f} minutes by backpropagation and "
         f"{largest.differences * scale**2 / MONTH / 12:,.0f} years by differences."])


def _of(prices: list[Price], parameters: int) -> Price:
    return next(p for p in prices if p.parameters == parameters)
