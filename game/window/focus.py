"""Where the arrows lead: the nearest widget in a direction."""

from __future__ import annotations

from collections.abc import Sequence

from game.window.widgets.base import Widget


def neighbour(widgets: Sequence[Widget], focus: str, direction: tuple[int, int]) -> str:
    """The id of the focusable widget next to the focused one; the same if there is none that way."""
    here = next((widget for widget in widgets if widget.id == focus), None)
    if here is None:
        return next((widget.id for widget in widgets if widget.focusable), "")
    dx, dy = direction
    best, found = float("inf"), focus
    for widget in widgets:
        if not widget.focusable or widget is here:
            continue
        along = (widget.rect.centerx - here.rect.centerx) * dx + (widget.rect.centery - here.rect.centery) * dy
        across = abs((widget.rect.centerx - here.rect.centerx) * dy) + abs(
            (widget.rect.centery - here.rect.centery) * dx)
        half = (here.rect.width if dx else here.rect.height) / 4
        if along > half and along + 2.5 * across < best:
            best, found = along + 2.5 * across, widget.id
    return found
