"""The errors that a caller can mend; commands print them as one line and exit with 2."""

from __future__ import annotations


class GameError(ValueError):
    """Something given from outside is wrong: the message says what, where, and what to do."""


class CardError(GameError):
    """A card or deck file is wrong; names file, card and field."""


class IllegalAction(GameError):
    """An action that the rules don't allow now; the match is as it was."""


class ReplayError(GameError):
    """A replay or save that can't be trusted: damaged, of another version, or not true."""
