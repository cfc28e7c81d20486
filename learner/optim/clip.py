"""Keeping gradients within bounds before a step."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from learner.autodiff.tensor import Tensor


def grad_norm(parameters: Iterable[Tensor]) -> float:
    """The Euclidean norm of all gradients taken together, accumulated in float64. 0.0 where there are none."""
    total = 0.0
    for p in parameters:
        if p.grad is not None:
            flat = p.grad.array.reshape(-1).astype(np.float64)
            total += float(np.dot(flat, flat))
    return math.sqrt(total)


def clip_grad_norm_(parameters: Iterable[Tensor], max_norm: float) -> float:
    """Scale all gradients by one factor so that their norm is at most max_norm; return the norm before.

    A norm that is not finite leaves the gradients as they are (scaling would spread the NaN); the optimizer then skips
    its step and counts it.
    """
    params = [p for p in parameters if p.grad is not None]
    norm = grad_norm(params)
    if math.isfinite(norm) and norm > max_norm:
        factor = max_norm / (norm + 1e-6)  # PyTorch's guard, so that both clip to the same numbers
        for p in params:
            assert p.grad is not None
            if p.grad.node is None and p.grad.array.flags.writeable:
                p.grad.mul_(factor)
            else:
                p.grad = Tensor(p.grad.array * p.dtype.type(factor))
    return norm


def clip_grad_value_(parameters: Iterable[Tensor], clip_value: float) -> None:
    """Limit every element of every gradient to [-clip_value, clip_value]."""
    for p in parameters:
        if p.grad is not None:
            p.grad = Tensor(np.clip(p.grad.array, -clip_value, clip_value))
