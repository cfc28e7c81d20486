"""The pictures: digits that can be told apart, none like another, and repeated by their seed."""

from __future__ import annotations

import numpy as np

from learner.compare.glyphs import CLASSES, PIXELS, bitmaps, glyphs


def test_the_font_has_ten_different_digits():
    font = bitmaps()
    assert font.shape == (CLASSES, 7, 5)
    assert len({digit.tobytes() for digit in font}) == CLASSES
    assert font[1].sum() == 10


def test_pictures_are_of_their_class_and_no_two_alike():
    drawn = glyphs(2000, np.random.default_rng(0))
    assert drawn.x.shape == (2000, PIXELS)
    assert drawn.x.dtype == np.float32
    assert np.bincount(drawn.classes).min() > 140
    assert len({row.tobytes() for row in drawn.x}) == 2000
    means = np.stack([drawn.x[drawn.classes == digit].mean(0) for digit in range(CLASSES)])
    other = glyphs(1000, np.random.default_rng(1))
    nearest = np.square(other.x[:, None] - means).sum(2).argmin(1)
    assert 0.5 < (nearest == other.classes).mean() < 0.99, "neither noise nor trivial"


def test_seeds_repeat():
    one, two, three = (glyphs(10, np.random.default_rng(seed)) for seed in (3, 3, 4))
    assert np.array_equal(one.x, two.x)
    assert not np.array_equal(one.x, three.x)
