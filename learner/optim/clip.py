"""Keeping gradients within bounds before a step."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from learner.autodiff.modes import modes
from learner.autodiff.recorder import effect
from learner.autodiff.tensor import Tensor


def grad_norm(parameters: Iterable[Tensor]) -> float:
    """The Euclidean norm of all gradients taken together, accumulated in float64. 0.0 where there are none."""
    total = 0.0
    for p in parameters:
        if p.grad is not None:
            flat = p.grad.array.reshape(-1).astype(np.float64)
            total += float(np.dot(flat, flat))
    return math.sqrt(total)


def clip_grad_norm_(parameters: Iterable[Tensor], max_norm: float) -> Any:
    """Scale all gradients by one factor so that their norm is at most max_norm; return the norm before.

    A norm that is not finite leaves the gradients as they are (scaling would spread the NaN); the optimizer then skips
    its step and counts it. Inside a compiled step the norm is a 0-d tensor, because a replay must not freeze a number.
    """
    params = [p for p in parameters if p.grad is not None]
    if modes.recorder is None:
        return _clip(params, max_norm)
    norm = Tensor(np.zeros((), np.float64))
    effect(lambda: norm.array.fill(_clip(params, max_norm)))
    return norm


def _clip(params: list[Tensor], max_norm: float) -> float:
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
    params = [p for p in parameters if p.grad is not None]
    effect(lambda: _limit(params, clip_value))


def _limit(params: list[Tensor], clip_value: float) -> None:
    for p in params:
        assert p.grad is not None
        limited = np.clip(p.grad.array, -clip_value, clip_value)
        if p.grad.node is None and p.grad.array.flags.writeable:
            p.grad.copy_(limited)
        else:
            p.grad = Tensor(limited)
