"""Normalisation layers."""

from __future__ import annotations

from collections.abc import Sequence

from learner.autodiff.create import ones, zeros
from learner.autodiff.ops import normal
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
