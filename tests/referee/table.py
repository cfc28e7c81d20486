"""What lies on the table: Models and labs as plain objects, and the state as the appendix of the rules lists it."""

import hashlib
import struct

from .cards import KEYWORDS, Card

SLOTS = 6
HAND = 10
DECK = 30
KEYWORD_BIT = {keyword: 1 << i for i, keyword in enumerate(KEYWORDS)}

PHASES = ("mulligan", "action", "awaiting_update", "over")
REASONS = ("", "funding", "double knock-out", "concede", "turn limit", "endless loop")

MATCH_FIELDS = (
    *("rng", "phase", "player", "starter", "turn", "ply", "turn_ply", "actions", "entries", "forced_ends", "result"),
    *("reason", "mulligan", "update_slot", "update_entry", "update_card", "update_attack", "update_health"),
    *("funding_cap", "rack_cap", "turn_limit", "action_limit", "coin"),
)
LAB_FIELDS = ("funding", "compute", "racks", "researcher", "fatigue", "hand_size", "deck_size", "aside_size")
LAB_LISTS = {"hand": HAND, "deck": DECK, "aside": HAND}
MODEL_FIELDS = (
    *("card", "entry", "attack", "health", "max_health", "rush", "keywords", "tapped", "training", "held", "ablated"),
    *("doomed", "attacks", "turn", "hurt", "updates", "hurt_ply", "attack_ply", "attack_token"),
)


class Model:
    def __init__(self, card: Card, side: int, slot: int, entry: int, turn: int):
        self.card = card
        self.side = side
        self.slot = slot
        self.entry = entry
        self.turn = turn
        self.there = True  # it still stands in its slot
        self.attack = card.attack
        self.health = self.max_health = card.health
        self.keywords = set(card.keywords)
        self.tapped = self.training = self.held = self.ablated = self.doomed = False
        self.updates = 0
        self.forget_the_turn()

    def forget_the_turn(self) -> None:
        self.rush = self.attacks = self.hurt = self.hurt_ply = self.attack_ply = self.attack_token = 0

    @property
    def shown_attack(self) -> int:
        return max(0, self.attack + self.rush)

    @property
    def living(self) -> bool:
        return self.there and self.health > 0 and not self.doomed

    def has(self, keyword: str) -> bool:
        return keyword in self.keywords

    def record(self) -> dict[str, int]:
        record = {name: int(getattr(self, name)) for name in MODEL_FIELDS if name not in ("card", "keywords")}
        record["card"] = self.card.row
        record["keywords"] = sum(KEYWORD_BIT[keyword] for keyword in self.keywords)
        return record


class Lab:
    def __init__(self, funding: int):
        self.funding = funding
        self.compute = self.racks = self.fatigue = 0
        self.researcher: Card | None = None
        self.hand: list[Card] = []
        self.deck: list[Card] = []
        self.aside: list[Card] = []
        self.slots: list[Model | None] = [None] * SLOTS

    @property
    def models(self) -> list[Model]:
        return [model for model in self.slots if model is not None]

    def lowest_empty_slot(self) -> int | None:
        return self.slots.index(None) if None in self.slots else None

    def take_into_hand(self, card: Card) -> None:
        if len(self.hand) < HAND:
            self.hand.append(card)

    def record(self) -> dict:
        record = {name: getattr(self, name) for name in ("funding", "compute", "racks", "fatigue")}
        record["researcher"] = self.researcher.row if self.researcher else 0
        for name, length in LAB_LISTS.items():
            cards = getattr(self, name)
            record[f"{name}_size"] = len(cards)
            record[name] = [card.row for card in cards] + [0] * (length - len(cards))
        record["models"] = [model.record() if model else dict.fromkeys(MODEL_FIELDS, 0) for model in self.slots]
        return record


def to_bytes(state: dict) -> bytes:
    numbers = [state[name] for name in MATCH_FIELDS[1:]]
    for lab in state["labs"]:
        numbers += [lab[name] for name in LAB_FIELDS]
        for name in LAB_LISTS:
            numbers += lab[name]
        for model in lab["models"]:
            numbers += [model[name] for name in MODEL_FIELDS]
    return struct.pack("<Q", state["rng"]) + struct.pack(f"<{len(numbers)}i", *numbers)


def from_bytes(data: bytes) -> dict:
    numbers = iter(struct.unpack(f"<{len(data) // 4 - 2}i", data[8:]))
    state = {"rng": struct.unpack("<Q", data[:8])[0]} | {name: next(numbers) for name in MATCH_FIELDS[1:]}
    state["labs"] = []
    for _ in range(2):
        lab = {name: next(numbers) for name in LAB_FIELDS}
        lab |= {name: [next(numbers) for _ in range(length)] for name, length in LAB_LISTS.items()}
        lab["models"] = [{name: next(numbers) for name in MODEL_FIELDS} for _ in range(SLOTS)]
        state["labs"].append(lab)
    return state


def digest(state: dict, card_set_hash: str) -> str:
    return hashlib.sha256(card_set_hash.encode("ascii") + to_bytes(state)).hexdigest()[:16]
