"""Races: repeatable, all learn, and what the comparison is known for comes out."""

from __future__ import annotations

import numpy as np
import pytest

from learner.compare.methods import METHODS
from learner.compare.methods.backpropagation import Backpropagation
from learner.compare.methods.feedback_alignment import DirectFeedbackAlignment
from learner.compare.methods.finite_differences import FiniteDifferences
from learner.compare.methods.reinforce import Reinforce
from learner.compare.methods.straight_through import StraightThrough
from learner.compare.race import evolution_angles, race


@pytest.mark.parametrize("kind", [Backpropagation, Reinforce])
def test_equal_seeds_give_equal_races(pictures, kind):
    runs = [race(kind, *pictures, seed, steps=20) for seed in (1, 1, 2)]
    scores = [[(step, share) for step, _, share in run.accuracy] for run in runs]
    assert scores[0] == scores[1] != scores[2]
    assert runs[0].cosines == runs[1].cosines != runs[2].cosines


def test_feedback_alignment_comes_to_agree_with_the_gradient(pictures):
    run = race(DirectFeedbackAlignment, *pictures, 0, steps=400)
    first = [np.mean(layers[:-1]) for _, _, layers in run.cosines[:3]]
    last = [np.mean(layers[:-1]) for _, _, layers in run.cosines[-20:]]
    assert np.mean(last) > 0.3
    assert np.mean(last) > np.mean(first) + 0.2
    assert run.final > 0.7


def test_straight_through_learns_binary_units(pictures):
    run = race(StraightThrough, *pictures, 0, steps=400)
    assert run.accuracy[0][2] < 0.2
    assert run.final > 0.7


def test_what_is_measured_is_where_it_says(pictures):
    run = race(Backpropagation, *pictures, 0, steps=50)
    assert [step for step, _, _ in run.accuracy] == [n * 50 // 20 for n in range(21)]
    assert all(value == pytest.approx(1, abs=1e-6) for _, value, _ in run.cosines)
    assert run.layer_cosines() == pytest.approx([1] * 4)
    assert 0 < run.seconds < 60
    assert run.final == run.accuracy[-1][2] > 0.3


def test_finite_differences_make_a_hundredth_of_the_steps(pictures):
    run = race(FiniteDifferences, *pictures, 0, steps=100)
    assert run.steps == 1
    assert run.kept == 8
    assert run.late_cosine() > 0.9999


def test_evolution_sees_more_with_more_pairs(pictures):
    angles = evolution_angles(pictures[0], 0, (1, 64, 1024))
    assert [count for count, _ in angles] == [1, 64, 1024]
    assert angles[0][1] < angles[1][1] < angles[2][1]


@pytest.mark.slow
@pytest.mark.parametrize("kind", [kind for kind in METHODS if kind.share == 1], ids=lambda kind: kind.name)
def test_everything_learns(pictures, kind):
    run = race(kind, *pictures, 3, steps=500)
    assert run.accuracy[0][2] < 0.25
    assert run.final > 0.55
