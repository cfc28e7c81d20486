"""How a gradient's size changes on its way back through a deep network."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import learner.autodiff as ad
import learner.nn as nn
from learner import svg
from learner.lessons.lesson import Lesson, Picture, Table
from learner.nn import init

DEPTH, WIDTH, BATCH = 30, 64, 64
ACTIVATIONS = {"sigmoid": nn.Sigmoid, "tanh": nn.Tanh, "ReLU": nn.ReLU, "Leaky ReLU": nn.LeakyReLU, "GELU": nn.GELU}
INITS = ("small", "large", "Xavier", "He")
"""small, large: normal with standard deviations 0.01 and 1, whatever the width (the poor ones); Xavier and He: normal
with variances 2 / (fan_in + fan_out) and 2 / fan_in."""
WIRINGS = ("plain", "normalised", "residual", "both")
"""What a block computes of x: f(Wx), f(norm(Wx)), x + f(Wx), x + f(W norm(x)) (pre-norm)."""


@dataclass(frozen=True)
class Flow:
    """One deep network: the norm of the gradient that reaches each block's input, the network's input first.

    The gradient sent in at the output has norm 1, so a norm is the share of it that is left.
    """

    activation: str
    initial: str
    wiring: str
    norms: tuple[float, ...]


def flow(activation: str, initial: str, wiring: str, seed: int, depth: int = DEPTH) -> Flow:
    """Measure one network of `depth` blocks, in float64, in which even what vanishes can be seen."""
    rng = np.random.default_rng(seed)
    out = ad.tensor(rng.standard_normal((BATCH, WIDTH)), requires_grad=True)
    sent, inputs = rng.standard_normal((BATCH, WIDTH)), []
    for _ in range(depth):
        inputs.append(out)
        out = _block(activation, initial, wiring, rng)(out)
    grads = ad.grad(out, inputs, sent / np.linalg.norm(sent))
    return Flow(activation, initial, wiring, tuple(float(np.linalg.norm(g.numpy())) for g in grads))


def _block(activation: str, initial: str, wiring: str, rng: np.random.Generator) -> nn.Module:
    linear = nn.Linear(WIDTH, WIDTH, bias=False, dtype=np.float64)
    if initial == "Xavier":
        init.xavier_normal_(linear.weight, generator=rng)
    elif initial == "He":
        init.kaiming_normal_(linear.weight, nonlinearity="relu", generator=rng)
    else:
        init.normal_(linear.weight, 0.0, {"small": 0.01, "large": 1.0}[initial], rng)
    f, norm = ACTIVATIONS[activation](), nn.LayerNorm(WIDTH, dtype=np.float64)
    if wiring == "plain":
        return nn.Sequential(linear, f)
    if wiring == "normalised":
        return nn.Sequential(linear, norm, f)
    return nn.Residual(nn.Sequential(linear, f) if wiring == "residual" else nn.Sequential(norm, linear, f))


def run(seed: int) -> Lesson:
    """Every activation, start and wiring once."""
    flows = {(a, w, i): flow(a, i, w, seed) for a in ACTIVATIONS for w in WIRINGS for i in INITS}
    rows = [[a, w, *(f"{flows[a, w, i].norms[0]:.1e}" for i in INITS)] for a in ACTIVATIONS for w in WIRINGS]
    panels = [svg.lines(f"{initial} start, plain", {a: list(enumerate(flows[a, "plain", initial].norms))
                                                    for a in ACTIVATIONS},
                        "blocks from the input", "norm of the gradient", log_y=True) for initial in INITS]

    def spread(chosen: list[Flow]) -> str:
        left = [f.norms[0] for f in chosen]
        return f"{min(left):.3g} to {max(left):.3g} times the gradient"

    best = min(ACTIVATIONS, key=lambda a: abs(np.log(flows[a, "plain", "He"].norms[0])))
    kept = [f for f in flows.values() if f.wiring == "both" and f.initial != "large"]
    return Lesson(
        [Table(f"Share of a gradient's norm that is left after {DEPTH} layers of {WIDTH}",
               ["activation", "wiring", *INITS], rows)],
        [Picture("depth", svg.picture(panels))],
        [f"Through {DEPTH} plain layers with Xavier's start, {flows['sigmoid', 'plain', 'Xavier'].norms[0]:.0e} of the "
         f"gradient reaches the input with sigmoids, {flows['tanh', 'plain', 'Xavier'].norms[0]:.0e} with tanh, "
         f"{flows['ReLU', 'plain', 'Xavier'].norms[0]:.0e} with ReLUs; with He's start and ReLUs "
         f"{flows['ReLU', 'plain', 'He'].norms[0]:.2f} (nearest to 1 with He's start: {best}).",
         f"Plain ReLU layers that start with deviation 0.01 leave {flows['ReLU', 'plain', 'small'].norms[0]:.0e} of "
         f"it, with deviation 1 they make {flows['ReLU', 'plain', 'large'].norms[0]:.0e} of it; normalised, the two "
         f"starts give {flows['ReLU', 'normalised', 'small'].norms[0]:.2f} and "
         f"{flows['ReLU', 'normalised', 'large'].norms[0]:.2f}.",
         f"Normalised sigmoids leave {flows['sigmoid', 'normalised', 'He'].norms[0]:.0e} of it, because their slope is "
         f"at most 1/4; with a residual path past each of them {flows['sigmoid', 'residual', 'He'].norms[0]:.2f}.",
         f"With residual paths and normalisation together, all activations under small, Xavier and He leave "
         f"{spread(kept)}; residual paths alone with He's start and ReLUs make "
         f"{flows['ReLU', 'residual', 'He'].norms[0]:.0e}."])
