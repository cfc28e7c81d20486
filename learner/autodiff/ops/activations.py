"""Activation functions and their normalised relatives softmax and log-softmax. relu'(0) = 0."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from learner.autodiff import kernels_rows
from learner.autodiff.kernels_rows import gelu32
from learner.autodiff.modes import modes
from learner.autodiff.ops.elementwise import expm1, mul, sigmoid, tanh, where
from learner.autodiff.ops.reductions import amax
from learner.autodiff.ops.special import erf_kernel
from learner.autodiff.table import Array, op

if TYPE_CHECKING:
    from learner.autodiff.tensor import Tensor

relu = op("relu", lambda x, out=None: np.maximum(x, 0, out=out), lambda g, o: g * (o > 0))

_leaky_relu = op(
    "leaky_relu",
    lambda x, negative_slope: np.where(x > 0, x, x * negative_slope),
    lambda f, g, x, negative_slope: f.where(x > 0, g, g * negative_slope),
)


def leaky_relu(x: Tensor, negative_slope: float = 0.01) -> Tensor:
    """x where x > 0, negative_slope * x elsewhere (the slope at 0 is negative_slope)."""
    return _leaky_relu(x, negative_slope=negative_slope)


def elu(x: Tensor, alpha: float = 1.0) -> Tensor:
    """x where x > 0, alpha * (e^x - 1) elsewhere (Clevert et al. 2015)."""
    return where(x > 0, x, alpha * expm1(x.clip(max=0.0)))


def silu(x: Tensor) -> Tensor:
    """x * sigmoid(x), also called swish."""
    return mul(x, sigmoid(x))


def _gelu(x: Array, out: Any = None) -> tuple[Array, Array]:
    """x Phi(x), and its derivative Phi(x) + x phi(x), for backward to multiply with."""
    made = gelu32(x, out)
    if made is None:
        below = 0.5 * (1.0 + erf_kernel(x * math.sqrt(0.5)))
        made = x * below, below + x * (np.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi))
        if out is not None:
            out[0][...], out[1][...] = made
    return made


_gelu_row = op(
    "gelu",
    _gelu,
    lambda g, aux: g * aux,
    aux=True,
    reference=lambda f, x: 0.5 * x * (1.0 + f.erf(x * math.sqrt(0.5))),
)


def gelu(x: Tensor, approximate: str = "none") -> Tensor:
    """x * Phi(x), Phi the normal distribution function (Hendrycks & Gimpel 2016).

    approximate: "none" uses erf; "tanh" is 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))).
    """
    if approximate == "none":
        return _gelu_row(x)
    if approximate == "tanh":
        return 0.5 * x * (1.0 + tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x * x * x)))
    raise ValueError(f"gelu: approximate must be 'none' or 'tanh', got {approximate!r}")


softplus = op(
    "softplus",
    lambda x, out=None: np.logaddexp(x, 0, out=out),
    lambda f, g, x: g * f.sigmoid(x),
    reference=lambda f, x: f.maximum(x, 0.0) + f.log1p(f.exp(-f.abs(x))),
)


def logsigmoid(x: Tensor) -> Tensor:
    """log(sigmoid(x)) without overflow: -softplus(-x)."""
    return -softplus(-x)


hard_threshold = op("hard_threshold", lambda x: (x > 0).astype(x.dtype), lambda g, x: g * (x >= -1.0) * (x <= 1.0))
"""1 where x > 0, else 0, with the straight-through gradient: the identity's where |x| <= 1, else 0 (Hubara et al.
2016, eq. 4)."""


def _softmax(x: Array, dim: int, out: Any = None) -> Any:
    if dim in (-1, x.ndim - 1):
        return kernels_rows.softmax(x, out)
    with np.errstate(over="ignore"):
        e = np.subtract(x, np.max(x, axis=dim, keepdims=True), out=out)
    np.exp(e, out=e)
    e /= np.add.reduce(e, axis=dim, keepdims=True)
    return e


def _softmax_rule(f: Any, g: Any, o: Any, dim: int) -> Any:
    """o (g - sum(g o)); its own row where the axis is the last and no second derivative is asked for."""
    if dim in (-1, g.ndim - 1) and not modes.grad:
        return f.softmax_backward(g, o)
    return o * (g - f.sum(g * o, dim=dim, keepdim=True))


op("softmax_backward", kernels_rows.softmax_backward)


def _log_softmax(x: Array, dim: int, out: Any = None) -> Any:
    with np.errstate(over="ignore"):  # logits that far apart: the difference is -inf, as it should be
        shifted = np.subtract(x, np.max(x, axis=dim, keepdims=True), out=out)
    shifted -= np.log(np.add.reduce(np.exp(shifted), axis=dim, keepdims=True))
    return shifted


_softmax_row = op(
    "softmax",
    _softmax,
    _softmax_rule,
    reference=lambda f, x, dim: _normalised(f, x, dim)[0],
)
_log_softmax_row = op(
    "log_softmax",
    _log_softmax,
    lambda f, g, o, dim: g - f.exp(o) * f.sum(g, dim=dim, keepdim=True),
    reference=lambda f, x, dim: _normalised(f, x, dim)[1],
)


def _normalised(f: Any, x: Any, dim: int) -> tuple[Any, Any]:
    """Softmax and its logarithm out of primitives. The shift is constant: any number cancels."""
    shifted = x - amax(x.detach(), dim, keepdim=True)
    e = f.exp(shifted)
    total = f.sum(e, dim=dim, keepdim=True)
    return e / total, shifted - f.log(total)


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    """e^x / sum(e^x) along `dim`; finite for any finite logits, and for -inf beside finite ones."""
    return _softmax_row(x, dim=dim)


def log_softmax(x: Tensor, dim: int = -1) -> Tensor:
    """log(softmax(x)) along `dim`, without overflow: logits of +-1e8 are fine."""
    return _log_softmax_row(x, dim=dim)
