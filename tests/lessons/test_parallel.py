"""The lesson's own part: what a process of it sums."""

from __future__ import annotations

import numpy as np

from learner.lessons.lesson import find_lesson
from learner.lessons.parallel import REDUCTIONS, SIZES, sums, vector
from learner.parallel.group import Group
from learner.parallel.training import STRATEGIES


def test_every_way_sums(ran):
    found = sums(Group(0, 1, {}), 10, 4)
    assert set(found) == set(REDUCTIONS)
    for way in found.values():
        assert (way.total == vector(10, 4, 0)).all()
        assert way.sent == 0
    assert np.abs(vector(10, 4, 0) - vector(10, 4, 1)).min() > 0


def test_steps_are_groups():
    assert find_lesson("PARALLEL").STEPS == 1 + len(SIZES) * len(STRATEGIES)
