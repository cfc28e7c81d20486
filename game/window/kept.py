"""Pictures kept for the next frames, within a bound of memory.

A window runs for hours, and what it draws changes with every match: texts, weights, sizes. Whatever was not
drawn for the longest time goes first.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

import pygame

ALWAYS = 6_000_000
"""Bytes that there is room for in the smallest window, too."""


class Kept:
    """At most :data:`ALWAYS` bytes of pictures and ``windows`` times what the window itself takes."""

    def __init__(self, windows: float) -> None:
        self.windows = windows
        self.bytes = 0
        self._pictures: dict[Hashable, pygame.Surface] = {}

    def __len__(self) -> int:
        return len(self._pictures)

    def get(self, key: Hashable, make: Callable[[], pygame.Surface]) -> pygame.Surface:
        """The picture of that name, made if it isn't there."""
        picture = self._pictures.pop(key, None)
        if picture is None:
            picture = make()
            self.bytes += _bytes(picture)
            while self.bytes > self.most and self._pictures:
                self.bytes -= _bytes(self._pictures.pop(next(iter(self._pictures))))
        self._pictures[key] = picture  # now the youngest
        return picture

    @property
    def most(self) -> int:
        """Bytes that may be kept."""
        window = pygame.display.get_surface()
        return ALWAYS + (round(self.windows * _bytes(window)) if window is not None else 0)

    def clear(self) -> None:
        """Forget all."""
        self._pictures.clear()
        self.bytes = 0


def _bytes(picture: pygame.Surface) -> int:
    return picture.get_pitch() * picture.get_height()
