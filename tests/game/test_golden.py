"""The golden matches come to what they came to; see golden.py for how to remake them."""

from __future__ import annotations

import json

import pytest

from game.cards import first_set
from game.match import RULES_VERSION
from tests.game.golden import FILE, PAIRS, played

GOLDEN = json.loads(FILE.read_text(encoding="utf-8"))


def test_the_golden_matches_are_of_this_version() -> None:
    """If only cards were tuned, remake the file; if the rules changed, raise RULES_VERSION, too."""
    assert (GOLDEN["rules"], GOLDEN["cards"]) == (RULES_VERSION, first_set().hash)
    assert len(GOLDEN["matches"]) == len(PAIRS)


@pytest.mark.parametrize("golden", GOLDEN["matches"], ids=lambda golden: f"{golden['decks']} {golden['seed']}")
def test_golden_match(golden: dict[str, object]) -> None:
    again = played(tuple(golden["decks"]), golden["seed"])  # type: ignore[arg-type]
    assert again == golden
