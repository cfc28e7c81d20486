"""Decks: legal ones, every reason why one isn't, and the files they come from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from game.cards import CardSet, first_set
from game.decks import Deck, check_deck, load_deck, random_deck, shipped_decks
from game.errors import CardError, GameError
from game.match import Match
from game.settings import Settings
from tests.scenarios.testcards import filled

CARDS = first_set()
FINE = {card.id: 2 for card in CARDS.cards if card is not None and card.type == "technique"}
FINE = dict(list(FINE.items())[:15])


def toml(cards: dict[str, Any], head: str = "") -> str:
    """A deck file's text."""
    return head + "\n[cards]\n" + "\n".join(f"{card} = {copies}" for card, copies in cards.items())


def without(card: str) -> dict[str, int]:
    """The fine deck with two copies fewer."""
    return {name: copies for name, copies in FINE.items() if name != card}


LAST = list(FINE)[-1]
REST = without(LAST)


@pytest.mark.parametrize(("cards", "words"), [
    ({**FINE, "bert": 1}, "has 31 cards; a deck has exactly 30"),
    ({**REST, LAST: 1}, "has 29 cards; a deck has exactly 30"),
    ({}, "has 0 cards"),
    ({**REST, LAST: 3}, f"{LAST}: 3 copies; at most 2 are allowed"),
    ({**REST, "geoffrey-hinton": 2}, "geoffrey-hinton: 2 copies; at most 1 are allowed"),
    ({**REST, "generator": 2}, "generator: a token can't be in a deck"),
    ({**REST, "bret": 2}, "unknown card 'bret'; did you mean bert"),
    ({**REST, "bert": 0}, "needs a whole number of copies from 1, not 0"),
    ({**REST, "bert": -2}, "needs a whole number of copies from 1"),
    ({**REST, "bert": 2.0}, "needs a whole number of copies from 1"),
    ({**REST, "bert": True}, "needs a whole number of copies from 1"),
    ({**REST, "bert": "2"}, "needs a whole number of copies from 1")])
def test_illegal_decks(cards: dict[str, Any], words: str) -> None:
    with pytest.raises(CardError) as caught:
        load_deck(cards, CARDS)
    assert words in str(caught.value)
    with pytest.raises(GameError):
        Match((cards, "vision"), 1)


@pytest.mark.parametrize(("text", "words"), [
    (toml(REST | {LAST: 3}), "3 copies"),
    ("[cards]\nbert = \"two\"", "needs a whole number of copies"),
    ("id = 'x'", "field cards: a deck file has id, [cards] and texts"),
    ("cards = 3", "field cards: a deck file has"),
    (toml(FINE, "author = 'me'"), "field author: a deck file has"),
    (toml(FINE, "en = 'x'"), "field en: needs a table with name and text"),
    (toml(FINE, "en = { name = 3 }"), "field en: needs a table with name and text"),
    (toml(FINE, "id = \"two\\nlines\""), "field id: needs a text of one line"),
    (toml(FINE, "id = 3"), "field id: needs a text of one line"),
    (toml(FINE, "id = ''"), "field id: needs a text of one line"),
    (toml(FINE, f"id = '{'x' * 101}'"), "field id: needs a text of one line"),
    ("[cards", "not a TOML file")])
def test_bad_deck_files(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CardError) as caught:
        load_deck(path, CARDS)
    assert words in str(caught.value)
    assert "mine" in str(caught.value)
    assert str(caught.value).isprintable()


def test_a_deck_file_of_ones_own_is_played(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(toml(FINE, "[en]\nname = 'Mine'\ntext = 'All tricks.'"), encoding="utf-8")
    deck = load_deck(path, CARDS)
    assert (deck.id, deck.name(), deck.name("pt-BR"), deck.texts) == ("mine", "Mine", "Mine", {"en": "All tricks."})
    assert Match((str(path), deck), 1).decks == (deck, deck)


@pytest.mark.parametrize("name", ["1987", "vison", ""])
def test_an_unknown_deck_names_those_that_exist(name: str) -> None:
    with pytest.raises(CardError):
        load_deck(name, CARDS)
    if name:
        with pytest.raises(CardError, match="the shipped decks are 1986, attention, sequence, vision"):
            load_deck(name, CARDS)


def test_a_missing_deck_file() -> None:
    with pytest.raises(CardError, match="can't be read: No such file"):
        load_deck("nowhere.toml", CARDS)


@pytest.mark.parametrize("name", shipped_decks())
def test_shipped_decks_are_legal_and_have_names_in_both_languages(name: str) -> None:
    deck = load_deck(name, CARDS)
    assert len(deck.rows(CARDS)) == 30
    assert set(deck.names) == set(deck.texts) == {"en", "pt-BR"}


def test_the_order_of_a_deck_list_does_not_matter() -> None:
    deck = load_deck("1986", CARDS)
    turned = Deck("1986", dict(reversed(list(deck.cards.items()))))
    assert Match((deck, deck), 5).digest() == Match((turned, turned), 5).digest()


def test_random_decks_are_legal_and_use_every_card() -> None:
    chance = np.random.default_rng(1)
    decks = [random_deck(CARDS, chance) for _ in range(60)]
    assert all(check_deck(deck, CARDS) is deck for deck in decks)
    assert {card for deck in decks for card in deck.cards} == {
        card.id for card in CARDS.cards if card is not None and not card.token}
    small = CardSet([("x", filled({"id": "only"}))])
    with pytest.raises(CardError, match="this set has only 2 cards for a deck of 30"):
        random_deck(small, chance)


@pytest.mark.parametrize(("setting", "value"), [
    ("funding", 0), ("funding", 10_000), ("racks", -1), ("racks", 100), ("turn_limit", 0), ("action_limit", 0),
    ("first_hand", 11), ("second_hand", -1), ("funding", 1.0), ("funding", True), ("funding", "18"), ("racks", None)])
def test_settings_out_of_range(setting: str, value: Any) -> None:
    with pytest.raises(GameError, match=f"setting {setting}: needs a whole number"):
        Settings(**{setting: value})


def test_settings_are_what_a_match_is_played_with() -> None:
    match = Match(("1986", "vision"), 1, settings=Settings(funding=5, racks=2, first_hand=0, second_hand=10,
                                                           extra_card=""))
    assert [match.state.labs[player].hand_size for player in (match.player, 1 - match.player)] == [0, 10]
    assert match.legal_actions() == [224]
    match.play(224)
    match.play(224)
    assert [lab.funding for lab in match.state.labs] == [5, 5]
    assert match.state.labs[1 - match.player].hand_size == 10
    with pytest.raises(CardError, match="unknown card 'coin'"):
        Match(("1986", "vision"), 1, settings=Settings(extra_card="coin"))
    with pytest.raises(GameError, match=r"setting extra_card: needs a card's id, .* not None"):
        Settings(extra_card=None)  # type: ignore[arg-type]
