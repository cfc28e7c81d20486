"""What the ids of the match's widgets stand for: "hand.0" … "hand.9", "own.1" … "own.6", "enemy.1" …, "lab.own"."""

from __future__ import annotations

from game.engine import records as r


def source_of(name: str) -> int | None:
    """The source that a widget's id stands for."""
    side, _, number = name.partition(".")
    if side == "hand":
        return int(number)
    return r.HAND + int(number) - 1 if side == "own" else None


def token_of(name: str) -> int | None:
    """The token that a widget's id stands for."""
    side, _, number = name.partition(".")
    if side == "lab":
        return 0 if number == "own" else r.ENEMY_LAB
    if side in ("own", "enemy"):
        return int(number) if side == "own" else r.ENEMY_LAB + int(number)
    return None


def widget_of(token: int) -> str:
    """The id of the widget at a token."""
    if token in (0, r.ENEMY_LAB):
        return "lab.own" if token == 0 else "lab.enemy"
    return f"own.{token}" if token < r.ENEMY_LAB else f"enemy.{token - r.ENEMY_LAB}"
