"""docs/observations.md is the code's table of fields, in words: names, order, places, version."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from game.engine import observe as o
from game.engine.records import HAND, TOKENS

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "observations.md").read_text(encoding="utf-8")


def table(heading: str) -> list[tuple[int, str]]:
    """(number, name) of each row of the table under a heading."""
    section = PAGE.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    return [(int(number), name) for number, name in re.findall(r"^\| (\d+) \| (\w+) \|", section, re.MULTILINE)]


@pytest.mark.parametrize(("heading", "fields"), [
    ("match", o.MATCH_FIELDS), ("tokens", o.TOKEN_FIELDS), ("hand", o.HAND_FIELDS)])
def test_tables_hold_the_fields_in_order(heading: str, fields: tuple[str, ...]) -> None:
    assert table(heading) == list(enumerate(fields))


def test_version_and_places() -> None:
    assert f"Version **{o.OBSERVATION_VERSION}**, **{o.OBSERVATION_SIZE}** fields" in PAGE
    assert f"| match | 0–{o.TOKENS_AT - 1} | `(…, {len(o.MATCH_FIELDS)})` |" in PAGE
    assert f"| tokens | {o.TOKENS_AT}–{o.HAND_AT - 1} | `(…, {TOKENS}, {len(o.TOKEN_FIELDS)})` |" in PAGE
    assert f"| hand | {o.HAND_AT}–{o.OBSERVATION_SIZE - 1} | `(…, {HAND}, {len(o.HAND_FIELDS)})` |" in PAGE
    assert f"index {o.TOKENS_AT} + {len(o.TOKEN_FIELDS)} · t + f" in PAGE
    assert f"index {o.HAND_AT} + {len(o.HAND_FIELDS)} · p" in PAGE
