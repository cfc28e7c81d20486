"""Forward-Forward: every layer learns alone to be lively for true data and calm for false."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import learner.autodiff as torch
from learner.autodiff import Tensor
from learner.autodiff.table import Array
from learner.compare.glyphs import CLASSES
from learner.compare.method import Method, Step


class ForwardForward(Method):
    """True data is a picture with its label written beside it, false data one with a wrong label.

    A layer's goodness is the mean square of its ReLUs; it is to be above a threshold for true and below it for false
    data. What goes on to the next layer is normalised, so that goodness can't be read off from the length. A class is
    found by trying all labels. The last layer is the paper's quick readout: a softmax on the hidden values of a picture
    with a neutral label, which trains nothing below it. With it as output the true gradient is defined.
    """

    name = "forward-forward"
    paper = "Hinton 2022, arXiv:2212.13345"
    lr = 0.015
    threshold, sharpness = 1.0, 16.0
    """P(true) = σ(sharpness · (goodness − threshold))."""

    def layer(self, number: int, x: Tensor, weights: Sequence[Tensor]) -> Tensor:
        """Normalised input (mean square 1 in each row), then ReLUs."""
        scaled = x / torch.sqrt((x * x).mean(1, keepdim=True) + 1e-6)
        return torch.relu(torch.linear(scaled, weights[2 * number], weights[2 * number + 1]))

    def logits(self, x: Tensor, weights: Sequence[Tensor]) -> Tensor:
        """The readout of pictures with a neutral label, a tenth of each."""
        x = torch.tensor(labelled(x.array, np.full(CLASSES, 1.0 / CLASSES)))
        for number in range(len(weights) // 2 - 1):
            x = self.layer(number, x, weights)
        return torch.linear(x, weights[-2], weights[-1])

    def direction(self, x: Array, classes: Array, rng: np.random.Generator) -> Step:
        """For each layer the gradient of its own loss; only one layer's values are kept at a time."""
        wrong = (classes + rng.integers(1, CLASSES, len(classes))) % CLASSES
        values = np.concatenate([labelled(x, np.eye(CLASSES)[classes]), labelled(x, np.eye(CLASSES)[wrong])])
        sign = torch.tensor(np.repeat(np.array([-1.0, 1.0], np.float32), len(x)))
        found: list[Array] = []
        kept = 0
        for number in range(len(self.weights) // 2 - 1):
            h = self.layer(number, torch.tensor(values), self.weights)
            loss = torch.softplus(sign * self.sharpness * ((h * h).mean(1) - self.threshold)).mean()
            kept = max(kept, torch.memory(loss)["activations"])
            found += [g.array for g in torch.grad(loss, self.weights[2 * number : 2 * number + 2])]
            values = h.array
        loss = torch.cross_entropy(self.logits(torch.tensor(x), self.weights), torch.tensor(classes))
        return Step([*found, *[g.array for g in torch.grad(loss, self.weights[-2:])]], kept)

    def goodness(self, x: Array, label: Array) -> Array:
        """Of every hidden layer but the first, as the paper has it, summed: (batch,)."""
        total, values = np.zeros(len(x)), torch.tensor(labelled(x, label))
        with torch.no_grad():
            for number in range(len(self.weights) // 2 - 1):
                values = self.layer(number, values, self.weights)
                total += np.square(values.array).mean(1) if number > 0 else 0.0
        return total

    def predict(self, x: Array, rng: np.random.Generator) -> Array:
        """The label under which the hidden layers are liveliest."""
        tried = np.stack([self.goodness(x, row) for row in np.eye(CLASSES)])
        return np.asarray(tried.argmax(0))


def labelled(x: Array, label: Array) -> Array:
    """A copy of pictures (batch, inputs) with labels, (batch, classes) or one for all, in the last places."""
    written = x.copy()
    written[:, -CLASSES:] = label
    return written
