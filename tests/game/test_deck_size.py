"""The setting deck_size: small decks for teaching games, and files from before it was there."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from game.errors import CardError, GameError, ReplayError
from game.match import Match
from game.settings import Settings
from game.updates import ScriptedUpdates

SMALL = Settings(funding=3, first_hand=1, second_hand=2, deck_size=4, extra_card="")
DECK = {"adaline": 2, "backpropagation": 1, "momentum": 1}


def finished(seed: int) -> Match:
    match, chance = Match((DECK, DECK), seed, settings=SMALL, updates=ScriptedUpdates()), np.random.default_rng(seed)
    while match.outcome is None:
        match.play(int(chance.choice(match.legal_actions())))
    return match


def test_a_small_deck_is_dealt_and_runs_out() -> None:
    match = Match((DECK, DECK), 1, settings=SMALL)
    starter = match.player
    labs = match.states["labs"][0]
    assert labs["hand_size"].tolist() == [2 - (starter == 0), 2 - (starter == 1)]
    assert (labs["hand_size"] + labs["deck_size"]).tolist() == [4, 4]
    assert not labs["deck"][:, 4:].any()
    ended = finished(2)
    assert ended.outcome is not None
    assert ended.states["labs"]["fatigue"].sum() > 0


def test_a_deck_has_exactly_that_size() -> None:
    with pytest.raises(CardError, match="has 4 cards; a deck has exactly 30"):
        Match((DECK, DECK), 1)
    with pytest.raises(CardError, match="has 30 cards; a deck has exactly 4"):
        Match((DECK, "1986"), 1, settings=SMALL)


@pytest.mark.parametrize(("size", "words"), [
    (0, "from 1 to 30"), (31, "from 1 to 30"), (True, "from 1 to 30"), (3, "too few for opening hands of 3 and 4")])
def test_sizes_that_make_no_sense(size: int, words: str) -> None:
    with pytest.raises(GameError, match=f"setting deck_size: .*{words}"):
        Settings(deck_size=size)


def test_saved_and_loaded(tmp_path: Path) -> None:
    match = finished(3)
    match.save(tmp_path / "match.json")
    assert Match.load(tmp_path / "match.json").digest() == match.digest()


def test_files_from_before_the_setting_are_read(tmp_path: Path) -> None:
    path = tmp_path / "match.json"
    match = Match(("1986", "vision"), 4)
    match.play(match.legal_actions()[0])
    match.save(path)
    content = json.loads(path.read_text())
    del content["settings"]["deck_size"]
    path.write_text(json.dumps(content))
    assert Match.load(path).digest() == match.digest()
    del content["settings"]["racks"]
    path.write_text(json.dumps(content))
    with pytest.raises(ReplayError, match="settings are incomplete"):
        Match.load(path)
