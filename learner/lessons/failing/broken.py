"""Paths on which no gradient comes back, what the core says of each, and what mends it."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import learner.autodiff as ad
import learner.nn as nn
import learner.optim as optim
from learner import svg
from learner.lessons.lesson import Lesson, Picture, Table

INPUTS, WIDTH, ROWS, STEPS = 6, 16, 128, 300


@dataclass(frozen=True)
class Told:
    """A fault, and what the core said of it: a finding of diagnose, or the line of the error that it raised."""

    fault: str
    by: str
    words: str


class Net(nn.Module):
    """Two layers with something in between: `join` makes the second layer's input from the first one's output."""

    def __init__(self, join: Callable[[ad.Tensor], ad.Tensor], seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.join = join
        self.first, self.second = nn.Linear(INPUTS, WIDTH, generator=rng), nn.Linear(WIDTH, 1, generator=rng)

    def forward(self, x: ad.Tensor) -> ad.Tensor:
        out: ad.Tensor = self.second(self.join(self.first(x)))
        return out


def _step(z: ad.Tensor) -> ad.Tensor:
    return (z > 0).float()


def _arg_max(z: ad.Tensor) -> ad.Tensor:
    return ad.one_hot(z.argmax(-1), WIDTH).float()


def _straight_through(z: ad.Tensor) -> ad.Tensor:
    """The one-hot of the largest on the way there; on the way back the softmax's gradient (Jang et al. 2017)."""
    p = ad.softmax(z)
    return p + (_arg_max(z) - p).detach()


JOINS: dict[str, Callable[[ad.Tensor], ad.Tensor]] = {
    "detach": lambda z: ad.tanh(z.detach()),
    "threshold z > 0": _step,
    "argmax": _arg_max,
    "floor": lambda z: ad.floor(z),
    "dead ReLUs": lambda z: ad.relu(z - 100.0),
    "saturated tanh": lambda z: ad.tanh(100.0 * z),
    "scaled up": lambda z: 1e6 * z,
    "scaled down": lambda z: 1e-9 * z,
    "inputs of one sign": lambda z: z,
}
"""What stands between the layers, by the fault that it makes. The last one's fault is in the inputs."""
MENDED: dict[str, Callable[[ad.Tensor], ad.Tensor]] = {
    "tanh": ad.tanh, "threshold z > 0": _step, "threshold, straight through": ad.hard_threshold,
    "argmax": _arg_max, "argmax, straight through": _straight_through}


def examples(seed: int) -> tuple[ad.Tensor, ad.Tensor]:
    """(ROWS, INPUTS) inputs and the sign of x0 x1, as 0 and 1."""
    x = np.random.default_rng(seed).standard_normal((ROWS, INPUTS)).astype(np.float32)
    return ad.tensor(x), ad.tensor((x[:, :1] * x[:, 1:2] > 0).astype(np.float32))


def _loss(net: Net, x: ad.Tensor, y: ad.Tensor) -> ad.Tensor:
    return ad.mse_loss(net(x), y)


def diagnosed(seed: int) -> list[Told]:
    """Each fault's network under diagnose: the first finding about the first layer."""
    x, y = examples(seed)
    found = []
    for fault, join in JOINS.items():
        given = ad.abs(x) + 3.0 if fault == "inputs of one sign" else x
        net = Net(join, seed)
        findings = ad.diagnose(net, functools.partial(_loss, net, given, y)).findings
        dull = [f for f in findings if "dead" in f or "saturated" in f]
        about = [f for f in findings if f.startswith("first.weight")]
        # A note on activations ends with the source line, which says nothing here.
        found.append(Told(fault, "diagnose", re.sub(r" \([^()]*:\d+\)$", "", (dull + about or ["nothing"])[0])))
    return found


def raised(seed: int) -> list[Told]:
    """Mistakes with the tape itself: each raises an error, whose text is returned."""
    x, y = examples(seed)

    def changed_between() -> None:
        net = Net(ad.tanh, seed)
        loss = ad.mse_loss(net(x), y)
        with ad.no_grad():
            net.second.weight.mul_(2.0)
        loss.backward()

    def result_changed() -> None:
        net = Net(ad.tanh, seed)
        hidden = ad.tanh(net.first(x))
        hidden.add_(1.0)

    def leaf_changed() -> None:
        Net(ad.tanh, seed).first.weight.mul_(0.5)

    def twice() -> None:
        loss = ad.mse_loss(Net(ad.tanh, seed)(x), y)
        loss.backward()
        loss.backward()

    def nothing_to_learn() -> None:
        with ad.no_grad():
            loss = ad.mse_loss(Net(ad.tanh, seed)(x), y)
        loss.backward()

    def not_a_number() -> None:
        Net(ad.tanh, seed)(x).backward()

    mistakes = {"a weight changed in place between forward and backward": changed_between,
                "a result changed in place": result_changed, "a weight changed while it is recorded": leaf_changed,
                "backward twice": twice, "backward of what no_grad computed": nothing_to_learn,
                "backward of a whole batch": not_a_number}
    found = []
    for fault, mistake in mistakes.items():
        try:
            mistake()
        except RuntimeError as error:
            found.append(Told(fault, "an error", str(error)))
        else:
            found.append(Told(fault, "nobody", ""))
    return found


def mended(seed: int) -> dict[str, tuple[float, float]]:
    """What stands between the layers → (norm of the first layer's gradient at the start, loss after training)."""
    x, y = examples(seed)
    found = {}
    for name, join in MENDED.items():
        net = Net(join, seed)
        optimizer = optim.Adam(net.parameters(), lr=0.02)
        first = None
        for _ in range(STEPS):
            loss = ad.binary_cross_entropy_with_logits(net(x), y)
            optimizer.zero_grad()
            loss.backward()
            first = optim.grad_norm(net.first.parameters()) if first is None else first
            optimizer.step()
        found[name] = first or 0.0, float(loss.item())
    return found


def run(seed: int) -> Lesson:
    """Every fault, what is said, and what helps."""
    told, ends = [*diagnosed(seed), *raised(seed)], mended(seed)
    named = [t for t in told if t.words not in ("", "nothing")]
    return Lesson(
        [Table("What the core says", ["fault", "said by", "words"], [[t.fault, t.by, t.words] for t in told]),
         Table(f"The sign of a product, {STEPS} steps of Adam",
               ["between the layers", "first layer's gradient", "loss"],
               [[name, norm, loss] for name, (norm, loss) in ends.items()])],
        [Picture("broken", svg.picture([svg.bars("Loss after training", {n: end for n, (_, end) in ends.items()},
                                                 "cross-entropy")]))],
        [f"{len(named)} of {len(told)} broken paths are named, {sum(t.by == 'an error' for t in told)} by an error and "
         f"{sum(t.by == 'diagnose' for t in named)} by diagnose.",
         f"A threshold lets a gradient of {ends['threshold z > 0'][0]:.3g} through to the first layer and training "
         f"ends at {ends['threshold z > 0'][1]:.3g}; straight through, {ends['threshold, straight through'][0]:.3g} "
         f"and {ends['threshold, straight through'][1]:.3g}; a tanh in its place {ends['tanh'][1]:.3g}. For an argmax "
         f"it is {ends['argmax'][1]:.3g}, and straight through {ends['argmax, straight through'][1]:.3g}."])
