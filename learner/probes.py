"""Decisions of a match, put to networks again as they learn: what they would do now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from game.cards import CardSet
from game.engine import records as r
from game.engine.observe import MATCH_FIELDS, TOKEN_FIELDS, view
from game.match import Match
from learner.agent import Agent
from learner.policies.features import aim_mask
from learner.reports import model_report


@dataclass(frozen=True)
class Probe:
    """A decision that one of the person's Models took; ``card``: a row of the card set."""

    family: str
    card: int
    turn: int
    observation: Any
    slot: int
    history: tuple[Any, ...]


def probes_of(match: Match, cards: CardSet) -> list[Probe]:
    """For each family the latest decision of player 0's Models, if possible one that wasn't forced."""
    latest: dict[str, tuple[tuple[bool, int], Probe]] = {}
    for entry, decisions in match.own_decisions(0).items():
        for place, (ply, row) in enumerate(decisions):
            seen = view(row)
            slot = int(np.flatnonzero(seen.tokens[1:1 + r.SLOTS, TOKEN_FIELDS.index("entry")] == entry)[0])
            card = cards[int(seen.tokens[slot + 1, 0])]
            rank = (bool(aim_mask(row[None], np.array([slot])).sum() > 1), ply)
            if card.family not in latest or rank > latest[card.family][0]:
                turn = int(seen.match[MATCH_FIELDS.index("turn")])
                history = tuple(past for _, past in decisions[:place])
                latest[card.family] = (rank, Probe(card.family, card.row, turn, row, slot, history))
    return [probe for _, probe in latest.values()]


def answers(agent: Agent, probes: list[Probe]) -> list[dict[str, Any]]:
    """What an agent's networks make of the probes (see :func:`learner.reports.model_report`)."""
    return [{"card": probe.card, "turn": probe.turn, **model_report(
        agent, probe.family, probe.observation, probe.slot, probe.history)} for probe in probes]
