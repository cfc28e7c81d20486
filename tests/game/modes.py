"""Plays matches and prints a digest for each turn, to compare two modes or two versions of the rules.

    python -m tests.game.modes FIRST COUNT
"""

from __future__ import annotations

import json
import sys

from game.engine import compiled
from tests.game.matches import plies


def digests(seed: int) -> list[str]:
    """One random match: the digest at each turn's beginning and at the end, and how it ended."""
    lines: list[str] = []
    turn = -1
    for match in plies(seed):
        if match.turn != turn:
            turn = match.turn
            lines.append(match.digest())
    return [*lines, match.digest(), str(match.outcome)]


def main() -> None:
    """Digests as JSON: mode, and by seed."""
    first, count = map(int, sys.argv[1:])
    print(json.dumps({"mode": "compiled" if compiled.ENABLED else "interpreted",
                      "matches": {seed: digests(seed) for seed in range(first, first + count)}}))


if __name__ == "__main__":
    main()
