"""The worked numbers of textbooks, computed again: by formula, by autodiff and by finite differences."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

import learner.autodiff as torch
from learner import svg
from learner.autodiff.draw import draw
from learner.lessons.lesson import Lesson, Picture, Progress, Table
from learner.lessons.worked import Slope, examples, leaf, scalar_graph, slopes_of, softmax

NAME = "NUMBERS"
HELP = "the worked numbers of textbooks: by formula, by autodiff, by finite differences"
STEPS = 17

LOGITS = (2.0, 1.0, 0.1)
REGRESSION_STEPS, LR, X, Y = 5, 0.1, 2.0, 5.0
"""Five steps of ŷ = wx + b from (0, 0) towards one point, L = ½(ŷ − y)²."""
MODEL, LAYERS, INNER = 27e9, 64, 17_408
"""A language model of 2026 by its card: parameters, layers, width inside each feed-forward block."""
MONTH = 365.25 / 12 * 86_400
"""Seconds."""


def run(seed: int, progress: Progress) -> Lesson:
    """All examples; the seed draws the numbers that no textbook prints."""
    slopes: list[Slope] = []
    for example in examples(np.random.default_rng(seed)):
        slopes += slopes_of(example)
        progress.advance(1, example.name)
    forward = _softmax_forward()
    progress.advance(1, "softmax")
    steps, differ = _regression()
    progress.advance(1, "regression")
    grown = _accumulated()
    progress.advance(1, "accumulation")
    instructed = _instructed(slopes[0].autodiff)
    progress.advance(1, "a step on the logits")

    derivatives = sum(slope.autodiff.size for slope in slopes)
    printed = [(name, value, said) for name, value, said, _ in forward]
    printed += [(f"d/d{slope.of}", value, said) for slope in slopes if slope.printed is not None
                for value, said in zip(slope.autodiff.ravel().tolist(), slope.printed, strict=True)]
    others = [f"{name} is {value:.4f}, not {said}" for name, value, said in printed if not _rounds_to(value, said)]
    worst = max(slope.differences_error for slope in slopes)
    ratios = [after[3] / before[3] for before, after in itertools.pairwise(steps)]
    return Lesson(
        tables=[
            Table("Softmax and cross-entropy, forward", ["quantity", "computed", "printed", "the same"], forward),
            Table("Gradients three ways", ["example", "with respect to", "autodiff", "printed",
                                           "distance to the formula", "to finite differences"],
                  [[s.example, s.of, _words(s.autodiff), "" if s.printed is None else _words(np.array(s.printed)),
                    s.formula_error, s.differences_error] for s in slopes]),
            Table(f"ŷ = wx + b, one step of gradient descent after the other (lr {LR}, x {X}, y {Y})",
                  ["step", "w", "b", "loss before the step"], steps),
            Table("The gradient as an instruction: one step of length 1 down it", [
                "logit", "gradient", "after the step", "p before", "p after"], instructed),
            Table("Gradients add up until they are cleared", ["calls of backward()", "x.grad"], grown),
            Table("What finite differences would cost", ["parameters", "forward passes for one gradient",
                                                         "months at 1 ms a pass"], _prices())],
        pictures=[Picture("graph", _graph()),
                  Picture("charts", svg.picture([
                      svg.bars("Softmax of (2, 1, 0.1)", _named(np.array([row[1] for row in forward[4:7]])), "p"),
                      svg.bars("Its gradient, p − y", _named(slopes[0].autodiff), "dL/dz"),
                      svg.lines("Linear regression", {"loss": [(row[0], row[3]) for row in steps]}, "step", "loss",
                                log_y=True)]))],
        sentences=[
            f"{len(printed) - len(others)} of {len(printed)} printed numbers come out as they are printed"
            + (f"; {', '.join(others)}." if others else "."),
            f"Autodiff and the formulas differ by at most {max(s.formula_error for s in slopes):.1e}, autodiff and "
            f"finite differences by at most {worst:.1e}, over {derivatives:,} partial derivatives, for which finite "
            f"differences ran the models {2 * derivatives:,} times.",
            f"The regression's loss falls from {steps[0][3]:g} to {steps[-1][3]:.3g} in {len(steps)} steps, each time "
            f"to {np.mean(ratios):.2f} of what it was; autodiff's w and b are the hand-written program's to "
            f"{differ:.0e}.",
            f"One step down the softmax's gradient raises the right logit by {instructed[0][2] - instructed[0][0]:.3f} "
            f"and lowers the others by {instructed[1][0] - instructed[1][2]:.3f} and "
            f"{instructed[2][0] - instructed[2][2]:.3f}; p of the right class goes from {instructed[0][3]:.3f} to "
            f"{instructed[0][4]:.3f}.",
            f"A second backward() without clearing makes the gradient {grown[0][1]} into {grown[1][1]}.",
            f"{LAYERS} feed-forward blocks of width {INNER:,} keep {LAYERS * INNER:,} values for each token: as many "
            f"as the model's parameters once {MODEL / (LAYERS * INNER):,.0f} tokens are in the batch."])


def _softmax_forward() -> list[list[Any]]:
    """Every printed number of the forward pass: name, computed, printed, whether it rounds to it."""
    z = torch.tensor(LOGITS, dtype=torch.float64)
    e, p = torch.exp(z), torch.softmax(z, dim=0)
    values = [*e.tolist(), float(e.sum()), *p.tolist(), float(-torch.log(p[0]))]
    names = ["exp 2", "exp 1", "exp 0.1", "their sum", "p₁", "p₂", "p₃", "L = −ln p₁"]
    said = [7.389, 2.718, 1.105, 11.212, 0.659, 0.242, 0.099, 0.417]
    return [[name, value, text, _rounds_to(value, text)]
            for name, value, text in zip(names, values, said, strict=True)]


def _regression() -> tuple[list[list[float]], float]:
    """(step, w, b, loss) by autodiff, and the largest distance to the hand-written program's w and b."""
    w, b = leaf(0.0), leaf(0.0)
    by_hand, rows, worst = np.zeros(2), [], 0.0
    for step in range(1, REGRESSION_STEPS + 1):
        loss = 0.5 * (w * X + b - Y) ** 2
        slopes = torch.grad(loss, [w, b])
        w, b = (leaf(float(value) - LR * float(slope)) for value, slope in zip((w, b), slopes, strict=True))
        by_hand -= LR * (by_hand[0] * X + by_hand[1] - Y) * np.array([X, 1.0])
        worst = max(worst, float(np.abs(by_hand - [float(w), float(b)]).max()))
        rows.append([step, float(w), float(b), float(loss)])
    return rows, worst


def _instructed(gradient: np.ndarray) -> list[Any]:
    """Each logit, its gradient, its value one step later, and its probability before and after."""
    before = np.array(LOGITS)
    after = before - gradient
    return list(np.stack([before, gradient, after, softmax(before), softmax(after)], axis=1).tolist())


def _accumulated() -> list[list[Any]]:
    """The gradient of the sum of x² at (1, 2) after one backward() and after two, not cleared between."""
    x, rows = leaf([1.0, 2.0]), []
    for calls in (1, 2):
        (x**2).sum().backward()
        assert x.grad is not None
        rows.append([calls, _words(x.grad.array)])
    return rows


def _prices() -> list[list[Any]]:
    """Two forward passes a parameter."""
    return [[int(parameters), int(2 * parameters), 2 * parameters * 1e-3 / MONTH] for parameters in (1e4, MODEL)]


def _graph() -> str:
    example = scalar_graph()
    return draw(example.loss, names=example.leaves)


def _rounds_to(value: float, printed: float) -> bool:
    """Whether a value is what is printed with three decimals."""
    return f"{value:.3f}" == f"{printed:.3f}"


def _named(values: np.ndarray) -> dict[str, float]:
    return {f"logit {logit:g}": float(value) for logit, value in zip(LOGITS, values, strict=True)}


def _words(array: np.ndarray) -> str:
    """A few numbers, or how many there are."""
    if array.size > 4:
        return f"{array.size} numbers, {' × '.join(map(str, array.shape))}"
    return ", ".join(f"{round(float(value), 3) + 0.0:.3f}" for value in array.ravel())  # + 0.0: no −0.000
