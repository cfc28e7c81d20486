"""The record of a match, versioned: decks, seed, every action and verdict, a digest every turn.

A replay is the truth about a match: playing it again must give the same digests, or it is
refused. A save is the replay of an unfinished match. The file is JSON, a few kilobytes.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from game.cards import CardSet, first_set
from game.decks import Deck
from game.engine.records import ACTIONS, DECK
from game.errors import GameError, IllegalAction, ReplayError
from game.events import Event
from game.files import write_atomic
from game.match import RULES_VERSION, Concession, Match
from game.settings import Settings
from game.updates import OUTCOMES, Verdict

FORMAT = "backpropagation replay"
VERSION = 1
LARGEST = 16 * 1024 * 1024
"""Bytes; a longer file is no replay."""
MOST_STEPS = 100_000

Step = int | tuple[str, int, str] | tuple[str, int]
"""An action's number, a verdict (outcome, ledger entry, gradient digest), or ("concede", player)."""


@dataclass(frozen=True)
class Replay:
    """A match on paper. ``digests``: one at each turn's beginning, the last state's at the end."""

    rules: int
    cards: str
    decks: tuple[dict[str, int], dict[str, int]]
    deck_ids: tuple[str, str]
    seed: int
    settings: Settings
    sources: tuple[str, str]
    """Who gave verdicts for each player: learner, scripted, or empty."""
    steps: tuple[Step, ...]
    digests: tuple[str, ...]
    result: str
    """Winner and reason, or "running"."""

    # ---- making ----

    @staticmethod
    def of(match: Match, sources: tuple[str, str] | None = None) -> Replay:
        """The record of a match so far."""
        steps: list[Step] = []
        for link in match.links():
            done = link.done
            if isinstance(done, Verdict):
                steps.append((done.outcome, done.row, done.gradient))
            elif isinstance(done, Concession):
                steps.append(("concede", done.player))
            else:
                steps.append(done)
        first, second = (source.name if source is not None else "" for source in match.updates)
        return Replay.from_steps(match.decks, match.seed, match.settings, match.cards, sources or (first, second),
                                 tuple(steps))

    @staticmethod
    def from_steps(decks: tuple[Deck, Deck], seed: int, settings: Settings, cards: CardSet, sources: tuple[str, str],
                   steps: tuple[Step, ...], watch: Callable[[list[Event]], None] | None = None) -> Replay:
        """The record of a match given by its steps alone; plays it once for the digests.

        ``watch(events)`` is told what happens in each step.
        """
        match = Match(decks, seed, cards, settings=settings)
        digests = [match.digest()]
        turn = match.turn
        for step in steps:
            events = _take(match, step)
            if watch is not None:
                watch(events)
            if match.turn != turn:
                turn = match.turn
                digests.append(match.digest())
        digests.append(match.digest())
        return Replay(RULES_VERSION, cards.hash, (dict(decks[0].cards), dict(decks[1].cards)),
                      (decks[0].id, decks[1].id), seed, settings, sources, steps, tuple(digests), result_of(match))

    # ---- files ----

    def to_json(self) -> str:
        """The replay as JSON text."""
        return json.dumps({"format": FORMAT, "version": VERSION, **vars(self), "settings": asdict(self.settings)},
                          separators=(",", ":"))

    def write(self, path: Path | str) -> None:
        """Write the file, whole or not at all; OSError if the disk refuses."""
        write_atomic(path, self.to_json())

    @staticmethod
    def read(path: Path | str) -> Replay:
        """A replay from its file, its form checked but not yet verified; ReplayError in one line."""
        path = Path(path)
        try:
            with path.open("rb") as file:
                data = file.read(LARGEST + 1)
        except OSError as error:
            raise ReplayError(f"{path}: can't be read: {error.strerror or error}") from None
        if len(data) > LARGEST:
            raise ReplayError(f"{path.name}: too large for a replay (over {LARGEST >> 20} MiB)")
        try:
            return Replay.from_json(data.decode("utf-8"))
        except (UnicodeDecodeError, ReplayError) as error:
            raise ReplayError(f"{path.name}: {error}") from None

    @staticmethod
    def from_json(text: str) -> Replay:
        """A replay from JSON text; ReplayError says what is wrong with it."""
        try:
            raw = json.loads(text)
        except (json.JSONDecodeError, RecursionError, ValueError) as error:
            raise ReplayError(f"not a replay: {error}") from None
        if not isinstance(raw, dict) or raw.get("format") != FORMAT:
            raise ReplayError("not a replay: the format mark is missing")
        if raw.get("version") != VERSION:
            raise ReplayError(f"replay version {_short(raw.get('version'))}; this program reads version {VERSION}")
        fields = {name: raw.get(name) for name in Replay.__dataclass_fields__}
        if set(raw) != {"format", "version", *fields}:
            raise ReplayError(f"field {_short(min(set(raw) ^ {'format', 'version', *fields}))}: missing or unknown")
        try:
            return Replay(
                _whole(fields["rules"]), _string(fields["cards"]), _two(fields["decks"], _deck),
                _two(fields["deck_ids"], _string), _whole(fields["seed"], 0, 2**64 - 1), _settings(fields["settings"]),
                _two(fields["sources"], _string), tuple(_step(step) for step in _list(fields["steps"], MOST_STEPS)),
                tuple(_string(digest) for digest in _list(fields["digests"], MOST_STEPS)), _string(fields["result"]))
        except (GameError, TypeError, ValueError) as error:
            raise ReplayError(f"damaged: {error}") from None

    # ---- the truth ----

    def verify(self, cards: CardSet | None = None,
               watch: Callable[[Match, list[Event]], None] | None = None) -> Match:
        """Play it again and return the match at its end.

        ``watch(match, events)`` is called after each step. ReplayError if the rules or cards are
        others, a step is illegal, or a digest or the result differs.
        """
        cards = cards or first_set()
        if self.rules != RULES_VERSION:
            raise ReplayError(f"made under rules version {self.rules}; this program plays version {RULES_VERSION}")
        if self.cards != cards.hash:
            raise ReplayError(f"made with card set {self.cards}; this set is {cards.hash}")
        try:
            decks = (Deck(self.deck_ids[0], self.decks[0]), Deck(self.deck_ids[1], self.decks[1]))
            match = Match(decks, self.seed, cards, settings=self.settings)
        except GameError as error:
            raise ReplayError(str(error)) from None
        seen, turn = [match.digest()], match.turn
        self._compare(seen, 0)
        for number, step in enumerate(self.steps, start=1):
            try:
                events = _take(match, step)
            except (IllegalAction, ValueError) as error:
                raise ReplayError(f"step {number}: {error}") from None
            if match.turn != turn:
                turn = match.turn
                seen.append(match.digest())
                self._compare(seen, number)
            if watch is not None:
                watch(match, events)
        seen.append(match.digest())
        self._compare(seen, len(self.steps))
        if len(seen) != len(self.digests) or result_of(match) != self.result:
            raise ReplayError("it doesn't end as it says: turns or result differ")
        return match

    def _compare(self, seen: list[str], step: int) -> None:
        if len(seen) > len(self.digests) or seen[-1] != self.digests[len(seen) - 1]:
            raise ReplayError(f"step {step}: the state isn't the recorded one (digest {seen[-1]})")


def result_of(match: Match) -> str:
    """A match's result in words that don't change: "player 0 wins: funding", "draw: turn limit", "running"."""
    outcome = match.outcome
    if outcome is None:
        return "running"
    return f"{'draw' if outcome.winner is None else f'player {outcome.winner} wins'}: {outcome.reason}"


def _take(match: Match, step: Step) -> list[Event]:
    if isinstance(step, int):
        return match.play(step)
    if len(step) == 2:
        return match.concede(step[1])
    return match.give(Verdict(*step))


# ---- the form of a file --------------------------------------------------------------------------


def _short(value: Any) -> str:
    """A value in one line of at most 40 characters, whatever it is."""
    return repr(value)[:40]


def _whole(value: Any, low: int = 0, high: int = 2**31 - 1) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise ValueError(f"needs a whole number from {low} to {high}, not {_short(value)}")
    return value


def _string(value: Any) -> str:
    if not isinstance(value, str) or len(value) > 200 or not value.isprintable():
        raise ValueError(f"needs a text, not {_short(value)}")
    return value


def _list(value: Any, most: int) -> list[Any]:
    if not isinstance(value, list) or len(value) > most:
        raise ValueError(f"needs a list of at most {most}, not {_short(value)}")
    return value


def _two(value: Any, kind: Callable[[Any], Any]) -> tuple[Any, Any]:
    if not isinstance(value, list) or len(value) != 2:
        raise ValueError(f"needs two entries, not {_short(value)}")
    return kind(value[0]), kind(value[1])


def _deck(value: Any) -> dict[str, int]:
    if not isinstance(value, dict) or len(value) > 100:
        raise ValueError(f"needs a deck, not {_short(value)}")
    return {_string(card): _whole(copies, 1, 99) for card, copies in value.items()}


def _settings(value: Any) -> Settings:
    if not isinstance(value, dict):
        raise ValueError("the settings are incomplete")
    value = {"deck_size": DECK, **value}  # replays from before decks of other sizes don't name it
    if set(value) != set(Settings.__dataclass_fields__):
        raise ValueError("the settings are incomplete")
    checked: dict[str, Any] = {
        name: _string(part) if name == "extra_card" else _whole(part) for name, part in value.items()}
    return Settings(**checked)


def _step(value: Any) -> Step:
    if isinstance(value, int) and not isinstance(value, bool):
        return _whole(value, 0, ACTIONS - 1)
    if isinstance(value, list) and len(value) == 2 and value[0] == "concede":
        return ("concede", _whole(value[1], 0, 1))
    if isinstance(value, list) and len(value) == 3 and value[0] in OUTCOMES:
        return (value[0], _whole(value[1]), _string(value[2]))
    raise ValueError(f"no step: {_short(value)}")
