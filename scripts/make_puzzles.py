"""Makes the puzzles that ship, from matches of bots and proofs: assets/puzzles/puzzles.json.

    python scripts/make_puzzles.py

To be run again whenever cards or decks change: puzzles hold the matches that led to them, and a match is another one
with other cards. Takes a few minutes. Exits with 1 if a kind can't be filled within the matches allowed.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from game.cards import first_set
from game.puzzles.find import GROUNDS, Finder
from game.puzzles.puzzle import KINDS, shipped, write_puzzles


def main() -> int:
    """Look on every ground in turn until there is enough of each kind."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--each", type=int, default=10, metavar="N", help="puzzles of each kind (default: 10)")
    parser.add_argument("--matches", type=int, default=6000, metavar="N", help="at most so many (default: 6000)")
    parser.add_argument("--out", type=Path, default=shipped(), metavar="FILE")
    options = parser.parse_args()
    finder = Finder(first_set(), options.seed, options.each)
    while finder.matches < options.matches and any(map(finder.missing, GROUNDS)):
        for ground in GROUNDS:
            if finder.missing(ground):
                finder.play(ground)
        if finder.matches % 100 < len(GROUNDS):
            print(finder.matches, "matches:", finder.counts(), file=sys.stderr, flush=True)
    puzzles = [puzzle for kind in KINDS for puzzle in finder.found.get(kind, [])]
    options.out.parent.mkdir(parents=True, exist_ok=True)
    write_puzzles(options.out, puzzles)
    print(f"{options.out}: {len(puzzles)} puzzles from {finder.matches} matches: {finder.counts()}")
    return 1 if any(map(finder.missing, GROUNDS)) else 0


if __name__ == "__main__":
    sys.exit(main())
