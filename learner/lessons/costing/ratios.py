"""How long the backward pass takes beside the forward pass, by kind of layer."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import learner.autodiff as ad
import learner.nn as nn
from learner import svg
from learner.lessons.lesson import Lesson, Picture, Table

ROUNDS = 25
Build = Callable[[np.random.Generator], tuple[Callable[[ad.Tensor], Any], tuple[int, ...]]]
"""A layer, and the shape of what it is given."""


class _Outputs(nn.Module):
    """A recurrent layer's outputs without its last states."""

    def __init__(self, layer: nn.Module) -> None:
        self.layer = layer

    def forward(self, x: ad.Tensor) -> ad.Tensor:
        out: ad.Tensor = self.layer(x)[0]
        return out


KINDS: dict[str, Build] = {
    "linear": lambda rng: (nn.Linear(256, 256, generator=rng), (256, 256)),
    "convolution, 1 axis": lambda rng: (nn.Conv1d(32, 32, 3, padding=1, generator=rng), (256, 32, 16)),
    "convolution, 2 axes": lambda rng: (nn.Conv2d(16, 16, 3, padding=1, generator=rng), (32, 16, 16, 16)),
    "LSTM": lambda rng: (_Outputs(nn.LSTM(64, 64, generator=rng)), (16, 64, 64)),
    "GRU": lambda rng: (_Outputs(nn.GRU(64, 64, generator=rng)), (16, 64, 64)),
    "attention": lambda rng: (nn.MultiheadAttention(64, 4, generator=rng), (64, 32, 64)),
    "transformer block": lambda rng: (nn.TransformerBlock(64, 4, generator=rng), (64, 32, 64)),
    "layer norm": lambda rng: (nn.LayerNorm(256), (1024, 256)),
    "batch norm": lambda rng: (nn.BatchNorm1d(256), (1024, 256)),
    "RMS norm": lambda rng: (nn.RMSNorm(256), (1024, 256)),
    "ReLU": lambda rng: (ad.relu, (1024, 256)),
    "GELU": lambda rng: (ad.gelu, (1024, 256)),
    "softmax": lambda rng: (ad.softmax, (1024, 256)),
}


def ratio(kind: str, seed: int, rounds: int = ROUNDS) -> tuple[float, float, float]:
    """(forward, backward, backward / forward): medians of seconds over rounds, and the median of the rounds' ratios.

    Backward computes the gradients of the input and of all parameters.
    """
    rng = np.random.default_rng(seed)
    layer, shape = KINDS[kind](rng)
    x = ad.tensor(rng.standard_normal(shape).astype(np.float32), requires_grad=True)
    sent = ad.tensor(rng.standard_normal(layer(x).shape).astype(np.float32))
    forward, backward = [], []
    for _ in range(rounds + 3):
        began = time.perf_counter()
        out = layer(x)
        between = time.perf_counter()
        out.backward(sent)
        backward.append(time.perf_counter() - between)
        forward.append(between - began)
    forward, backward = forward[3:], backward[3:]  # the first ones meet cold memory
    return (statistics.median(forward), statistics.median(backward),
            statistics.median(b / f for f, b in zip(forward, backward, strict=True)))


def run(seed: int) -> Lesson:
    """Every kind."""
    found = {kind: ratio(kind, seed) for kind in KINDS}
    ratios = {kind: r for kind, (_, _, r) in found.items()}
    low, high = min(ratios, key=ratios.__getitem__), max(ratios, key=ratios.__getitem__)
    inside = [kind for kind, r in ratios.items() if 1.0 <= r <= 3.0]
    outside = ", ".join(f"{kind} {r:.2f}" for kind, r in ratios.items() if kind not in inside)
    return Lesson(
        [Table("Microseconds of a layer's passes", ["layer", "forward", "backward", "backward / forward"],
               [[kind, f * 1e6, b * 1e6, r] for kind, (f, b, r) in found.items()])],
        [Picture("ratios", svg.picture([svg.bars("Backward beside forward", ratios, "backward / forward")]))],
        [f"The backward pass takes {ratios[low]:.2f} ({low}) to {ratios[high]:.2f} ({high}) times as long as the "
         f"forward pass; {len(inside)} of {len(ratios)} kinds of layer lie between 1 and 3"
         + (f", {outside} outside" if outside else "") + "."])
