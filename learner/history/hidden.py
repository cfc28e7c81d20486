"""What the hidden units of trained networks have learned, asked of every network that solved its task."""

from __future__ import annotations

from collections import Counter

import numpy as np

from learner.autodiff.table import Array
from learner.history.perceptron import NAMES
from learner.history.population import Training
from learner.history.tasks import patterns


def fastest(training: Training) -> int:
    """The network that solved its task first; ValueError if none did."""
    if not training.solvers.any():
        raise ValueError(f"none of {len(training.solved)} networks solved {training.population.task.name}")
    return int(np.where(training.solvers, training.solved, np.iinfo(int).max).argmin())


def logic(training: Training) -> Counter[str]:
    """XOR's hidden units as logical functions of the two inputs, by rounding; pairs of them with how many have it."""
    found: Counter[str] = Counter()
    for code in training.population.codes()[training.solvers] > 0.5:
        answers = [int("".join("1" if on else "0" for on in unit), 2) for unit in code.T]
        found[", ".join(sorted(NAMES[answer] for answer in answers))] += 1
    return found


def counting(training: Training) -> tuple[Array, Array]:
    """Parity's hidden units as counters of the inputs that are on.

    Some inputs may be counted when they are off instead: that turns parity round or leaves it as it is. For each
    network that choice is taken under which its units look most like counters. Returns the share of each unit's
    variance over the patterns that the count alone explains, (solvers, hidden), 1 for a unit that does nothing but
    count; and each unit's mean value at each count, (solvers, counts, hidden).
    """
    x, codes = training.population.task.x, training.population.codes()[training.solvers].astype(np.float64)
    shares, means = [], []
    for turned in patterns(x.shape[1])[: 2 ** (x.shape[1] - 1)]:  # turning all of them only counts backwards
        share, mean = _explained(codes, np.abs(x - turned).sum(1).astype(int))
        shares.append(share)
        means.append(mean)
    best, networks = np.stack(shares).min(2).argmax(0), np.arange(len(codes))
    return np.stack(shares)[best, networks], np.stack(means)[best, networks]


def _explained(codes: Array, counts: Array) -> tuple[Array, Array]:
    """The share of the variance of (networks, patterns, hidden) that the patterns' counts explain, and the means."""
    means = np.stack([codes[:, counts == n].mean(1) for n in range(counts.max() + 1)], axis=1)
    within = np.square(codes - means[:, counts]).sum(1)
    total = np.square(codes - codes.mean(1, keepdims=True)).sum(1)
    return 1.0 - within / np.maximum(total, 1e-12), means


def mirrored(training: Training) -> tuple[Array, Array]:
    """Symmetry's weights: opposite at mirrored inputs, and in the ratio 1 : 2 : 4, so that no two asymmetries cancel.

    Returns, for each solver and hidden unit, the largest |w + w′| / (|w| + |w′|) over the three mirrored pairs, 0 if
    they are exactly opposite; and the three pairs' sizes, ascending, as multiples of the smallest (…, 3).
    """
    w = training.population.weights[0].array[training.solvers].astype(np.float64).transpose(0, 2, 1)
    left, right = w[..., :3], w[..., :2:-1]
    sizes = np.sort((np.abs(left) + np.abs(right)) / 2.0, axis=-1)
    unlike = np.abs(left + right) / (np.abs(left) + np.abs(right))
    return unlike.max(-1), sizes / sizes[..., :1]


def distinct_codes(training: Training) -> Array:
    """How many different codes of 0s and 1s each solver gives the patterns when its hidden units are rounded."""
    rounded = training.population.codes()[training.solvers] > 0.5
    return np.array([len({row.tobytes() for row in code}) for code in rounded])
