"""Comparing gradients with finite differences: of every element, or in one random direction, first and second order.

Central differences in float64 with step eps are off by eps^2 from curvature and by 1e-16 / eps from rounding: 1e-6
balances the two and leaves about 1e-9. Inputs must lie away from kinks by more than eps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from learner.autodiff.engine import grad
from learner.autodiff.modes import no_grad
from learner.autodiff.table import Array
from learner.autodiff.tensor import Tensor


class GradientMismatchError(AssertionError):
    """A gradient and its finite difference disagree; the message says in which input and where."""


def gradcheck(
    function: Callable[..., Tensor],
    inputs: Sequence[Tensor],
    *,
    order: int = 1,
    full: bool = True,
    eps: float = 1e-6,
    rtol: float = 1e-5,
    atol: float = 1e-7,
    seed: int = 0,
) -> None:
    """Check the gradients of function(*inputs) with respect to every input that requires one.

    inputs: tensors, those that require a gradient in float64. Their values are not changed.
    order: 2 also checks the gradients of the gradients. full: perturb every element on its own; False perturbs all of
    them at once in one random direction, for the price of two evaluations.
    The output is reduced to one number by fixed random weights, so one pass checks all output elements.
    Raises GradientMismatchError; TypeError where an input is not float64.
    """
    for i, x in enumerate(inputs):
        if x.requires_grad and x.dtype != np.float64:
            raise TypeError(
                f"gradcheck needs float64 inputs, and input {i} is {x.dtype}, whose differences are mostly noise"
            )
    rng = np.random.default_rng(seed)
    with no_grad():
        weights = rng.standard_normal(function(*inputs).shape)
    places = [i for i, x in enumerate(inputs) if x.requires_grad]

    def scalar(*xs: Tensor) -> Tensor:
        return (function(*xs) * weights).sum()

    def slope(*xs: Tensor) -> Tensor:
        """The gradient along one fixed direction: a scalar function whose own gradient holds second derivatives."""
        grads = grad(scalar(*xs), [xs[i] for i in places], create_graph=True, allow_unused=True)
        along = (
            xs[places[0]] * 0.0
        ).sum()  # so that the slope depends on an input even where all gradients are constant
        for g, d in zip(grads, directions, strict=True):
            along = along if g is None else along + (g * d).sum()
        return along

    directions = [rng.standard_normal(inputs[i].shape) for i in places]
    _compare(scalar, inputs, places, full, eps, rtol, atol, rng, "gradient")
    if order == 2:
        _compare(slope, inputs, places, full, eps, rtol, atol, rng, "second derivative")


def _compare(
    function: Callable[..., Tensor],
    inputs: Sequence[Tensor],
    places: list[int],
    full: bool,
    eps: float,
    rtol: float,
    atol: float,
    rng: np.random.Generator,
    what: str,
) -> None:
    leaves = [Tensor(x.array.copy(), x.requires_grad) if x.requires_grad else x for x in inputs]
    grads = grad(function(*leaves), [leaves[i] for i in places], allow_unused=True)
    exact = [np.zeros(inputs[i].shape) if g is None else g.array for i, g in zip(places, grads, strict=True)]

    def value_at(shift: list[Array]) -> float:
        moved: list[Any] = list(inputs)
        for i, d in zip(places, shift, strict=True):
            moved[i] = Tensor(inputs[i].array + d, True)
        return float(function(*moved).detach())

    def difference(direction: list[Array]) -> float:
        up, down = value_at([eps * d for d in direction]), value_at([-eps * d for d in direction])
        return (up - down) / (2.0 * eps)

    zeros = [np.zeros(inputs[i].shape) for i in places]
    if not full:
        direction = [rng.standard_normal(z.shape) for z in zeros]
        along = sum(float(np.sum(g * d)) for g, d in zip(exact, direction, strict=True))
        _agree(along, difference(direction), rtol, atol, f"{what} along a random direction")
        return
    for n, place in enumerate(places):
        for index in np.ndindex(zeros[n].shape):
            direction = [z.copy() for z in zeros]
            direction[n][index] = 1.0
            where = f"{what} of input {place}, element {index} of shape {inputs[place].shape}"
            _agree(float(exact[n][index]), difference(direction), rtol, atol, where)


def _agree(exact: float, numeric: float, rtol: float, atol: float, where: str) -> None:
    if not abs(exact - numeric) <= atol + rtol * max(abs(exact), abs(numeric)):
        raise GradientMismatchError(f"{where}: backward says {exact:.10g}, finite differences say {numeric:.10g}")
