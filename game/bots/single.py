"""A player's decision in one match, as it would be among many."""

from __future__ import annotations

import numpy as np

from game.bots.protocol import Decisions, Player, decision_words
from game.match import Match


def decide(player: Player, match: Match, number: int = 0) -> int:
    """The action that ``player`` chooses for the player to act; ``number``: the match's number in its run.

    The same action as in a round of matches with the same seed: seat, ply and seed give the random word.
    """
    seats, plies = np.array([match.player], np.int32), match.states["ply"].astype(np.int32)
    words = np.empty(1, np.uint64)
    decision_words(np.array([match.seed], np.uint64), seats, plies, words)
    decisions = Decisions(match.cards, match.observe(match.player)[None], match.mask()[None], words,
                          np.array([number], np.int64), seats.astype(np.int64), match.states,
                          lambda _: match.own_decisions(match.player))
    return int(player.choose(decisions)[0])
