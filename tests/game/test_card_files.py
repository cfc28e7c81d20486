"""Card files: every check has its message, which names file, card and field."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from game.cards import CardSet, first_set, keyword_bits, keyword_names, load_cards, read_card_file
from game.engine import records as r
from game.errors import CardError
from tests.scenarios.testcards import filled

MODEL = {"id": "m", "type": "model", "family": "mlp", "attack": 1, "health": 1}
TECHNIQUE = {"id": "t", "type": "technique", "target": "own"}
RESEARCHER = {"id": "r", "type": "researcher"}
HIT = {"trigger": "play", "operation": "damage", "scope": "all", "amount": 1}
UPDATE = {"trigger": "play", "operation": "update", "scope": "chosen", "attack": 1, "health": 1}


def refused(*cards: dict[str, Any]) -> str:
    """The message with which a set of these cards is refused."""
    with pytest.raises(CardError) as caught:
        CardSet([("file.toml: card x", filled(card)) for card in cards])
    assert str(caught.value).isprintable()
    return str(caught.value)


@pytest.mark.parametrize(("card", "words"), [
    ({**MODEL, "type": "spell"}, "field type: 'spell' isn't one of model, technique, researcher"),
    ({**MODEL, "type": None}, "field type: None isn't one of"),
    ({**MODEL, "power": 3}, "field power: not a field of a model; its fields are attack, class"),
    ({**MODEL, "target": "own"}, "field target: not a field of a model"),
    ({**TECHNIQUE, "attack": 1}, "field attack: not a field of a technique"),
    ({**RESEARCHER, "keywords": []}, "field keywords: not a field of a researcher"),
    ({**MODEL, "id": "Großes M"}, "field id: needs lower-case letters, digits and hyphens"),
    ({**MODEL, "id": ""}, "field id: needs lower-case"),
    ({**MODEL, "id": 7}, "field id: needs lower-case"),
    ({**MODEL, "class": ""}, "field class: needs a text"),
    ({**MODEL, "cost": -1}, "field cost: needs a whole number from 0 to 99, not -1"),
    ({**MODEL, "cost": 100}, "field cost: needs a whole number"),
    ({**MODEL, "cost": 1.0}, "field cost: needs a whole number"),
    ({**MODEL, "cost": True}, "field cost: needs a whole number"),
    ({**MODEL, "cost": "1"}, "field cost: needs a whole number"),
    ({**MODEL, "year": 1500}, "field year: needs a whole number from 1600 to 2100"),
    ({**MODEL, "source": 3}, "field source: needs a text"),
    ({**MODEL, "family": "convnets"}, "field family: 'convnets' isn't one of perceptron"),
    ({**MODEL, "family": None}, "field family: None isn't one of"),
    ({**MODEL, "attack": -1}, "field attack: needs a whole number from 0 to 99"),
    ({**MODEL, "health": 0}, "field health: needs a whole number from 1 to 99"),
    ({**MODEL, "keywords": "guard"}, "field keywords: needs a list"),
    ({**MODEL, "keywords": ["shield"]}, "field keywords: 'shield' isn't one of guard"),
    ({**MODEL, "keywords": [["guard"]]}, "field keywords: ['guard'] isn't one of"),
    ({**MODEL, "token": 1}, "field token: needs true or false"),
    ({**TECHNIQUE, "target": "enemies"}, "field target: 'enemies' isn't one of none, own"),
    ({**TECHNIQUE, "target": "empty_slot"}, "field target: 'empty_slot' isn't one of"),
    ({**RESEARCHER, "discount": 1}, "field discount: needs { cards"),
    ({**RESEARCHER, "discount": {"cards": "update"}}, "field discount: needs { cards"),
    ({**RESEARCHER, "discount": {"cards": "spells", "amount": 1}}, "field discount: 'spells' isn't one of update"),
    ({**RESEARCHER, "discount": {"cards": "update", "amount": 0}}, "field discount: needs a whole number from 1"),
    ({**MODEL, "effects": {}}, "field effects: needs a list of tables"),
    ({**MODEL, "effects": ["x"]}, "field effects: needs a list of tables"),
    ({**MODEL, "effects": [HIT] * 4}, "field effects: a card has up to 3, not 4"),
    ({**TECHNIQUE, "effects": [UPDATE, HIT]}, "a gradient update must be the last effect of its card"),
    ({**MODEL, "en": None}, "field en: needs a table with name, text and flavour"),
    ({**MODEL, "pt-BR": {"name": "M"}}, "field pt-BR: needs a table with name, text and flavour"),
    ({**MODEL, "en": {"name": "", "text": "", "flavour": ""}}, "en: field name: needs a text"),
    ({**MODEL, "en": {"name": "M", "text": 3, "flavour": ""}}, "en: field text: needs a text")])
def test_what_is_wrong_with_a_card_is_said(card: dict[str, Any], words: str) -> None:
    message = refused(card)
    assert message.startswith("file.toml: card x")
    assert words in message


@pytest.mark.parametrize(("card", "change", "words"), [
    (MODEL, {"trigger": "attacks"}, "field trigger: 'attacks' isn't one of play"),
    (MODEL, {"trigger": "own_enter"}, "field trigger: a model has no own_enter trigger"),
    (TECHNIQUE, {"trigger": "death"}, "field trigger: a technique has no death trigger"),
    (RESEARCHER, {"trigger": "attack"}, "field trigger: a researcher has no attack trigger"),
    (MODEL, {"operation": "hurt"}, "field operation: 'hurt' isn't one of damage"),
    (MODEL, {"scope": "everyone"}, "field scope: 'everyone' isn't one of chosen"),
    (MODEL, {"amount": 0}, "field amount: needs a whole number from 1 to 99"),
    (MODEL, {"attack": 1}, "field attack: damage takes exactly amount, operation, scope, trigger"),
    (MODEL, {"operation": "destroy"}, "field amount: destroy takes exactly operation, scope, trigger"),
    (MODEL, {"operation": "buff"}, "field attack: needs a whole number from -99 to 99, not None"),
    (MODEL, {"operation": "keyword"}, "field keyword: None isn't one of guard"),
    (MODEL, {"operation": "summon", "scope": "own_lab", "card": "nobody"}, "there is no Model with the id 'nobody'"),
    (MODEL, {"operation": "summon", "scope": "own_lab"}, "field card: needs a text"),
    (MODEL, {"operation": "summon", "scope": "own_lab", "card": "m", "amount": 7}, "from 1 to 6, not 7"),
    (MODEL, {"operation": "draw"}, "field scope: draw works on a lab: own_lab or enemy_lab, not all"),
    (MODEL, {"scope": "own_lab", "operation": "rush"}, "field scope: rush works on Models, not on a lab"),
    (TECHNIQUE, {"scope": "self"}, "field scope: a technique isn't on the board, so it has no self"),
    (RESEARCHER, {"scope": "self"}, "field scope: a researcher isn't on the board"),
    (MODEL, {"scope": "chosen"}, "field scope: this card chooses no Model"),
    ({**TECHNIQUE, "target": "none"}, {"scope": "chosen"}, "field scope: this card chooses no Model"),
    ({**TECHNIQUE, "target": "none"}, {"scope": "neighbours"}, "without a chosen Model there are no neighbours")])
def test_what_is_wrong_with_an_effect_is_said(card: dict[str, Any], change: dict[str, Any], words: str) -> None:
    message = refused({**card, "effects": [HIT | change]})
    assert "effect 1" in message
    assert words in message


@pytest.mark.parametrize(("card", "change"), [
    (MODEL, {}), (RESEARCHER, {}), ({**TECHNIQUE, "target": "enemy"}, {}), ({**TECHNIQUE, "target": "any"}, {}),
    ({**TECHNIQUE, "target": "none"}, {}), (TECHNIQUE, {"scope": "own"})])
def test_only_techniques_ask_for_updates_of_a_chosen_own_model(card: dict[str, Any], change: dict[str, Any]) -> None:
    assert "only a Technique can ask for a gradient update, of its chosen own Model" in refused(
        {**card, "effects": [UPDATE | change]})


def test_ids_differ_and_a_set_is_not_empty() -> None:
    assert "another card already has this id" in refused(MODEL, MODEL)
    assert refused() == "a card set needs at least one card"


def test_a_technique_cannot_be_summoned() -> None:
    summon = {"trigger": "play", "operation": "summon", "scope": "own_lab", "card": "t"}
    assert "no Model with the id 't' to summon" in refused(TECHNIQUE, {**MODEL, "effects": [summon]})


@pytest.mark.parametrize(("content", "words"), [
    (b"[[card]", "not a TOML file"), (b"\xff\xfe", "not a TOML file"), (b"", "is a list of [[card]] tables"),
    (b"x = 1", "is a list of [[card]] tables"), (b"card = 3", "is a list of [[card]] tables"),
    (b"card = [1]", "is a list of [[card]] tables"), (b"[[card]]\ntype = 'model'", "card number 1: ")])
def test_damaged_card_files(tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "mine.toml").write_bytes(content)
    with pytest.raises(CardError) as caught:
        load_cards(tmp_path / "mine.toml")
    assert words in str(caught.value)
    assert "mine.toml" in str(caught.value)


def test_a_missing_card_file(tmp_path: Path) -> None:
    with pytest.raises(CardError, match="can't be read: No such file"):
        read_card_file(tmp_path / "none.toml")


@pytest.mark.parametrize(("name", "words"), [
    ("perceptrom", "did you mean perceptron"), ("lstn", "did you mean lstm"), ("zzzz", "`backprop cards` lists them")])
def test_an_unknown_card_is_answered_with_near_matches(name: str, words: str) -> None:
    with pytest.raises(CardError, match=words):
        first_set().row(name)


@pytest.mark.parametrize("row", [0, -1, 61, 10**9])
def test_rows_outside_the_set(row: int) -> None:
    with pytest.raises(CardError, match="this set has rows 1 to 60"):
        first_set()[row]


def test_the_hash_follows_the_rules_and_not_the_texts() -> None:
    def of(**change: Any) -> str:
        return CardSet([("x", filled({**MODEL, **change}))]).hash

    assert of() == of(year=1999, source="another", en={"name": "N", "text": "t", "flavour": "f"})
    assert len({of(), of(cost=2), of(attack=2), of(health=2), of(family="convnet"), of(keywords=["guard"]),
                of(token=True), of(id="n"), of(effects=[HIT])}) == 9


def test_the_table_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        first_set().table["cost"][1] = 9


def test_keywords_as_bits_and_back() -> None:
    for number, name in enumerate(r.KEYWORDS):
        assert keyword_bits([name, name]) == 1 << number
    assert keyword_names(keyword_bits(r.KEYWORDS)) == r.KEYWORDS
    assert keyword_bits([]) == 0


def test_names_fall_back_to_english() -> None:
    card = first_set().card("td-gammon")
    assert (card.name(), card.name("pt-BR"), card.name("xx")) == ("TD-Gammon", "TD-Gammon", "TD-Gammon")
    assert first_set().card("deep-belief-net").name("pt-BR") == "Rede de Crenças Profunda"
