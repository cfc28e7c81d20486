"""Pictures that catch up: the state jumps at once, the timeline shows how it got there.

A :class:`Beat` is one action with the view before and after it. Every beat has a final pose, so
finishing it at any moment leaves the settled picture.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from game.events import Event
from game.window.viewmodel import MatchView

SECONDS = {"attack": 0.9, "play": 0.9, "turn": 0.7, "verdict": 0.6}
"""How long an action's pictures last at normal speed, by its headline event; others take 0.35."""
IMPACT = 0.45
"""The part of a beat after which the new view is shown."""
LONGEST_STEP = 0.1
"""Seconds that a single frame may advance, however long it took."""


@dataclass(frozen=True)
class Beat:
    """One action on the screen. ``events``: as the viewer sees them; ``lines``: in words."""

    before: MatchView
    after: MatchView
    events: tuple[Event, ...]
    lines: tuple[str, ...]
    wait: bool = False
    """Whether step mode waits for a key after it."""

    @property
    def seconds(self) -> float:
        """Its length at normal speed."""
        kinds = [event.kind for event in self.events]
        return max((SECONDS.get(kind, 0.35) for kind in kinds), default=0.0)


class Timeline:
    """Beats waiting to be shown. ``factor``: 1 normal, 2 twice as fast, 0 at once."""

    def __init__(self, factor: float = 1.0, step: bool = False) -> None:
        self.factor, self.step = factor, step
        self._beats: deque[Beat] = deque()
        self._at = 0.0

    def add(self, beat: Beat) -> None:
        """Show a beat after those that wait."""
        if self.factor > 0 or (self.step and beat.wait):
            self._beats.append(beat)

    def advance(self, seconds: float) -> None:
        """Let time go by; a beat that step mode holds stays at its end."""
        left = min(max(seconds, 0.0), LONGEST_STEP) * self.factor
        while self._beats and left > 0:
            beat = self._beats[0]
            used = min(left, beat.seconds - self._at)
            self._at += max(used, 0.0)
            left -= max(used, 0.0)
            if self._at < beat.seconds or (self.step and beat.wait):
                return
            self._next()

    def skip(self) -> None:
        """Finish the beat that is shown."""
        if self._beats:
            self._next()

    def finish(self) -> None:
        """Finish everything."""
        self._beats.clear()
        self._at = 0.0

    @property
    def beat(self) -> Beat | None:
        """What is shown now, None when all is settled."""
        return self._beats[0] if self._beats else None

    @property
    def lines_ahead(self) -> int:
        """Lines of the history that belong to beats after the one that is shown."""
        return sum(len(beat.lines) for beat in list(self._beats)[1:])

    @property
    def progress(self) -> float:
        """How far the present beat is, 0 … 1."""
        beat = self.beat
        return 1.0 if beat is None or beat.seconds == 0 or self.factor == 0 else min(1.0, self._at / beat.seconds)

    @property
    def held(self) -> bool:
        """Whether step mode waits for a key."""
        return self.step and self.beat is not None and self.beat.wait and self.progress >= 1.0

    @property
    def moving(self) -> bool:
        """Whether time changes the picture."""
        return self.beat is not None and not self.held

    def view(self, settled: MatchView) -> MatchView:
        """The view to draw now, given the settled one."""
        beat = self.beat
        if beat is None:
            return settled
        return beat.after if self.progress >= IMPACT else beat.before

    def _next(self) -> None:
        self._beats.popleft()
        self._at = 0.0
