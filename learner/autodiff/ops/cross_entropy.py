"""Cross-entropy of logits: the fused mean over class indices, and the general form composed of log-softmax.

For one row with class y the loss is -log p_y and its gradient is p - onehot(y), p the softmax of the logits: the fused
row keeps that difference, already divided by the number of rows, and backward only scales it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from learner.autodiff import kernels_rows
from learner.autodiff.ops.activations import log_softmax
from learner.autodiff.ops.elementwise import where
from learner.autodiff.ops.indexing import gather
from learner.autodiff.ops.losses import reduced
from learner.autodiff.ops.reductions import mean, sum
from learner.autodiff.ops.shaping import as_tensor, permute, reshape
from learner.autodiff.recorder import effect
from learner.autodiff.table import Array, op
from learner.autodiff.tape import frozen

if TYPE_CHECKING:
    from learner.autodiff.tensor import Tensor


def _check_classes(target: Array, classes: int, ignore_index: int) -> Array:
    """Which rows count. Raises where a target is no class: a negative index would silently wrap around."""
    counted: Array = target != ignore_index
    wrong = counted & ((target < 0) | (target >= classes))
    if wrong.any():
        raise ValueError(f"target {target[wrong][0]} is outside the classes 0..{classes - 1}")
    return counted


def _cross_entropy(logits: Array, target: Array, ignore_index: int, out: Any = None) -> tuple[Any, Array]:
    """Mean loss over the counted rows, and its gradient with respect to the logits."""
    fast = kernels_rows.cross_entropy(logits, target, ignore_index, out)
    if fast is not None:
        return fast
    rows, classes = logits.shape
    counted = _check_classes(target, classes, ignore_index)
    count = int(np.count_nonzero(counted))
    at = (np.arange(rows), np.where(counted, target, 0))
    with np.errstate(over="ignore"):
        p = logits - np.max(logits, axis=1, keepdims=True)
    chosen = p[at]
    np.exp(p, out=p)
    total = np.add.reduce(p, axis=1)
    losses = np.where(counted, np.log(total) - chosen, 0)
    p /= (total * p.dtype.type(max(count, 1)))[:, None]
    p[at] -= p.dtype.type(1 / max(count, 1))
    if count < rows:
        p[~counted] = 0
    loss = np.add.reduce(losses, dtype=np.float64) / count if count else np.nan
    if out is None:
        return np.asarray(loss, logits.dtype), p
    out[0][...], out[1][...] = loss, p
    return out[0], out[1]


def _composed(f: Any, logits: Tensor, target: Tensor, ignore_index: int) -> Tensor:
    counted = target != ignore_index
    chosen = gather(f.log_softmax(logits, dim=1), 1, (target * counted).unsqueeze(1)).squeeze(1)
    loss: Tensor = -f.sum(f.where(counted, chosen, 0.0), dim=None, keepdim=False) / sum(counted.to(logits.dtype))
    return loss


_fused = op(
    "cross_entropy",
    _cross_entropy,
    lambda g, aux: g * aux,
    None,
    aux=True,
    reference=_composed,
    hint="logits are (rows, classes), targets integer (rows,)",
)


def cross_entropy(
    x: Tensor,
    target: Any,
    weight: Any = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """Cross-entropy between logits and classes or class probabilities, as torch.nn.functional.cross_entropy.

    x: logits, (classes,), (rows, classes) or (rows, classes, ...).
    target: integer classes, () or (rows, ...); or probabilities in the shape of x.
    weight: one factor for each class. With integer targets a mean divides by the sum of the weights used.
    ignore_index: rows with this class count for nothing.
    label_smoothing: this share of each target is spread evenly over all classes (Szegedy et al. 2016).
    Raises ValueError where a target is no class or the shapes do not fit.
    """
    target = as_tensor(target)
    if target.shape == x.shape and target.dtype.kind == "f":
        return _soft(_rows(x), _rows(target), weight, reduction, label_smoothing)
    if target.dtype.kind not in "iu":
        raise ValueError(
            f"cross_entropy: target {target.dtype} {target.shape} is neither integer classes nor probabilities in the "
            f"shape of the logits {x.shape}"
        )
    if target.shape != x.shape[:1] * (x.ndim > 1) + x.shape[2:]:
        raise ValueError(f"cross_entropy: logits {x.shape} need targets of shape {x.shape[:1] + x.shape[2:]}, "
                         f"got {target.shape}")  # fmt: skip
    logits, classes = _rows(x), reshape(target, -1) if target.ndim != 1 else target
    if weight is None and reduction == "mean" and label_smoothing == 0.0:
        return _fused(logits, classes, ignore_index=ignore_index)
    losses = _hard(logits, classes, weight, ignore_index, reduction, label_smoothing)
    return reshape(losses, target.shape) if reduction == "none" else losses


def _rows(x: Tensor) -> Tensor:
    """Logits as (rows, classes): the class axis, second where there are several, moved last."""
    if x.ndim == 2:
        return x
    if x.ndim == 1:
        return reshape(x, (1, -1))
    return reshape(permute(x, 0, *range(2, x.ndim), 1), (-1, x.shape[1]))


def _hard(
    logits: Tensor, target: Tensor, weight: Any, ignore_index: int, reduction: str, label_smoothing: float
) -> Tensor:
    classes = logits.shape[1]
    effect(lambda: _check_classes(target.array, classes, ignore_index))
    counted = target != ignore_index
    safe = target * counted
    w = as_tensor(frozen(np.ones(classes, logits.dtype)) if weight is None else weight)
    each = where(counted, w.detach()[safe], 0.0)
    log_p = log_softmax(logits, 1)
    losses = -each * gather(log_p, 1, safe.unsqueeze(1)).squeeze(1)
    if label_smoothing:
        spread = -sum(log_p * w.detach(), 1) * counted
        losses = (1.0 - label_smoothing) * losses + (label_smoothing / classes) * spread
    if reduction == "mean":
        return sum(losses) / sum(each)
    return reduced(losses, reduction)


def _soft(logits: Tensor, target: Tensor, weight: Any, reduction: str, label_smoothing: float) -> Tensor:
    if label_smoothing:
        target = (1.0 - label_smoothing) * target + label_smoothing / logits.shape[1]
    log_p = log_softmax(logits, 1)
    losses = -sum(target * log_p if weight is None else target * log_p * weight, 1)
    return mean(losses) if reduction == "mean" else reduced(losses, reduction)


def nll_loss(log_p: Tensor, target: Any, reduction: str = "mean") -> Tensor:
    """-log_p[row, target[row]], for log-probabilities (rows, classes) and integer targets (rows,)."""
    return reduced(-gather(log_p, 1, as_tensor(target).unsqueeze(1)).squeeze(1), reduction)
