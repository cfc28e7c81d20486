"""Convolution and pooling layers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from learner.autodiff.create import empty
from learner.autodiff.ops import convolution
from learner.autodiff.tensor import Tensor
from learner.nn import init
from learner.nn.module import Module, Parameter

Sizes = int | Sequence[int]


class _Conv(Module):
    """What the convolutions share: a weight (out, in / groups, *kernel) and a bias (out,)."""

    axes = 1

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Sizes = 0,
        dilation: Sizes = 1,
        groups: int = 1,
        bias: bool = True,
        *,
        dtype: object = None,
        generator: np.random.Generator | None = None,
    ) -> None:
        if in_channels % groups or out_channels % groups:
            raise ValueError(f"groups={groups} must divide in_channels={in_channels} and out_channels={out_channels}")
        kernel = (kernel_size,) * self.axes if isinstance(kernel_size, int) else tuple(kernel_size)
        self.stride, self.padding, self.dilation, self.groups = stride, padding, dilation, groups
        self.weight = Parameter(empty(*self._shape(in_channels, out_channels), *kernel, dtype=dtype))
        self.bias = Parameter(empty(out_channels, dtype=dtype)) if bias else None
        init.linear_(self.weight, self.bias, generator)

    def _shape(self, in_channels: int, out_channels: int) -> tuple[int, int]:
        return out_channels, in_channels // self.groups

    def forward(self, x: Tensor) -> Tensor:
        return convolution.conv(x, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)

    def extra_repr(self) -> str:
        return f"weight {self.weight.shape}, stride={self.stride}, padding={self.padding}, groups={self.groups}"


class Conv1d(_Conv):
    """(rows, in, length) -> (rows, out, places)."""


class Conv2d(_Conv):
    """(rows, in, height, width) -> (rows, out, places, places)."""

    axes = 2


class ConvTranspose1d(_Conv):
    """The transpose of Conv1d; its weight is (in, out / groups, kernel). padding shortens the output."""

    def _shape(self, in_channels: int, out_channels: int) -> tuple[int, int]:
        return in_channels, out_channels // self.groups

    def forward(self, x: Tensor) -> Tensor:
        return convolution.conv_transpose(
            x, self.weight, self.bias, self.stride, self.padding, 0, self.groups, self.dilation
        )


class ConvTranspose2d(ConvTranspose1d):
    """The transpose of Conv2d."""

    axes = 2


class _Pool(Module):
    def __init__(self, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0) -> None:
        self.kernel_size, self.stride, self.padding = kernel_size, stride, padding


class MaxPool1d(_Pool):
    """The largest element of each window."""

    def forward(self, x: Tensor) -> Tensor:
        return convolution.max_pool(x, self.kernel_size, self.stride, self.padding)


class AvgPool1d(_Pool):
    """The mean of each window."""

    def forward(self, x: Tensor) -> Tensor:
        return convolution.avg_pool(x, self.kernel_size, self.stride, self.padding)


class MaxPool2d(MaxPool1d):
    """The largest element of each window."""


class AvgPool2d(AvgPool1d):
    """The mean of each window."""
