"""Golden digests: what a handful of matches must come to until the rules change on purpose.

    python -m tests.game.golden        # remakes tests/data/golden.json; raise RULES_VERSION when it changes
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from game.cards import first_set
from game.engine.chance import seeds_from
from game.match import RULES_VERSION, Match
from game.replay import result_of
from game.updates import OUTCOMES, ScriptedUpdates

FILE = Path(__file__).parent.parent / "data" / "golden.json"
PAIRS = (("1986", "vision"), ("vision", "sequence"), ("sequence", "attention"), ("attention", "1986"),
         ("1986", "1986"), ("attention", "vision"))


def played(decks: tuple[str, str], seed: int) -> dict[str, Any]:
    """A match by random legal actions, the choice coming from SplitMix64 alone so that no library can change it."""
    words = seeds_from(seed, 4000)
    match = Match(decks, seed, updates=ScriptedUpdates(*OUTCOMES))
    digests = [match.digest()]
    turn = match.turn
    for word in words:
        if match.outcome is not None:
            break
        legal = match.legal_actions()
        match.play(legal[int((int(word) >> 32) * len(legal) >> 32)])
        if match.turn != turn:
            turn = match.turn
            digests.append(match.digest())
    return {"decks": list(decks), "seed": seed, "digests": [*digests, match.digest()], "result": result_of(match)}


def made() -> dict[str, Any]:
    """What the file should say."""
    return {"rules": RULES_VERSION, "cards": first_set().hash,
            "matches": [played(decks, seed) for seed, decks in enumerate(PAIRS, start=1986)]}


if __name__ == "__main__":
    FILE.write_text(json.dumps(made(), indent=1) + "\n", encoding="utf-8")
    print(f"{FILE}: {len(PAIRS)} matches")
