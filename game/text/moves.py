"""The legal moves, numbered: one line for everything that a card or a Model can do."""

from __future__ import annotations

from itertools import groupby

from game import actions as act
from game.engine import records as r
from game.engine.observe import view
from game.match import Match
from game.words import say


def numbered_moves(match: Match, language: str = "en") -> tuple[list[int], list[str]]:
    """The actions in the order of their numbers (from 1), and the lines that offer them."""
    actions, lines = match.legal_actions(), []
    seen = view(match.observe(match.player))
    names = {token: match.cards[row].name(language) for token, row in enumerate(seen.tokens[:, 0].tolist())
             if row and token not in (r.OWN_LAB, r.ENEMY_LAB)}
    number = 1
    for source, group in groupby(actions, key=lambda action: act.decode(action)[0]):
        same = list(group)
        if source == r.END_TURN or match.phase == "mulligan" or act.decode(same[0])[1] == r.OWN_LAB:
            lines += [f"  {number + place:>2}  {match.describe(action, language)}" for place, action in enumerate(same)]
        else:
            if source < r.HAND:
                row, cost = seen.hand[source].tolist()
                lines.append("      " + say("move.play", language, card=match.cards[row].name(language), cost=cost))
            else:
                who = act.place_name(act.slot_token(True, source - r.HAND), names, language)
                lines.append("      " + say("move.attack", language, unit=who))
            for place, action in enumerate(same):
                where = act.place_name(act.decode(action)[1], names, language)
                lines[-1] += f"{':' if place == 0 else ','} {number + place} {where}"
        number += len(same)
    return actions, lines
