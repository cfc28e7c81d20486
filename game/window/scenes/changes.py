"""What a network would do before and after a step, as rows for :class:`game.window.widgets.form.Bars`."""

from __future__ import annotations

from typing import Any

from game.engine import records as r
from game.window.widgets.base import Ui

Rows = list[tuple[str, float, float, str]]
MOST = 4


def change_rows(ui: Ui, was: dict[str, Any], now: dict[str, Any], names: list[str]) -> Rows:
    """The probability of each target before and after; what changed most comes first. ``names``: by token."""
    rows = [(names[token], before, after, _turned(ui, before, after, ".1%")) for token, (before, after) in enumerate(
        zip(was["probabilities"], now["probabilities"], strict=True)) if before > 0 or after > 0]
    return sorted(rows, key=lambda row: -abs(row[1] - row[2]))[:MOST]


def damage_rows(ui: Ui, was: dict[str, Any], now: dict[str, Any], names: list[str]) -> Rows:
    """The damage expected of each target before and after, for :class:`Bars`; what changed most comes first."""
    pairs = [(names[token], before, after) for token, (before, after, legal) in enumerate(zip(
        was["damage"], now["damage"], was["aims"], strict=True)) if legal]
    most = max((abs(value) for _, *both in pairs for value in both), default=0.0) or 1.0
    return [(name, abs(before) / most, abs(after) / most, _turned(ui, before, after, ".3f")) for name, before, after in
            sorted(pairs, key=lambda pair: -abs(pair[2] - pair[1]))[:MOST]]


def place_words(ui: Ui, token: int) -> str:
    """A token's name without a Model's."""
    if token in (0, r.ENEMY_LAB):
        return ui.say("place.own_lab" if token == 0 else "place.enemy_lab")
    key, slot = ("own", token) if token < r.ENEMY_LAB else ("enemy", token - r.ENEMY_LAB)
    return ui.say(f"place.{key}_slot", slot=slot)


def _turned(ui: Ui, before: float, after: float, form: str) -> str:
    return f"{ui.number(before, form)} → {ui.number(after, form)}"
