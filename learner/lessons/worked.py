"""The worked examples of textbooks, each computed three ways: by its formula, by autodiff, by finite differences."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

import learner.autodiff as torch
from learner.autodiff import Tensor
from learner.autodiff.table import Array
from learner.byhand import layers as byhand
from learner.byhand.network import MeanSquaredError, Network
from learner.lessons.differences import central_differences


@dataclass(frozen=True)
class Example:
    """A scalar function of float64 leaves, and what is known of its gradients.

    formulas: the gradients as the textbook derives them. printed: the gradients as it prints them, rounded.
    """

    name: str
    leaves: Mapping[str, Tensor]
    loss: Callable[[], Tensor]
    formulas: Mapping[str, Array | float]
    printed: Mapping[str, Sequence[float]]


@dataclass(frozen=True)
class Slope:
    """One gradient of an example, found three ways; equal shapes."""

    example: str
    of: str
    formula: Array
    autodiff: Array
    differences: Array
    printed: Sequence[float] | None

    @property
    def formula_error(self) -> float:
        """The largest distance between autodiff and the formula."""
        return float(np.abs(self.autodiff - self.formula).max())

    @property
    def differences_error(self) -> float:
        """The largest distance between autodiff and finite differences."""
        return float(np.abs(self.autodiff - self.differences).max())


def slopes_of(example: Example) -> Iterator[Slope]:
    """Every gradient of an example that has a formula."""
    for leaf in example.leaves.values():
        leaf.grad = None
    example.loss().backward()

    def value() -> float:
        with torch.no_grad():
            return float(example.loss())

    for name, formula in example.formulas.items():
        leaf = example.leaves[name]
        assert leaf.grad is not None, f"{example.name}: no gradient reaches {name}"
        yield Slope(example.name, name, np.asarray(formula, np.float64).reshape(leaf.shape), leaf.grad.array.copy(),
                    central_differences(value, leaf.array), example.printed.get(name))


def examples(rng: np.random.Generator) -> list[Example]:
    """All of them; numbers that no textbook prints are drawn from ``rng``."""
    return [softmax_cross_entropy(rng), square(), scalar_graph(), product(rng), chain(), branches(), two_losses(rng),
            slopes(), relu_network(rng), sigmoid_network(rng), affine(rng), deltas(rng), tutorial_step(rng)]


def softmax_cross_entropy(rng: np.random.Generator) -> Example:
    """Logits (2, 1, 0.1), the first class is right: dL/dz = p − y, dL/dW = (p − y) hᵀ, dL/dh = Wᵀ(p − y).

    The logits are made as W h + b of a drawn W and h, with b what is missing.
    """
    logits, weight, hidden = np.array([2.0, 1.0, 0.1]), rng.standard_normal((3, 2)), rng.standard_normal(2)
    W, h, b = leaf(weight), leaf(hidden), leaf(logits - weight @ hidden)
    error = softmax(logits) - np.array([1.0, 0.0, 0.0])
    return Example("softmax and cross-entropy", {"b": b, "W": W, "h": h},
                   lambda: torch.cross_entropy((W @ h + b).reshape(1, 3), torch.tensor([0])),
                   {"b": error, "W": np.outer(error, hidden), "h": weight.T @ error}, {"b": (-0.341, 0.242, 0.099)})


def square() -> Example:
    """The sum of x² at (1, 2)."""
    x = leaf([1.0, 2.0])
    return Example("sum of squares", {"x": x}, lambda: (x**2).sum(), {"x": 2.0 * x.array}, {"x": (2.0, 4.0)})


def scalar_graph() -> Example:
    """a = x w, y = a + b, L = (y − t)²: the graph that is drawn."""
    x, w, b, t = leaf(2.0), leaf(0.5), leaf(1.0), torch.tensor(5.0, dtype=torch.float64)
    slope = 2.0 * (2.0 * 0.5 + 1.0 - 5.0)
    return Example("L = (xw + b − t)²", {"x": x, "w": w, "b": b, "t": t}, lambda: (x * w + b - t) ** 2,
                   {"x": slope * 0.5, "w": slope * 2.0, "b": slope}, {})


def product(rng: np.random.Generator) -> Example:
    """z = u v, and L = z² above it: each factor gets what comes from above times the other factor."""
    u, v = (leaf(rng.standard_normal()) for _ in range(2))
    above = 2.0 * float(u) * float(v)
    return Example("z = uv", {"u": u, "v": v}, lambda: (u * v) ** 2, {"u": above * float(v), "v": above * float(u)}, {})


def chain() -> Example:
    """L = f(g(h(θ))) with h the square, g the sine and f the exponential: the local derivatives multiply."""
    theta = leaf(0.6)
    inner = np.sin(0.36)
    return Example("exp(sin(θ²))", {"θ": theta}, lambda: torch.exp(torch.sin(theta**2)),
                   {"θ": np.exp(inner) * np.cos(0.36) * 2.0 * 0.6}, {})


def branches() -> Example:
    """z = f(x) + g(x) with f = sin and g = the square: the gradients of both branches add up."""
    x = leaf(0.7)
    return Example("z = sin x + x²", {"x": x}, lambda: torch.sin(x) + x * x, {"x": np.cos(0.7) + 2.0 * 0.7}, {})


def two_losses(rng: np.random.Generator) -> Example:
    """Two heads on a shared layer h = tanh(W x), L = ½|h|² + a·h: the gradients of both losses add up in W."""
    x, a = rng.standard_normal(3), rng.standard_normal(2)
    W = leaf(rng.standard_normal((2, 3)))
    h = np.tanh(W.array @ x)
    first, second = np.outer(h * (1.0 - h * h), x), np.outer(a * (1.0 - h * h), x)

    def loss() -> Tensor:
        shared = torch.tanh(W @ torch.tensor(x))
        return 0.5 * (shared**2).sum() + (torch.tensor(a) * shared).sum()

    return Example("two losses, one layer", {"W": W}, loss, {"W": first + second}, {})


def slopes() -> Example:
    """Activations on both sides of 0: σ′ = σ(1 − σ), small where it saturates; ReLU′ is 1 above 0, else 0."""
    points = np.array([-6.0, -0.5, 0.5, 6.0])
    s, r = leaf(points), leaf(points)
    sigma = 1.0 / (1.0 + np.exp(-points))
    return Example("σ and ReLU at −6, −½, ½, 6", {"σ": s, "ReLU": r},
                   lambda: torch.sigmoid(s).sum() + torch.relu(r).sum(),
                   {"σ": sigma * (1.0 - sigma), "ReLU": (points > 0.0).astype(float)}, {})


def relu_network(rng: np.random.Generator) -> Example:
    """h = ReLU(W₁x + b₁), ŷ = W₂h + b₂, L = ½|ŷ − y|²: transpose, mask, outer product."""
    x, y = rng.standard_normal(3), rng.standard_normal(2)
    W1, b1, W2, b2 = (leaf(rng.standard_normal(shape)) for shape in ((4, 3), 4, (2, 4), 2))
    z1 = W1.array @ x + b1.array
    h = np.maximum(z1, 0.0)
    error = W2.array @ h + b2.array - y
    delta = W2.array.T @ error * (z1 > 0.0)
    return Example("two layers, ReLU", {"W₁": W1, "b₁": b1, "W₂": W2, "b₂": b2},
                   lambda: 0.5 * ((W2 @ torch.relu(W1 @ torch.tensor(x) + b1) + b2 - torch.tensor(y)) ** 2).sum(),
                   {"W₂": np.outer(error, h), "b₂": error, "W₁": np.outer(delta, x), "b₁": delta}, {})


def sigmoid_network(rng: np.random.Generator) -> Example:
    """h = σ(W₁x + b₁), ŷ = W₂h + b₂, L = (ŷ − y)²: dL/dW₁ = 2(ŷ − y) W₂ σ′(W₁x + b₁) x."""
    x, y = rng.standard_normal(3), rng.standard_normal()
    W1, b1, W2, b2 = (leaf(rng.standard_normal(shape)) for shape in ((4, 3), 4, 4, ()))
    h = 1.0 / (1.0 + np.exp(-(W1.array @ x + b1.array)))
    error = 2.0 * (W2.array @ h + b2.array - y)
    return Example("two layers, σ", {"W₁": W1, "b₁": b1, "W₂": W2, "b₂": b2},
                   lambda: ((W2 * torch.sigmoid(W1 @ torch.tensor(x) + b1)).sum() + b2 - y) ** 2,
                   {"W₂": error * h, "W₁": np.outer(error * W2.array * h * (1.0 - h), x)}, {})


def affine(rng: np.random.Generator) -> Example:
    """z = W x + b under any upstream gradient g: dL/dx = Wᵀg, dL/dW = g xᵀ, dL/db = g."""
    W, x, b = (leaf(rng.standard_normal(shape)) for shape in ((3, 4), 4, 3))
    g = rng.standard_normal(3)
    return Example("affine layer", {"W": W, "x": x, "b": b}, lambda: ((W @ x + b) * torch.tensor(g)).sum(),
                   {"x": W.array.T @ g, "W": np.outer(g, x.array), "b": g}, {})


def deltas(rng: np.random.Generator) -> Example:
    """Four layers: the recurrence of the δs, as :mod:`learner.byhand` runs it, against autodiff on the same weights."""
    sizes, x, y = (5, 6, 6, 4, 2), rng.standard_normal((3, 5)), rng.standard_normal((3, 2))
    linear = [byhand.Linear(rng.standard_normal((o, i)) / np.sqrt(i), rng.standard_normal(o))
              for i, o in itertools.pairwise(sizes)]
    network = Network([layer for one in linear for layer in (one, byhand.Tanh())][:-1])
    loss = MeanSquaredError()
    loss.forward(network.forward(x), y)
    network.backward(loss.backward())
    leaves = {f"{name}{n}": leaf(array) for n, one in enumerate(linear, 1)
              for name, (array, _) in zip("Wb", one.parameters(), strict=True)}
    formulas: dict[str, Array | float] = {f"{name}{n}": gradient for n, one in enumerate(linear, 1)
                for name, (_, gradient) in zip("Wb", one.parameters(), strict=True)}

    def run() -> Tensor:
        a = torch.tensor(x)
        for n in range(1, len(linear) + 1):
            z = a @ leaves[f"W{n}"].T + leaves[f"b{n}"]
            a = torch.tanh(z) if n < len(linear) else z
        return 0.5 * ((a - torch.tensor(y)) ** 2).sum() / len(y)

    return Example("δ through four layers", leaves, run, formulas, {})


def tutorial_step(rng: np.random.Generator) -> Example:
    """The 10–64–3 network of the tutorials, cross-entropy over a batch of 32: dL/dlogits = (p − onehot) / 32."""
    x, classes = rng.standard_normal((32, 10)), rng.integers(0, 3, 32)
    W1, b1, W2, b2 = (leaf(rng.uniform(-0.3, 0.3, shape)) for shape in ((64, 10), 64, (3, 64), 3))
    z1 = x @ W1.array.T + b1.array
    h = np.maximum(z1, 0.0)
    error = (softmax(h @ W2.array.T + b2.array) - np.eye(3)[classes]) / len(x)
    delta = error @ W2.array * (z1 > 0.0)
    return Example("10–64–3, batch of 32", {"W₁": W1, "b₁": b1, "W₂": W2, "b₂": b2},
                   lambda: torch.cross_entropy(torch.relu(torch.tensor(x) @ W1.T + b1) @ W2.T + b2,
                                               torch.tensor(classes)),
                   {"W₁": delta.T @ x, "b₁": delta.sum(0), "W₂": error.T @ h, "b₂": error.sum(0)}, {})


def leaf(values: object) -> Tensor:
    """A float64 tensor that wants a gradient."""
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


def softmax(logits: Array) -> Array:
    """Probabilities along the last axis."""
    e = np.exp(logits - logits.max(-1, keepdims=True))
    return np.asarray(e / e.sum(-1, keepdims=True))
