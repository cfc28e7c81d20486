"""The report on an update, turned so that the person's side is below, whoever learned."""

from __future__ import annotations

from typing import Any

from game.engine import records as r

BY_TOKEN = ("probabilities", "aims", "damage", "logits")


def seen_by_person(report: dict[str, Any], own: bool) -> dict[str, Any]:
    """The service's report with ``own`` and ``token``, the Model's place; an enemy's tokens change sides."""
    found = {**report, "own": own, "token": report["slot"] + 1}
    if own:
        return found
    found["token"] += r.ENEMY_LAB
    found["tokens"] = _turned(report["tokens"])
    if report["target"] >= 0:
        found["target"] = (report["target"] + r.ENEMY_LAB) % r.TOKENS
    for when in ("before", "after"):
        found[when] = {key: _turned(value) if key in BY_TOKEN else value for key, value in report[when].items()}
    return found


def _turned(by_token: list[Any]) -> list[Any]:
    return by_token[r.ENEMY_LAB:] + by_token[:r.ENEMY_LAB]
