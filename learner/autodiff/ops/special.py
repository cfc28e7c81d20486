"""Kernels of functions that NumPy lacks or that overflow when written naively."""

from __future__ import annotations

from typing import Any

import numpy as np

from learner.autodiff.table import Array


def sigmoid_kernel(x: Any, out: Any = None) -> Any:
    """1 / (1 + e^-x) as (1 + tanh(x/2)) / 2, which cannot overflow."""
    out = np.tanh(np.multiply(x, 0.5, out=out), out=out)
    out = np.add(out, 1.0, out=out if isinstance(out, np.ndarray) else None)
    return np.multiply(out, 0.5, out=out if isinstance(out, np.ndarray) else None)


# erf after W. J. Cody, "Rational Chebyshev approximations for the error function", Math. Comp. 23 (1969), in the
# coefficients of his CALERF; about 1e-16 relative in float64.
_A = (3.16112374387056560e00, 1.13864154151050156e02, 3.77485237685302021e02, 3.20937758913846947e03,
      1.85777706184603153e-1)  # fmt: skip
_B = (2.36012909523441209e01, 2.44024637934444173e02, 1.28261652607737228e03, 2.84423683343917062e03)
_C = (5.64188496988670089e-1, 8.88314979438837594e00, 6.61191906371416295e01, 2.98635138197400131e02,
      8.81952221241769090e02, 1.71204761263407058e03, 2.05107837782607147e03, 1.23033935479799725e03,
      2.15311535474403846e-8)  # fmt: skip
_D = (1.57449261107098347e01, 1.17693950891312499e02, 5.37181101862009858e02, 1.62138957456669019e03,
      3.29079923573345963e03, 4.36261909014324716e03, 3.43936767414372164e03, 1.23033935480374942e03)  # fmt: skip


def erf_kernel(x: Any, out: Any = None) -> Any:
    """The error function, elementwise, in x's dtype."""
    x = np.asarray(x)
    result = erf64(x.astype(np.float64)).astype(x.dtype if x.dtype.kind == "f" else np.float64)
    if out is None:
        return result
    np.copyto(out, result)
    return out


def erf64(x: Array) -> Array:
    """The error function of float64 numbers."""
    near = erf_near_zero(np.clip(x, -0.46875, 0.46875))
    size = np.clip(np.abs(x), 0.46875, 6.0)
    far = np.copysign(1.0 - erfc_far(size, np.exp(-size * size)), x)
    return np.where(np.isnan(x), x, np.where(np.abs(x) <= 0.46875, near, far))


def erf_near_zero(x: Array) -> Array:
    """erf on [-0.46875, 0.46875]."""
    z = x * x
    above, below = _A[4] * z, z
    for i in range(3):
        above, below = (above + _A[i]) * z, (below + _B[i]) * z
    value: Array = x * (above + _A[3]) / (below + _B[3])
    return value


def erfc_far(y: Array, decay: Array) -> Array:
    """erfc on [0.46875, 6], where `decay` is e^(-y^2); from 6 on erf is 1 to the last bit. Cody's second interval
    reaches 4 with full accuracy, and beyond it erfc < 2e-8, where its 1e-9 relative error is below half a unit of
    1 - erfc in float64."""
    above, below = _C[8] * y, y
    for i in range(7):
        above, below = (above + _C[i]) * y, (below + _D[i]) * y
    value: Array = decay * (above + _C[7]) / (below + _D[7])
    return value
