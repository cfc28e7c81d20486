"""Corners of the rules that were wrong once, each on a board that is set up by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from game.actions import END, encode
from game.cards import CardSet, load_cards
from game.engine.units import enter
from game.errors import ReplayError
from game.match import Match
from game.replay import Replay
from game.updates import Verdict

CARD = """
[[card]]
id = "{id}"
type = "{type}"
class = "Test"
cost = 0
{fields}
effects = [
{effects}
]
year = 2000
source = "a test"
en = {{ name = "{id}", text = "", flavour = "" }}
pt-BR = {{ name = "{id}", text = "", flavour = "" }}
"""
MODEL = 'family = "mlp"\nattack = 1\nhealth = 3'


def card(card_id: str, kind: str, fields: str, *effects: str) -> str:
    """A test card's TOML; each effect is the inside of an inline table."""
    return CARD.format(id=card_id, type=kind, fields=fields, effects="\n".join(f"  {{ {e} }}," for e in effects))


def set_of(folder: Path, *cards: str) -> CardSet:
    """The first set and the given cards."""
    path = folder / "test.toml"
    path.write_text("\n".join(cards), encoding="utf-8")
    return load_cards(path)


def board(cards: CardSet, *own: str, hand: tuple[str, ...] = (), researcher: str = "") -> tuple[Match, Any]:
    """A match in its first turn: the acting player's Models in slots 1, 2, …, its hand, compute enough."""
    match = Match(("1986", "vision"), 1, cards)
    match.play(END)
    match.play(END)
    match._log[0, 0] = 0
    lab = match.states[0].labs[match.player]
    for slot, name in enumerate(own):
        enter(match.states[0], cards.table, match._work[0], match._log, match.player, slot, cards.row(name))
    for place, name in enumerate(hand):
        lab.hand[place] = cards.row(name)
    lab.hand_size = max(int(lab.hand_size), len(hand))
    lab.compute = 50
    lab.researcher = cards.row(researcher) if researcher else 0
    return match, lab


def test_other_own_means_other_models_not_other_slots(tmp_path: Path) -> None:
    cards = set_of(
        tmp_path,
        card("passer", "model", MODEL,
             'trigger = "death", operation = "buff", scope = "other_own", attack = 1, health = 1'),
        card("summoner", "model", MODEL,
             'trigger = "death", operation = "summon", scope = "own_lab", card = "generator", amount = 2'))
    match, lab = board(cards, "summoner", "passer", hand=("ai-winter",))
    match.play(encode(0))
    found = [(cards[unit.card].id, int(unit.attack), int(unit.health)) for unit in lab.units if unit.card]
    assert found == [("generator", 4, 3), ("generator", 4, 3)]  # the second stands where the passer stood


def test_an_endless_loop_before_an_update_asks_for_none(tmp_path: Path) -> None:
    cards = set_of(
        tmp_path,
        card("looper", "researcher", "", 'trigger = "own_enter", operation = "recall", scope = "chosen"',
             'trigger = "own_enter", operation = "summon", scope = "own_lab", card = "generator", amount = 1'),
        card("sum-up", "technique", 'target = "own"',
             'trigger = "play", operation = "summon", scope = "own_lab", card = "generator", amount = 1',
             'trigger = "play", operation = "update", scope = "chosen", attack = 1, health = 1'))
    match, _ = board(cards, "mlp-1986", hand=("sum-up",), researcher="looper")
    match.play(encode(0, 1))
    assert match.outcome == (None, "endless loop")
    assert match._work[0].waves == 0 == match._work[0].last


def test_a_concession_leaves_no_update_awaited() -> None:
    match, _ = board(load_cards(), "mlp-1986", hand=("fine-tuning",))
    match.play(encode(0, 1))
    assert match.phase == "awaiting_update"
    match.concede(match.player)
    state = match.states[0]
    assert match.outcome == (1 - match.player, "concede")
    assert [int(state[name]) for name in state.dtype.names if name.startswith("update_")] == [0] * 5
    with pytest.raises(ValueError, match="no gradient update is awaited"):
        match.give(Verdict("learned"))


def test_a_concession_in_the_mulligan_ends_the_exchange() -> None:
    match = Match(("1986", "vision"), 1)
    match.concede(match.player)
    assert match.phase == "over"
    assert match.states[0].mulligan == 0


def test_a_replays_first_digest_is_compared() -> None:
    match = Match(("1986", "vision"), 1)
    match.play(END)
    replay = Replay.of(match)
    replay.verify()
    with pytest.raises(ReplayError, match="step 0"):
        replace(replay, digests=("0" * 16, *replay.digests[1:])).verify()


def test_a_loop_that_fills_the_queue_removes_nobody(tmp_path: Path) -> None:
    cards = set_of(
        tmp_path,
        card("looper", "researcher", "", 'trigger = "own_enter", operation = "recall", scope = "chosen"',
             'trigger = "own_enter", operation = "summon", scope = "own_lab", card = "generator", amount = 1'),
        card("spark", "technique", "", 'trigger = "play", operation = "damage", scope = "own", amount = 9',
             'trigger = "play", operation = "summon", scope = "own_lab", card = "generator", amount = 1'))
    match, lab = board(cards, "mlp-1986", hand=("spark",), researcher="looper")
    events = match.play(encode(0))
    assert match.outcome == (None, "endless loop")
    assert (int(lab.units[0].health), "death" in {event.kind for event in events}) == (0, False)
    assert sum(event.kind == "enter" for event in events) == 65  # the 65th finds the queue full
