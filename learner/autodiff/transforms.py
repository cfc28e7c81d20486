"""Derivatives of functions, as functions: vector-Jacobian products, Jacobians, Hessian-vector products."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from learner.autodiff.engine import grad
from learner.autodiff.ops.shaping import stack
from learner.autodiff.tensor import Tensor

Function = Callable[..., Tensor]


def _tracked(inputs: Sequence[Tensor]) -> list[Tensor]:
    """The inputs as tensors whose gradients can be asked for, without touching those of the caller."""
    return [x * 1.0 if x.requires_grad else Tensor(x.array, requires_grad=True) for x in inputs]


def vjp(function: Function, *inputs: Tensor) -> tuple[Tensor, Callable[[Any], tuple[Tensor, ...]]]:
    """(function(*inputs), pull), where pull(v) gives v^T J for each input; it can be called any number of times."""
    tracked = _tracked(inputs)
    output = function(*tracked)

    def pull(v: Any) -> tuple[Tensor, ...]:
        grads = grad(output, tracked, v, retain_graph=True, allow_unused=True)
        return tuple(Tensor(np.zeros(x.shape, x.dtype)) if g is None else g for g, x in zip(grads, inputs, strict=True))

    return output, pull


def jacobian(function: Function, x: Tensor, create_graph: bool = False) -> Tensor:
    """All first derivatives of function at x: shape function(x).shape + x.shape, one backward pass an output element.

    create_graph: the Jacobian is itself differentiable.
    """
    (tracked,) = _tracked([x])
    output = function(tracked)
    rows = []
    for index in np.ndindex(output.shape):
        v = np.zeros(output.shape, output.dtype)
        v[index] = 1.0
        (g,) = grad(output, tracked, v, retain_graph=True, create_graph=create_graph, allow_unused=True)
        rows.append(Tensor(np.zeros(x.shape, x.dtype)) if g is None else g)
    if not rows:
        return Tensor(np.zeros(output.shape + x.shape, x.dtype))
    return stack(rows).reshape(output.shape + x.shape)


def hessian(function: Function, x: Tensor) -> Tensor:
    """All second derivatives of a scalar function at x: shape x.shape + x.shape."""
    return jacobian(lambda y: _slope(function, y), x)


def hessian_vector(function: Function, x: Tensor, v: Any) -> Tensor:
    """The Hessian of a scalar function at x, times v (of x's shape), for the price of two backward passes."""
    (tracked,) = _tracked([x])
    slope = _slope(function, tracked)
    if not slope.requires_grad:
        return Tensor(np.zeros(x.shape, x.dtype))
    (product,) = grad(slope, tracked, v, allow_unused=True)
    return Tensor(np.zeros(x.shape, x.dtype)) if product is None else product


def _slope(function: Function, x: Tensor) -> Tensor:
    (g,) = grad(function(x), x, create_graph=True, allow_unused=True)
    return x * 0.0 if g is None else g
