"""Convolutions and pooling over one or two (or more) axes, all built on two primitives that are each other's gradient.

`unfold` lays out the windows of x, `fold` adds windows back into place. A convolution is a matrix product with the
windows, a transposed convolution is windows made by a matrix product and folded, pooling reduces the windows.
Windows come as (channels, *kernel, *places, rows): channels first, so that a product with the weight needs no copy, and
rows last, so that windows are copied in long runs; the result lies in memory the same way, ready for the next layer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from learner.autodiff import tape
from learner.autodiff.modes import modes
from learner.autodiff.ops.reductions import amax, mean
from learner.autodiff.ops.shaping import permute, reshape
from learner.autodiff.table import Array, op

if TYPE_CHECKING:
    from learner.autodiff.tensor import Tensor

Sizes = int | Sequence[int]
_HINT = "x is (rows, channels, *space)"


def _places(
    size: tuple[int, ...], kernel: tuple[int, ...], stride: Any, padding: Any, dilation: Any
) -> tuple[int, ...]:
    """How many windows fit along each axis."""
    return tuple(
        (n + 2 * p - d * (k - 1) - 1) // s + 1
        for n, k, s, p, d in zip(size, kernel, stride, padding, dilation, strict=True)
    )


def _window(offset: tuple[int, ...], places: tuple[int, ...], stride: Any, dilation: Any) -> Any:
    """Where in the padded x the elements at `offset` of all windows lie."""
    starts = [o * d for o, d in zip(offset, dilation, strict=True)]
    return (slice(None), *(slice(a, a + s * (n - 1) + 1, s) for a, n, s in zip(starts, places, stride, strict=True)))


def _inner(size: tuple[int, ...], padding: Any) -> Any:
    """Where x itself lies in the padded x."""
    return (slice(None), *(slice(p, p + n) for p, n in zip(padding, size, strict=True)))


def _padded(size: tuple[int, ...], padding: Any) -> tuple[int, ...]:
    return tuple(n + 2 * p for n, p in zip(size, padding, strict=True))


def _unfold(x: Array, kernel: Any, stride: Any, padding: Any, dilation: Any, value: float, out: Any = None) -> Array:
    rows, channels, *space = x.shape
    size = tuple(space)
    places = _places(size, kernel, stride, padding, dilation)
    source = np.moveaxis(x, 0, -1)
    if any(padding):
        wide = np.full((channels, *_padded(size, padding), rows), value, x.dtype)
        wide[_inner(size, padding)] = source
        source = wide
    windows: Array = np.empty((channels, *kernel, *places, rows), x.dtype) if out is None else out
    for offset in np.ndindex(*kernel):
        windows[(slice(None), *offset)] = source[_window(offset, places, stride, dilation)]
    return windows


def _fold(windows: Array, size: Any, kernel: Any, stride: Any, padding: Any, dilation: Any) -> Array:
    channels, places, rows = windows.shape[0], windows.shape[len(kernel) + 1 : -1], windows.shape[-1]
    wide = np.zeros((channels, *_padded(size, padding), rows), windows.dtype)
    for offset in np.ndindex(*kernel):
        wide[_window(offset, places, stride, dilation)] += windows[(slice(None), *offset)]
    inner: Array = np.moveaxis(wide[_inner(size, padding)], -1, 0)
    return inner


op(
    "unfold",
    _unfold,
    lambda f, g, shapes, kernel, stride, padding, dilation: f.fold(
        g, size=shapes[0][2:], kernel=kernel, stride=stride, padding=padding, dilation=dilation
    ),
    hint=_HINT,
)
op(
    "fold",
    _fold,
    lambda f, g, kernel, stride, padding, dilation: f.unfold(
        g, kernel=kernel, stride=stride, padding=padding, dilation=dilation, value=0.0
    ),
)


def _each(value: Sizes, axes: int, name: str) -> tuple[int, ...]:
    sizes = (value,) * axes if isinstance(value, int) else tuple(value)
    if len(sizes) != axes:
        raise ValueError(f"{name} {value} must be one number or {axes}, one for each axis of space")
    return sizes


def windows(x: Tensor, kernel: Any, stride: Any, padding: Any, dilation: Any, value: float = 0.0) -> Tensor:
    """The windows of x (rows, channels, *space) as (channels, *kernel, *places, rows), `value` outside of x."""
    if x.ndim != len(kernel) + 2:
        raise ValueError(f"x needs shape (rows, channels, *space) with {len(kernel)} axes of space, got {x.shape}")
    if min(_places(x.shape[2:], kernel, stride, padding, dilation)) < 1:
        raise ValueError(f"windows of {kernel} dilated by {dilation} do not fit into {x.shape[2:]} padded by {padding}")
    unfolded: Tensor = tape.TENSORS.unfold(
        x, kernel=kernel, stride=stride, padding=padding, dilation=dilation, value=value
    )
    return unfolded


def conv(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Sizes = 1,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    groups: int = 1,
) -> Tensor:
    """Cross-correlation of x (rows, in, *space) with weight (out, in / groups, *kernel): (rows, out, *places).

    As torch.nn.functional.conv1d and conv2d. Each of the `groups` groups of output channels sees its own group of
    input channels.
    """
    kernel = weight.shape[2:]
    axes, out_channels = len(kernel), weight.shape[0]
    if weight.shape[1] * groups != x.shape[1] or out_channels % groups:
        raise ValueError(
            f"conv: x has {x.shape[1]} channels, weight {weight.shape} with groups={groups} takes "
            f"{weight.shape[1] * groups}; out channels must divide by groups"
        )
    s, p, d = (_each(v, axes, n) for v, n in ((stride, "stride"), (padding, "padding"), (dilation, "dilation")))
    unfolded = windows(x, kernel, s, p, d)
    places = unfolded.shape[axes + 1 :]
    depth = weight.shape[1] * math.prod(kernel)
    if groups == 1:
        filters, columns = reshape(weight, (out_channels, depth)), reshape(unfolded, (depth, -1))
        product = (columns.mT @ filters.mT).mT if modes.steady else filters @ columns
        bias = bias if bias is None else reshape(bias, (out_channels, 1))
    else:
        grouped = reshape(weight, (groups, out_channels // groups, depth))
        product = grouped @ reshape(unfolded, (groups, depth, -1))
        bias = bias if bias is None else reshape(bias, (groups, out_channels // groups, 1))
    product = reshape(product if bias is None else product + bias, (out_channels, *places))
    return permute(product, axes + 1, *range(axes + 1))


def conv_transpose(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Sizes = 1,
    padding: Sizes = 0,
    output_padding: Sizes = 0,
    groups: int = 1,
    dilation: Sizes = 1,
) -> Tensor:
    """The transpose of conv, from x (rows, in, *space) with weight (in, out / groups, *kernel), as in PyTorch."""
    kernel = weight.shape[2:]
    axes, channels = len(kernel), weight.shape[0]
    if x.ndim != axes + 2 or x.shape[1] != channels or channels % groups:
        raise ValueError(f"conv_transpose: weight {weight.shape} with groups={groups} does not fit x {x.shape}")
    s, p, d = (_each(v, axes, n) for v, n in ((stride, "stride"), (padding, "padding"), (dilation, "dilation")))
    extra = _each(output_padding, axes, "output_padding")
    size = tuple(
        (n - 1) * si - 2 * pi + di * (k - 1) + e + 1
        for n, si, pi, di, k, e in zip(x.shape[2:], s, p, d, kernel, extra, strict=True)
    )
    out_channels = weight.shape[1] * groups
    flat = reshape(permute(x, *range(1, axes + 2), 0), (groups, channels // groups, -1))
    spread = reshape(weight, (groups, channels // groups, -1)).mT @ flat
    unfolded = reshape(spread, (out_channels, *kernel, *x.shape[2:], x.shape[0]))
    out: Tensor = tape.TENSORS.fold(unfolded, size=size, kernel=kernel, stride=s, padding=p, dilation=d)
    return out if bias is None else out + reshape(bias, (out_channels,) + (1,) * axes)


def max_pool(
    x: Tensor, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0, dilation: Sizes = 1
) -> Tensor:
    """The largest element of each window; ties share the gradient equally (PyTorch gives it to the first)."""
    axes = x.ndim - 2
    kernel = _each(kernel_size, axes, "kernel_size")
    s = kernel if stride is None else _each(stride, axes, "stride")
    p, d = _each(padding, axes, "padding"), _each(dilation, axes, "dilation")
    largest = amax(windows(x, kernel, s, p, d, value=-math.inf), tuple(range(1, axes + 1)))
    return permute(largest, axes + 1, *range(axes + 1))


def avg_pool(x: Tensor, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0) -> Tensor:
    """The mean of each window; padding counts as zeros."""
    axes = x.ndim - 2
    kernel = _each(kernel_size, axes, "kernel_size")
    s = kernel if stride is None else _each(stride, axes, "stride")
    unfolded = windows(x, kernel, s, _each(padding, axes, "padding"), (1,) * axes)
    return permute(mean(unfolded, tuple(range(1, axes + 1))), axes + 1, *range(axes + 1))


def conv1d(x: Tensor, weight: Tensor, *options: Any, **named: Any) -> Tensor:
    """conv over one axis: x (rows, in, length), weight (out, in / groups, kernel)."""
    return conv(x, weight, *options, **named)


def conv2d(x: Tensor, weight: Tensor, *options: Any, **named: Any) -> Tensor:
    """conv over two axes: x (rows, in, height, width), weight (out, in / groups, height, width)."""
    return conv(x, weight, *options, **named)


conv_transpose1d = conv_transpose2d = conv_transpose
max_pool1d = max_pool2d = max_pool
avg_pool1d = avg_pool2d = avg_pool
