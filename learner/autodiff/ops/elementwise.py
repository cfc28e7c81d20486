"""Arithmetic, powers, exponentials, trigonometry, comparison: one number in, one number out, with broadcasting.

At singular points the rules keep these conventions, each pinned by a test: abs'(0) = 0, sqrt'(0) = inf, pow(0, 0) = 1,
ties of maximum and minimum share the gradient half and half, clip passes the gradient at its bounds, and `where` lets
nothing out of the branch not taken.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from learner.autodiff.ops.special import erf_kernel, sigmoid_kernel
from learner.autodiff.table import op, quiet

if TYPE_CHECKING:
    from learner.autodiff.tensor import Tensor

_BROADCAST = "shapes broadcast when each pair of axes, counted from the last, is equal or has a 1"

add = op("add", np.add, lambda g: g, lambda g: g, hint=_BROADCAST)
sub = op("sub", np.subtract, lambda g: g, lambda g: -g, hint=_BROADCAST)
mul = op("mul", np.multiply, lambda g, y: g * y, lambda g, x: g * x, hint=_BROADCAST)
div = op("div", quiet(np.true_divide), lambda g, y: g / y, lambda g, x, y: -g * x / (y * y), hint=_BROADCAST)
neg = op("neg", np.negative, lambda g: -g)

square = op("square", np.square, lambda g, x: 2.0 * g * x)
sqrt = op("sqrt", quiet(np.sqrt), lambda g, o: 0.5 * g / o)
reciprocal = op("reciprocal", quiet(np.reciprocal), lambda g, o: -g * o * o)
exp = op("exp", quiet(np.exp), lambda g, o: g * o)
expm1 = op("expm1", quiet(np.expm1), lambda g, o: g * (o + 1.0))
log = op("log", quiet(np.log), lambda g, x: g / x)
log1p = op("log1p", quiet(np.log1p), lambda g, x: g / (1.0 + x))
log2 = op("log2", quiet(np.log2), lambda g, x: g / (x * math.log(2.0)))
sin = op("sin", quiet(np.sin), lambda f, g, x: g * f.cos(x))
cos = op("cos", quiet(np.cos), lambda f, g, x: -g * f.sin(x))
tan = op("tan", quiet(np.tan), lambda g, o: g * (1.0 + o * o))
arctan = op("arctan", np.arctan, lambda g, x: g / (1.0 + x * x))
tanh = op("tanh", np.tanh, lambda g, o: g * (1.0 - o * o))
sigmoid = op("sigmoid", sigmoid_kernel, lambda g, o: g * o * (1.0 - o))
erf = op("erf", erf_kernel, lambda f, g, x: g * (2.0 / math.sqrt(math.pi)) * f.exp(-x * x))

abs = op("abs", np.abs, lambda f, g, x: g * f.sign(x))
sign = op("sign", np.sign, lambda g: g * 0.0)
floor = op("floor", np.floor, lambda g: g * 0.0)
ceil = op("ceil", np.ceil, lambda g: g * 0.0)
round = op("round", np.rint, lambda g: g * 0.0)

maximum = op(
    "maximum",
    np.maximum,
    lambda f, g, x, y: f.where(x == y, 0.5 * g, g * (x > y)),
    lambda f, g, x, y: f.where(x == y, 0.5 * g, g * (x < y)),
    hint=_BROADCAST,
)
minimum = op(
    "minimum",
    np.minimum,
    lambda f, g, x, y: f.where(x == y, 0.5 * g, g * (x < y)),
    lambda f, g, x, y: f.where(x == y, 0.5 * g, g * (x > y)),
    hint=_BROADCAST,
)
where = op(
    "where",
    np.where,
    None,
    lambda f, g, x: f.where(x, g, 0.0),
    lambda f, g, x: f.where(x, 0.0, g),
    hint="where(condition, a, b): the three shapes broadcast together, and the condition is boolean",
)

eq = op("eq", np.equal, hint=_BROADCAST)
ne = op("ne", np.not_equal, hint=_BROADCAST)
lt = op("lt", np.less, hint=_BROADCAST)
le = op("le", np.less_equal, hint=_BROADCAST)
gt = op("gt", np.greater, hint=_BROADCAST)
ge = op("ge", np.greater_equal, hint=_BROADCAST)
logical_and = op("logical_and", np.logical_and, hint=_BROADCAST)
logical_or = op("logical_or", np.logical_or, hint=_BROADCAST)
logical_not = op("logical_not", np.logical_not)
isnan = op("isnan", np.isnan)
isfinite = op("isfinite", np.isfinite)
floor_divide = op("floor_divide", quiet(np.floor_divide), hint=_BROADCAST)
remainder = op("remainder", quiet(np.remainder), lambda g: g, lambda f, g, x, y: -g * f.floor(x / y), hint=_BROADCAST)


def _clip(x: Any, low: float | None, high: float | None, out: Any = None) -> Any:
    x = x if low is None else np.maximum(x, low, out=out)
    return x if high is None else np.minimum(x, high, out=out)


def _inside(x: Any, low: float | None, high: float | None) -> Any:
    if low is None or high is None:
        return x >= low if high is None else x <= high
    return (x >= low) * (x <= high)


_clip_row = op("clip", _clip, lambda g, x, low, high: g * _inside(x, low, high))
_power = op(
    "pow",
    quiet(np.power),
    lambda f, g, x, y: f.where(y == 0.0, 0.0, g * y * x ** (y - 1.0)),
    lambda f, g, x, y, o: f.where((x == 0.0) * (y >= 0.0), 0.0, g * o * f.log(f.where(x > 0.0, x, 1.0))),
    hint=_BROADCAST,
)
_power_number = op(
    "pow_number",
    quiet(lambda x, power, out=None: np.power(x, power, out=out)),
    lambda g, x, power: g * (power * x ** (power - 1.0)) if power else g * 0.0,
)
_number_power = op(
    "number_pow",
    quiet(lambda x, base, out=None: np.power(base, x, out=out)),
    lambda g, o, base: g * o * (math.log(base) if base > 0.0 else 0.0 if base == 0.0 else math.nan),
)
_cast = op("cast", lambda x, dtype: x.astype(dtype), lambda g: g, exact=True)
clone = op("clone", lambda x, out=None: np.copy(x) if out is None else np.copyto(out, x), lambda g: g)


def clip(x: Tensor, min: float | None = None, max: float | None = None) -> Tensor:
    """x limited to [min, max]. The gradient passes where min <= x <= max, bounds included, and is 0 outside."""
    if min is None and max is None:
        raise ValueError("clip needs at least one bound: clip(x, min=...), clip(x, max=...) or both")
    return _clip_row(x, low=min, high=max)


clamp = clip


def pow(x: Any, exponent: Any) -> Tensor:
    """x ** exponent, with pow(0, 0) = 1 and gradient 0 towards both there. The exponent may be a number or a tensor."""
    if isinstance(exponent, int | float):
        return square(x) if exponent == 2 else _power_number(x, power=float(exponent))
    if isinstance(x, int | float):
        return _number_power(exponent, base=float(x))
    return _power(x, exponent)


def rsqrt(x: Tensor) -> Tensor:
    """1 / sqrt(x)."""
    return reciprocal(sqrt(x))


def cast(x: Tensor, dtype: Any) -> Tensor:
    """x with another dtype; the gradient comes back in x's own."""
    return _cast(x, dtype=np.dtype(dtype))
