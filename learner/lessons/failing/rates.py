"""Too high a learning rate: where a quadratic loss tips over, and how much less a deep network bears."""

from __future__ import annotations

import numpy as np

import learner.autodiff as ad
import learner.optim as optim
from learner import svg
from learner.lessons.failing.dead import INPUTS, WIDTH, examples, relu_network
from learner.lessons.lesson import Lesson, Picture, Table

AROUND = (0.5, 0.95, 1.05, 1.5)
"""Shares of the largest stable rate, at which the quadratic loss is descended."""
DEPTHS, RATES, STEPS = (1, 2, 4, 8, 16), (0.003, 0.01, 0.03, 0.1, 0.3, 1.0), 100


def quadratic(shares: tuple[float, ...], seed: int, steps: int = STEPS) -> dict[float, list[float]]:
    """Losses of linear regression, step by step, at shares of the rate 2 / (largest curvature).

    The error along each axis of the curvature h is multiplied by 1 - rate * h a step, so beyond 2 / h it grows.
    """
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((200, 5)) * [1.0, 1.0, 2.0, 3.0, 5.0]
    y = x @ rng.standard_normal((5, 1))
    limit = 2.0 / np.linalg.eigvalsh(2.0 * x.T @ x / len(x)).max()
    found = {}
    for share in shares:
        w = ad.tensor(np.zeros((5, 1)), requires_grad=True)
        optimizer, losses = optim.SGD([w], lr=share * limit), []
        for _ in range(steps):
            loss = ad.mse_loss(ad.tensor(x) @ w, y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(float(loss.item()))
        found[share] = losses
    return found


def grid(seed: int) -> dict[tuple[int, float], tuple[float, float]]:
    """(depth, rate) → the loss after STEPS steps of gradient descent from He's start, and the largest gradient norm
    that was finite. The loss is NaN where it, or a gradient, stopped being finite on the way."""
    x, y = examples(seed)
    found = {}
    for depth in DEPTHS:
        for rate in RATES:
            model = relu_network([INPUTS, *[WIDTH] * depth, 1], np.random.default_rng(seed))
            parameters = list(model.parameters())
            optimizer, largest, end = optim.SGD(parameters, lr=rate), 0.0, float("nan")
            for _ in range(STEPS):
                loss = ad.mse_loss(model(x), y)
                optimizer.zero_grad()
                loss.backward()
                norm, end = optim.grad_norm(parameters), float(loss.item())
                if not (np.isfinite(norm) and np.isfinite(end)):
                    end = float("nan")
                    break
                largest = max(largest, norm)
                optimizer.step()
            found[depth, rate] = end, largest
    return found


def highest(cells: dict[tuple[int, float], tuple[float, float]], depth: int, worth: float) -> float:
    """The highest rate at which a network of that depth ends with a loss below `worth`; 0 if there is none."""
    return max((rate for rate in RATES if cells[depth, rate][0] < worth), default=0.0)


def run(seed: int) -> Lesson:
    """Both."""
    with np.errstate(all="ignore"):
        losses, cells = quadratic(AROUND, seed), grid(seed)
    mean_only = float(np.var(examples(seed)[1].numpy()))
    rows = [[depth, *("diverged" if np.isnan(cells[depth, rate][0]) else f"{cells[depth, rate][0]:.3g}"
                      for rate in RATES), f"{max(cells[depth, rate][1] for rate in RATES):.0e}"] for depth in DEPTHS]
    bears = {depth: highest(cells, depth, 0.9 * mean_only) for depth in DEPTHS}
    return Lesson(
        [Table(f"Loss after {STEPS} steps by depth and rate (always answering the mean costs {mean_only:.3g})",
               ["hidden layers", *(f"rate {rate:g}" for rate in RATES), "largest norm"], rows)],
        [Picture("rates", svg.picture([
            svg.lines("A quadratic loss", {f"{share:g} × 2/h": list(enumerate(ends)) for share, ends in losses.items()},
                      "step", "loss", log_y=True),
            svg.lines("Deep networks", {f"{d} hidden layers": [(r, cells[d, r][0]) for r in RATES] for d in DEPTHS},
                      "rate", f"loss after {STEPS} steps", log_x=True, log_y=True)]))],
        ["Where the largest curvature is h, the loss ends after "
         f"{STEPS} steps at " + ", ".join(f"{ends[-1]:.1e} with {share:g} × 2/h" for share, ends in losses.items())
         + f"; it has fallen with {', '.join(f'{share:g}' for share, ends in losses.items() if ends[-1] < ends[0])}.",
         "The highest rate tried that beats always answering the mean by a tenth: " +
         ", ".join(f"{rate:g} with {depth} hidden layer{'s' * (depth > 1)}" for depth, rate in bears.items()) + "."])
