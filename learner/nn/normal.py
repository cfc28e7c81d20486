"""Normalisation layers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from learner.autodiff.create import ones, zeros
from learner.autodiff.ops import normal
from learner.autodiff.recorder import effect
from learner.autodiff.tensor import Tensor
from learner.nn.module import Module, Parameter


class LayerNorm(Module):
    """Mean 0 and variance 1 over the last axes, then weight and bias (Ba et al. 2016)."""

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        *,
        dtype: object = None,
    ) -> None:
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps = eps
        self.weight = Parameter(ones(self.normalized_shape, dtype=dtype)) if elementwise_affine else None
        self.bias = Parameter(zeros(self.normalized_shape, dtype=dtype)) if elementwise_affine and bias else None

    def forward(self, x: Tensor) -> Tensor:
        return normal.layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}"


class RMSNorm(Module):
    """Root mean square 1 over the last axes, then weight (Zhang & Sennrich 2019)."""

    def __init__(self, normalized_shape: int | Sequence[int], eps: float = 1e-6, *, dtype: object = None) -> None:
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps = eps
        self.weight = Parameter(ones(self.normalized_shape, dtype=dtype))

    def forward(self, x: Tensor) -> Tensor:
        return normal.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}"


class _BatchNorm(Module):
    """Mean 0 and variance 1 in each channel: measured in training, remembered for evaluation (Ioffe & Szegedy 2015)."""

    axes: tuple[int, ...] = (2, 3)

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        *,
        dtype: object = None,
    ) -> None:
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.weight = Parameter(ones(num_features, dtype=dtype)) if affine else None
        self.bias = Parameter(zeros(num_features, dtype=dtype)) if affine else None
        self.running_mean: Tensor | None = None
        self.running_var: Tensor | None = None
        if track_running_stats:
            self.register_buffer("running_mean", zeros(num_features, dtype=dtype))
            self.register_buffer("running_var", ones(num_features, dtype=dtype))
            self.register_buffer("num_batches_tracked", zeros((), dtype=np.int64))

    def forward(self, x: Tensor) -> Tensor:
        if x.ndim not in self.axes or x.shape[1] != self.num_features:
            raise ValueError(f"{type(self).__name__}({self.num_features}) cannot take shape {x.shape}")
        if self.training and self.running_mean is not None:
            self.num_batches_tracked: Tensor
            effect(lambda: self.num_batches_tracked.add_(1))
        return normal.batch_norm(
            x, self.running_mean, self.running_var, self.weight, self.bias, self.training, self.momentum, self.eps
        )

    def extra_repr(self) -> str:
        return f"{self.num_features}, eps={self.eps}, momentum={self.momentum}"


class BatchNorm1d(_BatchNorm):
    """Over (rows, features) or (rows, features, length)."""


class BatchNorm2d(_BatchNorm):
    """Over (rows, features, height, width)."""

    axes = (4,)
