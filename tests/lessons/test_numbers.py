"""The worked examples: their formulas are right, and a wrong one would be seen."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from learner.cli.page import parts_of
from learner.lessons.differences import central_differences
from learner.lessons.worked import examples, slopes_of, square
from tests.lessons.test_every_lesson import PAGES


@pytest.mark.parametrize("seed", range(3))
def test_formula_autodiff_and_differences_agree(seed):
    for example in examples(np.random.default_rng(seed)):
        for slope in slopes_of(example):
            assert slope.formula_error < 1e-13, (example.name, slope.of)
            assert slope.differences_error < 1e-7, (example.name, slope.of)


def test_a_wrong_formula_is_seen():
    wrong = dataclasses.replace(square(), formulas={"x": np.array([2.0, 5.0])})
    (slope,) = slopes_of(wrong)
    assert slope.formula_error == 1.0
    assert slope.differences_error < 1e-7


def test_central_differences_put_the_values_back():
    x = np.array([[1.0, 2.0], [3.0, 4.0]])
    assert central_differences(lambda: float((x**3).sum()), x) == pytest.approx(3 * x**2)
    assert x.tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_all_printed_numbers_but_one_come_out(ran):
    lesson, _ = ran("NUMBERS")
    forward = lesson.tables[0].rows
    assert [name for name, _, _, same in forward if not same] == ["their sum"]  # the sum of rounded numbers, in print
    assert lesson.sentences[0].startswith("12 of 13 ")


def test_the_regression_halves_its_error_five_times(ran):
    steps = ran("NUMBERS")[0].tables[2].rows
    assert [row[3] for row in steps] == pytest.approx([12.5 / 4**n for n in range(5)])
    assert steps[-1][1:3] == pytest.approx([2 * (1 - 2**-5), 1 - 2**-5])


def test_the_page_says_what_the_run_says(ran):
    """But for the sizes of rounding errors, which differ from machine to machine."""
    _, found, _ = parts_of(PAGES / "numbers.md")
    for sentence in ran("NUMBERS")[0].sentences:
        assert sentence in found or "e-" in sentence


def test_a_step_down_raises_the_right_logit_alone(ran):
    rows = ran("NUMBERS")[0].tables[3].rows
    moved = [after - logit for logit, _, after, _, _ in rows]
    assert moved[0] > 0 > moved[2] > moved[1]
    assert rows[0][4] > rows[0][3]
    assert sum(moved) == pytest.approx(0)


def test_another_seed_draws_other_numbers(ran):
    one, two = ran("NUMBERS")[0].tables[1].rows, ran("NUMBERS", 1)[0].tables[1].rows
    assert [row[:2] for row in one] == [row[:2] for row in two]
    assert one[0] == two[0] or one[0][2] == two[0][2]  # the printed example stays
    assert [row[2] for row in one] != [row[2] for row in two]
