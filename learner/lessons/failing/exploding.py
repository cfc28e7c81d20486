"""Backpropagation through time: gradients that explode in a recurrent network, and clipping."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import learner.autodiff as ad
import learner.optim as optim
from learner import svg
from learner.lessons.lesson import Lesson, Picture, Table

HIDDEN, ROWS, TIMES = 32, 32, 50
GAINS = (0.8, 1.0, 1.2, 1.6, 2.0)
"""The recurrent matrix is a random rotation times such a gain: every one of its singular values is the gain."""
TRAINING = {"gain": 1.6, "rate": 0.1, "steps": 150, "times": 40, "recent": 10}
CLIPS = (None, 10.0, 1.0)


def rotation(gain: float, rng: np.random.Generator) -> ad.Tensor:
    """(HIDDEN, HIDDEN), float64, requires a gradient."""
    q, _ = np.linalg.qr(rng.standard_normal((HIDDEN, HIDDEN)))
    return ad.tensor(gain * q, requires_grad=True)


def unrolled(x: ad.Tensor, w: ad.Tensor, u: ad.Tensor) -> list[ad.Tensor]:
    """The states h_t = tanh(h_{t-1} W + x_t U), each (rows, HIDDEN), for x (times, rows, inputs)."""
    h, states = ad.zeros(x.shape[1], HIDDEN, dtype=np.float64), []
    for t in range(x.shape[0]):
        h = ad.tanh(h @ w + x[t] @ u)
        states.append(h)
    return states


def through_time(gain: float, seed: int) -> list[float]:
    """Norms of the gradient at each of TIMES states, first state first, of 1 sent in at the last."""
    rng = np.random.default_rng(seed)
    w, u = rotation(gain, rng), ad.tensor(rng.normal(0.0, 0.1, (2, HIDDEN)))
    states = unrolled(ad.tensor(rng.standard_normal((TIMES, ROWS, 2))), w, u)
    sent = rng.standard_normal((ROWS, HIDDEN))
    grads = ad.grad(states[-1], states, sent / np.linalg.norm(sent))
    return [float(np.linalg.norm(g.numpy())) for g in grads]


@dataclass(frozen=True)
class Training:
    """Losses and norms before clipping, step by step (NaN and infinite ones included); steps not made because a
    gradient wasn't finite."""

    clip: float | None
    losses: list[float]
    norms: list[float]
    skipped: int


def train(clip: float | None, seed: int) -> Training:
    """Learn to say three times the mean of the last inputs, by gradient descent; clip: the largest norm let through."""
    rng = np.random.default_rng(seed)
    w, u = rotation(TRAINING["gain"], rng), ad.tensor(rng.normal(0.0, 0.3, (1, HIDDEN)), requires_grad=True)
    v = ad.tensor(rng.normal(0.0, HIDDEN**-0.5, (HIDDEN, 1)), requires_grad=True)
    optimizer = optim.SGD([w, u, v], lr=TRAINING["rate"])
    losses, norms = [], []
    for _ in range(int(TRAINING["steps"])):
        x = rng.standard_normal((int(TRAINING["times"]), 2 * ROWS, 1))
        loss = ad.mse_loss(unrolled(ad.tensor(x), w, u)[-1] @ v, 3.0 * x[-int(TRAINING["recent"]):].mean(axis=0))
        optimizer.zero_grad()
        loss.backward()
        losses.append(float(loss.item()))
        norms.append(optim.grad_norm([w, u, v]))
        if clip is not None:
            optim.clip_grad_norm_([w, u, v], clip)
        optimizer.step()
    return Training(clip, losses, norms, optimizer.skipped_steps)


def run(seed: int) -> Lesson:
    """Gradients by distance in time, then training with and without clipping."""
    flows = {gain: through_time(gain, seed) for gain in GAINS}
    with np.errstate(all="ignore"):
        trainings = [train(clip, seed) for clip in CLIPS]
    names = {t.clip: "not clipped" if t.clip is None else f"clipped at {t.clip:g}" for t in trainings}
    last = {t.clip: float(np.mean(t.losses[-20:])) for t in trainings}
    rows = [[names[t.clip], float(np.mean(t.losses[:5])), f"{last[t.clip]:.3g}", f"{np.nanmax(t.norms):.2e}", t.skipped]
            for t in trainings]
    return Lesson(
        [Table(f"Norm of the gradient {TIMES - 1} steps back in a tanh network, of 1 at the end",
               ["gain of W", *(f"{back} back" for back in (1, 10, 25, TIMES - 1))],
               [[gain, *(f"{flow[-1 - back]:.1e}" for back in (1, 10, 25, TIMES - 1))]
                for gain, flow in flows.items()]),
         Table(f"Training through {TRAINING['times']} times at rate {TRAINING['rate']:g}, gain {TRAINING['gain']:g}",
               ["gradient", "loss at first", "loss at last", "largest norm", "steps skipped"], rows)],
        [Picture("exploding", svg.picture([
            svg.lines("Back through time", {f"gain {gain:g}": [(TIMES - 1 - t, n) for t, n in enumerate(flow)]
                                            for gain, flow in flows.items()},
                      "steps back", "norm of the gradient", log_y=True),
            svg.lines("Training", {names[t.clip]: list(enumerate(t.losses)) for t in trainings},
                      "step", "loss", log_y=True)]))],
        [f"{TIMES - 1} steps back in time, a recurrent matrix of gain {GAINS[0]:g} leaves {flows[GAINS[0]][0]:.0e} of "
         f"the gradient and one of gain {GAINS[-1]:g} makes {flows[GAINS[-1]][0]:,.0f} times as much of it.",
         f"At the same rate the loss of the last 20 steps is {last[None]:.3g} not clipped (the largest norm was "
         f"{np.nanmax(trainings[0].norms):.0e}, and {trainings[0].skipped} of {len(trainings[0].losses)} steps were "
         f"skipped because a gradient wasn't finite), and " +
         " and ".join(f"{last[t.clip]:.3g} {names[t.clip]}" for t in trainings[1:]) + "."])
