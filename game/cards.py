"""Card files in TOML become a checked :class:`CardSet`: one record array for the rules, and the texts.

A card made of known operations touches no code. Everything in a file is checked, and an error
names the file, the card and the field.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from game.assets import assets
from game.engine import records as r
from game.errors import CardError
from game.fields import LANGUAGES, choice, read_tables, text, whole

_AMOUNT_OPERATIONS = {"damage", "heal", "rush", "draw", "discard", "compute", "rack"}
_PAIR_OPERATIONS = {"buff", "update"}
_LAB_OPERATIONS = {"damage", "heal", "draw", "discard", "compute", "rack", "summon"}
_UNIT_OPERATIONS = {"damage", "heal", "buff", "rush", "keyword", "ablate", "destroy", "recall", "tap"}
_LAB_SCOPES = {"own_lab", "enemy_lab"}
_MODEL_TRIGGERS = {"play", "death", "turn_start", "turn_end", "attack", "update"}
_TRIGGERS_OF = {"model": _MODEL_TRIGGERS, "technique": {"play"}, "researcher": {"play", "own_enter", "own_update"}}
_FIELDS = {
    "model": {"id", "type", "class", "family", "cost", "attack", "health", "keywords", "token", "effects", "year",
              "source", *LANGUAGES},
    "technique": {"id", "type", "class", "cost", "target", "effects", "year", "source", *LANGUAGES},
    "researcher": {"id", "type", "class", "family", "cost", "discount", "effects", "year", "source", *LANGUAGES},
}


@dataclass(frozen=True)
class CardText:
    """A card in words, in one language."""

    name: str
    text: str
    flavour: str


@dataclass(frozen=True)
class CardInfo:
    """A card as people see it; the rules read the row of the same number in :attr:`CardSet.table`."""

    row: int
    id: str
    type: str
    card_class: str
    family: str
    cost: int
    attack: int
    health: int
    keywords: tuple[str, ...]
    token: bool
    target: str
    discount: tuple[str, int]
    effects: tuple[dict[str, Any], ...]
    year: int
    source: str
    texts: dict[str, CardText] = field(repr=False)

    def name(self, language: str = "en") -> str:
        """The card's name in a language, English where it has no other."""
        return self.texts.get(language, self.texts["en"]).name


class CardSet:
    """All cards that a match can meet.

    Attributes: ``cards`` (row → :class:`CardInfo`, None at row 0), ``table`` (record array,
    read-only, ``(n + 1,)``), ``hash`` (of what the rules read; texts may be mended freely).
    """

    def __init__(self, raw: Iterable[tuple[str, dict[str, Any]]]) -> None:
        checked = [_check(where, card) for where, card in raw]
        rows: dict[str, int] = {}
        for number, card in enumerate(checked, start=1):
            if card["id"] in rows:
                raise CardError(f"{card['where']}: field id: another card already has this id; ids must differ")
            rows[card["id"]] = number
        if not checked:
            raise CardError("a card set needs at least one card")
        self.table: Any = np.zeros(len(checked) + 1, r.Card.dtype)
        self.cards: list[CardInfo | None] = [None]
        for number, card in enumerate(checked, start=1):
            _fill(self.table[number], card, rows, checked)
            self.cards.append(_info(number, card))
        self.table.flags.writeable = False
        self._rows = rows
        rules = [{key: card[key] for key in sorted(card) if key not in ("where", "year", "source", "class", *LANGUAGES)}
                 for card in checked]
        self.hash = hashlib.sha256(json.dumps(rules, sort_keys=True).encode()).hexdigest()[:16]

    def __len__(self) -> int:
        return len(self.cards) - 1

    def __getitem__(self, row: int) -> CardInfo:
        card = self.cards[row] if 0 < row < len(self.cards) else None
        if card is None:
            raise CardError(f"there is no card with row {row}; this set has rows 1 to {len(self)}")
        return card

    def row(self, card_id: str) -> int:
        """The row of a card's id; CardError (with near matches) if there is none."""
        if card_id not in self._rows:
            import difflib

            near = difflib.get_close_matches(str(card_id), self._rows, n=3)
            hint = f"; did you mean {' or '.join(near)}?" if near else "; `backprop cards` lists them"
            raise CardError(f"unknown card {card_id!r}{hint}")
        return self._rows[card_id]

    def card(self, card_id: str) -> CardInfo:
        """The card with an id."""
        return self[self.row(card_id)]


def load_cards(*extra: Path | str) -> CardSet:
    """The first set, followed by the cards of further TOML files (drop-in cards)."""
    files = [*sorted((assets() / "cards").glob("*.toml")), *map(Path, extra)]
    return CardSet(item for file in files for item in read_card_file(file))


@functools.cache
def first_set() -> CardSet:
    """The set that ships, read once."""
    return load_cards()


def read_card_file(path: Path) -> list[tuple[str, dict[str, Any]]]:
    """The raw ``[[card]]`` tables of a file with where each one stands; CardError if it can't be read."""
    cards = read_tables(path, "card", "card file")
    return [(f"{path.name}: card {card.get('id', f'number {number}')}", card)
            for number, card in enumerate(cards, start=1)]


# ---- checks --------------------------------------------------------------------------------------


def _check(where: str, card: dict[str, Any]) -> dict[str, Any]:
    """A raw card with every field checked and defaults filled in."""
    kind = choice(where, "type", card.get("type"), r.TYPES)
    unknown = set(card) - _FIELDS[kind]
    if unknown:
        raise CardError(f"{where}: field {min(unknown)}: not a field of a {kind}; "
                        f"its fields are {', '.join(sorted(_FIELDS[kind]))}")
    identifier = card.get("id")
    if not isinstance(identifier, str) or not identifier or not set(identifier) <= set(
            "abcdefghijklmnopqrstuvwxyz0123456789-"):
        raise CardError(f"{where}: field id: needs lower-case letters, digits and hyphens, not {identifier!r}")
    out: dict[str, Any] = {"where": where, "id": identifier, "type": kind}
    out["class"] = text(where, "class", card.get("class"))
    out["cost"] = whole(where, "cost", card.get("cost"), 0, 99)
    out["year"] = whole(where, "year", card.get("year"), 1600, 2100)
    out["source"] = text(where, "source", card.get("source"))
    out["family"] = "" if kind != "model" and "family" not in card else choice(
        where, "family", card.get("family"), r.FAMILIES[1:])
    out["attack"] = out["health"] = 0
    if kind == "model":
        out["attack"] = whole(where, "attack", card.get("attack"), 0, 99)
        out["health"] = whole(where, "health", card.get("health"), 1, 99)
    keywords = card.get("keywords", [])
    if not isinstance(keywords, list):
        raise CardError(f"{where}: field keywords: needs a list, not {keywords!r}")
    out["keywords"] = sorted({choice(where, "keywords", word, r.KEYWORDS) for word in keywords})
    out["token"] = card.get("token", False)
    if not isinstance(out["token"], bool):
        raise CardError(f"{where}: field token: needs true or false, not {out['token']!r}")
    out["target"] = "empty_slot" if kind == "model" else choice(
        where, "target", card.get("target", "none"), r.TARGETS[:-1])
    out["discount"] = _check_discount(where, card.get("discount"))
    effects = card.get("effects", [])
    if not isinstance(effects, list) or not all(isinstance(effect, dict) for effect in effects):
        raise CardError(f"{where}: field effects: needs a list of tables")
    if len(effects) > r.EFFECTS:
        raise CardError(f"{where}: field effects: a card has up to {r.EFFECTS}, not {len(effects)}")
    out["effects"] = [_check_effect(f"{where}: effect {n}", out, effect) for n, effect in enumerate(effects, start=1)]
    for number, effect in enumerate(out["effects"][:-1], start=1):
        if effect["operation"] == "update":
            raise CardError(f"{where}: effect {number}: field operation: a gradient update must be the last effect "
                            "of its card")
    for language in LANGUAGES:
        texts = card.get(language)
        if not isinstance(texts, dict) or set(texts) != {"name", "text", "flavour"}:
            raise CardError(f"{where}: field {language}: needs a table with name, text and flavour")
        out[language] = {key: text(f"{where}: {language}", key, texts[key], empty=key != "name") for key in texts}
    return out


def _check_discount(where: str, discount: Any) -> tuple[str, int]:
    if discount is None:
        return ("", 0)
    if not isinstance(discount, dict) or set(discount) != {"cards", "amount"}:
        raise CardError(f"{where}: field discount: needs {{ cards = \"…\", amount = … }}")
    return (choice(where, "discount", discount["cards"], r.DISCOUNTS[1:]),
            whole(where, "discount", discount["amount"], 1, 99))


def _check_effect(where: str, card: dict[str, Any], effect: dict[str, Any]) -> dict[str, Any]:
    trigger = choice(where, "trigger", effect.get("trigger"), r.TRIGGERS[1:])
    operation = choice(where, "operation", effect.get("operation"), r.OPERATIONS[1:])
    scope = choice(where, "scope", effect.get("scope"), r.SCOPES[1:])
    if trigger not in _TRIGGERS_OF[card["type"]]:
        raise CardError(f"{where}: field trigger: a {card['type']} has no {trigger} trigger")
    wants = {"trigger", "operation", "scope"}
    out = {"trigger": trigger, "operation": operation, "scope": scope, "a": 0, "b": 0, "keyword": "", "card": ""}
    if operation in _AMOUNT_OPERATIONS:
        wants |= {"amount"}
        out["a"] = whole(where, "amount", effect.get("amount"), 1, 99)
    elif operation in _PAIR_OPERATIONS:
        wants |= {"attack", "health"}
        out["a"] = whole(where, "attack", effect.get("attack"), -99 if operation == "buff" else 0, 99)
        out["b"] = whole(where, "health", effect.get("health"), 0, 99)
    elif operation == "keyword":
        wants |= {"keyword"}
        out["keyword"] = choice(where, "keyword", effect.get("keyword"), r.KEYWORDS)
    elif operation == "summon":
        wants |= {"card", "amount"}
        out["card"] = text(where, "card", effect.get("card"))
        out["a"] = whole(where, "amount", effect.get("amount", 1), 1, r.SLOTS)
        effect = {"amount": 1, **effect}
    if set(effect) != wants:
        wrong = min(set(effect) ^ wants)
        raise CardError(f"{where}: field {wrong}: {operation} takes exactly {', '.join(sorted(wants))}")
    if operation == "update":
        owns = card["target"] in ("own", "own_hurt", "own_unhurt")
        if card["type"] != "technique" or scope != "chosen" or not owns:
            raise CardError(f"{where}: field operation: only a Technique can ask for a gradient update, of its chosen "
                            "own Model")
    elif scope in _LAB_SCOPES:
        if operation not in _LAB_OPERATIONS:
            raise CardError(f"{where}: field scope: {operation} works on Models, not on a lab")
    elif operation not in _UNIT_OPERATIONS:
        raise CardError(f"{where}: field scope: {operation} works on a lab: own_lab or enemy_lab, not {scope}")
    if scope == "self" and card["type"] != "model":
        raise CardError(f"{where}: field scope: a {card['type']} isn't on the board, so it has no self")
    chosen_exists = card["target"] not in ("none", "empty_slot") or trigger in ("own_enter", "own_update")
    if scope == "chosen" and not chosen_exists:
        raise CardError(f"{where}: field scope: this card chooses no Model")
    if scope == "neighbours" and card["type"] != "model" and not chosen_exists:
        raise CardError(f"{where}: field scope: without a chosen Model there are no neighbours")
    return out


# ---- from checked fields to the table ----------------------------------------------------------------


def _fill(row: Any, card: dict[str, Any], rows: dict[str, int], checked: list[dict[str, Any]]) -> None:
    row.type = r.TYPES.index(card["type"])
    row.family = r.FAMILIES.index(card["family"])
    row.cost, row.attack, row.health = card["cost"], card["attack"], card["health"]
    row.keywords = keyword_bits(card["keywords"])
    row.token = int(card["token"])
    row.target = r.TARGETS.index(card["target"])
    row.updates = int(any(effect["operation"] == "update" for effect in card["effects"]))
    row.discount, row.discount_amount = r.DISCOUNTS.index(card["discount"][0]), card["discount"][1]
    for number, effect in enumerate(card["effects"]):
        line = row.effects[number]
        line.trigger = r.TRIGGERS.index(effect["trigger"])
        line.operation = r.OPERATIONS.index(effect["operation"])
        line.scope = r.SCOPES.index(effect["scope"])
        line.a, line.b = effect["a"], effect["b"]
        row.triggers |= 1 << line.trigger
        if effect["keyword"]:
            line.ref = keyword_bits([effect["keyword"]])
        if effect["card"]:
            summoned = rows.get(effect["card"])
            if summoned is None or checked[summoned - 1]["type"] != "model":
                raise CardError(f"{card['where']}: effect {number + 1}: field card: there is no Model with the id "
                                f"{effect['card']!r} to summon")
            line.ref = summoned


def _info(number: int, card: dict[str, Any]) -> CardInfo:
    return CardInfo(
        number, card["id"], card["type"], card["class"], card["family"], card["cost"], card["attack"], card["health"],
        tuple(card["keywords"]), card["token"], card["target"], card["discount"], tuple(card["effects"]), card["year"],
        card["source"], {language: CardText(**card[language]) for language in LANGUAGES})


def keyword_bits(names: Iterable[str]) -> int:
    """Bits of keyword names."""
    return sum(1 << r.KEYWORDS.index(name) for name in set(names))


def keyword_names(bits: int) -> tuple[str, ...]:
    """Names of keyword bits, in the order of :data:`game.engine.records.KEYWORDS`."""
    return tuple(name for bit, name in enumerate(r.KEYWORDS) if bits & (1 << bit))
