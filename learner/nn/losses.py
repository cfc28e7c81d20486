"""Losses as modules."""

from __future__ import annotations

from typing import Any

from learner.autodiff.ops import losses
from learner.autodiff.ops.cross_entropy import cross_entropy
from learner.autodiff.tensor import Tensor
from learner.nn.module import Module


class MSELoss(Module):
    """(prediction - target)^2, averaged by default."""

    def __init__(self, reduction: str = "mean") -> None:
        self.reduction = reduction

    def forward(self, x: Tensor, target: Any) -> Tensor:
        return losses.mse_loss(x, target, self.reduction)


class HuberLoss(Module):
    """Quadratic near the target, linear beyond delta."""

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        self.reduction, self.delta = reduction, delta

    def forward(self, x: Tensor, target: Any) -> Tensor:
        return losses.huber_loss(x, target, self.reduction, self.delta)


class BCEWithLogitsLoss(Module):
    """Binary cross-entropy of sigmoid(x), computed from x."""

    def __init__(self, reduction: str = "mean", pos_weight: Any = None) -> None:
        self.reduction, self.pos_weight = reduction, pos_weight

    def forward(self, x: Tensor, target: Any) -> Tensor:
        return losses.binary_cross_entropy_with_logits(x, target, self.reduction, self.pos_weight)


class CrossEntropyLoss(Module):
    """Cross-entropy between logits and classes or probabilities; see cross_entropy."""

    def __init__(
        self, weight: Any = None, ignore_index: int = -100, reduction: str = "mean", label_smoothing: float = 0.0
    ) -> None:
        self.weight, self.ignore_index = weight, ignore_index
        self.reduction, self.label_smoothing = reduction, label_smoothing

    def forward(self, x: Tensor, target: Any) -> Tensor:
        return cross_entropy(x, target, self.weight, self.ignore_index, self.reduction, self.label_smoothing)
