"""docs/adding-a-card.md: its example loads and plays, its messages are the ones that the checks give."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from game.bots.protocol import Decisions, decision_words
from game.bots.random import Random
from game.cards import first_set, load_cards
from game.decks import load_deck, shipped_decks
from game.engine.observe import view
from game.errors import CardError
from game.events import Event
from game.match import Match
from game.replay import Replay
from game.updates import ScriptedUpdates

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "tests" / "data" / "drop-in.toml"
PAGE = (ROOT / "docs" / "adding-a-card.md").read_text(encoding="utf-8")
CHANGES = re.findall(r"^\| `(.+?)` → (?:`(.+?)`|left out) \| (drop-in\.toml: .+) \|$", PAGE, re.MULTILINE)
DROPPED = {"echo-state-network": 2, "curriculum-learning": 2, "kunihiko-fukushima": 1}


def test_the_page_shows_the_file() -> None:
    (shown,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    assert shown == FILE.read_text(encoding="utf-8")


def test_the_page_has_messages() -> None:
    assert len(CHANGES) == 19


@pytest.mark.parametrize(("old", "new", "message"), CHANGES, ids=[change[0] for change in CHANGES])
def test_messages(tmp_path: Path, old: str, new: str, message: str) -> None:
    text, old = FILE.read_text(encoding="utf-8"), old.replace(" ⏎ ", "\n")
    assert text.count(old) == 1
    changed = tmp_path / "drop-in.toml"
    changed.write_text(text.replace(old, new.replace(" ⏎ ", "\n")), encoding="utf-8")
    with pytest.raises(CardError) as caught:
        load_cards(changed)
    assert str(caught.value) == message


def test_the_first_set_stays_as_it_is() -> None:
    cards, first = load_cards(FILE), first_set()
    assert len(cards) == len(first) + 4
    assert cards.hash != first.hash
    assert cards.table[:len(first) + 1].tobytes() == first.table.tobytes()
    assert cards.card("kunihiko-fukushima").row == len(first) + 4


def play(seed: int) -> tuple[Match, list[Event]]:
    """A match of two decks with the new cards, played at random."""
    cards = load_cards(FILE)
    deck: Counter[str] = Counter(load_deck(shipped_decks()[seed % 4], cards).cards)
    for card_id in list(deck.elements())[:sum(DROPPED.values())]:
        deck[card_id] -= 1
    deck.update(DROPPED)
    mine = {card_id: copies for card_id, copies in deck.items() if copies}
    match, events, bot = Match((mine, mine), seed, cards, ScriptedUpdates()), [], Random()
    while match.outcome is None:
        words = np.zeros(1, np.uint64)
        decision_words(np.array([seed], np.uint64), np.array([match.player], np.int32),
                       np.array([match.state.ply], np.int32), words)
        decisions = Decisions(cards, match.observe(match.player)[None], match.mask()[None], words,
                              np.zeros(1, np.int64), np.array([match.player]), match.states)
        events += match.play(int(bot.choose(decisions)[0]))
    return match, events


def test_the_example_is_played() -> None:
    seen: Counter[tuple[str, str]] = Counter()
    for seed in range(12):
        match, events = play(seed)
        seen.update((event.kind, match.cards[event.card].id) for event in events if event.card)
        for event in events:  # the token never leaves the board for a hand
            assert event.kind not in ("draw", "recall") or match.cards[event.card].id != "reservoir"
    for card_id in DROPPED:
        assert seen["play", card_id], card_id
    assert seen["trigger", "echo-state-network"]
    assert seen["trigger", "kunihiko-fukushima"]
    assert seen["enter", "reservoir"] == seen["death", "echo-state-network"] - seen["no_room", "reservoir"] > 0


def test_a_match_with_it_is_a_replay_of_that_set_alone() -> None:
    match, _ = play(3)
    replay = Replay.from_json(Replay.of(match).to_json())
    assert replay.verify(load_cards(FILE)).digest() == match.digest()
    with pytest.raises(ValueError, match="card set"):
        replay.verify()


def test_the_discount_is_for_models_of_every_family() -> None:
    cards = load_cards(FILE)
    match = Match(("1986", "attention"), 5, cards)
    before = view(match.observe(0)).hand
    match.states[0].labs[0].researcher = cards.row("kunihiko-fukushima")
    after = view(match.observe(0)).hand
    kinds = {cards[card].type for card, _ in before.tolist() if card}
    assert "model" in kinds
    for (card, old), (_, new) in zip(before.tolist(), after.tolist(), strict=True):
        assert new == old - (card > 0 and cards[card].type == "model")
