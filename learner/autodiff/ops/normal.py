"""Normalisation. Means and variances accumulate in float64, whatever the dtype.

With x^ = (x - mean) / sqrt(var + eps) and y = w x^ + b, the gradient towards x is, for d = g w,
(d - mean(d) - x^ mean(d x^)) / sqrt(var + eps): what is left of d without its parts along 1 and along x^
(Ba et al. 2016; Zhang & Sennrich 2019 for RMS, where nothing is subtracted).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from learner.autodiff import kernels_rows
from learner.autodiff.modes import no_grad
from learner.autodiff.ops.elementwise import reciprocal, sqrt
from learner.autodiff.ops.shaping import permute, reshape
from learner.autodiff.recorder import effect
from learner.autodiff.table import Array, op
from learner.autodiff.tape import frozen

if TYPE_CHECKING:
    from learner.autodiff.tensor import Tensor

_LAST: dict[str, Any] = {"dim": -1, "keepdim": True}
_HINT = "the weight and bias have the shape of the normalised axes, the last ones of x"


def _layer_norm(x: Array, w: Array, b: Array, eps: float, out: Any = None) -> tuple[Array, tuple[Array, Array]]:
    """x: (rows, width). Keeps (mean, 1 / sqrt(var + eps)), (rows, 1) each."""
    y, mean, scale = kernels_rows.layer_norm(x, w, b, eps, out)
    return y, (mean, scale)


op("layer_norm_backward", kernels_rows.layer_norm_backward)
_layer_norm_row = op(
    "layer_norm",
    _layer_norm,
    joint=lambda f, g, x, y, aux: f.layer_norm_backward(g, x, y, *aux),
    aux=True,
    reference=lambda f, x, w, b, eps: _normalised(f, x - f.mean(x, **_LAST), eps) * w + b,
    hint=_HINT,
)


def _rms_norm(x: Array, w: Array, eps: float) -> tuple[Array, Array]:
    """x: (rows, width). Keeps 1 / sqrt(mean(x^2) + eps), (rows, 1)."""
    wide = x.astype(np.float64)
    scale = (1.0 / np.sqrt(np.mean(wide * wide, axis=-1, keepdims=True) + eps)).astype(x.dtype)
    return x * scale * w, scale


def _rms_norm_x(f: Any, g: Any, x: Any, y: Any, aux: Any) -> Any:
    n, d = x * aux, g * y
    return (d - n * f.mean(d * n, **_LAST)) * aux


_rms_norm_row = op(
    "rms_norm",
    _rms_norm,
    _rms_norm_x,
    lambda g, x, aux: g * (x * aux),
    aux=True,
    reference=lambda f, x, w, eps: _normalised(f, x, eps) * w,
    hint=_HINT,
)


def _normalised(f: Any, x: Any, eps: float) -> Any:
    return x / f.sqrt(f.mean(x * x, **_LAST) + eps)


def layer_norm(
    x: Tensor, normalized_shape: Sequence[int], weight: Any = None, bias: Any = None, eps: float = 1e-5
) -> Tensor:
    """x with mean 0 and variance 1 over its last axes, which have normalized_shape; then times weight, plus bias."""
    width = _width("layer_norm", x, normalized_shape)
    weight = frozen(np.ones(width, x.dtype)) if weight is None else reshape(weight, (width,))
    bias = frozen(np.zeros(width, x.dtype)) if bias is None else reshape(bias, (width,))
    return reshape(_layer_norm_row(reshape(x, (-1, width)), weight, bias, eps=eps), x.shape)


def rms_norm(x: Tensor, normalized_shape: Sequence[int], weight: Any = None, eps: float = 1e-6) -> Tensor:
    """x divided by the root of its mean square over its last axes, which have normalized_shape; then times weight."""
    width = _width("rms_norm", x, normalized_shape)
    weight = frozen(np.ones(width, x.dtype)) if weight is None else reshape(weight, (width,))
    return reshape(_rms_norm_row(reshape(x, (-1, width)), weight, eps=eps), x.shape)


def batch_norm(
    x: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Any = None,
    bias: Any = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """x (rows, channels, *space) with mean 0 and variance 1 in each channel (Ioffe & Szegedy 2015).

    training: measure mean and variance on x and move the running ones towards them by `momentum`, in place, the
    variance by its unbiased estimate, as in PyTorch. Otherwise use the running ones.
    """
    channels = x.shape[1]
    along = (1, channels) + (1,) * (x.ndim - 2)
    if training or running_mean is None or running_var is None:
        order = (1, 0, *range(2, x.ndim))
        flat = reshape(permute(x, order), (channels, -1))
        count = flat.shape[1]
        if training and count < 2:
            raise ValueError(f"batch_norm: shape {x.shape} has one value in each channel, which leaves no variance")
        if training and running_mean is not None and running_var is not None:
            effect(lambda: _measure(flat, running_mean, running_var, momentum))
        ones, zeros = frozen(np.ones(count, x.dtype)), frozen(np.zeros(count, x.dtype))
        spread = tuple(x.shape[i] for i in order)
        normal = permute(reshape(_layer_norm_row(flat, ones, zeros, eps=eps), spread), order)
    else:
        normal = (x - reshape(running_mean, along)) * reciprocal(sqrt(reshape(running_var, along) + eps))
    if weight is not None:
        normal = normal * reshape(weight, along)
    return normal if bias is None else normal + reshape(bias, along)


def _measure(flat: Tensor, running_mean: Tensor, running_var: Tensor, momentum: float) -> None:
    mean = flat.array.mean(axis=1, dtype=np.float64)
    var = flat.array.var(axis=1, dtype=np.float64, ddof=1)
    with no_grad():
        running_mean.copy_(((1.0 - momentum) * running_mean.array + momentum * mean).astype(flat.dtype))
        running_var.copy_(((1.0 - momentum) * running_var.array + momentum * var).astype(flat.dtype))


def _width(name: str, x: Tensor, normalized_shape: Sequence[int]) -> int:
    shape = tuple(normalized_shape)
    if not shape or x.shape[-len(shape) :] != shape:
        raise ValueError(f"{name}: normalized_shape {shape} is not how the shape {x.shape} ends")
    return math.prod(shape)
