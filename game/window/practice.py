"""What the window knows of the practice that the person's lab owes itself: asked for round by round, shown, skipped.

The service counts what is owed and refuses while a match is played; so asking is always right, and
what isn't done now is done after the next match or at the next start.
"""

from __future__ import annotations

from typing import Any

from game.window.worker import Answer, Service


class Practice:
    """``rounds``: what each round of this practice did; ``before`` and ``now``: what Models would do."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.rounds: list[dict[str, Any]] = []
        self.before: list[dict[str, Any]] = []
        self.now: list[dict[str, Any]] = []
        self.owed = 0
        self.trouble = ""
        self._asked = self._done = 0
        self._matches = 0

    @property
    def going_on(self) -> bool:
        """Whether the service practises, or will as soon as it comes to it."""
        return bool(self._asked)

    @property
    def matches(self) -> tuple[int, int]:
        """Matches played, and to be played in all; (0, 0) while that isn't known."""
        ahead = self.owed * self._matches
        done = sum(one["matches"] for one in self.rounds)
        return done + self._done, done + ahead

    def skip(self) -> None:
        """No further round. The one that is being played is kept: it is learned from already."""
        self.owed = 0
        self.service.ask("skip")

    def take(self, answers: list[Answer]) -> list[Answer]:
        """Look at what the service did; returns what concerns others, too."""
        rest = []
        for answer in answers:
            if answer.job == "practising":
                self._done, self._matches = answer.value["done"], answer.value["all"]
            elif answer.job == "practise":
                self._practised(answer)
            elif answer.job != "skip":
                rest.append(answer)
                if answer.job in ("hello", "finish") and not answer.error:
                    self._begin(answer)
        return rest

    def _begin(self, answer: Answer) -> None:
        self.owed = answer.value["owed"]
        if answer.job == "finish":
            self.rounds, self.trouble = [], ""
            self._matches = answer.value["matches"]
            self.before = self.now = answer.value["models"]
        self._ask()

    def _practised(self, answer: Answer) -> None:
        self._asked = self._done = 0
        if answer.error:
            self.owed, self.trouble = 0, answer.error
        elif answer.value is not None:
            self.rounds.append(answer.value)
            self.now = answer.value["models"]
            self.owed = min(self.owed, answer.value["owed"])
            self._ask()

    def _ask(self) -> None:
        if self.owed and not self._asked:
            self._asked = self.service.ask("practise")
