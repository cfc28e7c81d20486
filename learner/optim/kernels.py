"""The optimizers' inner loops: one pass over flat buffers with numba, the same arithmetic in NumPy without.

Both forms round alike, bit for bit: the same operations in the same order, each in the buffers' dtype (so every scalar
comes in as that dtype), no fastmath.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from learner.autodiff.kernels import compiled
from learner.autodiff.table import Array

TINY = 1e-30
"""Moments are kept above this in size. Far below it lie float32's denormals, which make every step about ten times
slower once a unit has died and its moments decay; beside eps = 1e-8 a root of 1e-30 is nothing."""


def adam_numpy(
    w: Array, g: Array, m: Array, v: Array,
    b1: Any, b2: Any, step: Any, root: Any, eps: Any, decay: Any, l2: Any, tiny: Any,
) -> None:  # fmt: skip
    """One Adam or AdamW step, in place (Kingma & Ba 2015; Loshchilov & Hutter 2019).

    step = lr / (1 - b1^t); root = sqrt(1 - b2^t); decay = 1 - lr * weight_decay for AdamW, else 1;
    l2 = weight_decay for Adam, else 0.
    """
    one = w.dtype.type(1)
    g = g + l2 * w
    w *= decay
    m[...] = m + (one - b1) * (g - m)
    m[np.abs(m) < tiny] = 0
    v[...] = np.maximum(b2 * v + (one - b2) * (g * g), tiny)
    w -= step * (m / (np.sqrt(v) / root + eps))


def _adam_loop(
    w: Array, g: Array, m: Array, v: Array,
    b1: Any, b2: Any, step: Any, root: Any, eps: Any, decay: Any, l2: Any, tiny: Any,
) -> None:  # fmt: skip
    one, zero = w.dtype.type(1), w.dtype.type(0)  # a bare 0 would turn what follows into float64
    rest1, rest2 = one - b1, one - b2
    for i in range(w.size):
        gi = g[i] + l2 * w[i]
        mi = m[i] + rest1 * (gi - m[i])
        mi = mi if abs(mi) >= tiny else zero
        vi = b2 * v[i] + rest2 * (gi * gi)
        vi = vi if vi >= tiny else tiny
        m[i] = mi
        v[i] = vi
        w[i] = w[i] * decay - step * (mi / (np.sqrt(vi) / root + eps))


def sgd_numpy(w: Array, g: Array, b: Array, lr: Any, momentum: Any, fresh: Any, l2: Any, nesterov: bool) -> None:
    """One SGD step with momentum, in place. fresh = 1 - dampening, or 1 at the first step; b is the momentum buffer."""
    g = g + l2 * w
    b[...] = momentum * b + fresh * g
    w -= lr * (g + momentum * b if nesterov else b)


def rmsprop_numpy(w: Array, g: Array, v: Array, lr: Any, alpha: Any, eps: Any, l2: Any, tiny: Any) -> None:
    """One RMSProp step, in place (Tieleman & Hinton 2012)."""
    g = g + l2 * w
    v[...] = np.maximum(alpha * v + (w.dtype.type(1) - alpha) * (g * g), tiny)
    w -= lr * (g / (np.sqrt(v) + eps))


adam = compiled(_adam_loop) or adam_numpy


def _finite_loop(g: Array) -> bool:
    total = g.dtype.type(0)
    for i in range(g.size):
        total += g[i] * g.dtype.type(0)  # 0 for a finite element, NaN for any other
    return bool(total == 0)


finite = compiled(_finite_loop)
