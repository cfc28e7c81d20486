"""How a match asks for a gradient update: the request, the verdict, and the source that is asked.

The rules stop at an update and go on only with a verdict. Nothing in ``game`` can give one that
counts: the real source is the learner's. :class:`ScriptedUpdates` says what it is told to, for
fuzzing, references and engine benchmarks; replays name it and the audit refuses it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol

from game.cards import CardSet
from game.engine.observe import TOKEN_FIELDS, view
from game.engine.records import HAND, TOKENS, VERDICTS

OUTCOMES = VERDICTS[1:]
"""What an update can come to: learned, vanished, exploded."""


@dataclass(frozen=True)
class UpdateRequest:
    """One awaited gradient update: whose network should learn what from which observation."""

    match: str
    """The match's name (its first digest)."""
    player: int
    ply: int
    """The decision that played the card, counted from 1."""
    turn: int
    slot: int
    entry: int
    """The Model's entry number."""
    card: str
    """The id of the Model's card."""
    family: str
    cause: str
    """The id of the card that asks."""
    damage: int
    """The Model's damage counter: what its network should have predicted."""
    observation: Any = field(repr=False)
    """int32 ``(OBSERVATION_SIZE,)``: the owner's, at the decision ``observation_ply``."""
    observation_ply: int = 0
    target: int = -1
    """The token the Model attacked in that decision, −1 if it wasn't its own."""
    history: tuple[Any, ...] = field(default=(), repr=False)
    """The observations of the Model's own earlier decisions, oldest first (for recurrent networks)."""
    number: int = 0
    """The match's number in its run."""
    ordinal: int = 0
    """How many updates the match had asked for before this one."""


@dataclass(frozen=True)
class Verdict:
    """What came of a request."""

    outcome: str
    """learned, vanished or exploded."""
    row: int = 0
    """Number of the ledger entry (0: none, as with scripted sources)."""
    gradient: str = ""
    """Digest of the gradient, empty where there is none."""
    details: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)
    """Numbers for people: prediction, damage, loss, norm and the like. Not part of a replay."""

    def __post_init__(self) -> None:
        if self.outcome not in OUTCOMES:
            raise ValueError(f"a verdict is one of {', '.join(OUTCOMES)}, not {self.outcome!r}")
        if isinstance(self.row, bool) or not isinstance(self.row, int) or not 0 <= self.row < 2**31:
            raise ValueError(f"a ledger entry's number is a whole number from 0, not {self.row!r}")


TurnDecisions = Iterable[tuple[int, Any, int]]
"""(ply, observation, action's number) of the owner's decisions this turn, in order."""


def make_request(state: Any, cards: CardSet, name: str, turn: TurnDecisions, own: Iterable[tuple[int, Any]],
                 number: int, ordinal: int) -> UpdateRequest:
    """The update that a state awaits. ``own``: (ply, observation) of all decisions that the Model took."""
    player, slot, entry = int(state.player), int(state.update_slot), int(state.update_entry)
    unit = state.labs[player].units[slot]
    ply, observation, action = kept_observation(turn, int(unit.attack_ply or unit.hurt_ply or state.ply), slot, entry)
    card = cards[unit.card]
    return UpdateRequest(
        name, player, int(state.ply), int(state.turn), slot, entry, card.id, card.family, cards[state.update_card].id,
        int(unit.hurt), observation, ply, action % TOKENS if action // TOKENS == HAND + slot else -1,
        tuple(row for at, row in own if at < ply), number, ordinal)


def kept_observation(turn: TurnDecisions, wanted: int, slot: int, entry: int) -> tuple[int, Any, int]:
    """The observation that an update learns from, with its ply and what was decided on it.

    That of the Model's own latest decision this turn that hurt it; else of the decision in which it
    was first hurt; for an unhurt Model, of the one that played the card: ply ``wanted``. If that
    decision was taken before the Model was on the board (it entered and was hurt in it), it is the
    first later one that shows the Model.
    """
    for ply, row, action in turn:
        if ply >= wanted and view(row).tokens[slot + 1, TOKEN_FIELDS.index("entry")] == entry:
            return ply, row, action
    raise ValueError(f"no decision from ply {wanted} on shows Model {entry} in slot {slot + 1}")


class UpdateSource(Protocol):
    """Gives verdicts on one player's updates."""

    name: str
    """Stands in replays: "learner" for real gradients, "scripted" for pretended ones."""

    def update(self, request: UpdateRequest) -> Verdict:
        """Make the gradient update and say what came of it."""


class ScriptedUpdates:
    """A source without a network: always the same outcome, or a list of them in turn."""

    name = "scripted"

    def __init__(self, *outcomes: str) -> None:
        self.outcomes = outcomes or ("learned",)
        self.requests: list[UpdateRequest] = []

    def update(self, request: UpdateRequest) -> Verdict:
        """The next outcome of the script, which starts again at its end."""
        self.requests.append(request)
        return Verdict(self.outcomes[(len(self.requests) - 1) % len(self.outcomes)])
