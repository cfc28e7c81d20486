"""What happens in a match, as everybody or one player sees it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Event(NamedTuple):
    """One thing that happened. ``card`` is a row of the card set, 0 for none or hidden."""

    kind: str
    player: int
    slot: int
    """0–5, −1 where it concerns a lab or a hand."""
    card: int
    a: int
    b: int
    entry: int
    """The ledger entry that backs it (verdict, buff, training), else 0."""


def redact(events: Sequence[Event], viewer: int) -> list[Event]:
    """The events as one player sees them: what the other draws or exchanges has no name."""
    out = []
    for event in events:
        if event.player != viewer and event.kind == "draw":
            event = event._replace(card=0)
        elif event.player != viewer and event.kind == "mulligan":
            event = event._replace(card=0, a=-1, b=0)
        out.append(event)
    return out
