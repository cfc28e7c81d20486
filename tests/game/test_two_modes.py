"""Compiled and interpreted rules are the same rules: digest for digest at every turn."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from game.engine import compiled
from tests.game.modes import digests

FIRST = 500


def interpreted(first: int, count: int) -> dict[str, list[str]]:
    """Digests of matches in a process with interpreted rules, which must not print a word of warning."""
    run = subprocess.run([sys.executable, "-W", "error", "-m", "tests.game.modes", str(first), str(count)],
                         env={**os.environ, "BACKPROP_INTERPRETED": "1", "PYTHONPATH": os.pathsep.join(sys.path)},
                         capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert run.stderr == ""
    told = json.loads(run.stdout)
    assert told["mode"] == "interpreted"
    matches: dict[str, list[str]] = told["matches"]
    return matches


def compare(first: int, count: int) -> None:
    """Compiled and interpreted digests of these matches are equal."""
    if not compiled.ENABLED:
        pytest.skip("numba is absent or switched off, so there is only one mode to look at")
    others = interpreted(first, count)
    assert len(others) == count
    for seed, lines in others.items():
        assert lines == digests(int(seed)), f"match {seed}"


def test_two_matches_in_both_modes() -> None:
    compare(FIRST, 2)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(20))
def test_two_hundred_matches_in_both_modes(block: int) -> None:
    compare(FIRST + 10 * block, 10)
