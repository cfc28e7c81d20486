"""The questions asked of hidden units give the known answers on networks built by hand."""

from __future__ import annotations

import numpy as np
import pytest

import learner.autodiff as torch
from learner.history.hidden import counting, distinct_codes, fastest, logic, mirrored
from learner.history.perceptron import NAMES, all_functions
from learner.history.population import Population, Training
from learner.history.stuck import examine
from learner.history.tasks import Task, encoder, parity, symmetry, xor


def built(task: Task, *weights: object) -> Training:
    """A training whose one network has these weights and counts as having solved its task if it does."""
    population = Population(task, 1, np.random.default_rng(0))
    population.weights = [torch.tensor(np.asarray(w, np.float32).reshape(old.shape), requires_grad=True)
                          for w, old in zip(weights, population.weights, strict=True)]
    outputs = population(torch.tensor(task.x))
    right = ((outputs.array > 0.5) == (task.t > 0.5)).all((1, 2))
    return Training(population, population.losses(outputs).array[None], np.where(right, 0, -1))


def or_and() -> Training:
    return built(xor(), [[20, 20], [20, 20]], [-10, -30], [20, -20], -10)


def test_xor_by_or_and_and():
    training = or_and()
    assert training.solvers.all()
    assert logic(training) == {"AND, OR": 1}
    assert fastest(training) == 0


def test_names_of_functions():
    for place, (a, b) in enumerate(((0, 0), (0, 1), (1, 0), (1, 1))):
        digit = 3 - place
        truth = {"AND": a and b, "OR": a or b, "XOR": a != b, "NOR": not (a or b), "NAND": not (a and b),
                 "XNOR": a == b,
                 "x₁": a, "x₂": b, "¬x₁": not a, "¬x₂": not b, "x₁ ∧ ¬x₂": a and not b, "¬x₁ ∧ x₂": b and not a,
                 "x₁ ∨ ¬x₂": a or not b, "¬x₁ ∨ x₂": b or not a, "always": 1, "never": 0}
        assert {name: bool(value) for name, value in truth.items()} == {
            name: bool(answers >> digit & 1) for answers, name in enumerate(NAMES)}


@pytest.mark.parametrize("turned", [(1, 1, 1, 1), (1, -1, 1, -1)])
def test_counters_are_seen_also_if_they_count_some_inputs_when_off(turned):
    signs = np.array(turned, np.float32)
    first = 20 * np.repeat(signs[:, None], 4, axis=1)
    off = (signs < 0).sum()
    thresholds = -20 * (np.arange(4) + 0.5 - off)
    training = built(parity(), first, thresholds, [20, -20, 20, -20], -10)
    assert training.solvers.all()
    shares, means = counting(training)
    assert shares.min() > 0.999
    assert np.allclose(np.sort(means[0].round(), axis=0), means[0].round())


def test_a_unit_that_looks_at_one_input_is_no_counter():
    training = built(parity(), np.eye(4) * 20, [-10] * 4, [1] * 4, 0)
    training = Training(training.population, training.losses, np.zeros(1, int))
    assert counting(training)[0].max() < 0.5


def test_mirrored_weights():
    column = np.array([1, 2, 4, -4, -2, -1]) * 3.0
    training = built(symmetry(), np.stack([column, -column], axis=1), [-1, -1], [-20, -20], 12)
    unlike, ratios = mirrored(Training(training.population, training.losses, np.zeros(1, int)))
    assert unlike == pytest.approx(0)
    assert ratios[0] == pytest.approx(np.array([[1, 2, 4]] * 2))
    column[0] = 4.0
    training = built(symmetry(), np.stack([column, -column], axis=1), [-1, -1], [-20, -20], 12)
    unlike, _ = mirrored(Training(training.population, training.losses, np.zeros(1, int)))
    assert unlike.max() == pytest.approx(1 / 7)


def test_codes_are_counted():
    bits = np.array([[n >> 2 & 1, n >> 1 & 1, n & 1] for n in range(8)])
    training = built(encoder(), 20 * bits - 10, np.zeros(3), np.zeros((3, 8)), np.zeros(8))
    solved = Training(training.population, training.losses, np.zeros(1, int))
    assert distinct_codes(solved).tolist() == [8]
    bits[7] = bits[6]
    training = built(encoder(), 20 * bits - 10, np.zeros(3), np.zeros((3, 8)), np.zeros(8))
    assert distinct_codes(Training(training.population, training.losses, np.zeros(1, int))).tolist() == [7]


def test_perceptrons_learn_all_but_two_functions():
    wrong = all_functions(10, 50, np.random.default_rng(0))
    assert {name for name, errors in wrong.items() if (errors[-1] == 0).all()} == set(NAMES) - {"XOR", "XNOR"}
    assert min(wrong["XOR"].min(), wrong["XNOR"].min()) >= 1


def test_stuck_networks_are_examined():
    assert examine(or_and()) == []
    # All weights 0: the gradient is 0 and the surface a saddle.
    (saddle,) = examine(built(xor(), np.zeros((2, 2)), [0, 0], [0, 0], 0))
    assert saddle.slope == pytest.approx(0, abs=1e-6)
    assert saddle.loss == pytest.approx(0.5)
    assert saddle.curvature <= 1e-9
