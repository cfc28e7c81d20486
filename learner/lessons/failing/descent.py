"""Training that several failures share."""

from __future__ import annotations

from collections.abc import Callable

import learner.autodiff as ad
import learner.nn as nn
import learner.optim as optim


def adam(model: nn.Module, loss_of: Callable[[ad.Tensor, ad.Tensor], ad.Tensor], x: ad.Tensor, y: ad.Tensor,
         rate: float, steps: int) -> float:
    """Train in place by Adam on all of (x, y) at once, the step compiled; the last step's loss."""
    optimizer = optim.Adam(model.parameters(), lr=rate)

    def step(x: ad.Tensor, y: ad.Tensor) -> ad.Tensor:
        loss = loss_of(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

    compiled = ad.compile(step)
    for _ in range(steps):
        loss = compiled(x, y)
    return float(loss.item())
