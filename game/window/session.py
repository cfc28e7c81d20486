"""A match as the window plays it: the rules here, everything that takes time at the service.

The service keeps a mirror of the match with the real update sources; it is told every action,
answers with verdicts, and saves. Verdicts arrive here and go on with the match. A digest after
every action tells whether both still stand in the same place.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from game.actions import END
from game.cards import CardSet, first_set
from game.engine import records as r
from game.errors import GameError
from game.events import Event, redact
from game.journal import CONCEDE, PLAY, UNDO, Journal
from game.match import Match
from game.replay import Replay
from game.text.events import Narrator
from game.undo import can_undo, undo
from game.updates import Verdict
from game.window.updates import seen_by_person
from game.window.viewmodel import MatchView, look
from game.window.worker import Answer, Service

DEADLINE = 20.0
"""Seconds after which an opponent's turn is ended for it."""
PERSON = 0


@dataclass(frozen=True)
class Happened:
    """An action and what came of it, for the timeline, the history and the sounds."""

    before: MatchView
    after: MatchView
    events: tuple[Event, ...]
    verdicts: tuple[Verdict, ...]
    lines: tuple[str, ...]
    opponents: bool


@dataclass
class Session:
    """The match with number ``number``; ``reports`` holds one for each verdict, for the Backpropagation scene.

    A report also says what the rules made of it: the ``bonus`` and the ``unit`` afterwards, None if it left.
    """

    match: Match
    service: Service
    opponent: str
    number: int = 0
    language: str = "en"
    clock: Callable[[], float] = time.monotonic
    log: list[tuple[str, str]] = field(default_factory=list)
    """Every line of the history after the kind of its event."""
    history: list[Happened] = field(default_factory=list)
    reports: list[dict[str, Any]] = field(default_factory=list)
    intents: dict[int, dict[str, Any]] = field(default_factory=dict)
    hint: int | None = None
    journal: Journal | None = None
    """Where everything is noted before it is shown."""

    def __post_init__(self) -> None:
        self._choosing = self._playing = self._hinting = 0
        self._since = 0.0
        self._news: list[Happened] = []
        self._intents_for = ""

    @staticmethod
    def start(value: dict[str, Any], service: Service, language: str, cards: CardSet | None = None) -> Session:
        """The session of a match that the service has begun or resumed."""
        cards = cards or first_set()
        if value.get("replay"):
            match = Replay.from_json(value["replay"]).verify(cards)
        else:
            match = Match(value["decks"], value["seed"], cards)
        return Session(match, service, value["opponent"], value["number"], language, journal=Journal(value["journal"]))

    # ---- looking ----

    def view(self) -> MatchView:
        """What the person sees now."""
        return look(self.match, PERSON)

    @property
    def waiting(self) -> bool:
        """Whether a verdict is awaited from the service."""
        return self.match.phase == r.PHASES[2]

    @property
    def thinking(self) -> bool:
        """Whether the opponent decides."""
        return bool(self._choosing)

    @property
    def undoable(self) -> bool:
        """Whether the person's latest action can be taken back."""
        return not self.waiting and can_undo(self.match, PERSON)

    def speak(self, language: str) -> None:
        """Tell everything, also what has happened already, in a language."""
        if language == self.language:
            return
        self.language, self.log = language, []
        for number, happened in enumerate(self.history):
            narrator = Narrator(self.match, language, PERSON)
            narrator.board = {(PERSON if unit.own else 1 - PERSON, (unit.token - 1) % r.ENEMY_LAB): unit.card
                              for unit in happened.before.units if unit is not None}
            told = narrator.told(happened.events, happened.verdicts)
            self.history[number] = replace(happened, lines=tuple(line for _, line in told))
            self.log += told

    def news(self) -> list[Happened]:
        """What has happened since the last call."""
        news, self._news = self._news, []
        return news

    # ---- acting ----

    def play(self, action: int) -> None:
        """Take an action for whoever is to act; GameError if it is illegal or a verdict is awaited."""
        opponents = self.match.player != PERSON
        before = self.view()
        narrator = Narrator(self.match, self.language, PERSON)
        events = self.match.play(action)
        self._note(before.digest, PLAY, action)
        self._playing = self.service.ask("play", action=action)
        self._happened(before, events, (), narrator, opponents)

    def concede(self) -> None:
        """The person gives up."""
        before, narrator = self.view(), Narrator(self.match, self.language, PERSON)
        events = self.match.concede(PERSON)
        self._note(before.digest, CONCEDE, PERSON)
        self.service.ask("concede")
        self._choosing = 0
        self._happened(before, events, (), narrator, False)

    def undo(self) -> None:
        """Take the person's latest action back."""
        before = self.match.digest()
        undo(self.match, PERSON)
        self._note(before, UNDO, PERSON)
        self.service.ask("undo")
        self._playing = 0
        self.hint = None
        if self.history:
            gone = self.history.pop()
            del self.log[len(self.log) - len(gone.lines):]

    def ask_hint(self) -> None:
        """Ask what a good player would do; the answer will stand in ``hint``."""
        if self.view().my_turn and not self._hinting:
            self._hinting = self.service.ask("hint")

    def take_over(self, answers: Sequence[Answer]) -> list[Answer]:
        """Take in the service's answers; returns those that concern somebody else."""
        others = []
        for answer in answers:
            if answer.job == "play":
                self._played(answer)
            elif answer.job == "choose":
                self._chosen(answer)
            elif answer.job == "hint":
                if answer.ticket == self._hinting:
                    self._hinting, self.hint = 0, None if answer.error else int(answer.value)
            elif answer.job == "intents" and not answer.error:
                self.intents = answer.value
            elif answer.job in ("undo", "concede", "intents"):
                _check(answer)
            else:
                others.append(answer)
        return others

    def advance(self, ready: bool = True) -> None:
        """Let the opponent begin to think if it is its turn (and the pictures are ``ready``); mind the deadline."""
        if self.match.outcome is not None or self.waiting:
            return
        if self.match.player != PERSON:
            if not self._choosing and ready:
                self._choosing, self._since = self.service.ask("choose"), self.clock()
            elif self._choosing and self.clock() - self._since > DEADLINE:
                self._choosing = 0
                self.play(END)
        elif self._intents_for != self.match.digest():
            self._intents_for, self.intents = self.match.digest(), {}
            self.service.ask("intents")

    # ---- details ----

    def _note(self, before: str, what: str, number: int) -> None:
        if self.journal is not None:
            self.journal.note(before, what, number)

    def _chosen(self, answer: Answer) -> None:
        if answer.ticket != self._choosing or self.match.outcome is not None:
            return  # too late
        self._choosing = 0
        self.play(int(_check(answer)) if not answer.error else END)

    def _played(self, answer: Answer) -> None:
        value = _check(answer)
        for outcome, row, gradient, details, report in value["verdicts"]:
            before, narrator = self.view(), Narrator(self.match, self.language, PERSON)
            verdict = Verdict(outcome, row, gradient, details)
            mine = self.match.player == PERSON
            events = self.match.give(verdict)
            bonus = next((event for event in events if event.kind == "buff" and event.entry), None)
            seen = seen_by_person(report, mine)
            was, unit = (view.units[seen["token"]] for view in (before, self.view()))
            self.reports.append({**seen, "bonus": (bonus.a, bonus.b) if bonus else (0, 0),
                                 "unit": unit if unit and was and unit.entry == was.entry else None})
            self._happened(before, events, (verdict,), narrator, not mine)
        if answer.ticket == self._playing and value["digest"] != self.match.digest():
            raise GameError("the match at the service has gone another way; it is saved there, load it again")

    def _happened(self, before: MatchView, events: list[Event], verdicts: tuple[Verdict, ...], narrator: Narrator,
                  opponents: bool) -> None:
        self.hint = None
        seen = redact(events, PERSON)
        told = narrator.told(seen, verdicts)
        happened = Happened(before, self.view(), tuple(seen), verdicts, tuple(line for _, line in told), opponents)
        self.log += told
        self.history.append(happened)
        self._news.append(happened)


def _check(answer: Answer) -> Any:
    if answer.error:
        raise GameError(f"{answer.job}: {answer.error}")
    return answer.value
