"""The same training steps in PyTorch and in JAX, for comparison where they are installed."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from typing import Any


def build(peer: str, network: Callable[[Any], Any], shape: tuple[int, ...], classes: int) -> Callable[..., Any] | None:
    """A step of the peer's on (x, y) arrays, or None where it is not installed (or has no such network here)."""
    try:
        module = importlib.import_module(peer)
    except ImportError:
        return None
    return _torch(module, network) if peer == "torch" else _jax(module, network, shape, classes)


def threads() -> int:
    """How many threads NumPy's BLAS was given, which the peers then get too."""
    return int(os.environ.get("OPENBLAS_NUM_THREADS", os.environ.get("OMP_NUM_THREADS", os.cpu_count() or 1)))


def _torch(torch: Any, network: Callable[[Any], Any]) -> Callable[..., Any]:
    torch.set_num_threads(threads())
    model = network(torch.nn)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    criterion = torch.nn.CrossEntropyLoss()

    def step(x: Any, y: Any) -> Any:
        loss = criterion(model(torch.from_numpy(x)), torch.from_numpy(y))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

    return step


def _jax(jax: Any, network: Callable[[Any], Any], shape: tuple[int, ...], classes: int) -> Callable[..., Any] | None:
    """An MLP with AdamW written out, jitted, its state donated."""
    import learner.nn as nn

    np = importlib.import_module("jax.numpy")
    layers = [layer for layer in network(nn) if isinstance(layer, nn.Linear)]
    weights = [
        (np.asarray(layer.weight.array), np.asarray(layer.bias.array)) for layer in layers if layer.bias is not None
    ]
    zeros = jax.tree_util.tree_map(np.zeros_like, weights)
    state = (weights, zeros, jax.tree_util.tree_map(np.zeros_like, weights), np.zeros((), np.float32))

    def loss(w: Any, x: Any, y: Any) -> Any:
        for i, (a, b) in enumerate(w):
            x = x @ a.T + b
            x = x if i == len(w) - 1 else jax.nn.relu(x)
        return -np.mean(jax.nn.log_softmax(x)[np.arange(x.shape[0]), y])

    def update(state: Any, x: Any, y: Any) -> Any:
        w, m, v, t = state
        value, g = jax.value_and_grad(loss)(w, x, y)
        t = t + 1.0
        each = jax.tree_util.tree_map
        m = each(lambda m, g: 0.9 * m + 0.1 * g, m, g)
        v = each(lambda v, g: 0.999 * v + 0.001 * g * g, v, g)
        first, second = 1.0 - 0.9**t, 1.0 - 0.999**t
        w = each(lambda w, m, v: w * (1.0 - 1e-6) - 1e-4 * (m / first) / (np.sqrt(v / second) + 1e-8), w, m, v)
        return (w, m, v, t), value

    jitted = jax.jit(update, donate_argnums=0)

    def step(x: Any, y: Any) -> Any:
        nonlocal state
        state, value = jitted(state, x, y)
        value.block_until_ready()
        return value

    return step
