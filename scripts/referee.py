"""Compares the game with the referee of tests/referee, a second implementation written from docs/rules.md alone.

    python scripts/referee.py --matches 20000 --seed 1 --workers 2
    python scripts/referee.py --seed 1 --only 4711          # one match again

Exit code 1 and everything that is needed to play the match again at the first difference.
"""

import argparse
import multiprocessing
import sys
import time
from collections import Counter
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.referee.compare import Difference, Played, compare

EVERY = 10.0  # seconds between two lines of progress


def attempt(seed: int, number: int) -> Played | str:
    try:
        return compare(seed, number)
    except Difference as difference:
        return str(difference)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--matches", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first match")
    parser.add_argument("--only", type=int, help="compare this match and no other")
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    numbers = range(options.first, options.first + options.matches)
    if options.only is not None:
        numbers, options.workers = range(options.only, options.only + 1), 1
    if options.workers == 1:
        return report(map(partial(attempt, options.seed), numbers), len(numbers))
    with multiprocessing.get_context("spawn").Pool(options.workers) as pool:
        return report(pool.imap(partial(attempt, options.seed), numbers, chunksize=20), len(numbers))


def report(results, total: int) -> int:
    started = shown = time.monotonic()
    steps, counts = 0, Counter()
    for number, result in enumerate(results, start=1):
        if isinstance(result, str):
            print(result)
            return 1
        steps += result.actions
        counts[result.kind] += 1
        counts[f"ended by {result.reason}"] += 1
        counts["updates"] += result.updates
        now = time.monotonic()
        if now - shown >= EVERY or number == total:
            shown = now
            print(f"{number} of {total} matches agree, {steps} steps, {now - started:.0f} s", flush=True)
    print(", ".join(f"{name}: {count}" for name, count in sorted(counts.items())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
