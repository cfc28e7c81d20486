"""The training step of every PyTorch tutorial runs with nothing but its imports changed."""

import numpy as np

import learner.autodiff as torch
import learner.nn as nn
import learner.optim as optim


def test_the_training_step_runs_and_learns() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 3))
    optimizer = optim.AdamW(model.parameters(), lr=1e-3)
    criterion = nn.CrossEntropyLoss()
    x = torch.randn(32, 10)
    y = torch.randint(0, 3, (32,))
    losses = []
    for _ in range(100):
        logits = model(x)
        loss = criterion(logits, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.6 * losses[0]
    assert np.all(np.diff(losses) < 0.0)
