"""Losses: mean squared error, Huber, cross-entropy in one fused row, binary cross-entropy on logits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from learner.autodiff.ops.activations import softplus
from learner.autodiff.ops.elementwise import abs, square, sub
from learner.autodiff.ops.reductions import mean, sum
from learner.autodiff.ops.shaping import as_tensor

if TYPE_CHECKING:
    from learner.autodiff.tensor import Tensor


def reduced(values: Tensor, reduction: str) -> Tensor:
    """The mean, the sum, or the values themselves."""
    if reduction == "mean":
        return mean(values)
    if reduction == "sum":
        return sum(values)
    if reduction == "none":
        return values
    raise ValueError(f"reduction must be 'mean', 'sum' or 'none', got {reduction!r}")


def _same_shape(name: str, x: Tensor, target: Tensor) -> None:
    if x.shape != target.shape:
        raise ValueError(
            f"{name}: prediction {x.shape} and target {target.shape} differ in shape; broadcasting a loss is nearly "
            f"always a mistake, so reshape one to fit the other"
        )


def mse_loss(x: Tensor, target: Any, reduction: str = "mean") -> Tensor:
    """Squared differences of two tensors of one shape."""
    target = as_tensor(target)
    _same_shape("mse_loss", x, target)
    return reduced(square(sub(x, target)), reduction)


def huber_loss(x: Tensor, target: Any, reduction: str = "mean", delta: float = 1.0) -> Tensor:
    """0.5 d^2 where |d| <= delta, delta (|d| - 0.5 delta) beyond (Huber 1964), for d = x - target."""
    target = as_tensor(target)
    _same_shape("huber_loss", x, target)
    distance = abs(sub(x, target))
    near = distance.clip(max=delta)  # equals distance inside; in the branch not taken it stays small
    return reduced(near * (distance - 0.5 * near), reduction)


def binary_cross_entropy_with_logits(x: Tensor, target: Any, reduction: str = "mean", pos_weight: Any = None) -> Tensor:
    """-(w t log s + (1 - t) log(1 - s)) for s = sigmoid(x), without overflow; w is pos_weight, 1 if not given."""
    target = as_tensor(target)
    _same_shape("binary_cross_entropy_with_logits", x, target)
    if pos_weight is None:
        return reduced(softplus(x) - x * target, reduction)
    return reduced((1.0 - target) * x + (1.0 + (pos_weight - 1.0) * target) * softplus(-x), reduction)
