"""Layers that know their own derivative: `forward` keeps what `backward` will need."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from learner.autodiff.ops.special import erf_kernel

Array = npt.NDArray[Any]


class Layer:
    """A step of a network. backward(delta) takes dL/d(output) and returns dL/d(input), for the last forward(x)."""

    def forward(self, x: Array) -> Array:
        raise NotImplementedError(f"{type(self).__name__} must define forward")

    def backward(self, delta: Array) -> Array:
        raise NotImplementedError(f"{type(self).__name__} must define backward")

    def parameters(self) -> list[tuple[Array, Array]]:
        """(values, gradient) of each parameter; backward overwrites the gradient."""
        return []


class Linear(Layer):
    """z = x W^T + b for x (batch, inputs), W (outputs, inputs), b (outputs,)."""

    def __init__(self, weight: Array, bias: Array) -> None:
        self.weight, self.bias = weight, bias
        self.weight_grad, self.bias_grad = np.zeros_like(weight), np.zeros_like(bias)

    @classmethod
    def random(cls, inputs: int, outputs: int, generator: np.random.Generator) -> Linear:
        """Weights uniform within 1 / sqrt(inputs), in float32."""
        bound = 1.0 / math.sqrt(inputs)
        weight = generator.uniform(-bound, bound, (outputs, inputs)).astype(np.float32)
        return cls(weight, generator.uniform(-bound, bound, outputs).astype(np.float32))

    def forward(self, x: Array) -> Array:
        self.x = x
        return x @ self.weight.T + self.bias

    def backward(self, delta: Array) -> Array:
        self.weight_grad[...] = delta.T @ self.x  # dL/dW = delta a^T
        self.bias_grad[...] = delta.sum(axis=0)  # dL/db = delta
        return delta @ self.weight  # W^T delta

    def parameters(self) -> list[tuple[Array, Array]]:
        return [(self.weight, self.weight_grad), (self.bias, self.bias_grad)]


class ReLU(Layer):
    """max(z, 0). Its derivative is a mask: gradients pass where z > 0 and stop elsewhere (for good, in a dead unit)."""

    def forward(self, z: Array) -> Array:
        self.mask = z > 0
        return z * self.mask

    def backward(self, delta: Array) -> Array:
        return delta * self.mask


class LeakyReLU(Layer):
    """z where z > 0, slope * z elsewhere: a unit that is off still learns a little."""

    def __init__(self, slope: float = 0.01) -> None:
        self.slope = slope

    def forward(self, z: Array) -> Array:
        self.factor: Array = np.where(z > 0, z.dtype.type(1), z.dtype.type(self.slope))
        return np.asarray(z * self.factor)

    def backward(self, delta: Array) -> Array:
        return np.asarray(delta * self.factor)


class GELU(Layer):
    """z Phi(z), whose derivative is Phi(z) + z phi(z), Phi and phi the normal distribution's function and density."""

    def forward(self, z: Array) -> Array:
        self.z = z
        self.below: Array = 0.5 * (1.0 + erf_kernel(z * math.sqrt(0.5)))
        return np.asarray(z * self.below)

    def backward(self, delta: Array) -> Array:
        density = np.exp(-0.5 * self.z * self.z) / math.sqrt(2.0 * math.pi)
        return np.asarray(delta * (self.below + self.z * density))


class Tanh(Layer):
    """tanh z, whose derivative 1 - a^2 is below 1 and nearly 0 where |z| is large: there gradients vanish."""

    def forward(self, z: Array) -> Array:
        self.a: Array = np.tanh(z)
        return self.a

    def backward(self, delta: Array) -> Array:
        return np.asarray(delta * (1 - self.a * self.a))


class Sigmoid(Layer):
    """1 / (1 + e^-z), whose derivative a (1 - a) is at most 1/4."""

    def forward(self, z: Array) -> Array:
        self.a = 0.5 * (1.0 + np.tanh(0.5 * z))
        return self.a

    def backward(self, delta: Array) -> Array:
        return delta * self.a * (1 - self.a)
