"""A task made by code: noisy little pictures of the ten digits, turned, moved and stretched at random."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learner.autodiff.table import Array

SIDE, CLASSES = 8, 10
PIXELS = SIDE * SIDE
NOISE = 0.2
"""Standard deviation of what is added to every pixel; ink is 1, paper 0."""

FONT = """
.###. ..#.. .###. ##### ...#. ##### ..##. ##### .###. .###.
#...# .##.. #...# ...#. ..##. #.... .#... ....# #...# #...#
#..## ..#.. ....# ..#.. .#.#. ####. #.... ...#. #...# #...#
#.#.# ..#.. ...#. ...#. #..#. ....# ####. ..#.. .###. .####
##..# ..#.. ..#.. ....# ##### ....# #...# .#... #...# ....#
#...# ..#.. .#... #...# ...#. #...# #...# .#... #...# ...#.
.###. .###. ##### .###. ...#. .###. .###. .#... .###. .##..
"""
"""The digits 0 to 9, five pixels wide and seven high."""


@dataclass(frozen=True)
class Glyphs:
    """Pictures (n, 64) float32, row by row, and their classes (n,) int64."""

    x: Array
    classes: Array

    def __len__(self) -> int:
        return len(self.classes)

    def take(self, which: Array) -> Glyphs:
        """Some of them."""
        return Glyphs(self.x[which], self.classes[which])


def bitmaps() -> Array:
    """The font as (10, 7, 5) float32 of 0s and 1s."""
    rows = [line.split() for line in FONT.split("\n") if line]
    return np.array([[[mark == "#" for mark in row[digit]] for row in rows] for digit in range(CLASSES)], np.float32)


def glyphs(count: int, rng: np.random.Generator) -> Glyphs:
    """``count`` pictures of digits drawn evenly.

    Each is turned by up to ±0.15 radians, stretched by 0.9 to 1.1, moved by up to one pixel, sampled between the
    font's pixels (bilinear), and disturbed pixel by pixel.
    """
    classes = rng.integers(0, CLASSES, count)
    angle, stretch = rng.uniform(-0.15, 0.15, (count, 1)), rng.uniform(0.9, 1.1, (2, count, 1))
    shift = rng.uniform(-1.0, 1.0, (2, count, 1))
    across, down = np.meshgrid(np.arange(SIDE) - (SIDE - 1) / 2, np.arange(SIDE) - (SIDE - 1) / 2)
    x, y = across.ravel() - shift[0], down.ravel() - shift[1]
    column = (np.cos(angle) * x + np.sin(angle) * y) * stretch[0] + 2.0  # the font's middle is column 2, row 3
    row = (np.cos(angle) * y - np.sin(angle) * x) * stretch[1] + 3.0
    ink = _between(np.pad(bitmaps(), ((0, 0), (1, 1), (1, 1))), classes, row + 1.0, column + 1.0)
    return Glyphs((ink + rng.normal(0.0, NOISE, ink.shape)).astype(np.float32), classes)


def _between(padded: Array, classes: Array, row: Array, column: Array) -> Array:
    """Pictures' values at (row, column), (n, points), between pixels in proportion; outside there is paper."""
    high, wide = padded.shape[1:]
    row, column = np.clip(row, 0, high - 1.001), np.clip(column, 0, wide - 1.001)
    top, left = row.astype(int), column.astype(int)
    below, right, which = row - top, column - left, classes[:, None]
    return np.asarray((1 - below) * ((1 - right) * padded[which, top, left] + right * padded[which, top, left + 1])
                      + below * ((1 - right) * padded[which, top + 1, left] + right * padded[which, top + 1, left + 1]))
