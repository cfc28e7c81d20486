"""Networks trained at once learn as each does alone; what has no slope doesn't learn; seeds repeat."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import learner.autodiff as torch
from learner.history.population import Population, step_function, train
from learner.history.tasks import Task, encoder, parity, xor
from learner.lessons.differences import central_differences


def population(task: Task, count: int, seed: int = 0, **units) -> Population:
    return Population(task, count, np.random.default_rng(seed), **units)


@pytest.mark.parametrize("task", [xor(), parity(), encoder()], ids=lambda task: task.name)
def test_together_is_as_alone(task):
    together = population(task, 3)
    alone = [together.take(np.array([place])) for place in range(3)]
    many = train(together, 30)
    for place, one in enumerate(alone):
        np.testing.assert_allclose(many.losses[:, place], train(one, 30).losses[:, 0], rtol=1e-5)


def test_gradients_are_each_networks_own():
    few = population(xor(), 3)
    for place, norm in enumerate(few.gradient_norms()):
        weights = [w.array[place : place + 1].astype(np.float64) for w in few.weights]
        one = few.take(np.array([place]))
        one.weights = [torch.tensor(w) for w in weights]

        def loss(one: Population = one) -> float:
            return float(one.losses(one(torch.tensor(one.task.x.astype(np.float64))))[0])

        slopes = [central_differences(loss, w.array) for w in one.weights]
        assert norm == pytest.approx(np.sqrt(sum(np.square(slope).sum() for slope in slopes)), rel=1e-4)


def test_one_sweep_is_the_formula_of_1986():
    task = xor()
    one = population(task, 1)
    before = [w.array.astype(np.float64) for w in one.weights]
    slopes = torch.grad(one.losses(one(torch.tensor(task.x))).sum(), one.weights)
    train(one, 2)
    # After one sweep w − εg; the second adds −εg′ + α(−εg). Checked where g′ is computed anew from the first point.
    middle = population(task, 1)
    middle.weights = [torch.tensor((w - task.lr * g.array).astype(np.float32), requires_grad=True)
                      for w, g in zip(before, slopes, strict=True)]
    again = torch.grad(middle.losses(middle(torch.tensor(task.x))).sum(), middle.weights)
    for w, old, g, new in zip(one.weights, before, slopes, again, strict=True):
        wanted = old - task.lr * g.array - task.lr * new.array - task.momentum * task.lr * g.array
        np.testing.assert_allclose(w.array, wanted, rtol=1e-5, atol=1e-6)


def test_equal_seeds_give_equal_runs_and_others_others():
    runs = [train(population(xor(), 4, seed), 50).losses for seed in (1, 1, 2)]
    assert np.array_equal(runs[0], runs[1])
    assert not np.array_equal(runs[0], runs[2])


def test_sigmoids_learn_xor_and_steps_do_not_move():
    smooth = train(population(xor(), 10))
    assert smooth.solvers.sum() >= 7
    hard = population(xor(), 10, hidden=step_function, output=step_function)
    before = [w.array.copy() for w in hard.weights]
    training = train(hard, 50)
    assert not hard.gradient_norms().any()
    assert all(np.array_equal(w.array, old) for w, old in zip(hard.weights, before, strict=True))
    assert np.array_equal(training.losses[0], training.losses[-1])


def test_solved_is_the_first_sweep_of_the_last_right_stretch():
    task = dataclasses.replace(xor(), lr=0.5)
    training = train(population(task, 10))
    x, targets = torch.tensor(task.x), task.t > 0.5
    final = training.population(x).array > 0.5
    assert np.array_equal((final == targets).all((1, 2)), training.solvers)
    again = population(task, 10)
    first = int(training.solved[training.solvers].min())
    shorter = train(again, first)  # stopped there, that network has solved it just now
    place = int(np.where(training.solvers, training.solved, 10**9).argmin())
    assert shorter.solved[place] == first
    shares = training.share_solved()
    assert shares[-1][1] == pytest.approx(training.solvers.mean())
    assert [sweep for sweep, _ in shares] == sorted(sweep for sweep, _ in shares)
