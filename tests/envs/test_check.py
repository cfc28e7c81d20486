"""The conformance kit finds nothing in our engine, and finds each kind of fault where one is planted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from game.bots import make_bot
from game.decks import random_deck
from game.envs.check import CHECKS, Finding, Kit, Nonconformance, check, examine
from game.errors import GameError
from game.match import Match
from game.updates import ScriptedUpdates


def dealt(kind: type[Match] = Match) -> Callable[[int], Match]:
    """A maker of matches between random decks."""
    from game.cards import first_set

    def make(seed: int) -> Match:
        chance = np.random.default_rng(seed)
        return kind((random_deck(first_set(), chance), random_deck(first_set(), chance)), seed)

    return make


def test_our_engine_keeps_every_promise() -> None:
    report = check(dealt(), matches=2, seed=10)
    assert (report.matches, report.findings) == (2, [])
    assert report.decisions > 150


def test_our_bots_are_legal_reproducible_and_blind() -> None:
    bots = [make_bot(name) for name in ("random", "everything", "greedy", "lookahead", "search:20")]
    assert check(dealt(), matches=1, seed=3, players=bots, checks=["players", "hidden"]).findings == []


class OneActionTooMany(Match):
    def mask(self) -> Any:
        mask = super().mask()
        mask[225] = 1  # "end turn" with a target
        return mask


class OneActionTooFew(Match):
    def mask(self) -> Any:
        mask = super().mask()
        if mask.sum() > 2:
            mask[np.flatnonzero(mask)[0]] = 0
        return mask


class RefusalLeavesATrace(Match):
    def _refuse(self, action: int, reason: int) -> str:
        self.states["actions"] += 1
        return "no"


class SharingClones(Match):
    def clone(self) -> Match:
        other = super().clone()
        other.states = self.states
        return other


class ClonesThatForget(Match):
    def clone(self) -> Match:
        other = super().clone()
        other.states["labs"]["fatigue"] += 1
        return other


class ClonesThatAsk(Match):
    def clone(self) -> Match:
        other = super().clone()
        other.updates = (ScriptedUpdates(), None)
        return other


class ShowsTheOthersHand(Match):
    def observe(self, player: int) -> Any:
        row = super().observe(player)
        row[8] = self.states["labs"]["hand"][0, 1 - player, 0]
        return row


class ShowsTheDeck(Match):
    def observe(self, player: int) -> Any:
        row = super().observe(player)
        size = self.states["labs"]["deck_size"][0, player]
        row[9] = self.states["labs"]["deck"][0, player, max(0, size - 1)]
        return row


class PaysTwice(Match):
    def play(self, action: int) -> Any:
        before = self.turn
        events = super().play(action)
        if self.turn > before and self.outcome is None:
            self.states["labs"]["funding"][0, 0] -= 1
        return events


class SilentEnd(Match):
    def play(self, action: int) -> Any:
        return [event for event in super().play(action) if event.kind != "over"]


class LoudMulligans(Match):
    def play(self, action: int) -> Any:
        return [event._replace(kind="whisper") if event.kind == "mulligan" else event for event in super().play(action)]


class OwnDice(Match):
    dice = np.random.default_rng(1)

    def play(self, action: int) -> Any:
        self.states["rng"] ^= np.uint64(self.dice.integers(2**40))
        return super().play(action)


class SavesTheBeginning(Match):
    def save(self, path: Any) -> None:
        Match(self.decks, self.seed, self.cards, settings=self.settings).save(path)


class OneSeed(Match):
    def __init__(self, decks: Any, seed: int) -> None:
        super().__init__(("1986", "vision"), 5)


@pytest.mark.parametrize(("kind", "name", "words"), [
    (OneActionTooMany, "mask", "action 225 is in the mask and refused"),
    (OneActionTooFew, "mask", "isn't in the mask and accepted"),
    (RefusalLeavesATrace, "mask", "changed the state"),
    (SharingClones, "clone", "playing on a clone changed the match"),
    (ClonesThatForget, "clone", "a clone differs"),
    (ClonesThatAsk, "clone", "a clone has update sources"),
    (OwnDice, "clone", "the same action on two clones"),
    (ShowsTheOthersHand, "hidden", r"shows what is hidden \(field 8\)"),
    (ShowsTheDeck, "hidden", r"shows what is hidden \(field 9\)"),
    (PaysTwice, "events", "the events account for funding"),
    (SilentEnd, "events", "an end without one"),
    (LoudMulligans, "events", "no such event"),
    (OwnDice, "repeat", "led to another end"),
    (OneSeed, "repeat", "two seeds gave the same match"),
    (SavesTheBeginning, "save", "a loaded match isn't the saved one")])
def test_a_planted_fault_is_found(kind: type[Match], name: str, words: str) -> None:
    with pytest.raises(Nonconformance, match=words) as caught:
        check(dealt(kind), matches=5, checks=[name])
    assert "\n" not in str(caught.value)
    first = caught.value.report.findings[0]
    assert str(first) in str(caught.value)
    assert first.check == name


class Cheat:
    """Plays what the other's first card says."""

    name = "cheat"

    def choose(self, decisions: Any) -> Any:
        legal = np.flatnonzero(decisions.masks[0])
        secret = np.frombuffer(decisions._states.tobytes(), decisions._states.dtype)["labs"]["hand"][0]
        return np.array([legal[int(secret[1 - int(decisions.seats[0])][0]) % len(legal)]])


class Wanton:
    """Plays whatever number comes."""

    name = "wanton"

    def choose(self, decisions: Any) -> Any:
        return np.array([1])


class Moody:
    """Never the same twice."""

    name = "moody"
    dice = np.random.default_rng(2)

    def choose(self, decisions: Any) -> Any:
        return self.dice.choice(np.flatnonzero(decisions.masks[0]), 1)


@pytest.mark.parametrize(("player", "name", "words"), [
    (Cheat(), "hidden", "cheat's choice depends on what is hidden"),
    (Wanton(), "players", "wanton chose the illegal action 1"),
    (Moody(), "players", "moody chose differently in the same position")])
def test_a_player_at_fault_is_found(player: Any, name: str, words: str) -> None:
    with pytest.raises(Nonconformance, match=words):
        check(dealt(), matches=3, players=[player], checks=[name])


def test_a_match_without_end_is_found() -> None:
    with pytest.raises(Nonconformance, match="ends: match 0, ply 9: not over after 10 steps"):
        check(dealt(), matches=1, checks=["ends"], most=10)


def test_findings_are_data_one_a_match() -> None:
    report = examine(Kit(dealt(OneActionTooMany)), range(3), ["mask"])
    assert report.matches == 3
    assert [finding.seed for finding in report.findings] == [0, 1, 2]
    assert report.findings[0] == Finding("mask", 0, 0, report.findings[0].what)


def test_a_check_that_is_not_there() -> None:
    with pytest.raises(GameError, match="there is no check 'masks'; there are mask, clone"):
        check(dealt(), checks=["masks"])
    assert set(CHECKS) == {"mask", "clone", "hidden", "players", "events", "ends", "repeat", "save"}
