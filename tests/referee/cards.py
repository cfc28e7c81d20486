"""Reads card and deck files; knows nothing of how the game reads them."""

import hashlib
import json
import tomllib
from pathlib import Path

KEYWORDS = ("guard", "pretrained", "regularized", "convolution", "recurrent", "attention", "residual", "frozen")


class Card:
    def __init__(self, row: int, table: dict):
        self.row = row
        self.id = table["id"]
        self.type = table["type"]
        self.family = table.get("family", "")
        self.cost = table["cost"]
        self.attack = table.get("attack", 0)
        self.health = table.get("health", 0)
        self.keywords = set(table.get("keywords", []))
        self.token = table.get("token", False)
        self.target = "empty_slot" if self.type == "model" else table.get("target", "none")
        self.discount = table.get("discount")
        self.effects = table.get("effects", [])

    def effects_of(self, trigger: str) -> list[dict]:
        return [effect for effect in self.effects if effect["trigger"] == trigger]

    @property
    def has_update(self) -> bool:
        return any(effect["operation"] == "update" for effect in self.effects)

    def __deepcopy__(self, memo):
        return self  # a printed card never changes

    def __repr__(self) -> str:
        return f"<{self.id}>"


class CardSet:
    def __init__(self, tables: list[dict]):
        self.rows = [Card(row, table) for row, table in enumerate(tables, start=1)]
        self.by_id = {card.id: card for card in self.rows}

    def __getitem__(self, card_id: str) -> Card:
        return self.by_id[card_id]

    def __iter__(self):
        return iter(self.rows)

    def __deepcopy__(self, memo):
        return self

    def hash(self) -> str:
        rows = [
            {
                "id": card.id,
                "type": card.type,
                "family": card.family,
                "cost": card.cost,
                "attack": card.attack,
                "health": card.health,
                "keywords": sorted(card.keywords),
                "token": card.token,
                "target": card.target,
                "discount": [card.discount["cards"], card.discount["amount"]] if card.discount else ["", 0],
                "effects": [_hashed_effect(effect) for effect in card.effects],
            }
            for card in self.rows
        ]
        return hashlib.sha256(json.dumps(rows, sort_keys=True).encode("ascii")).hexdigest()[:16]


def _hashed_effect(effect: dict) -> dict:
    a = effect.get("attack", effect.get("amount", 1 if effect["operation"] == "summon" else 0))
    return {
        "trigger": effect["trigger"],
        "operation": effect["operation"],
        "scope": effect["scope"],
        "a": a,
        "b": effect.get("health", 0),
        "keyword": effect.get("keyword", ""),
        "card": effect.get("card", ""),
    }


def read_cards(folder: Path, *further: Path) -> CardSet:
    """The files of a folder in alphabetical order of their names, then further files."""
    tables = []
    for path in [*sorted(folder.glob("*.toml"), key=lambda path: path.name), *further]:
        tables += tomllib.loads(path.read_text(encoding="utf-8"))["card"]
    return CardSet(tables)


def read_deck(path: Path) -> dict[str, int]:
    return tomllib.loads(path.read_text(encoding="utf-8"))["cards"]
