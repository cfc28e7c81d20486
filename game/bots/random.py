"""Any legal action, evenly."""

from __future__ import annotations

from typing import Any

import numpy as np

from game.bots.protocol import Decisions


class Random:
    """Plays a uniformly random legal action. Beating it proves nothing."""

    name = "random"

    def choose(self, decisions: Decisions) -> Any:
        """A legal action for each decision, int64 ``(n,)``."""
        return pick(decisions.masks, decisions.words)

    def probabilities(self, decisions: Decisions) -> Any:
        """How likely each action is, float64 ``(n, 238)``."""
        return evenly(decisions.masks)


def evenly(masks: Any) -> Any:
    """The same probability at each of a row's ones, float64."""
    return masks / masks.sum(axis=1, keepdims=True, dtype=np.float64)


def pick(masks: Any, words: Any) -> Any:
    """One of each row's ones, evenly, by the row's random word: the bounded draw of the rules."""
    counts = masks.sum(axis=1, dtype=np.uint64)
    ranks = ((np.asarray(words, np.uint64) >> np.uint64(32)) * counts) >> np.uint64(32)
    reached = np.cumsum(masks, axis=1, dtype=np.uint64) > ranks[:, None]
    return reached.argmax(axis=1)
