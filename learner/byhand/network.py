"""Layers in a row, and losses that start the way back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from learner.byhand.layers import Array, Layer


class Network:
    """Layers applied one after the other; backward visits them in reverse."""

    def __init__(self, layers: Sequence[Layer]) -> None:
        self.layers = list(layers)

    def forward(self, x: Array) -> Array:
        for layer in self.layers:
            x = layer.forward(x)
        return x

    def backward(self, delta: Array) -> Array:
        for layer in reversed(self.layers):
            delta = layer.backward(delta)
        return delta

    def parameters(self) -> list[tuple[Array, Array]]:
        return [pair for layer in self.layers for pair in layer.parameters()]

    def descend(self, lr: float) -> None:
        """One step of gradient descent: w -= lr dL/dw."""
        for values, gradient in self.parameters():
            values -= values.dtype.type(lr) * gradient


class MeanSquaredError:
    """The mean over the batch of (1/2) |y - target|^2; delta = (y - target) / batch."""

    def forward(self, y: Array, target: Array) -> float:
        self.difference: Array = y - target
        return float(0.5 * np.sum(self.difference**2) / len(y))

    def backward(self) -> Array:
        delta: Array = self.difference / self.difference.dtype.type(len(self.difference))
        return delta


class SoftmaxCrossEntropy:
    """The mean over the batch of -log p[class], p the softmax of the logits; delta = (p - onehot) / batch."""

    def forward(self, logits: Array, classes: Array) -> float:
        shifted = logits - logits.max(axis=1, keepdims=True)  # the largest becomes 0, so exp cannot overflow
        e = np.exp(shifted)
        self.p, self.classes = e / e.sum(axis=1, keepdims=True), classes
        log_p = shifted - np.log(e.sum(axis=1, keepdims=True))
        return float(-log_p[np.arange(len(classes)), classes].mean())

    def backward(self) -> Array:
        delta: Array = self.p / self.p.dtype.type(len(self.p))
        delta[np.arange(len(delta)), self.classes] -= delta.dtype.type(1 / len(delta))
        return delta
