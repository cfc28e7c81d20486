"""Training in processes equals training alone, whoever keeps what."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import learner.autodiff as ad
import learner.nn as nn
import learner.optim as optim
from learner.parallel.group import Group
from learner.parallel.run import run
from learner.parallel.training import STRATEGIES, Stepper, Task, Vector, alone

TASK = Task(sizes=(10, 33, 17, 5), rows=12, steps=3)


def test_alone_is_plain_training():
    """The reference itself, against a model and an optimizer as everybody writes them."""
    model = nn.Sequential(*TASK.blocks())
    optimizer = optim.AdamW(model.parameters(), lr=TASK.lr)
    for step in range(TASK.steps):
        x, y = TASK.batch(step)
        optimizer.zero_grad()
        ad.cross_entropy(model(ad.tensor(x)), ad.tensor(y)).backward()
        optimizer.step()
    expected = np.concatenate([p.numpy().reshape(-1) for p in map(ad.Tensor.detach, model.parameters())])
    assert alone(TASK).parameters == pytest.approx(expected, abs=1e-6)
    assert np.abs(alone(TASK).parameters - Vector(*TASK.blocks()).values).max() > 1e-3


def test_shares_add_up_to_the_whole():
    whole, shared = alone(TASK), alone(TASK, 3)
    assert np.add.reduceat(shared.losses, [0, 3, 6]) == pytest.approx(whole.losses)
    assert shared.parameters == pytest.approx(whole.parameters, abs=1e-5)


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_group_of_one_is_alone(name):
    trained = STRATEGIES[name](Group(0, 1, {}), TASK)
    assert (trained.parameters == alone(TASK).parameters).all()
    assert set(trained.sent) == {0}


@pytest.mark.parametrize("name", STRATEGIES)
@pytest.mark.parametrize("size", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_processes_equal_one_to_the_bit(name, size):
    processes, one = run(STRATEGIES[name], size, TASK), alone(TASK, size)
    for process in processes:
        assert (process.parameters == one.parameters).all()
    assert np.ravel([p.losses for p in processes], order="F").tolist() == one.losses
    length = 4 * len(one.parameters)
    held, sent = processes[0].held, sum(p.sent[-1] for p in processes) / length
    assert held["parameters"] == pytest.approx(length / (size if name == "zero3" else 1), rel=0.05)
    assert held["optimizer"] == pytest.approx(2 * length / (1 if name == "replicated" else size), rel=0.05)
    if name == "zero3":  # the last layer is gathered once only: backward begins with it
        last = 4 * len(Vector(TASK.blocks()[-1])) / length
        assert sent == pytest.approx((3 - last) * (size - 1), rel=0.01)
        assert held["gathered"] == held["gradients"] == max(4 * len(Vector(b)) for b in TASK.blocks())
    else:
        assert sent == pytest.approx(2 * (size - 1), rel=0.01)


def test_a_wrong_share_is_seen():
    """Equality is no accident: another order of the shares' sum already changes bits."""
    one = alone(replace(TASK, steps=1), 3).parameters
    other = alone(replace(TASK, steps=1, seed=1), 3).parameters
    assert (one != other).any()
    assert (one != alone(replace(TASK, steps=1), 2).parameters).any()


def test_a_part_steps_as_the_whole_does():
    rng = np.random.default_rng(0)
    values, gradients = rng.standard_normal((2, 101)).astype(np.float32), rng.standard_normal((3, 101))
    whole, part = Stepper(values[0], 0.01), Stepper(values[0][40:73], 0.01)
    for gradient in gradients.astype(np.float32):
        whole.step(gradient)
        part.step(gradient[40:73].copy())
    assert (whole.values[40:73] == part.values).all()
    assert part.state_bytes() == 2 * 33 * 4
