"""Activation functions as modules."""

from __future__ import annotations

from learner.autodiff.ops import activations, elementwise
from learner.autodiff.tensor import Tensor
from learner.nn.module import Module


class ReLU(Module):
    """max(x, 0)."""

    def forward(self, x: Tensor) -> Tensor:
        return activations.relu(x)


class Tanh(Module):
    """The hyperbolic tangent."""

    def forward(self, x: Tensor) -> Tensor:
        return elementwise.tanh(x)


class Sigmoid(Module):
    """1 / (1 + e^-x)."""

    def forward(self, x: Tensor) -> Tensor:
        return elementwise.sigmoid(x)


class SiLU(Module):
    """x * sigmoid(x)."""

    def forward(self, x: Tensor) -> Tensor:
        return activations.silu(x)


class Softplus(Module):
    """log(1 + e^x)."""

    def forward(self, x: Tensor) -> Tensor:
        return activations.softplus(x)


class LeakyReLU(Module):
    """x where x > 0, negative_slope * x elsewhere."""

    def __init__(self, negative_slope: float = 0.01) -> None:
        self.negative_slope = negative_slope

    def forward(self, x: Tensor) -> Tensor:
        return activations.leaky_relu(x, self.negative_slope)


class ELU(Module):
    """x where x > 0, alpha * (e^x - 1) elsewhere."""

    def __init__(self, alpha: float = 1.0) -> None:
        self.alpha = alpha

    def forward(self, x: Tensor) -> Tensor:
        return activations.elu(x, self.alpha)


class GELU(Module):
    """x * Phi(x), exactly ("none") or by the tanh formula ("tanh")."""

    def __init__(self, approximate: str = "none") -> None:
        self.approximate = approximate

    def forward(self, x: Tensor) -> Tensor:
        return activations.gelu(x, self.approximate)


class Softmax(Module):
    """e^x / sum(e^x) along dim."""

    def __init__(self, dim: int = -1) -> None:
        self.dim = dim

    def forward(self, x: Tensor) -> Tensor:
        return activations.softmax(x, self.dim)


class LogSoftmax(Module):
    """log(softmax(x)) along dim."""

    def __init__(self, dim: int = -1) -> None:
        self.dim = dim

    def forward(self, x: Tensor) -> Tensor:
        return activations.log_softmax(x, self.dim)
