"""What lies behind everything: a dark gradient with a faint network in it."""

from __future__ import annotations

import itertools

import numpy as np
import pygame

from game.window import theme as th
from game.window.widgets.base import Ui


def backdrop(ui: Ui) -> pygame.Surface:
    """The picture for the window's size, kept."""
    return ui.kept.get(("backdrop", ui.size), lambda: _draw(ui.size))


def _draw(size: tuple[int, int]) -> pygame.Surface:
    wide, high = size
    y = np.linspace(0, 1, 64)[None, :, None]
    x = np.linspace(-1, 1, 96)[:, None, None]
    light = np.exp(-(x**2) * 1.2 - (y - 0.42) ** 2 * 5)
    low, top = np.array(th.BACK, float), np.array((30, 42, 70), float)
    small = pygame.surfarray.make_surface((low + (top - low) * light * 0.8).astype(np.uint8))
    surface = pygame.transform.smoothscale(small, size)
    rng = np.random.default_rng(1986)
    layers = [[(round(wide * (column + 0.5) / 6), round(high * (row + rng.uniform(0.2, 0.8)) / 6)) for row in range(6)]
              for column in range(6)]
    veil = pygame.Surface(size, pygame.SRCALPHA)
    for left, right in itertools.pairwise(layers):
        for a in left:
            for b in right:
                if rng.random() < 0.45:
                    pygame.draw.line(veil, (*th.ACCENT, int(rng.integers(5, 15))), a, b, 1)
    for a in (node for column in layers for node in column):
        pygame.draw.circle(veil, (*th.ACCENT, 26), a, max(2, high // 260))
    surface.blit(veil, (0, 0))
    return surface.convert()
