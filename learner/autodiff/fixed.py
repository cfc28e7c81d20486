"""Kernels whose bits depend on nothing but their inputs: not on the batch, the threads, the BLAS or the processor.

    with fixed_order():
        loss = ...
        loss.backward()

Inside, sums and matrix products add one term after the other in float64 and round once at the end; exp, log and tanh
are polynomials of our own, because NumPy's and libm's differ between processors. Everything else in the table is exact
by IEEE 754. Row i of a batch therefore equals that row computed alone, and two x86-64 machines agree bit for bit.

For float32 operands the products are exact in float64, so not even a compiler that fused multiply and add could change
a result. Backward must run inside the block too.
"""

from __future__ import annotations

import itertools
import math
from typing import Any, TypeVar, cast

import numpy as np

from learner.autodiff import ops
from learner.autodiff.kernels import compiled
from learner.autodiff.modes import Switch
from learner.autodiff.ops import special
from learner.autodiff.ops.reductions import count_along
from learner.autodiff.table import TABLE, Array, Kernel


def fixed_order() -> Switch:
    """Inside, every operation of this thread uses its fixed-order kernel. Block or decorator."""
    return Switch("fixed", True)


# --- sums and products


@compiled
def _product_loop(a: Array, b: Array, out: Array) -> None:
    for batch in range(a.shape[0]):
        for i in range(a.shape[1]):
            for k in range(a.shape[2]):
                factor = a[batch, i, k]
                for j in range(b.shape[2]):
                    out[batch, i, j] += factor * b[batch, k, j]


def _product_numpy(a: Array, b: Array, out: Array) -> None:
    for k in range(a.shape[2]):
        out += a[:, :, k, None] * b[:, None, k, :]


def matmul(a: Array, b: Array, *, interpreted: bool = False) -> Array:
    """a @ b for operands of two or more axes, each element summed over k in order, in float64."""
    if a.shape[-1] != b.shape[-2]:
        raise ValueError(f"the inner axes differ: {a.shape} and {b.shape}")
    n, k, m = a.shape[-2], a.shape[-1], b.shape[-1]
    wide_a, wide_b = a.astype(np.float64, order="C"), b.astype(np.float64, order="C")
    batch = a.shape[:-2]
    if batch != b.shape[:-2]:
        batch = np.broadcast_shapes(batch, b.shape[:-2])
        wide_a, wide_b = np.broadcast_to(wide_a, (*batch, n, k)), np.broadcast_to(wide_b, (*batch, k, m))
    out = np.zeros((*batch, n, m))
    loop = _product_numpy if _product_loop is None or interpreted else _product_loop
    number = math.prod(batch)
    loop(wide_a.reshape(number, n, k), wide_b.reshape(number, k, m), out.reshape(number, n, m))
    return out.astype(np.result_type(a, b))


def linear(x: Array, w: Array, b: Array) -> Array:
    """x @ w.T + b, as the two operations one after the other."""
    return matmul(x, w.mT) + b


def sum(x: Array, dim: Any, keepdim: bool) -> Array:
    """The sum over `dim`, one element after the other in float64."""
    if x.dtype.kind != "f":
        return np.asarray(np.sum(x, axis=dim, keepdims=keepdim))
    return _total(x, dim, keepdim).astype(x.dtype)


def mean(x: Array, dim: Any, keepdim: bool) -> Array:
    """The mean over `dim`, summed as `sum` does and divided in float64."""
    return (_total(x, dim, keepdim) / count_along(x.shape, dim)).astype(x.dtype if x.dtype.kind == "f" else np.float32)


def norm(x: Array, dim: Any, keepdim: bool) -> Array:
    """The Euclidean length over `dim`."""
    wide = x.astype(np.float64)
    return np.sqrt(_total(wide * wide, dim, keepdim)).astype(x.dtype)


def _sum_rows_loop(rows: Array) -> Array:
    totals = np.zeros(rows.shape[0])
    if rows.shape[1]:
        for i in range(rows.shape[0]):
            total = rows[i, 0]
            for j in range(1, rows.shape[1]):
                total += rows[i, j]
            totals[i] = total
    return totals


def sum_rows_numpy(rows: Array) -> Array:
    """The sum of each row of float64 ``(n, k)``, one element after the other."""
    # accumulate must deliver every partial sum, which leaves it no other order than this one
    return np.add.accumulate(rows, axis=1)[:, -1] if rows.shape[1] else np.zeros(rows.shape[0])


sum_rows = compiled(_sum_rows_loop) or sum_rows_numpy


def _total(x: Array, dim: Any, keepdim: bool) -> Array:
    axes = range(x.ndim) if dim is None else dim if isinstance(dim, tuple) else (dim,)
    lost = sorted(axis % x.ndim for axis in axes)
    kept = [axis for axis in range(x.ndim) if axis not in lost]
    rows = math.prod([x.shape[axis] for axis in kept]), count_along(x.shape, dim)
    total = sum_rows(x.transpose(kept + lost).astype(np.float64, order="C").reshape(rows))
    return total.reshape([1 if axis in lost else n for axis, n in enumerate(x.shape) if keepdim or axis in kept])


# --- transcendental functions, in float64 whatever the operand, rounded to its dtype; compiled from this very source,
# where numba is there: it neither reorders nor fuses


Function = TypeVar("Function", bound=Kernel)


def _quick(function: Function) -> Function:
    return cast(Function, compiled(function) or np.errstate(all="ignore")(function))


_LN2_HIGH, _LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10  # fdlibm's split: their sum is ln 2


@_quick
def _horner(x: Array, coefficients: tuple[float, ...]) -> Array:
    value = np.full_like(x, coefficients[-1])
    for i in range(len(coefficients) - 2, -1, -1):
        value = value * x + coefficients[i]
    return value


_EXP = tuple(itertools.accumulate(range(1, 15), lambda c, n: c / n, initial=1.0))


@_quick
def exp64(x: Array) -> Array:
    """e^x: 2^n e^r with |r| <= ln2 / 2, e^r by its Taylor series, whose 15th term is below 1e-17."""
    x = np.clip(x, -746.0, 710.0)  # beyond these float64 is 0 and inf
    n = np.rint(x * (1.0 / np.log(2.0)))
    r = (x - n * _LN2_HIGH) - n * _LN2_LOW
    return np.where(np.isnan(x), x, np.ldexp(_horner(r, _EXP), np.nan_to_num(n).astype(np.int64)))


def log64(x: Array) -> Array:
    """log x: x = 2^e m, log m = 2 artanh s with s = (m - 1) / (m + 1), |s| < 0.172."""
    with np.errstate(all="ignore"):
        m, e = np.frexp(x)
        low = m < np.sqrt(0.5)
        m, e = np.where(low, 2.0 * m, m), e - low
        s = (m - 1.0) / (m + 1.0)
        value = e * _LN2_HIGH + (2.0 * s * _horner(s * s, _LOG) + e * _LN2_LOW)
    value = np.where(x == 0.0, -np.inf, np.where(x == np.inf, np.inf, value))
    return np.where((x < 0.0) | np.isnan(x), np.nan, value)


_TANH = (1.0, -1 / 3, 2 / 15, -17 / 315, 62 / 2835, -1382 / 155925, 21844 / 6081075, -929569 / 638512875)
_LOG = tuple(1.0 / (2 * k + 1) for k in range(13))


@_quick
def tanh64(x: Array) -> Array:
    """tanh x: its Taylor series near 0, elsewhere 1 - 2 / (e^2x + 1)."""
    size = np.abs(x)
    near = np.minimum(size, 0.1)
    value = np.where(
        size < 0.1, near * _horner(near * near, _TANH), 1.0 - 2.0 / (exp64(2.0 * np.minimum(size, 25.0)) + 1.0)
    )
    return np.where(np.isnan(x), x, np.copysign(value, x))


@_quick
def sigmoid64(x: Array) -> Array:
    """1 / (1 + e^-x)."""
    return 1.0 / (1.0 + exp64(-np.clip(x, -709.0, 709.0)))


def expm164(x: Array) -> Array:
    """e^x - 1 = tanh(x/2) (e^x + 1), exact near 0 because tanh is."""
    middle = np.clip(x, -40.0, 40.0)
    return np.where(x == middle, tanh64(0.5 * middle) * (exp64(middle) + 1.0), exp64(x) - 1.0)


def log1p64(x: Array) -> Array:
    """log(1 + x) = log(u) x / (u - 1) for u the rounded 1 + x, which cancels the rounding (Kahan)."""
    u = 1.0 + x
    with np.errstate(all="ignore"):
        return np.where(u == 1.0, x, np.where(np.isinf(u), u, log64(u) * (x / np.where(u == 1.0, 1.0, u - 1.0))))


_erf_near_zero, _erfc_far = _quick(special.erf_near_zero), _quick(special.erfc_far)


@_quick
def erf64(x: Array) -> Array:
    """The error function: special.erf64 with the exponential of fixed order."""
    near = _erf_near_zero(np.clip(x, -0.46875, 0.46875))
    size = np.clip(np.abs(x), 0.46875, 6.0)
    far = np.copysign(1.0 - _erfc_far(size, exp64(-size * size)), x)
    value: Array = np.where(np.isnan(x), x, np.where(np.abs(x) <= 0.46875, near, far))
    return value


def _rounded(function: Kernel) -> Kernel:
    def kernel(x: Array) -> Array:
        x = np.asarray(x)
        values: Array = function(x.astype(np.float64, order="C").reshape(-1)).reshape(x.shape)
        return values.astype(x.dtype if x.dtype.kind == "f" else np.float64)

    return kernel


_exp, _log = _rounded(exp64), _rounded(log64)


def _power(x: Any, y: Any) -> Array:
    """x^y: repeated multiplication for small whole y, e^(y log x) otherwise (NaN for negative x)."""
    dtype = np.result_type(x, y)  # a Python number leaves the other's dtype as it is
    base, exponent = np.asarray(x, np.float64), np.asarray(y, np.float64)
    if exponent.ndim == 0 and exponent == np.rint(exponent) and abs(exponent) <= 64:
        value = np.ones_like(base)
        for _ in range(int(abs(exponent))):
            value = value * base
        with np.errstate(divide="ignore"):
            return (1.0 / value if exponent < 0 else value).astype(dtype)
    return np.where(exponent == 0.0, 1.0, _exp(exponent * _log(base))).astype(dtype)


def _refuse(name: str) -> Kernel:
    def kernel(*arrays: Any, **settings: Any) -> Any:
        raise ValueError(
            f"{name} has no fixed-order kernel; compute it outside fixed_order(), or build it from exp and log"
        )

    return kernel


assert ops.__name__  # importing ops has filled the table
for _name, _function in {
    "tanh": tanh64, "sigmoid": sigmoid64, "expm1": expm164, "log1p": log1p64,
    "log2": lambda x: log64(x) * (1.0 / np.log(2.0)), "erf": erf64,
}.items():  # fmt: skip
    TABLE[_name].fixed = _rounded(_function)
TABLE["exp"].fixed, TABLE["log"].fixed = _exp, _log
TABLE["matmul"].fixed, TABLE["sum"].fixed, TABLE["mean"].fixed, TABLE["norm"].fixed = matmul, sum, mean, norm
TABLE["linear"].fixed = linear
TABLE["pow"].fixed = _power
TABLE["pow_number"].fixed = lambda x, power: _power(x, power)
TABLE["number_pow"].fixed = lambda x, base: _power(base, x)
for _name in ("sin", "cos", "tan", "arctan"):
    TABLE[_name].fixed = _refuse(_name)
