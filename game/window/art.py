"""Pictures of cards. A Model's is drawn from its network's real weights.

A weight is the amplitude of a wave; which wave each drives depends on the card. So two cards of a
family look different, and a picture changes exactly as its network learns: what has changed since
the lab began shines in gold. A figure in the middle tells the family or the type.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pygame

from game.cards import CardInfo
from game.window import theme as th
from game.window.emblems import emblem
from game.window.kept import Kept

DETAIL = (120, 72)
"""Size at which pictures are computed; they are stretched to their place."""
WAVES = 40
MIDDLE = 0.55
"""How much darker a picture is in its middle, where the figure stands."""
GAIN = 60.0
"""How much a change of a weight is enlarged for the golden lines."""
MOST_CHANGE = 0.6
"""A larger spread of the change is drawn as this one: its lines would lie so close that they were dust."""


class Pictures:
    """Computes and keeps pictures. ``weights``: side → family → (now, as they began)."""

    def __init__(self) -> None:
        self.weights: dict[str, dict[str, tuple[list[float], list[float]]]] = {}
        self.version = 0
        """How often weights were taken in, for whoever keeps a picture."""
        self._drawn = Kept(windows=1)

    def learn(self, weights: dict[str, Any]) -> None:
        """Take in newer weights."""
        self.weights.update(weights)
        self.version += 1
        self._drawn.clear()

    def get(self, card: CardInfo, side: str, size: tuple[int, int]) -> pygame.Surface:
        """A card's picture for the networks of a side, "own" or "enemy"."""
        size = (max(1, size[0]), max(1, size[1]))

        def drawn() -> pygame.Surface:
            weights = self.weights.get(side, self.weights.get("own", {})).get(card.family)
            field, change = _waves(card.row, weights)
            picture = _paint(field, change, card, size)
            figure = emblem(card, _strengths(weights), min(size[0], size[1]) * 4 // 5)
            picture.blit(figure, figure.get_rect(center=picture.get_rect().center))
            return picture

        return self._drawn.get((card.id, side, size), drawn)


def _strengths(weights: tuple[list[float], list[float]] | None) -> list[float]:
    """How large a network's weights are, 0 … 1, for the lines of its figure."""
    if weights is None:
        return []
    sizes = np.abs(np.array(weights[0][:WAVES]))
    return [float(size) for size in np.clip(sizes / max(1e-6, 2 * float(sizes.mean())), 0, 1)]


def _waves(row: int, weights: tuple[list[float], list[float]] | None) -> tuple[Any, Any]:
    """The sum of waves, about −1 … 1, and the part of it that is new, each ``(72, 120)``."""
    rng = np.random.default_rng(row)
    y, x = np.mgrid[0:1:DETAIL[1] * 1j, 0:DETAIL[0] / DETAIL[1]:DETAIL[0] * 1j]
    angle, length, phase = rng.uniform(0, np.pi, WAVES), rng.gamma(2.5, 4.5, WAVES), rng.uniform(0, 2 * np.pi, WAVES)
    if weights is None:
        now = born = rng.normal(size=WAVES)
    else:
        chosen = rng.choice(len(weights[0]), WAVES, replace=False)
        now, born = np.array(weights[0])[chosen], np.array(weights[1])[chosen]
    waves = np.sin(x[..., None] * np.cos(angle) * length + y[..., None] * np.sin(angle) * length + phase)
    fall = 1 / np.sqrt(1 + length / 4)
    field = waves @ (now * fall)
    change = waves @ ((now - born) * fall) * GAIN
    return np.tanh(field / max(1e-6, float(field.std()) * 1.4)), change


def _paint(field: Any, change: Any, card: CardInfo, size: tuple[int, int]) -> pygame.Surface:
    colour = np.array(th.FAMILY[card.family] if card.type == "model" else th.TYPE[card.type], float)
    dark = np.array(th.mix(th.BACK, (30, 40, 78), 0.6), float)
    t = np.clip(field, 0, 1)[..., None] ** 1.3
    base = dark * (1 - t) + colour * t * 0.85
    ridge = np.exp(-(field / 0.09) ** 2)[..., None]
    base = base + ridge * colour * 0.30
    shadow = np.clip(-field, 0, 1)[..., None]
    base = base * (1 - 0.55 * shadow)
    size_of_change = np.abs(change)[..., None] / max(1.0, float(change.std()) / MOST_CHANGE)
    lines = np.exp(-((size_of_change % 0.5 - 0.25) / 0.10) ** 2)
    golden = np.clip(size_of_change - 0.25, 0, 1) * lines
    y, x = np.mgrid[-1:1:DETAIL[1] * 1j, -1:1:DETAIL[0] * 1j]
    base = base * (1 - MIDDLE * np.exp(-(x**2 * 3 + y**2 * 2))[..., None])
    base = base * (1 - golden) + np.array((255, 226, 120), float) * golden
    pixels = np.clip(base, 0, 255).astype(np.uint8).transpose(1, 0, 2)
    surface = pygame.surfarray.make_surface(np.ascontiguousarray(pixels))
    return pygame.transform.smoothscale(surface, size)
