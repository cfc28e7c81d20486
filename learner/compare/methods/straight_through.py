"""The straight-through estimator: units of −1 and +1, and a way back as if they had been smooth."""

from __future__ import annotations

import numpy as np

import learner.autodiff as torch
from learner.autodiff import Tensor
from learner.autodiff.table import Array
from learner.compare.method import Method, Step


class StraightThrough(Method):
    """h = sign(z), whose derivative is 0; instead that of clip(z, −1, 1) is used (Hubara et al. 2016, eq. 4).

    The true gradient it is held against is that of the same weights with tanh in sign's place.
    """

    name = "straight-through"
    paper = "Bengio, Léonard and Courville 2013, arXiv:1308.3432"
    lr = 0.008

    def binary_logits(self, x: Tensor) -> Tensor:
        """The network as it is used: hidden units are −1 or +1."""
        for W, b in zip(self.weights[:-2:2], self.weights[1:-2:2], strict=True):
            z = torch.linear(x, W, b)
            smooth = torch.clamp(z, -1.0, 1.0)
            x = smooth + (2.0 * torch.hard_threshold(z) - 1.0 - smooth).detach()  # its value sign(z), its slope clip's
        return torch.linear(x, self.weights[-2], self.weights[-1])

    def direction(self, x: Array, classes: Array, rng: np.random.Generator) -> Step:
        """Backpropagation through the estimator; kept are the activations."""
        loss = torch.cross_entropy(self.binary_logits(torch.tensor(x)), torch.tensor(classes))
        kept = torch.memory(loss)["activations"] - x.nbytes
        return Step([slope.array for slope in torch.grad(loss, self.weights)], kept)

    def predict(self, x: Array, rng: np.random.Generator) -> Array:
        """By the binary network."""
        with torch.no_grad():
            return np.asarray(self.binary_logits(torch.tensor(x)).array.argmax(1))
