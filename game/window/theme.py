"""Colours and sizes. Meaning is never in a colour alone; pairs of opposites are from Okabe and Ito's palette."""

from __future__ import annotations

Colour = tuple[int, int, int]

BACK: Colour = (13, 17, 27)
BACK_LOW: Colour = (18, 25, 40)
PANEL: Colour = (24, 32, 49)
PANEL_HIGH: Colour = (34, 45, 68)
EDGE: Colour = (58, 74, 106)
TEXT: Colour = (236, 240, 248)
MUTED: Colour = (166, 180, 206)
FAINT: Colour = (122, 137, 166)
"""For lines and ornaments; never for words."""
ACCENT: Colour = (86, 180, 233)
GOLD: Colour = (240, 196, 66)
GREEN: Colour = (0, 188, 138)
RED: Colour = (238, 110, 60)
BLUE: Colour = (86, 180, 233)
ORANGE: Colour = (230, 159, 0)
PINK: Colour = (222, 140, 184)
INK: Colour = (10, 14, 22)

FAMILY: dict[str, Colour] = {"perceptron": (240, 196, 66), "mlp": (86, 180, 233), "convnet": (0, 188, 138),
                             "recurrent": (222, 140, 184), "transformer": (238, 134, 70), "": (166, 180, 206)}
TYPE: dict[str, Colour] = {"model": ACCENT, "technique": (178, 152, 240), "researcher": (240, 196, 66)}

TEXT_PAIRS = ((TEXT, BACK), (TEXT, BACK_LOW), (TEXT, PANEL), (TEXT, PANEL_HIGH), (MUTED, BACK), (MUTED, PANEL),
              (MUTED, BACK_LOW), (MUTED, PANEL_HIGH), (ACCENT, PANEL), (GOLD, PANEL), (GREEN, PANEL), (RED, PANEL),
              (INK, ACCENT), (INK, GOLD), (INK, GREEN), (INK, RED), (INK, BLUE), (INK, MUTED), (ORANGE, PANEL),
              *((colour, PANEL) for colour in FAMILY.values()), *((colour, PANEL) for colour in TYPE.values()))
"""Every pair of letters and ground that is used; a test holds each at 4.5 : 1."""


def mix(a: Colour, b: Colour, t: float) -> Colour:
    """``a`` at t = 0, ``b`` at t = 1."""
    return (round(a[0] + (b[0] - a[0]) * t), round(a[1] + (b[1] - a[1]) * t), round(a[2] + (b[2] - a[2]) * t))


def contrast(a: Colour, b: Colour) -> float:
    """WCAG 2 contrast ratio, 1 … 21."""
    high, low = sorted((_luminance(a), _luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: Colour) -> float:
    parts = [c / 255 for c in colour]
    r, g, b = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
