"""The optimizers, in order of what they remember: nothing or a velocity, a second moment, both."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from learner.autodiff.table import Array
from learner.optim import kernels
from learner.optim.optimizer import Optimizer


class SGD(Optimizer):
    """w -= lr * g, or with momentum b = momentum * b + (1 - dampening) * g; w -= lr * b.

    Nesterov: w -= lr * (g + momentum * b).

    weight_decay adds weight_decay * w to the gradient.
    """

    slots = ("momentum_buffer",)

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
    ) -> None:
        if nesterov and (momentum <= 0.0 or dampening != 0.0):
            raise ValueError("Nesterov momentum needs momentum > 0 and dampening 0")
        defaults = {"lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay}
        super().__init__(params, {**defaults, "nesterov": nesterov})

    def _update(self, group: dict[str, Any], w: Array, g: Array, slots: dict[str, Array], t: int) -> None:
        number = w.dtype.type
        fresh = 1.0 if t == 1 else 1.0 - group["dampening"]
        kernels.sgd_numpy(w, g, slots["momentum_buffer"], number(group["lr"]), number(group["momentum"]), number(fresh),
                          number(group["weight_decay"]), group["nesterov"])  # fmt: skip


class RMSProp(Optimizer):
    """v = alpha * v + (1 - alpha) * g^2; w -= lr * g / (sqrt(v) + eps) (Tieleman & Hinton 2012)."""

    slots = ("square_avg",)

    def __init__(
        self, params: Iterable[Any], lr: float = 1e-2, alpha: float = 0.99, eps: float = 1e-8, weight_decay: float = 0.0
    ) -> None:
        super().__init__(params, {"lr": lr, "alpha": alpha, "eps": eps, "weight_decay": weight_decay})

    def _update(self, group: dict[str, Any], w: Array, g: Array, slots: dict[str, Array], t: int) -> None:
        number = w.dtype.type
        lr, alpha, eps = number(group["lr"]), number(group["alpha"]), number(group["eps"])
        l2, tiny = number(group["weight_decay"]), number(kernels.TINY)
        kernels.rmsprop_numpy(w, g, slots["square_avg"], lr, alpha, eps, l2, tiny)


class Adam(Optimizer):
    """First and second moments of the gradient, corrected for their start at 0 (Kingma & Ba 2015).

    weight_decay adds weight_decay * w to the gradient; see AdamW for decay apart from it.
    """

    slots = ("exp_avg", "exp_avg_sq")
    decoupled = False

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
    ) -> None:
        for name, value in (("lr", lr), ("eps", eps), ("weight_decay", weight_decay)):
            if value < 0.0:
                raise ValueError(f"{name} must not be negative, got {value}")
        if not all(0.0 <= beta < 1.0 for beta in betas):
            raise ValueError(f"betas must lie in [0, 1), got {betas}")
        super().__init__(params, {"lr": lr, "betas": tuple(betas), "eps": eps, "weight_decay": weight_decay})

    def _update(self, group: dict[str, Any], w: Array, g: Array, slots: dict[str, Array], t: int) -> None:
        number = w.dtype.type
        lr, (b1, b2) = group["lr"], group["betas"]
        m, v = slots["exp_avg"], slots["exp_avg_sq"]
        fixed = _scalars(w.dtype, self.decoupled, lr, b1, b2, group["eps"], group["weight_decay"])
        beta1, beta2, eps, decay, l2, tiny = fixed
        step, root = number(lr / (1.0 - b1**t)), number(math.sqrt(1.0 - b2**t))
        kernels.adam(w, g, m, v, beta1, beta2, step, root, eps, decay, l2, tiny)


class AdamW(Adam):
    """Adam with weight decay apart from the gradient: w *= 1 - lr * weight_decay (Loshchilov & Hutter 2019)."""

    decoupled = True

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
    ) -> None:
        super().__init__(params, lr, betas, eps, weight_decay)


@lru_cache(maxsize=64)
def _scalars(dtype: Any, decoupled: bool, lr: float, b1: float, b2: float, eps: float, decay: float) -> Any:
    """Adam's scalars that do not change from step to step, in the buffers' dtype."""
    shrink, l2 = (1.0 - lr * decay, 0.0) if decoupled else (1.0, decay)
    return tuple(dtype.type(value) for value in (b1, b2, eps, shrink, l2, kernels.TINY))
