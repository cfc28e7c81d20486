"""Softmax written out against the fused softmax with cross-entropy: overflow, NaN, and who made the first one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import learner.autodiff as ad
import learner.nn as nn
from learner import svg
from learner.autodiff.table import Array
from learner.lessons.lesson import Lesson, Picture, Table

ROWS, CLASSES = 64, 10
SCALES = (1.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 10000.0)
"""Standard deviations of the logits."""


def naive(logits: ad.Tensor, classes: ad.Tensor) -> ad.Tensor:
    """-log(e^s_y / sum e^s), averaged, as the formula reads."""
    e = ad.exp(logits)
    p = e / e.sum(-1, keepdim=True)
    return -ad.log(ad.gather(p, -1, classes.reshape(-1, 1))).mean()


def two_steps(logits: ad.Tensor, classes: ad.Tensor) -> ad.Tensor:
    """A softmax that cannot overflow, and then its logarithm."""
    return -ad.log(ad.gather(ad.softmax(logits), -1, classes.reshape(-1, 1))).mean()


LOSSES: dict[str, Callable[[ad.Tensor, ad.Tensor], ad.Tensor]] = {
    "written out": naive, "softmax, then log": two_steps, "fused": ad.cross_entropy}


@dataclass(frozen=True)
class Outcome:
    """A loss on logits of one scale: its value, the share of finite elements in the gradient of the logits, and that
    gradient's largest distance from (p - onehot) / rows in float64 (NaN where it isn't finite)."""

    loss: str
    scale: float
    value: float
    finite: float
    error: float


def outcome(name: str, scale: float, seed: int) -> Outcome:
    """In float32."""
    rng = np.random.default_rng(seed)
    values = (scale * rng.standard_normal((ROWS, CLASSES))).astype(np.float32)
    classes = rng.integers(0, CLASSES, ROWS)
    logits = ad.tensor(values, requires_grad=True)
    loss = LOSSES[name](logits, ad.tensor(classes))
    (g,) = ad.grad(loss, logits)
    found = g.numpy()
    return Outcome(name, scale, float(loss.item()), float(np.isfinite(found).mean()),
                   float(np.abs(found - exact(values, classes)).max()))


def exact(logits: Array, classes: Array) -> Array:
    """(p - onehot(y)) / rows in float64."""
    shifted = logits.astype(np.float64) - logits.max(axis=1, keepdims=True)
    p = np.exp(shifted) / np.exp(shifted).sum(axis=1, keepdims=True)
    p[np.arange(len(p)), classes] -= 1.0
    return np.asarray(p / len(p))


def first_nan(seed: int, scale: float) -> str:
    """What diagnose finds first, in a linear layer whose logits are of that scale under the written-out loss."""
    rng = np.random.default_rng(seed)
    layer = nn.Linear(CLASSES, CLASSES, generator=rng)
    layer.weight.detach().mul_(scale * 3**0.5)
    x, classes = ad.tensor(rng.standard_normal((ROWS, CLASSES)).astype(np.float32)), rng.integers(0, CLASSES, ROWS)
    findings = ad.diagnose(layer, lambda: naive(layer(x), ad.tensor(classes))).findings
    return findings[0].split(", at ")[0] if findings else "nothing"


def run(seed: int) -> Lesson:
    """Every loss at every scale."""
    with np.errstate(all="ignore"):
        found = {(name, scale): outcome(name, scale, seed) for name in LOSSES for scale in SCALES}
        said = {scale: first_nan(seed, scale) for scale in SCALES}
    fails = {name: next((s for s in SCALES if not (np.isfinite(found[name, s].value) and found[name, s].finite == 1)),
                        None) for name in LOSSES}
    broken = next((s for s in SCALES if "NaN" in said[s]), None)
    rows = [[f"{scale:g}", *(cell for name in LOSSES for cell in (
        f"{found[name, scale].value:.4g}", f"{found[name, scale].finite:.0%}"))] for scale in SCALES]
    return Lesson(
        [Table("Cross-entropy and its gradient in float32", ["logits' deviation", *(
            heading for name in LOSSES for heading in (name, f"{name}: gradient finite"))], rows)],
        [Picture("softmax", svg.picture([svg.lines("Gradients that are finite", {
            name: [(scale, found[name, scale].finite) for scale in SCALES] for name in LOSSES},
            "deviation of the logits", "share", log_x=True)]))],
        [", "
         "".join(f"{name}: " + (f"not finite from logits of deviation {at:g}" if at else "finite at every scale tried")
                   for name, at in fails.items()) + f"; the fused one's gradient is within "
         f"{max(found['fused', s].error for s in SCALES):.0e} of (p − onehot) / rows.",
         *([f"At deviation {broken:g} diagnose says: {said[broken]}."] if broken else [])])
