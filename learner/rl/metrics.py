"""A round's figures: what each name means, how matches and steps are counted, and how progress is told.

Names are paths: ``<lab>/entropy/mlp``. :data:`MEANINGS` lists them all, docs/training.md shows them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from game.vector import Played
from learner.agent import NETWORKS
from learner.ledger.ledger import Step
from learner.rl.plan import OPPONENT

FACTORS = ("source", "card_target", *NETWORKS[1:])
"""The parts of a decision: which source, a card's target, and the target of each family's Models."""

MEANINGS = {
    "round": "number of the round, from 1",
    "matches": "matches played in it",
    "decisions": "decisions taken in them, by both seats",
    "turns": "mean turns of a match",
    "starter_wins": "share of matches won by the lab that began",
    "end_reasons": "matches by how they ended",
    "cast": "updates asked for",
    "learned": "of those: real gradients, each one buff and one ledger entry",
    "vanished": "of those: gradients below 10⁻⁶",
    "exploded": "of those: gradients above 1000, infinite or NaN",
    "league": "past selves in the league",
    "last_past": "name of the latest past self that played, null before there is one",
    "score_against_last_past": "share won against it, draws a half",
    "score_against_opponent": "share won against the frozen opponent, null in a run without one",
    "card_steps": "optimizer steps that the card's gradients made, one a lab and family",
    "card_loss_before": "mean loss of this round's entries when they were computed",
    "card_loss_after": "and after their step",
    "ledger_rows": "entries in the ledger so far",
    "seconds": "the round's length",
    "seconds_rollout": "of that: playing",
    "seconds_card": "of that: the card's steps",
    "seconds_ppo": "of that: PPO",
    "decisions_per_second": "decisions / seconds",
    "rollout_decisions_per_second": "decisions / seconds_rollout",
    "<lab>/policy_loss/<network>": "PPO's clipped surrogate loss",
    "<lab>/value_loss": "Huber loss of the values",
    "<lab>/entropy/<factor>": "entropy in nats",
    "<lab>/entropy/player": "of source and card target together",
    "<lab>/kl/<factor>": "how far PPO's updates have moved the factor",
    "<lab>/kl/player": "of source and card target together; ends the epochs",
    "<lab>/grad_norm/<network>": "norm of PPO's gradient before it is clipped",
    "<lab>/epochs": "PPO's epochs over the round's decisions",
    "<lab>/ppo_steps": "PPO's optimizer steps",
    "<lab>/card/entries/<family>": "ledger entries in the card's step",
    "<lab>/card/grad_norm/<family>": "norm of their mean gradient",
    "<lab>/card/loss_before/<family>": "their mean loss before the step",
    "<lab>/card/loss_after/<family>": "and after it",
}
"""``<network>``: player or a family; ``<factor>``: source, card_target or a family, whose Models' targets it is."""


def match_figures(played: Sequence[Played], owners: Sequence[str], learners: int) -> dict[str, Any]:
    """What a round's matches were like; ``owners`` of the labs by number, the first ``learners`` of which learn."""
    verdicts = Counter(verdict.outcome for p in played for _, _, verdict in p.updates)
    last = len(owners) - 1
    against_last = [p for p in played if last >= learners and last in p.pairing.seats]
    score = mean(0.5 if p.winner is None else float(p.winning_player() == 0) for p in against_last)
    frozen, past = owners[last] == OPPONENT, owners[last] if last >= learners else None
    return {"matches": len(played), "decisions": sum(p.decisions for p in played),
            "turns": float(np.mean([p.turns for p in played])),
            "starter_wins": float(np.mean([p.winner == p.starter for p in played])),
            "end_reasons": dict(Counter(p.reason for p in played)),
            "cast": sum(verdicts.values()), "learned": verdicts["learned"], "vanished": verdicts["vanished"],
            "exploded": verdicts["exploded"], "last_past": None if frozen else past,
            "score_against_last_past": None if frozen else score,
            "score_against_opponent": score if frozen else None}


def card_figures(steps: Sequence[Step], learners: Sequence[str]) -> dict[str, Any]:
    """What the card's steps did, in all and for each learner and family."""
    found: dict[str, Any] = {"card_steps": len(steps),
                             "card_loss_before": mean(x for s in steps for x in s.losses_before),
                             "card_loss_after": mean(x for s in steps for x in s.losses_after)}
    for step in steps:
        if step.owner in learners:
            for name, value in (("entries", len(step.rows)), ("grad_norm", step.gradient_norm),
                                ("loss_before", mean(step.losses_before)), ("loss_after", mean(step.losses_after))):
                found[f"{step.owner}/card/{name}/{step.family}"] = value
    return found


def mean(values: Iterable[float]) -> float | None:
    """Their mean; None where there are none."""
    listed = list(values)
    return float(np.mean(listed)) if listed else None


# ---- progress ------------------------------------------------------------------------------------


def progress_lines(figures: dict[str, Any], lab: str) -> list[str]:
    """A round as a few lines for people; ``lab``: whose networks to tell of."""
    past, opponent = figures["score_against_last_past"], figures.get("score_against_opponent")
    lines = [f"round {figures['round']}: {figures['matches']:,} matches, {figures['decisions_per_second']:,.0f} "
             f"decisions/s ({figures['rollout_decisions_per_second']:,.0f} while playing), "
             + (f"{opponent:.0%} won against the opponent" if opponent is not None else
                "no past self yet" if past is None else f"{past:.0%} won against {figures['last_past']}"),
             f"updates: {figures['learned']:,} learned, {figures['vanished']:,} vanished, {figures['exploded']:,} "
             f"exploded; ledger: {figures['ledger_rows']:,} entries"]
    if figures["card_steps"]:
        lines.append(f"card: {figures['card_steps']} steps, loss {figures['card_loss_before']:.3f} → "
                     f"{figures['card_loss_after']:.3f}; gradient norm "
                     + _row(figures, f"{lab}/card/grad_norm", NETWORKS[1:], "{:.2f}"))
    if f"{lab}/ppo_steps" in figures:
        lines += [f"PPO: {figures[f'{lab}/ppo_steps']:.0f} steps, value loss {figures[f'{lab}/value_loss']:.3f}; "
                  "gradient norm " + _row(figures, f"{lab}/grad_norm", NETWORKS, "{:.2f}"),
                  "entropy: " + _row(figures, f"{lab}/entropy", FACTORS, "{:.2f}"),
                  "KL: " + _row(figures, f"{lab}/kl", FACTORS, "{:.4f}")]
    return lines


def _row(figures: dict[str, Any], prefix: str, names: Sequence[str], form: str) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {form.format(figures[f'{prefix}/{name}'])}"
                     for name in names if f"{prefix}/{name}" in figures) or "none"
