"""The player's decision taken apart: which source (a hand card, a Model, "end turn"), and a card's target.

    log π(choice) = log π(source) + log π(target | source)

Models' targets are a third factor, of their own networks. These are figures to watch, not losses.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from game.engine import records as r
from learner.policies.player import CARD_CHOICES, by_source, source_logp


def player_figures(logp: Any, choices: Any, old_logp: Any, old_source_logp: Any) -> dict[str, float]:
    """Entropy (nats) and KL of both factors: "entropy/source", "entropy/card_target", "kl/source", "kl/card_target".

    ``logp`` float32 ``(n, 147)``, illegal choices far below. The card target's entropy is the mean
    over card plays, weighted by how likely they are; its KL over those that were chosen. Both are
    missing where no card could be, or was, played.
    """
    n, cards = len(choices), choices < CARD_CHOICES
    p = np.exp(logp)
    source = by_source(p)
    joint, alone = _entropy(p), _entropy(source)
    moved = source_logp(p, choices).astype(np.float64) - old_source_logp
    figures = {"entropy/source": alone / n, "kl/source": kl_estimate(moved)}
    played = float(source[:, :r.HAND].sum(dtype=np.float64))
    if played > 0:
        figures["entropy/card_target"] = max(0.0, joint - alone) / played
    if cards.any():
        target = logp[np.flatnonzero(cards), choices[cards]].astype(np.float64) - old_logp[cards]
        figures["kl/card_target"] = kl_estimate(target - moved[cards])
    return figures


def kl_estimate(log_ratio: Any) -> float:
    """Mean of the estimator k3 of J. Schulman, "Approximating KL Divergence" (2020), from log(new / old)."""
    wide = np.asarray(log_ratio, np.float64)
    return float(np.mean(np.expm1(wide) - wide))


def _entropy(p: Any) -> float:
    """Sum over the rows of −Σ p log p."""
    safe = np.where(p > 0, p, 1.0)
    return float(-(p * np.log(safe)).sum(dtype=np.float64))
