"""diagnose(model, loss): what is wrong with a network's gradients, in sentences.

Looks for parameters without a gradient or with none but zeros, vanishing and exploding gradients, dead ReLUs,
saturated units, units all of whose weights are pushed the same way, and the first operation that made a NaN.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from learner.autodiff.engine import grad
from learner.autodiff.inspection import place
from learner.autodiff.modes import Switch
from learner.autodiff.recorder import Recorder
from learner.autodiff.table import Array, Op
from learner.autodiff.tensor import Tensor

EXPLODING = 1000.0
"""A parameter's gradient norm from which it counts as exploding."""
VANISHING = 1e-5
"""The share of the largest parameter's norm below which a gradient counts as vanishing."""


@dataclass(frozen=True)
class ParameterReport:
    """One parameter: norms of gradient and values (float64), their ratio; None where there is no gradient."""

    name: str
    shape: tuple[int, ...]
    grad_norm: float | None
    weight_norm: float
    ratio: float | None


@dataclass
class Diagnosis:
    """parameters: a report on each. findings: what is wrong, in sentences; empty where nothing is."""

    loss: float
    parameters: list[ParameterReport] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        width = max((len(p.name) for p in self.parameters), default=4)
        lines = [f"loss {self.loss:.6g}", f"{'parameter':{width}}  |gradient|    |weights|     ratio"]
        for p in self.parameters:
            norm = "      none" if p.grad_norm is None else f"{p.grad_norm:10.3e}"
            ratio = "      none" if p.ratio is None else f"{p.ratio:10.3e}"
            lines.append(f"{p.name:{width}}  {norm}   {p.weight_norm:10.3e} {ratio}")
        return "\n".join(lines + ([f"- {f}" for f in self.findings] or ["nothing found wrong"]))


class _Watcher(Recorder):
    """Sees every result as it is made."""

    def __init__(self) -> None:
        self.phase = "forward"
        self.first_bad: str | None = None
        self.notes: list[str] = []

    def ran(
        self, op: Op, operands: tuple[Any, ...], arrays: list[Any], settings: dict[str, Any], result: Any, aux: Any
    ) -> None:
        for tensor in result if isinstance(result, tuple) else (result,):
            out = tensor.array
            if self.first_bad is None and out.dtype.kind == "f" and np.isnan(out).any():
                self.first_bad = self._describe(op, arrays, out)
            if self.phase == "forward" and out.ndim > 1 and out.size:
                self._activation(op, out)

    def _describe(self, op: Op, arrays: list[Any], out: Array) -> str:
        came_in = any(isinstance(a, np.ndarray) and a.dtype.kind == "f" and np.isnan(a).any() for a in arrays)
        shapes = ", ".join(str(a.shape) if isinstance(a, np.ndarray) else str(a) for a in arrays)
        origin = "a NaN came in from outside at" if came_in else "the first NaN was made by"
        share = f"{int(np.isnan(out).sum())} of {out.size} elements"
        return f"{origin} '{op.name}' on {shapes} in the {self.phase} pass, {share}, at {place()}"

    def _activation(self, op: Op, out: Array) -> None:
        batch = tuple(range(out.ndim - 1))
        if op.name == "relu":
            self._note(float(np.mean((out <= 0).all(axis=batch))), "of the ReLUs are dead: 0 for the whole batch")
        elif op.name in ("tanh", "sigmoid"):
            far = np.abs(out) > 0.99 if op.name == "tanh" else np.abs(out - 0.5) > 0.49
            self._note(
                float(np.mean(far)), f"of the {op.name} units' values are saturated, where gradients are nearly 0"
            )

    def _note(self, share: float, what: str) -> None:
        if share >= 0.2:
            self.notes.append(f"{share:.0%} {what} ({place()})")


def diagnose(model: Any, loss: Tensor | Callable[[], Tensor]) -> Diagnosis:
    """Examine the gradients of a loss with respect to a model's parameters, without touching any `.grad`.

    loss: best a function that computes it, so that activations and the first NaN can be watched as they are made;
    or a computed loss, of which only gradients can be judged (its graph is kept).
    """
    watcher = _Watcher()
    named = dict(model.named_parameters())
    with Switch("recorder", watcher):
        value = loss() if callable(loss) else loss
        watcher.phase = "backward"
        wanted = {name: p for name, p in named.items() if p.requires_grad}
        grads = grad(value, list(wanted.values()), retain_graph=True, allow_unused=True)
    arrays = {name: None if g is None else g.array for name, g in zip(wanted, grads, strict=True)}
    diagnosis = Diagnosis(float(value.array))
    for name, p in named.items():
        norm, weight = _norm(arrays.get(name)), _norm(p.array) or 0.0
        ratio = None if norm is None or not weight else norm / weight
        diagnosis.parameters.append(ParameterReport(name, p.shape, norm, weight, ratio))
    if watcher.first_bad is not None:
        diagnosis.findings.append(watcher.first_bad)
    diagnosis.findings += _judge(diagnosis.parameters, arrays) + watcher.notes
    return diagnosis


def _norm(array: Array | None) -> float | None:
    return None if array is None else float(np.linalg.norm(array.astype(np.float64)))


def _judge(parameters: list[ParameterReport], arrays: dict[str, Array | None]) -> list[str]:
    largest = max(
        (p.grad_norm for p in parameters if p.grad_norm is not None and np.isfinite(p.grad_norm)), default=0.0
    )
    findings = []
    for p in parameters:
        if p.name not in arrays:
            continue  # frozen on purpose
        if p.grad_norm is None:
            findings.append(f"{p.name} gets no gradient: nothing connects it to the loss (unused, or behind a detach)")
        elif not np.isfinite(p.grad_norm):
            findings.append(f"{p.name}: its gradient is not finite")
        elif p.grad_norm == 0.0:
            findings.append(f"{p.name}: its gradient is exactly zero")
        elif p.grad_norm > EXPLODING:
            findings.append(f"{p.name}: exploding, gradient norm {p.grad_norm:.3g} > {EXPLODING:g}; clip or normalise")
        elif p.grad_norm < VANISHING * largest:
            findings.append(f"{p.name}: vanishing, gradient norm {p.grad_norm:.3g} beside {largest:.3g} elsewhere")
        one_way = _one_way(arrays[p.name])
        if one_way is not None and one_way >= 0.9:
            findings.append(
                f"{p.name}: {one_way:.0%} of its units have all their weights pushed in one direction; inputs of one "
                f"sign do that, so centre or normalise them"
            )
    return findings


def _one_way(g: Array | None) -> float | None:
    """The share of units (rows of a weight's gradient) whose non-zero elements all have one sign."""
    if g is None or g.ndim != 2 or g.shape[1] < 4 or not np.isfinite(g).all():
        return None
    rows = g[np.abs(g).max(axis=1) > 0]
    if not len(rows):
        return None
    return float(np.mean((rows >= 0).all(axis=1) | (rows <= 0).all(axis=1)))
