"""Too shallow a network: two spirals that few layers can't tell apart and more layers can, at equal parameters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import learner.autodiff as ad
from learner import svg
from learner.autodiff.table import Array
from learner.lessons.failing.dead import relu_network
from learner.lessons.failing.descent import adam
from learner.lessons.lesson import Lesson, Picture, Table

ROWS, TURNS, STEPS, SEEDS = 300, 2.5, 1500, 3
NETWORKS: dict[str, tuple[int, ...]] = {"no hidden layer": (), "1 × 60": (60,), "1 × 120": (120,), "2 × 14": (14, 14),
                                        "3 × 10": (10, 10, 10)}
TEETH = (1, 2, 4, 6, 8, 10)


@dataclass(frozen=True)
class Fit:
    """One training on the spirals, and the share of the points that it gets right."""

    network: str
    parameters: int
    loss: float
    right: float
    answers: Array
    """(side, side) of probabilities of the second class over the square from -1.2 to 1.2."""


def spirals(seed: int) -> tuple[Array, Array]:
    """(2 ROWS, 2) float32 points of two arms, and their arms 0 and 1."""
    along = np.linspace(0.1, 1.0, ROWS)
    angle = along * TURNS * 2 * np.pi
    arm = np.stack([along * np.cos(angle), along * np.sin(angle)], axis=1)
    noise = np.random.default_rng(seed).normal(0.0, 0.01, (2 * ROWS, 2))
    return (np.concatenate([arm, -arm]) + noise).astype(np.float32), np.repeat([0, 1], ROWS)


def fit(network: str, seed: int, steps: int = STEPS, side: int = 18) -> Fit:
    """Adam over all points at once, from He's start."""
    model = relu_network([2, *NETWORKS[network], 2], np.random.default_rng(seed))
    points, arms = spirals(seed)
    x = ad.tensor(points)
    loss = adam(model, ad.cross_entropy, x, ad.tensor(arms), 0.01, steps)
    across = np.linspace(-1.2, 1.2, side, dtype=np.float32)
    grid = np.stack(np.meshgrid(across, across[::-1]), axis=-1).reshape(-1, 2)
    with ad.no_grad():
        right = float(np.mean(model(x).numpy().argmax(axis=1) == arms))
        answers = ad.softmax(model(ad.tensor(grid))).numpy()[:, 1].reshape(side, side)
    return Fit(network, sum(p.numel() for p in model.parameters()), loss, right, answers)


def sawtooth(folds: int) -> tuple[int, int]:
    """Fold the line `folds` times with two ReLUs a fold, t(x) = 2 relu(x) - 4 relu(x - 1/2), and count what comes out.

    Returns (parameters of that deep network, straight pieces of its output), the pieces counted from its slopes: the
    gradient of the output at points all over [0, 1]. A network of one hidden layer bends once a unit at most, so that
    it needs at least pieces - 1 units (Telgarsky 2016).
    """
    pieces = 2**folds
    x = ad.tensor((np.arange(8 * pieces) + 0.5) / (8 * pieces), requires_grad=True)
    y, parameters = x, 0
    for _ in range(folds):
        y = 2.0 * ad.relu(y) - 4.0 * ad.relu(y - 0.5)
        parameters += 6  # two weights in, two biases, two weights out
    slopes = np.sign(ad.grad(y.sum(), x)[0].numpy())
    return parameters, 1 + int(np.count_nonzero(np.diff(slopes)))


def run(seed: int) -> Lesson:
    """Trained networks on spirals, then the sawtooth that a deep network folds."""
    fits = {name: [fit(name, seed + n) for n in range(SEEDS)] for name in NETWORKS}
    best = {name: max(f.right for f in runs) for name, runs in fits.items()}
    worst = {name: min(f.right for f in runs) for name, runs in fits.items()}
    folded = {folds: sawtooth(folds) for folds in TEETH}
    parameters, pieces = folded[TEETH[-1]]
    size = {name: runs[0].parameters for name, runs in fits.items()}
    return Lesson(
        [Table(f"Two spirals of {TURNS:g} turns, {STEPS:,} steps, {SEEDS} starts", ["hidden", "parameters", "loss",
               "right at worst", "right at best"],
               [[name, size[name], float(np.mean([f.loss for f in runs])), f"{worst[name]:.1%}", f"{best[name]:.1%}"]
                for name, runs in fits.items()]),
         Table("A sawtooth folded layer by layer", ["layers", "parameters", "pieces",
                                                    "units of one hidden layer, at least", "their parameters"],
               [[folds, p, n, n - 1, 3 * (n - 1) + 1] for folds, (p, n) in folded.items()])],
        [Picture("shallow", svg.picture([
            svg.cells(f"{name}: {fits[name][0].right:.0%} right", (2 * fits[name][0].answers - 1).tolist(), cell=11,
                      numbers=False) for name in ("1 × 120", "2 × 14", "3 × 10")], columns=3))],
        [f"Of two spirals, one hidden layer gets at best {best['1 × 60']:.1%} right with {size['1 × 60']} parameters "
         f"and {best['1 × 120']:.1%} with {size['1 × 120']}; two layers get at worst {worst['2 × 14']:.1%} right with "
         f"{size['2 × 14']}, three {worst['3 × 10']:.1%} with {size['3 × 10']}; no hidden layer "
         f"{best['no hidden layer']:.1%} at best.",
         f"{TEETH[-1]} layers of two ReLUs ({parameters} parameters) make a sawtooth of {pieces:,} pieces, counted "
         f"from its gradients; one hidden layer needs {pieces - 1:,} units ({3 * (pieces - 1) + 1:,} parameters) for "
         f"as many."])
