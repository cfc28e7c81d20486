"""Taking actions back, as far as nothing was learned by them.

An action can be taken back if the same player is still deciding in the same turn, no chance was
used (the generator's word is the same, so nobody's cards or luck were seen), nothing was drawn,
and no verdict was given.
"""

from __future__ import annotations

from game.engine import records as r
from game.errors import IllegalAction
from game.match import Match


def can_undo(match: Match, player: int) -> bool:
    """Whether the latest action is ``player``'s and has revealed nothing."""
    link = match.last
    if link is None or not isinstance(link.done, int) or match.phase != "action":
        return False
    before, now = r.state_from(link.state)[0], match.state
    return bool(before.phase == r.ACTION and before.player == player == now.player and before.turn == now.turn
                and before.rng == now.rng
                and all(before.labs[i].deck_size == now.labs[i].deck_size for i in range(2)))


def undo(match: Match, player: int) -> None:
    """Take the latest action back; IllegalAction if :func:`can_undo` says no."""
    if not can_undo(match, player):
        raise IllegalAction("the latest action can't be taken back: "
                            "it was the other player's, or it revealed something")
    link = match.last
    assert link is not None
    match.states, match.last = r.state_from(link.state), link.before
