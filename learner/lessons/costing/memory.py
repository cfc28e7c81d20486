"""What is kept for the backward pass beside what the parameters need, by batch; and in 16 bits."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import learner.autodiff as ad
import learner.nn as nn
from learner import svg
from learner.lessons.lesson import Lesson, Picture, Table

BATCHES = (1, 4, 16, 64, 256)


def _perceptron(rng: np.random.Generator) -> tuple[nn.Module, tuple[int, ...]]:
    return nn.Sequential(nn.Linear(300, 256, generator=rng), nn.ReLU(), nn.Linear(256, 256, generator=rng), nn.ReLU(),
                         nn.Linear(256, 238, generator=rng)), (300,)


def _convolutions(rng: np.random.Generator) -> tuple[nn.Module, tuple[int, ...]]:
    return nn.Sequential(nn.Conv2d(3, 16, 3, padding=1, generator=rng), nn.ReLU(),
                         nn.Conv2d(16, 16, 3, padding=1, generator=rng), nn.ReLU(), nn.Flatten(),
                         nn.Linear(16 * 256, 10, generator=rng)), (3, 16, 16)


def _transformer(rng: np.random.Generator) -> tuple[nn.Module, tuple[int, ...]]:
    return nn.Sequential(*(nn.TransformerBlock(64, 4, generator=rng) for _ in range(4))), (32, 64)


NETWORKS: dict[str, Callable[[np.random.Generator], tuple[nn.Module, tuple[int, ...]]]] = {
    "perceptron 300–256–256–238": _perceptron, "two convolutions, 16 × 16": _convolutions,
    "4 transformer blocks, 32 tokens": _transformer}


def kept(network: str, batch: int, seed: int, half: bool = False) -> tuple[int, int]:
    """(bytes kept for backward, bytes of the parameters), read off the graph of one loss."""
    rng = np.random.default_rng(seed)
    model, shape = NETWORKS[network](rng)
    x = ad.tensor(rng.standard_normal((batch, *shape)).astype(np.float32))
    if half:
        with ad.saved_as("float16"):
            found = ad.memory(model(x).square().mean())
    else:
        found = ad.memory(model(x).square().mean())
    return found["activations"], found["parameters"]


def crossing(network: str, seed: int) -> float:
    """The batch at which activations need as much as the parameters: what is kept grows by the same for each row."""
    (one, parameters), (many, _) = kept(network, BATCHES[0], seed), kept(network, BATCHES[-1], seed)
    each = (many - one) / (BATCHES[-1] - BATCHES[0])
    return (parameters - (one - each * BATCHES[0])) / each


def run(seed: int) -> Lesson:
    """All networks and batches."""
    found = {(n, b): kept(n, b, seed) for n in NETWORKS for b in BATCHES}
    halves = {n: kept(n, BATCHES[-1], seed, half=True)[0] / found[n, BATCHES[-1]][0] for n in NETWORKS}
    at = {n: crossing(n, seed) for n in NETWORKS}
    return Lesson(
        [Table("Bytes kept for the backward pass", ["network", "parameters", *(f"batch {b}" for b in BATCHES),
               "as much as parameters at batch", "share in 16 bits"],
               [[n, found[n, 1][1], *(found[n, b][0] for b in BATCHES), at[n], f"{halves[n]:.0%}"] for n in NETWORKS])],
        [Picture("memory", svg.picture([svg.lines("Activations beside parameters", {
            n: [(b, found[n, b][0] / found[n, b][1]) for b in BATCHES] for n in NETWORKS},
            "batch", "activations / parameters", log_x=True, log_y=True)]))],
        ["Activations need as much memory as parameters at a batch of " +
         ", ".join(f"{batch:.3g} ({n})" for n, batch in at.items()) + "; at a batch of "
         f"{BATCHES[-1]} they need "
         f"" + ", ".join(f"{found[n, BATCHES[-1]][0] / found[n, BATCHES[-1]][1]:.3g} times as much"
                                                 for n in NETWORKS) + ". Kept in 16 bits they need "
         + ", ".join(f"{share:.0%}" for share in halves.values()) + " of it."])
