"""Initial weights. Every function overwrites a parameter in place and returns it.

`generator` is a numpy.random.Generator; without one, the generator that manual_seed sets. fan_in and fan_out are the
numbers of inputs and outputs that one output and one input touch: for weight (out, in, *kernel) they are
in * prod(kernel) and out * prod(kernel).
"""

from __future__ import annotations

import math

import numpy as np

from learner.autodiff.create import default_generator
from learner.autodiff.modes import no_grad
from learner.autodiff.tensor import Tensor

Generator = np.random.Generator | None

GAINS = {"linear": 1.0, "sigmoid": 1.0, "tanh": 5.0 / 3.0, "relu": math.sqrt(2.0), "selu": 0.75}


def calculate_gain(nonlinearity: str, param: float = 0.01) -> float:
    """The factor by which a nonlinearity shrinks its input's deviation, as PyTorch lists it.
    `param` is the slope of leaky_relu."""
    if nonlinearity == "leaky_relu":
        return math.sqrt(2.0 / (1.0 + param * param))
    if nonlinearity not in GAINS:
        raise ValueError(f"no gain is known for {nonlinearity!r}; known: {', '.join([*GAINS, 'leaky_relu'])}")
    return GAINS[nonlinearity]


def fans(tensor: Tensor) -> tuple[int, int]:
    """(fan_in, fan_out) of a weight with at least two axes."""
    if tensor.ndim < 2:
        raise ValueError(f"fan_in and fan_out need a weight of at least two axes, got shape {tensor.shape}")
    kernel = math.prod(tensor.shape[2:])
    return tensor.shape[1] * kernel, tensor.shape[0] * kernel


@no_grad()
def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Generator = None) -> Tensor:
    """Uniform on [a, b)."""
    return tensor.copy_((generator or default_generator()).uniform(a, b, tensor.shape).astype(tensor.dtype))


@no_grad()
def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Generator = None) -> Tensor:
    """Normal with the given mean and standard deviation."""
    return tensor.copy_((generator or default_generator()).normal(mean, std, tensor.shape).astype(tensor.dtype))


@no_grad()
def constant_(tensor: Tensor, value: float) -> Tensor:
    return tensor.fill_(value)


def zeros_(tensor: Tensor) -> Tensor:
    return constant_(tensor, 0.0)


def ones_(tensor: Tensor) -> Tensor:
    return constant_(tensor, 1.0)


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Generator = None) -> Tensor:
    """Uniform with variance gain^2 * 2 / (fan_in + fan_out) (Glorot & Bengio 2010)."""
    bound = gain * math.sqrt(6.0 / sum(fans(tensor)))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Generator = None) -> Tensor:
    """Normal with variance gain^2 * 2 / (fan_in + fan_out) (Glorot & Bengio 2010)."""
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / sum(fans(tensor))), generator)


def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0.0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator = None,
) -> Tensor:
    """Uniform with variance gain^2 / fan (He et al. 2015); `a` is the slope where nonlinearity is leaky_relu."""
    bound = calculate_gain(nonlinearity, a) * math.sqrt(3.0 / fans(tensor)[mode == "fan_out"])
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor,
    a: float = 0.0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator = None,
) -> Tensor:
    """Normal with variance gain^2 / fan (He et al. 2015)."""
    return normal_(tensor, 0.0, calculate_gain(nonlinearity, a) / math.sqrt(fans(tensor)[mode == "fan_out"]), generator)


@no_grad()
def orthogonal_(tensor: Tensor, gain: float = 1.0, generator: Generator = None) -> Tensor:
    """Orthonormal rows or columns, whichever are fewer, times gain (Saxe et al. 2013): Q of a normal matrix's QR, with
    signs fixed so that it is uniform among all orthogonal matrices (Mezzadri 2007)."""
    rows, columns = tensor.shape[0], math.prod(tensor.shape[1:])
    normal = (generator or default_generator()).standard_normal((max(rows, columns), min(rows, columns)))
    q, r = np.linalg.qr(normal)
    q = q * np.sign(np.diag(r))
    return tensor.copy_((gain * (q if rows >= columns else q.T)).reshape(tensor.shape).astype(tensor.dtype))


def linear_(weight: Tensor, bias: Tensor | None, generator: Generator = None) -> None:
    """PyTorch's default for Linear and Conv: both uniform within 1 / sqrt(fan_in)."""
    bound = 1.0 / math.sqrt(fans(weight)[0]) if fans(weight)[0] else 0.0
    uniform_(weight, -bound, bound, generator)
    if bias is not None:
        uniform_(bias, -bound, bound, generator)
