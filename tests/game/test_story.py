"""A player's own account of a match gives nothing away that was hidden from it."""

from __future__ import annotations

import json

import pytest

from game.cards import first_set
from game.errors import GameError
from game.match import Match
from game.replay import Replay
from game.story import story
from game.updates import ScriptedUpdates
from scripts.fuzz import play_randomly

DECK = {"perceptron": 2, "adaline": 2, "logistic-regression": 2, "mlp-1986": 2, "autoencoder": 2, "hopfield-network": 2,
        "td-gammon": 2, "dqn": 2, "gan": 2, "neocognitron": 2, "lenet-5": 2, "gru": 2, "lstm": 2, "bert": 2, "gpt": 2}


def told(match: Match, viewer: int) -> str:
    return json.dumps(story(Replay.of(match), viewer))


def swapped(deck: dict[str, int], out: str) -> dict[str, int]:
    """The deck with one copy of a card replaced by the card of the next row, which keeps the order of all others."""
    cards = first_set()
    other = cards[cards.row(out) + 1].id
    assert other not in deck
    return {**deck, out: deck[out] - 1, other: 1}


@pytest.mark.parametrize("viewer", [0, 1])
def test_an_unseen_card_of_the_other_deck_is_nowhere_in_the_story(viewer: int) -> None:
    """The same match with another card in the other deck: while that card stays hidden, the stories are equal."""
    compared = 0
    for seed in range(12):
        decks = [dict(DECK), dict(DECK)]
        twin_decks = [dict(DECK), dict(DECK)]
        twin_decks[1 - viewer] = swapped(DECK, "lstm")
        match, twin = (Match(pair, seed, updates=ScriptedUpdates()) for pair in (decks, twin_decks))
        for _ in range(6):  # both keep their hands and end their turns: no card of the other side is revealed
            action = match.legal_actions()[-1]
            match.play(action)
            twin.play(action)
        assert told(match, viewer) == told(twin, viewer)
        compared += match.digest() != twin.digest() and told(match, 1 - viewer) != told(twin, 1 - viewer)
    assert compared, "the two matches never differed, so nothing was tested"


@pytest.mark.parametrize("seed", [3, 4])
def test_a_story_names_no_card_that_the_viewer_was_not_shown(seed: int) -> None:
    *_, (match, _) = play_randomly(seed)
    for viewer in (0, 1):
        account = story(Replay.of(match), viewer)
        assert "seed" not in account
        for step in account["told"]:
            assert step["action"] is None or step["player"] == viewer
            for kind, player, _, card, *_ in step["events"]:
                if kind in ("draw", "mulligan") and player != viewer:
                    assert card == ""
        assert account["result"] == Replay.of(match).result


def test_a_viewer_is_a_player() -> None:
    match = Match(("1986", "vision"), 1)
    with pytest.raises(GameError, match="0 or 1"):
        story(Replay.of(match), 2)


def test_rulings_link_to_scenarios_that_exist() -> None:
    from pathlib import Path

    root = Path(__file__).parents[2]
    page = (root / "docs" / "rules.md").read_text(encoding="utf-8")
    scenarios = (root / "tests" / "scenarios" / "test_rulings.py").read_text(encoding="utf-8")
    for letter in "abcdefghi":
        assert f"[`test_{letter}_…`](../tests/scenarios/test_rulings.py)" in page
        assert f"def test_{letter}_" in scenarios
