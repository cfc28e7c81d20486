"""Networks that did not learn: is it a local minimum where they stand, or a plateau with a way down?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import learner.autodiff as torch
from learner.autodiff import Tensor
from learner.autodiff.table import Array
from learner.history.population import Population, Training, train

FLAT = 1e-6
"""Curvatures from −FLAT to FLAT count as none: float64 can't tell them from 0 here."""
PUSH = 1.0
"""Length of the push that a stuck network gets, in weights."""


@dataclass(frozen=True)
class Stuck:
    """A network that did not solve its task, at the end of training.

    slope: norm of its gradient. curvature: the lowest eigenvalue of its Hessian. freed: whether it solved the task
    when trained on from a push along that eigenvector.
    """

    loss: float
    slope: float
    curvature: float
    freed: bool


def examine(training: Training) -> list[Stuck]:
    """Every network of a training that did not solve its task."""
    lost = ~training.solvers
    if not lost.any():
        return []
    few = training.population.take(lost)
    curvatures, ways = zip(*[_lowest(few, place) for place in range(len(few))], strict=True)
    slopes = few.gradient_norms()
    for place, way in enumerate(ways):
        start = 0
        for weight in few.weights:
            size = weight.array[place].size
            weight.array[place] += PUSH * way[start : start + size].reshape(weight.shape[1:]).astype(np.float32)
            start += size
    freed = train(few).solvers
    return [Stuck(float(loss), float(slope), curvature, bool(free)) for loss, slope, curvature, free in
            zip(training.losses[-1][lost], slopes, curvatures, freed, strict=True)]


def _lowest(population: Population, place: int) -> tuple[float, Array]:
    """A network's lowest curvature and its direction, in the order of the flattened weights. float64."""
    shapes = [weight.shape[1:] for weight in population.weights]
    flat = np.concatenate([weight.array[place].ravel() for weight in population.weights]).astype(np.float64)
    x, t = (torch.tensor(array.astype(np.float64)) for array in (population.task.x, population.task.t))

    def loss(w: Tensor) -> Tensor:
        parts, start = [], 0
        for shape in shapes:
            size = int(np.prod(shape))
            parts.append(w[start : start + size].reshape(*shape))
            start += size
        hidden = population.hidden_function(x @ parts[0] + parts[1])
        return 0.5 * ((population.output_function(hidden @ parts[2] + parts[3]) - t) ** 2).sum()

    values, vectors = np.linalg.eigh(torch.hessian(loss, torch.tensor(flat, requires_grad=True)).array)
    return float(values[0]), np.asarray(vectors[:, 0])
