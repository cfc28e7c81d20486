"""What an engine promises, one function a promise: each yields, in words, how it is broken.

Position checks get (kit, match, chance), whole-match checks (kit, match, seed, steps); neither
changes the match. Only :func:`event_faults` takes a step, for events can't be had otherwise.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from game.bots import Player
from game.bots.protocol import deckable_rows
from game.bots.single import decide
from game.engine import batch
from game.engine import records as r
from game.engine.observe import TOKEN_FIELDS, view
from game.errors import IllegalAction
from game.events import redact
from game.match import Match
from game.updates import OUTCOMES, Verdict

Step = int | Verdict


def disguised(match: Match, viewer: int, word: int) -> Match:
    """A clone in which all that ``viewer`` can't see comes from ``word``: decks' orders, the other's cards, chance."""
    other = match.clone()
    batch.imagine(other.states, 0, 1, np.array([viewer], np.int32), deckable_rows(match.cards),
                  np.array([word], np.uint64))
    return other


@dataclass(frozen=True)
class Kit:
    """What the checks work with: how a match is made, players to look at, how hidden things are replaced."""

    make_match: Callable[[int], Match]
    players: Sequence[Player] = ()
    disguise: Callable[[Match, int, int], Match] = disguised
    """(match, viewer, random word) → a clone that differs in what is hidden from the viewer."""
    most: int = 20_000
    """Decisions and verdicts after which a match counts as endless."""


def random_step(match: Match, chance: np.random.Generator) -> Step:
    """A legal action, evenly, or a verdict where one is awaited."""
    if match.phase == "awaiting_update":
        return Verdict(str(chance.choice(OUTCOMES)))
    return int(chance.choice(np.flatnonzero(match.mask())))


def take(match: Match, step: Step) -> Any:
    """Play an action or give a verdict; the events."""
    return match.give(step) if isinstance(step, Verdict) else match.play(step)


# ---- at every position -----------------------------------------------------------------------------


def mask_faults(kit: Kit, match: Match, chance: Any) -> Iterator[str]:
    """In the mask if and only if a clone accepts it; what is refused changes nothing and is told why."""
    mask, before = match.mask(), match.digest()
    if match.legal_actions() != np.flatnonzero(mask).tolist():
        yield "legal_actions() and mask() differ"
    if (match.phase in ("mulligan", "action")) != bool(mask.any()):
        yield f"{int(mask.sum())} legal actions in the phase {match.phase}"
    scratch = match.clone()
    for action in range(-1, r.ACTIONS + 1):
        legal = 0 <= action < r.ACTIONS and bool(mask[action])
        try:
            scratch.play(action)
        except IllegalAction:
            if legal:
                yield f"action {action} is in the mask and refused"
            if scratch.digest() != before:
                yield f"the refused action {action} changed the state"
        else:
            if not legal:
                yield f"action {action} isn't in the mask and accepted"
            scratch = match.clone()
        if bool(match.why_not(action)) == legal:
            yield f"action {action}: why_not() and mask() differ"


def clone_faults(kit: Kit, match: Match, chance: Any) -> Iterator[str]:
    """A clone is equal and independent, and asks nobody for updates."""
    clone, before = match.clone(), match.digest()
    if clone.digest() != before or clone.outcome != match.outcome or clone.phase != match.phase:
        yield "a clone differs"
    if clone.updates != (None, None):
        yield "a clone has update sources"
    step = random_step(match, chance)
    take(clone, step)
    if match.digest() != before:
        yield "playing on a clone changed the match"
    other = match.clone()
    take(other, step)
    if other.digest() != clone.digest():
        yield "the same action on two clones led to different states"


def hidden_faults(kit: Kit, match: Match, chance: Any) -> Iterator[str]:
    """Nothing that a player is given depends on what is hidden from it: observation, mask, players' choices."""
    for viewer in range(2):
        other = kit.disguise(match, viewer, int(chance.integers(2**63)))
        if not np.array_equal(match.observe(viewer), other.observe(viewer)):
            at = np.flatnonzero(match.observe(viewer) != other.observe(viewer))
            yield f"player {viewer}'s observation shows what is hidden (field {at[0]})"
        if match.player != viewer:
            continue
        if not np.array_equal(match.mask(), other.mask()):
            yield f"player {viewer}'s mask depends on what is hidden"
        elif match.phase != "awaiting_update":
            for player in kit.players:
                if decide(player, match) != decide(player, other):
                    yield f"{player.name}'s choice depends on what is hidden"


def player_faults(kit: Kit, match: Match, chance: Any) -> Iterator[str]:
    """Players choose legal actions, twice the same, and change nothing."""
    if match.phase == "awaiting_update":
        return
    before, mask = match.digest(), match.mask()
    for player in kit.players:
        action = decide(player, match)
        if not 0 <= action < r.ACTIONS or not mask[action]:
            yield f"{player.name} chose the illegal action {action}"
        if action != decide(player, match):
            yield f"{player.name} chose differently in the same position"
        if match.digest() != before:
            yield f"{player.name} changed the match"


def event_faults(match: Match, step: Step) -> Iterator[str]:
    """Takes the step; its events are well-formed, account for funding, turns and the end, and keep secrets."""
    funding, turn = _funding(match), match.turn
    events = take(match, step)
    for event in events:
        if event.kind not in r.EVENTS[1:] or event.player not in (0, 1) or not -1 <= event.slot < r.SLOTS:
            yield f"no such event: {event}"
        if not 0 <= event.card <= len(match.cards):
            yield f"an event names card {event.card}, which isn't there"
        gained = {"lab_heal": event.a, "lab_damage": -event.a}.get(event.kind, 0)
        funding[event.player] += gained
    if funding != _funding(match):
        yield f"the events account for funding {funding}, the labs have {_funding(match)}"
    if [event.a for event in events if event.kind == "turn"] != list(range(turn + 1, match.turn + 1)):
        yield "the turn events don't fit the turn number"
    over = [place for place, event in enumerate(events) if event.kind == "over"]
    if over != ([len(events) - 1] if match.outcome is not None else []):
        yield "an over event that isn't the end, or an end without one"
    for viewer in range(2):
        told = redact(events, viewer)
        if len(told) != len(events):
            yield "redacting drops events"
        if any(e.card for e in told if e.kind in ("draw", "mulligan") and e.player != viewer):
            yield f"player {viewer} is told what the other draws"


def _funding(match: Match) -> list[int]:
    health = TOKEN_FIELDS.index("health")
    return [int(view(match.observe(player)).tokens[r.OWN_LAB, health]) for player in range(2)]


def _follow(match: Match, steps: Sequence[Step]) -> bool:
    """Take all steps; false if one isn't possible any more."""
    try:
        for step in steps:
            take(match, step)
    except IllegalAction:
        return False
    return True


# ---- after a match -----------------------------------------------------------------------------------


def repeat_faults(kit: Kit, match: Match, seed: int, steps: list[Step]) -> Iterator[str]:
    """The same seed and steps give the same match; another seed gives another."""
    again = kit.make_match(seed)
    if not _follow(again, steps) or again.digest() != match.digest() or again.outcome != match.outcome:
        yield "the same seed and actions led to another end"
    if kit.make_match(seed).name == kit.make_match(seed + 1_000_000).name:
        yield "two seeds gave the same match"


def save_faults(kit: Kit, match: Match, seed: int, steps: list[Step]) -> Iterator[str]:
    """Saved half-way and at the end, loaded, and played on: the same match."""
    half = kit.make_match(seed)
    _follow(half, steps[:len(steps) // 2])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "match.json"
        for whole, rest in ((match, []), (half, steps[len(steps) // 2:])):
            whole.save(path)
            loaded = whole.load(path)
            if loaded.digest() != whole.digest() or loaded.phase != whole.phase:
                yield "a loaded match isn't the saved one"
                return
            if not _follow(loaded, rest) or loaded.digest() != match.digest() or loaded.outcome != match.outcome:
                yield "a loaded match goes on differently"


POSITION: dict[str, Callable[[Kit, Match, Any], Iterator[str]]] = {
    "mask": mask_faults, "clone": clone_faults, "hidden": hidden_faults, "players": player_faults}
WHOLE: dict[str, Callable[[Kit, Match, int, list[Step]], Iterator[str]]] = {
    "repeat": repeat_faults, "save": save_faults}
CHECKS = (*POSITION, "events", "ends", *WHOLE)
"""All checks by name."""
