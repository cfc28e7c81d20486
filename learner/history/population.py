"""Many networks of one shape, from different starts, trained at once: one more axis in front of every weight."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import learner.autodiff as torch
from learner import optim
from learner.autodiff import Tensor
from learner.autodiff.table import Array
from learner.history.tasks import Task

Activation = Callable[[Tensor], Tensor]


def step_function(z: Tensor) -> Tensor:
    """0 below 0 and 1 above, ½ at 0: its derivative is 0 wherever it has one."""
    return 0.5 * torch.sign(z) + 0.5


class Population:
    """``count`` networks with one hidden layer: h = f(x W₁ + b₁), y = g(h W₂ + b₂).

    Weights are float32: W₁ (count, inputs, hidden), b₁ (count, 1, hidden), W₂ (count, hidden, outputs), b₂ (count, 1,
    outputs). No network touches another's: the loss is the sum of all their losses, and so its gradient with respect
    to a network's weights is that network's own.
    """

    def __init__(self, task: Task, count: int, rng: np.random.Generator, hidden: Activation = torch.sigmoid,
                 output: Activation = torch.sigmoid) -> None:
        inputs, outputs = task.x.shape[1], task.t.shape[1]
        self.task, self.hidden_function, self.output_function = task, hidden, output
        shapes = ((inputs, task.hidden), (1, task.hidden), (task.hidden, outputs), (1, outputs))
        self.weights = [torch.tensor(rng.uniform(-task.spread, task.spread, (count, *shape)).astype(np.float32),
                                     requires_grad=True) for shape in shapes]

    def __len__(self) -> int:
        return int(self.weights[0].shape[0])

    def hidden(self, x: Tensor) -> Tensor:
        """What the hidden units make of patterns: (count, patterns, hidden)."""
        return self.hidden_function(x @ self.weights[0] + self.weights[1])

    def __call__(self, x: Tensor) -> Tensor:
        """Outputs (count, patterns, outputs)."""
        return self.output_function(self.hidden(x) @ self.weights[2] + self.weights[3])

    def losses(self, outputs: Tensor) -> Tensor:
        """½ Σ (y − t)² over patterns and outputs, for each network: (count,)."""
        return 0.5 * ((outputs - torch.tensor(self.task.t)) ** 2).sum((1, 2))

    def codes(self) -> Array:
        """The hidden units' values on the task's patterns, (count, patterns, hidden)."""
        with torch.no_grad():
            return self.hidden(torch.tensor(self.task.x)).array.copy()

    def gradient_norms(self) -> Array:
        """Of each network's whole gradient on its task, (count,) float64; what gets no gradient at all counts as 0."""
        slopes = torch.grad(self.losses(self(torch.tensor(self.task.x))).sum(), self.weights, allow_unused=True)
        squares = [np.square(g.array.astype(np.float64)).reshape(len(self), -1).sum(1) for g in slopes if g is not None]
        return np.sqrt(sum(squares, np.zeros(len(self))))

    def take(self, which: Array) -> Population:
        """A copy of some of the networks."""
        few = copy.copy(self)
        few.weights = [torch.tensor(w.array[which], requires_grad=True) for w in self.weights]
        return few


@dataclass(frozen=True)
class Training:
    """How a population learned.

    losses: (sweeps + 1, count) float32, before the first sweep and after each. solved: (count,) int, the first sweep
    from which on every output stayed on its target's side of ½, −1 where that never came.
    """

    population: Population
    losses: Array
    solved: Array

    @property
    def solvers(self) -> Array:
        """Which networks solved the task, (count,) bool."""
        return self.solved >= 0

    def share_solved(self) -> list[tuple[float, float]]:
        """(sweep, share of all networks that had solved the task by then), at every sweep where one did."""
        at = np.sort(self.solved[self.solvers])
        return [(float(max(sweep, 1)), (n + 1) / len(self.solved)) for n, sweep in enumerate(at)]


def train(population: Population, sweeps: int | None = None) -> Training:
    """Sweeps of gradient descent with momentum over all patterns: Δw(t) = −ε ∂E/∂w + α Δw(t − 1), as in 1986."""
    task = population.task
    x, targets = torch.tensor(task.x), task.t > 0.5
    # The paper's velocity holds the step size and ours doesn't; with a constant step size both move alike.
    optimizer = optim.SGD(population.weights, lr=task.lr, momentum=task.momentum)
    sweeps = task.sweeps if sweeps is None else sweeps
    losses = np.zeros((sweeps + 1, len(population)), np.float32)
    solved = np.full(len(population), -1)
    for sweep in range(sweeps + 1):
        outputs = population(x)
        loss = population.losses(outputs)
        losses[sweep] = loss.array
        right = ((outputs.array > 0.5) == targets).all((1, 2))
        solved = np.where(right, np.where(solved < 0, sweep, solved), -1)
        if sweep < sweeps:
            optimizer.zero_grad()
            loss.sum().backward()
            optimizer.step()
    return Training(population, losses, solved)
