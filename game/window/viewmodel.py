"""One player's view of a match: immutable, made from the observation and the legal actions alone."""

from __future__ import annotations

from dataclasses import dataclass

from game import actions as act
from game.cards import CardInfo
from game.engine import records as r
from game.engine.legal import REFUSALS
from game.engine.observe import HAND_FIELDS, MATCH_FIELDS, TOKEN_FIELDS, view
from game.match import Match, Outcome


@dataclass(frozen=True)
class UnitView:
    """A Model on the board. ``token``: its place, seen from the viewer; ``card``: a row of the card set."""

    token: int
    card: int
    attack: int
    health: int
    max_health: int
    keywords: int
    tapped: bool
    training: bool
    held: bool
    entered: bool
    ablated: bool
    rush: int
    hurt: int
    updates: int
    attacks: int
    entry: int

    @property
    def own(self) -> bool:
        """Whether it is the viewer's."""
        return self.token < r.ENEMY_LAB


@dataclass(frozen=True)
class LabView:
    """A lab's counts; ``researcher``: a row of the card set or 0."""

    funding: int
    cap: int
    compute: int
    racks: int
    hand: int
    deck: int
    fatigue: int
    researcher: int


@dataclass(frozen=True)
class HandView:
    """A card of the viewer's hand, with what it costs now."""

    place: int
    card: int
    cost: int


@dataclass(frozen=True)
class MatchView:
    """All that a player sees and may do."""

    viewer: int
    phase: str
    my_turn: bool
    turn: int
    turn_limit: int
    own: LabView
    enemy: LabView
    units: tuple[UnitView | None, ...]
    """By token; None for labs and empty slots."""
    hand: tuple[HandView, ...]
    legal: frozenset[int]
    """The viewer's legal actions."""
    digest: str
    outcome: Outcome | None

    def sources(self) -> frozenset[int]:
        """What can act now: hand places 0–9, Models 10–15, 16."""
        return frozenset(action // r.TOKENS for action in self.legal)

    def targets(self, source: int) -> frozenset[int]:
        """Tokens that a source may be aimed at."""
        return frozenset(action % r.TOKENS for action in self.legal if action // r.TOKENS == source)

    def moves_left(self) -> bool:
        """Whether anything but ending the turn is legal."""
        return any(action != act.END for action in self.legal)


def look(match: Match, viewer: int) -> MatchView:
    """What ``viewer`` sees of a match."""
    seen = view(match.observe(viewer))
    fields = dict(zip(MATCH_FIELDS, seen.match.tolist(), strict=True))
    tokens = [dict(zip(TOKEN_FIELDS, row, strict=True)) for row in seen.tokens.tolist()]
    hand = [dict(zip(HAND_FIELDS, row, strict=True)) for row in seen.hand.tolist()]
    mine = match.player == viewer
    return MatchView(
        viewer, match.phase, mine and match.outcome is None, fields["turn"], fields["turn_limit"],
        _lab(tokens[r.OWN_LAB], fields, ""), _lab(tokens[r.ENEMY_LAB], fields, "enemy_"),
        tuple(_unit(token, row) for token, row in enumerate(tokens)),
        tuple(HandView(place, row["card"], row["cost"]) for place, row in enumerate(hand) if row["card"]),
        frozenset(match.legal_actions() if mine else ()), match.digest(), match.outcome)


def plain_unit(token: int, card: CardInfo, attack: int, health: int) -> UnitView:
    """A Model of which no more is known than its numbers: unhurt, with the keywords that are printed."""
    keywords = sum(1 << r.KEYWORDS.index(word) for word in card.keywords)
    return UnitView(token, card.row, attack, health, health, keywords, False, False, False, False, False, 0, 0, 0, 0, 0)


def refusal(match: Match, viewer: int, source: int, token: int) -> int:
    """The number of the rule by which an action of the viewer is refused, 0 if it is legal."""
    if match.outcome is None and match.player != viewer:
        return len(REFUSALS)  # not a rule's: it is the other's turn
    return REFUSALS.index(match.why_not(act.encode(source, token)))


def source_refusal(match: Match, viewer: int, source: int) -> int:
    """Why a source can't do anything at all, 0 if it can: the refusal that the most tokens share."""
    reasons = [refusal(match, viewer, source, token) for token in range(r.TOKENS)]
    return 0 if 0 in reasons else max(reasons, key=reasons.count)


def _lab(token: dict[str, int], fields: dict[str, int], side: str) -> LabView:
    return LabView(token["health"], token["max_health"], fields[f"{side}compute"], fields[f"{side}racks"],
                   fields[f"{side}hand_size"], fields[f"{side}deck_size"], fields[f"{side}fatigue"], token["card"])


def _unit(token: int, row: dict[str, int]) -> UnitView | None:
    if token in (r.OWN_LAB, r.ENEMY_LAB) or not row["card"]:
        return None
    return UnitView(token, row["card"], row["attack"], row["health"], row["max_health"], row["keywords"],
                    bool(row["tapped"]), bool(row["training"]), bool(row["held"]), bool(row["entered"]),
                    bool(row["ablated"]), row["rush"], row["hurt"], row["updates"], row["attacks"], row["entry"])
