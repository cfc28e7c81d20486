"""Every method learns the same task from the same pictures in the same order, and is measured on the way."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np

from learner import optim
from learner.autodiff import Tensor
from learner.autodiff.table import Array
from learner.compare.glyphs import CLASSES, Glyphs, glyphs
from learner.compare.method import SIZES, Method, cosine, flat
from learner.compare.methods.evolution import EvolutionStrategies

BATCH, STEPS = 64, 2000
TRAIN, TEST = 4000, 2000
TO_TRAIN, TO_TEST, START, BATCHES, CHANCE, PAIRS, PREDICTING = range(1, 8)
"""Streams of random numbers. From 1, because NumPy takes the seeds [n, 0] and n for the same."""
EVALUATIONS, ANGLES = 20, 100
"""How often in a race accuracy is measured, and the angle to the true gradient."""


@dataclass
class Run:
    """What became of one method.

    accuracy: (steps made, seconds learned, share of test pictures right). cosines: (step, of the whole direction with
    the true gradient, of each layer's weights with theirs). seconds: of learning, without measuring. kept: bytes.
    """

    method: type[Method]
    steps: int
    accuracy: list[tuple[int, float, float]] = field(default_factory=list)
    cosines: list[tuple[int, float, list[float]]] = field(default_factory=list)
    seconds: float = 0.0
    kept: int = 0

    @property
    def final(self) -> float:
        """Share of test pictures right at the end."""
        return self.accuracy[-1][2]

    def late_cosine(self) -> float:
        """The mean of the last quarter of what was measured."""
        values = [value for _, value, _ in self.cosines]
        return float(np.mean(values[3 * len(values) // 4 :]))

    def layer_cosines(self) -> list[float]:
        """Mean over all steps measured, for each layer's weights."""
        return [float(value) for value in np.mean([layers for _, _, layers in self.cosines], axis=0)]


def task(seed: int) -> tuple[Glyphs, Glyphs]:
    """Pictures to learn and to test, with room for a label beside each."""
    found = []
    for stream, count in ((TO_TRAIN, TRAIN), (TO_TEST, TEST)):
        drawn = glyphs(count, np.random.default_rng([seed, stream]))
        found.append(Glyphs(np.hstack([drawn.x, np.zeros((count, CLASSES), np.float32)]), drawn.classes))
    return found[0], found[1]


def race(kind: type[Method], train: Glyphs, test: Glyphs, seed: int, steps: int = STEPS) -> Run:
    """Train one method. Equal seeds give equal weights at the start and equal batches, whatever the method."""
    method = kind(SIZES, np.random.default_rng([seed, START]))
    batches, chance = np.random.default_rng([seed, BATCHES]), np.random.default_rng([seed, CHANCE])
    optimizer = method.optimizer()
    run = Run(kind, max(1, round(steps * kind.share)))
    fading = optim.LinearLR(optimizer, 1.0, 0.0, run.steps)
    looks = {part * run.steps // EVALUATIONS for part in range(EVALUATIONS)}
    angles = {part * run.steps // ANGLES for part in range(ANGLES)}
    for step in range(run.steps):
        if step in looks:
            _look(run, method, test, step, seed)
        batch = train.take(batches.integers(0, len(train), BATCH))
        start = time.perf_counter()
        found = method.direction(batch.x, batch.classes, chance)
        paused = time.perf_counter()
        if step in angles:
            true = method.true_gradient(batch.x, batch.classes)
            run.cosines.append((step, cosine(flat(found.direction), flat(true)),
                                [cosine(flat([a]), flat([b])) for a, b in
                                 zip(found.direction[::2], true[::2], strict=True)]))
        went_on = time.perf_counter()
        for weight, direction in zip(method.weights, found.direction, strict=True):
            weight.grad = Tensor(np.ascontiguousarray(direction, np.float32))
        optimizer.step()
        fading.step()
        method.adapt(batch.x, chance)
        run.seconds += time.perf_counter() - went_on + paused - start
        run.kept = max(run.kept, found.kept)
    _look(run, method, test, run.steps, seed)
    return run


def evolution_angles(train: Glyphs, seed: int, pairs: tuple[int, ...], draws: int = 3) -> list[tuple[int, float]]:
    """The mean cosine of evolution strategies' direction with the true gradient, for each number of pairs."""
    method = EvolutionStrategies(SIZES, np.random.default_rng([seed, START]))
    batch = train.take(np.arange(BATCH))
    true = flat(method.true_gradient(batch.x, batch.classes))
    found = []
    for count in pairs:
        method.pairs = count
        chance = np.random.default_rng([seed, PAIRS, count])
        directions = [method.direction(batch.x, batch.classes, chance).direction for _ in range(draws)]
        found.append((count, float(np.mean([cosine(flat(direction), true) for direction in directions]))))
    return found


def _look(run: Run, method: Method, test: Glyphs, step: int, seed: int) -> None:
    right: Array = method.predict(test.x, np.random.default_rng([seed, PREDICTING])) == test.classes
    run.accuracy.append((step, run.seconds, float(right.mean())))
