"""Backpropagation: one pass back through the graph gives every derivative."""

from __future__ import annotations

import numpy as np

import learner.autodiff as torch
from learner.autodiff.table import Array
from learner.compare.method import Method, Step


class Backpropagation(Method):
    """The gradient itself, by the autodiff core."""

    name = "backpropagation"
    paper = "Rumelhart, Hinton and Williams 1986, Nature 323, 533–536"
    lr = 0.01

    def direction(self, x: Array, classes: Array, rng: np.random.Generator) -> Step:
        """dL/dw; kept are the activations."""
        loss = torch.cross_entropy(self.logits(torch.tensor(x), self.weights), torch.tensor(classes))
        kept = torch.memory(loss)["activations"] - x.nbytes
        return Step([slope.array for slope in torch.grad(loss, self.weights)], kept)
