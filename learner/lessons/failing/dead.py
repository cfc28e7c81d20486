"""ReLUs that die at too high a rate, what keeps them alive and what brings them back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

import learner.autodiff as ad
import learner.nn as nn
import learner.optim as optim
from learner import svg
from learner.lessons.lesson import Lesson, Picture, Table
from learner.nn import init

INPUTS, WIDTH, HIDDEN, ROWS = 8, 32, 3, 256
HIGH, LOW = 0.6, 0.05
"""Learning rates of plain gradient descent."""
STEPS, REVIVAL = 200, 600
ACTIVATIONS: dict[str, Callable[[ad.Tensor], ad.Tensor]] = {"ReLU": ad.relu, "Leaky ReLU": ad.leaky_relu,
                                                            "GELU": ad.gelu}


@dataclass(frozen=True)
class Training:
    """A training: shares of the hidden units that are off for every example, before and after; the last loss."""

    activation: str
    start: str
    rate: float
    dead_before: float
    dead_after: float
    loss: float


def he_start(layer: nn.Linear, rng: np.random.Generator) -> None:
    """Weights normal with variance 2 / inputs, biases 0 (He et al. 2015)."""
    init.kaiming_normal_(layer.weight, nonlinearity="relu", generator=rng)
    if layer.bias is not None:
        init.zeros_(layer.bias)


def relu_network(sizes: Sequence[int], rng: np.random.Generator) -> nn.Sequential:
    """Linear layers of these widths from He's start, ReLUs between them."""
    layers: list[nn.Module] = []
    for inputs, outputs in pairwise(sizes):
        linear = nn.Linear(inputs, outputs, generator=rng)
        he_start(linear, rng)
        layers += [linear, nn.ReLU()]
    return nn.Sequential(*layers[:-1])


class Net(nn.Module):
    """HIDDEN layers of WIDTH, then one number: (rows, INPUTS) -> (rows, 1)."""

    def __init__(self, activation: str, he: bool, rng: np.random.Generator) -> None:
        self.activation = activation
        sizes = [INPUTS, *[WIDTH] * HIDDEN, 1]
        self.layers = nn.ModuleList(nn.Linear(a, b, generator=rng) for a, b in pairwise(sizes))
        if he:
            for layer in self.layers:
                he_start(layer, rng)

    def sums(self, x: ad.Tensor) -> list[ad.Tensor]:
        """Every layer's weighted sums z = W a + b, the output's last."""
        found: list[ad.Tensor] = []
        for layer in self.layers:
            x = layer(ACTIVATIONS[self.activation](x) if found else x)
            found.append(x)
        return found

    def forward(self, x: ad.Tensor) -> ad.Tensor:
        return self.sums(x)[-1]


def examples(seed: int) -> tuple[ad.Tensor, ad.Tensor]:
    """ROWS inputs and the target sin(2 x0) + x1 x2."""
    x = np.random.default_rng(seed).standard_normal((ROWS, INPUTS)).astype(np.float32)
    return ad.tensor(x), ad.tensor(np.sin(2 * x[:, :1]) + x[:, 1:2] * x[:, 2:3])


def dead_share(net: Net, x: ad.Tensor) -> float:
    """The share of hidden units whose sum is at most 0 for every row: there a ReLU passes no gradient at all."""
    with ad.no_grad():
        off = [(z.numpy() <= 0).all(axis=0) for z in net.sums(x)[:-1]]
    return float(np.mean(np.concatenate(off)))


def train(net: Net, start: str, x: ad.Tensor, y: ad.Tensor, rate: float, steps: int) -> Training:
    """Gradient descent on the mean squared error. What diverges ends with a loss that isn't finite."""
    before = dead_share(net, x)
    optimizer = optim.SGD(net.parameters(), lr=rate)
    for _ in range(steps):
        loss = ad.mse_loss(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with ad.no_grad():
        return Training(net.activation, start, rate, before, dead_share(net, x), float(ad.mse_loss(net(x), y).item()))


def prevented(seed: int) -> list[Training]:
    """From fresh starts: at the high rate, at the low one, and at the low one from He's start."""
    x, y = examples(seed)
    found = []
    for activation in ACTIVATIONS:
        for he, rate in ((False, HIGH), (False, LOW), (True, LOW)):
            net = Net(activation, he, np.random.default_rng(seed))
            found.append(train(net, "He" if he else "default", x, y, rate, STEPS))
    return found


def revived(seed: int) -> list[Training]:
    """The ReLU network that the high rate has hurt, trained on at the low rate under each activation."""
    x, y = examples(seed)
    hurt = Net("ReLU", False, np.random.default_rng(seed))
    train(hurt, "default", x, y, HIGH, STEPS)
    found = []
    for activation in ACTIVATIONS:
        net = Net(activation, False, np.random.default_rng(seed))
        net.load_state_dict(hurt.state_dict())
        found.append(train(net, "hurt", x, y, LOW, REVIVAL))
    return found


def run(seed: int) -> Lesson:
    """Kill, prevent, revive; and what the core's diagnosis says of the dead."""
    x, y = examples(seed)
    with np.errstate(all="ignore"):
        first, again = prevented(seed), revived(seed)
        hurt = Net("ReLU", False, np.random.default_rng(seed))
        train(hurt, "default", x, y, HIGH, STEPS)
        said = [f for f in ad.diagnose(hurt, lambda: ad.mse_loss(hurt(x), y)).findings if "dead" in f]
    mean_only = float(np.var(y.numpy()))
    columns = ["activation", "start", "rate", "off before", "off after", "loss"]
    told = {t.activation: f"{t.activation} {t.dead_after:.0%} dead and a loss of {t.loss:.3g}" for t in again}
    killed = first[0]
    return Lesson(
        [Table(f"Units off for every example, where a ReLU is dead; {STEPS} steps", columns,
               [_row(t) for t in first]),
         Table(f"The hurt ReLU network, {REVIVAL} steps more", columns, [_row(t) for t in again])],
        [Picture("dead", svg.picture([
            svg.bars("Units off for every example after training",
                     {f"{t.activation}, {t.start}, {t.rate:g}": t.dead_after for t in first}, "share"),
            svg.bars("The hurt network trained on", {t.activation: t.loss for t in again}, "loss")]))],
        [f"At rate {HIGH:g}, {killed.dead_before:.0%} → {killed.dead_after:.0%} of the ReLUs are dead after {STEPS} "
         f"steps and the loss is {killed.loss:.3g} (always answering the mean costs {mean_only:.3g}); at rate {LOW:g} "
         f"{first[1].dead_after:.0%} and {first[1].loss:.3g}, from He's start {first[2].dead_after:.0%} and "
         f"{first[2].loss:.3g}.",
         f"Trained on for {REVIVAL} steps at rate {LOW:g}, that network ends as {told['ReLU']}; under the same weights "
         f"{told['Leaky ReLU']}, {told['GELU']}.",
         f"diagnose counts them layer by layer, in {len(said)} layers: "
         + "; ".join(f.split(" (")[0] for f in said) + "."])


def _row(t: Training) -> list[object]:
    return [t.activation, t.start, t.rate, f"{t.dead_before:.0%}", f"{t.dead_after:.0%}", t.loss]
