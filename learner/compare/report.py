"""The comparison as tables, pictures and sentences."""

from __future__ import annotations

import itertools

import numpy as np

from learner import svg
from learner.compare.glyphs import PIXELS, SIDE, Glyphs
from learner.compare.method import SIZES
from learner.compare.methods import METHODS
from learner.compare.race import TEST, Run, evolution_angles, race, task
from learner.lessons.lesson import Lesson, Picture, Progress, Table

PAIRS = (1, 4, 16, 64, 256, 1024, 4096)
REPORT_STEPS = len(METHODS) + 1


def run(seed: int, steps: int, progress: Progress) -> Lesson:
    """All methods, one after the other."""
    train, test = task(seed)
    runs = []
    for method in METHODS:
        runs.append(race(method, train, test, seed, steps))
        progress.advance(1, f"{method.name}: {runs[-1].final:.1%}")
    angles = evolution_angles(train, seed, PAIRS)
    progress.advance(1, "evolution strategies with more pairs")
    expected = [(count, float(np.sqrt(count / (count + parameters())))) for count, _ in angles]
    return Lesson(
        tables=[_results(runs), _layers(runs), _evolution(angles, expected), _papers()],
        pictures=[Picture("learning", svg.picture(_curves(runs, angles, expected))),
                  Picture("task", svg.picture(_pictures(train), columns=10))],
        sentences=[_ranking(runs), _angles(runs), _price(runs), _memory(runs), _more_pairs(angles, expected)])


def parameters() -> int:
    """Of the layers that all methods share."""
    return sum((inputs + 1) * outputs for inputs, outputs in itertools.pairwise(SIZES))


# ---- tables --------------------------------------------------------------------------------------


def _results(runs: list[Run]) -> Table:
    base = runs[0].seconds / runs[0].steps
    rows = [[one.method.name, 100 * one.final, one.steps, 1e3 * one.seconds / one.steps,
             one.seconds / one.steps / base, one.kept / 1024, one.cosines[0][1], one.late_cosine()]
            for one in runs]
    return Table(f"Layers {'–'.join(map(str, SIZES))}, {parameters():,} parameters", [
        "method", "% right", "steps", "ms a step", "times backpropagation's", "kB kept", "cosine at first",
        "in the last quarter"], rows)


def _layers(runs: list[Run]) -> Table:
    layers = [f"W{n}" for n in range(1, len(SIZES))]
    return Table("Cosine to the true gradient by layer, mean over learning", ["method", *layers],
                 [[one.method.name, *one.layer_cosines()] for one in runs])


def _evolution(angles: list[tuple[int, float]], expected: list[tuple[int, float]]) -> Table:
    return Table("Evolution strategies with more pairs, at the start", [
        "antithetic pairs", "cosine to the gradient", "√(n / (n + d))"],
        [[count, value, theory] for (count, value), (_, theory) in zip(angles, expected, strict=True)])


def _papers() -> Table:
    return Table("Where they come from", ["method", "paper"], [[method.name, method.paper] for method in METHODS])


# ---- pictures ------------------------------------------------------------------------------------


def _curves(runs: list[Run], angles: list[tuple[int, float]], expected: list[tuple[int, float]]) -> list[svg.Panel]:
    return [
        svg.lines("Test pictures right, by steps",
                  {one.method.name: [(step, 100 * share) for step, _, share in one.accuracy] for one in runs},
                  "step", "%"),
        svg.lines("The same by time", {one.method.name: [(seconds, 100 * share) for _, seconds, share in one.accuracy]
                                       for one in runs}, "seconds of learning", "%", log_x=True),
        svg.lines("Cosine to the true gradient", {one.method.name: _smooth(one) for one in runs}, "share of all steps",
                  "cosine"),
        svg.lines("Evolution strategies with more pairs", {"measured": angles, "√(n / (n + d))": expected}, "pairs",
                  "cosine", log_x=True),
        svg.bars("Kept for an update", {one.method.name: one.kept / 1024 for one in runs}, "kB", log=True),
        svg.bars("Time of a step", {one.method.name: 1e3 * one.seconds / one.steps for one in runs}, "ms", log=True)]


def _smooth(one: Run, parts: int = 20) -> list[tuple[float, float]]:
    """Means of neighbouring measurements."""
    groups = np.array_split(np.array([(step / one.steps, value) for step, value, _ in one.cosines]),
                            min(parts, len(one.cosines)))
    return [(float(share), float(value)) for share, value in (group.mean(0) for group in groups)]


def _pictures(train: Glyphs) -> list[svg.Panel]:
    """One of each class."""
    return [svg.cells(str(digit), train.x[int((train.classes == digit).argmax()), :PIXELS].reshape(SIDE, SIDE).tolist(),
                      cell=9, numbers=False) for digit in range(10)]


# ---- sentences -----------------------------------------------------------------------------------


def _ranking(runs: list[Run]) -> str:
    order = sorted(runs, key=lambda one: -one.final)
    return (f"Right on {TEST:,} test pictures: "
            + ", ".join(f"{one.method.name} {one.final:.1%}"
                        + ("" if one.method.share == 1 else f" after {one.steps} steps") for one in order) + ".")


def _angles(runs: list[Run]) -> str:
    by_name = {one.method.name: one for one in runs}
    dfa = by_name["direct feedback alignment"]
    late = sorted(((one.late_cosine(), one.method.name) for one in runs if one is not dfa), reverse=True)
    return (f"Direct feedback alignment's direction has cosine {dfa.cosines[0][1]:.2f} to the true gradient at its "
            f"first step and {dfa.late_cosine():.2f} in the last quarter; the others in that quarter: "
            + ", ".join(f"{name} {value:.2f}" for value, name in late) + ".")


def _price(runs: list[Run]) -> str:
    base = runs[0].seconds / runs[0].steps
    slow = max(runs, key=lambda one: one.seconds / one.steps)
    return (f"A step of {slow.method.name} takes {slow.seconds / slow.steps / base:,.0f} times as long as one of "
            f"{runs[0].method.name}, at a cosine of {slow.late_cosine():.4f}: {2 * parameters():,} forward passes "
            f"for what one pass back gives.")


def _memory(runs: list[Run]) -> str:
    order = sorted(runs, key=lambda one: one.kept)
    return (f"For an update {order[0].method.name} keeps {order[0].kept:,} bytes, {order[-1].method.name} "
            f"{order[-1].kept:,} and {runs[0].method.name} {runs[0].kept:,}.")


def _more_pairs(angles: list[tuple[int, float]], expected: list[tuple[int, float]]) -> str:
    worst = max(abs(value - theory) for (_, value), (_, theory) in zip(angles, expected, strict=True))
    return (f"Evolution strategies see the gradient at a cosine of {angles[0][1]:.2f} with {angles[0][0]} pair and "
            f"{angles[-1][1]:.2f} with {angles[-1][0]:,}; √(n / (n + d)) is off by at most {worst:.2f}.")
