"""REINFORCE: hidden units toss coins, and what came with a lower cost than usual is made more likely."""

from __future__ import annotations

import numpy as np

from learner.autodiff.table import Array
from learner.byhand.network import SoftmaxCrossEntropy
from learner.compare.method import Method, Step, nbytes, output_error


class Reinforce(Method):
    """Hidden units are +1 with probability σ(2z), else −1, whose mean is tanh z.

    The expected cost's gradient is E[(cost − baseline) ∇ log P(h)], so no layer needs a way back: each multiplies its
    own ∇ log P by one number that everybody hears. Every example is tried ``tries`` times and the baseline of a try is
    the mean cost of the others (Kool, van Hoof and Welling 2019). The output layer has the gradient itself.
    The true gradient it is held against is that of the network of mean units, tanh.
    """

    name = "REINFORCE"
    paper = "Williams 1992, Machine Learning 8, 229–256"
    lr = 0.03
    tries = 4

    def sample(self, x: Array, rng: np.random.Generator) -> list[Array]:
        """Input, hidden values of −1 and +1, logits."""
        weights = [w.array for w in self.weights]
        values = [x]
        for W, b in zip(weights[:-2:2], weights[1:-2:2], strict=True):
            z = values[-1] @ W.T + b
            values.append(np.where(rng.random(z.shape, np.float32) < chance(z), np.float32(1), np.float32(-1)))
        return [*values, values[-1] @ weights[-2].T + weights[-1]]

    def direction(self, x: Array, classes: Array, rng: np.random.Generator) -> Step:
        """An unbiased estimate; kept are the tosses and the costs."""
        examples = np.tile(x, (self.tries, 1))
        wanted = np.tile(classes, self.tries)
        values = self.sample(examples, rng)
        advantage = advantages(costs(values[-1], wanted).reshape(self.tries, -1)).reshape(-1, 1)
        weights = [w.array for w in self.weights]
        found: list[Array] = []
        for below, h, W, b in zip(values, values[1:-1], weights[::2], weights[1::2], strict=False):
            # d log P(h)/dz = h + 1 − 2σ(2z) = h − tanh z for h of −1 or +1.
            delta = advantage * (h - np.tanh(below @ W.T + b)) / np.float32(len(wanted))
            found += [delta.T @ below, delta.sum(0)]
        error = output_error(values[-1], wanted)
        found += [error.T @ values[-2], error.sum(0)]
        return Step(found, nbytes(*values[1:-1], error, advantage))

    def predict(self, x: Array, rng: np.random.Generator) -> Array:
        """By the mean of the probabilities over many tosses."""
        total: Array = np.zeros((len(x), self.weights[-1].shape[0]))
        for _ in range(8):
            logits = self.sample(x, rng)[-1]
            e = np.exp(logits - logits.max(1, keepdims=True))
            total = total + e / e.sum(1, keepdims=True)
        return np.asarray(total.argmax(1))


def chance(z: Array) -> Array:
    """P(h = +1) = σ(2z), through tanh so that nothing overflows."""
    return np.asarray(0.5 + 0.5 * np.tanh(z))


def costs(logits: Array, classes: Array) -> Array:
    """Each row's own cross-entropy (rows,)."""
    loss = SoftmaxCrossEntropy()
    loss.forward(logits, classes)
    p = loss.p[np.arange(len(classes)), classes]
    return np.asarray(-np.log(np.maximum(p, np.float32(1e-30))))


def advantages(cost: Array) -> Array:
    """Costs (tries, examples), each less the mean of the example's other tries."""
    return np.asarray(cost - (cost.sum(0) - cost) / np.float32(len(cost) - 1))
