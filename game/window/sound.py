"""Sounds, computed when the window opens; silence where there is no device."""

from __future__ import annotations

import contextlib
import os
from typing import Any

import numpy as np
import pygame

from game.window.settings import Settings

RATE = 22050
NOTES = {"click": ((660,), 0.05), "play": ((392, 523), 0.16), "attack": ((140, 90), 0.18), "damage": ((110,), 0.12),
         "death": ((220, 165, 110), 0.35), "turn": ((523, 659), 0.22), "learned": ((523, 659, 784, 1047), 0.5),
         "vanished": ((392, 330, 262), 0.5), "win": ((523, 659, 784, 1047, 1319), 0.8), "lose": ((330, 262, 196), 0.8),
         "no": ((196, 185), 0.14)}
"""Frequencies in Hz one after the other, and seconds altogether."""


class Sound:
    """Plays sounds by name. Wanting sound and having a device are two things."""

    def __init__(self, wanted: bool, settings: Settings) -> None:
        self.settings = settings
        self._sounds: dict[str, Any] = {}
        if not wanted:
            return
        with _quiet(), contextlib.suppress(pygame.error, NotImplementedError):
            pygame.mixer.init(RATE, -16, 1, 512)
            for name, (notes, seconds) in NOTES.items():
                noisy = name in ("attack", "damage")
                self._sounds[name] = pygame.mixer.Sound(buffer=_wave(notes, seconds, noisy))

    @property
    def works(self) -> bool:
        """Whether there is a device."""
        return bool(self._sounds)

    def play(self, name: str) -> None:
        """Play a sound if it is wanted and can be heard."""
        sound = self._sounds.get(name)
        if sound is not None and self.settings.sound and self.settings.volume:
            sound.set_volume(self.settings.volume / 100 * 0.5)
            sound.play()

    def close(self) -> None:
        """Let the device go."""
        if self._sounds:
            pygame.mixer.quit()
            self._sounds = {}


def _wave(notes: tuple[float, ...], seconds: float, noisy: bool) -> bytes:
    each = seconds / len(notes)
    t = np.arange(int(RATE * each)) / RATE
    fall = np.exp(-t / each * 3.2) * np.minimum(1, t / 0.004)
    parts = [fall * (np.sin(2 * np.pi * f * t) + 0.3 * np.sin(4 * np.pi * f * t)) for f in notes]
    wave = np.concatenate(parts)
    if noisy:
        wave = 0.6 * wave + 0.4 * np.random.default_rng(1).normal(size=len(wave)) * np.tile(fall, len(notes))
    return (np.clip(wave * 0.5, -1, 1) * 32000).astype("<i2").tobytes()


@contextlib.contextmanager
def _quiet() -> Any:
    """Keep a sound library's complaints off the terminal."""
    try:
        kept, null = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    except OSError:
        yield
        return
    try:
        os.dup2(null, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(null)
