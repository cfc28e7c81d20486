"""Random decks, settings and card files, all of them legal: what the referee and the game are compared on."""

import random

from .cards import KEYWORDS, CardSet

FAMILIES = ("perceptron", "mlp", "convnet", "recurrent", "transformer")
MODEL_SCOPES = ("self", "neighbours", "own", "other_own", "enemy", "all", "random_own", "random_enemy")
LAB_SCOPES = ("own_lab", "enemy_lab")
TARGETS = ("none", "own", "own_hurt", "own_unhurt", "enemy", "enemy_weak", "any")
TRIGGERS = {
    "model": ("play", "death", "turn_start", "turn_end", "attack", "update"),
    "technique": ("play",),
    "researcher": ("play", "own_enter", "own_update"),
}
ON_BOTH = ("damage", "heal")
ON_MODELS = ("rush", "buff", "keyword", "ablate", "destroy", "recall", "tap")
ON_LABS = ("draw", "discard", "compute", "rack", "summon")

STYLES = {  # what a card file has more of: weights of operations and triggers that aren't 1
    "even": {},
    "waves": {"summon": 20, "destroy": 8, "damage": 8, "death": 8, "own_enter": 3},
    "loops": {"summon": 20, "recall": 16, "destroy": 3, "damage": 3, "death": 4, "own_enter": 8},
    "heaps": {"summon": 8, "recall": 8, "buff": 8, "destroy": 8, "death": 4, "own_enter": 4},
    "blows": {"damage": 8, "heal": 4, "rush": 4, "keyword": 6, "attack": 3},
    "ruin": {"damage": 12, "discard": 3, "draw": 3, "turn_start": 3, "turn_end": 3},
    "growth": {"buff": 8, "keyword": 6, "ablate": 4, "destroy": 3, "update": 2, "own_update": 2},
    "heirs": {"buff": 8, "destroy": 8, "damage": 4, "summon": 4},
}
LAB_SHARE = {"ruin": 0.8, "waves": 0.1, "loops": 0.1}  # of damage and healing that is a lab's

SUMMON = ("summon", ("own_lab", "own_lab", "enemy_lab"))
CHAINS = {  # effects that a style likes together: a trigger, then operations, each with its scopes
    "waves": [
        ("death", SUMMON, ("damage", ("own", "all", "enemy", "random_own"))),
        ("death", SUMMON, ("destroy", ("own", "all", "random_own"))),
        ("own_enter", ("destroy", ("chosen", "own", "random_own")), SUMMON),
        ("turn_start", SUMMON, ("destroy", ("own", "all"))),
        ("turn_end", SUMMON, ("destroy", ("own", "all"))),
        ("update", SUMMON, ("destroy", ("own", "all"))),
    ],
    "loops": [
        ("own_enter", ("recall", ("chosen", "own", "random_own", "other_own")), SUMMON),
        ("death", ("recall", ("own", "random_own", "all")), SUMMON),
        ("attack", ("recall", ("neighbours", "other_own")), SUMMON),
        ("turn_start", ("recall", ("own", "all", "other_own")), SUMMON),
        ("turn_end", ("recall", ("own", "all", "other_own")), SUMMON),
        ("update", ("recall", ("own", "all", "other_own")), SUMMON),
        ("play", ("recall", ("other_own", "all")), SUMMON),
    ],
    "heaps": [
        ("death", SUMMON, ("recall", ("own", "random_own")), SUMMON),
        ("death", SUMMON, ("recall", ("own", "random_own")), SUMMON),
        ("play", ("buff", ("own", "all"))),
        ("play", SUMMON, ("buff", ("own", "all")), ("destroy", ("own", "all"))),
        ("own_enter", ("buff", ("chosen", "own"))),
    ],
    "ruin": [
        (trigger, ("damage", ("own_lab",)), ("damage", ("enemy_lab",)))
        for trigger in ("play", "death", "turn_start", "turn_end", "attack", "update", "own_enter", "own_update")
    ],
}


class Inventor:
    """Invents one card file."""

    def __init__(self, rng: random.Random, shipped: CardSet):
        self.rng = rng
        self.style = rng.choice(list(STYLES))
        self.updates = rng.choice((1, 1, 5))  # how eager Techniques are for a gradient update
        self.cheap = rng.random() < 0.2 or self.style == "heaps"
        self.full = rng.random() < 0.5  # cards with all three effects
        kinds = ["model"] * rng.randint(9, 14) + ["technique"] * rng.randint(5, 9) + ["researcher"] * rng.randint(2, 4)
        self.kinds = {f"{kind}-{number}": kind for number, kind in enumerate(kinds)}
        self.models = [card_id for card_id, kind in self.kinds.items() if kind == "model"]
        self.tokens = set(rng.sample(self.models, 3))
        self.summoned = rng.sample(self.models, rng.randint(1, 4))
        if rng.random() < 0.5:
            self.summoned.append(rng.choice([card.id for card in shipped if card.type == "model"]))

    def file(self) -> str:
        return "\n".join(self.card(card_id, kind) for card_id, kind in self.kinds.items())

    def card(self, card_id: str, kind: str) -> str:
        rng = self.rng
        lines = ["[[card]]", f'id = "{card_id}"', f'type = "{kind}"', 'class = "Invented"']
        lines.append(f"cost = {0 if self.cheap else rng.choice((0, 0, 1, 1, 2, 2, 3, 4, 6))}")
        target = "none"
        if kind == "model":
            lines.append(f'family = "{rng.choice(FAMILIES)}"')
            lines.append(f"attack = {rng.choice((0, 1, 1, 2, 2, 3, 4, 7, 99))}")
            lines.append(f"health = {rng.choice((1, 1, 2, 2, 3, 4, 6, 9, 99))}")
            keywords = rng.sample(KEYWORDS, rng.choice((0, 0, 1, 1, 2, 3)))
            if self.style in ("heirs", "heaps") and "residual" not in keywords:
                keywords.append("residual")
            lines.append(f"keywords = {keywords}".replace("'", '"'))
            if card_id in self.tokens:
                lines.append("token = true")
        elif kind == "technique":
            target = rng.choice(TARGETS)
            lines.append(f'target = "{target}"')
        else:
            if self.style != "heaps" and rng.random() < 0.5:
                lines.append(f'family = "{rng.choice(FAMILIES)}"')
            if rng.random() < 0.5:
                cards, amount = rng.choice(("update", "model", "technique", "researcher")), rng.choice((1, 1, 2, 99))
                lines.append(f'discount = {{ cards = "{cards}", amount = {amount} }}')
        count = 3 if self.full else rng.choice((0, 1, 1, 2, 2, 3))
        effects = self.chain(kind) if rng.random() < 0.6 else []
        effects += [self.effect(kind, target) for _ in range(count - len(effects))]
        if kind == "technique" and target.startswith("own") and rng.random() < self.updates / 6:
            asking = f"attack = {rng.choice((0, 1, 1, 2))}, health = {rng.choice((0, 1, 1, 2))}"
            effects[2:] = []
            effects.append(f'trigger = "play", operation = "update", scope = "chosen", {asking}')
        lines += ["effects = [", *(f"  {{ {effect} }}," for effect in effects), "]"]
        lines += ["year = 2000", 'source = "invented"']
        lines += [f'{language} = {{ name = "{card_id}", text = "", flavour = "" }}' for language in ("en", "pt-BR")]
        return "\n".join(lines) + "\n"

    def effect(self, kind: str, target: str) -> str:
        rng = self.rng
        trigger = self.weighed(TRIGGERS[kind])
        operation = self.weighed((*ON_BOTH, *ON_MODELS, *ON_LABS))
        scopes = list(MODEL_SCOPES)
        chooses = target != "none" or trigger in ("own_enter", "own_update")
        if kind != "model":
            scopes.remove("self")
            if not chooses:
                scopes.remove("neighbours")
        if chooses:
            scopes += ["chosen"] * 5
        elif kind == "model":
            scopes += ["self"] * 3
        if operation in ON_LABS or (operation in ON_BOTH and rng.random() < LAB_SHARE.get(self.style, 0.3)):
            scopes = list(LAB_SCOPES)
        return self.line(trigger, operation, rng.choice(scopes))

    def line(self, trigger: str, operation: str, scope: str) -> str:
        return f'trigger = "{trigger}", operation = "{operation}", scope = "{scope}"{self.amounts(operation)}'

    def chain(self, kind: str) -> list[str]:
        """Effects that may set each other off again and again."""
        chains = [chain for chain in CHAINS.get(self.style, []) if chain[0] in TRIGGERS[kind]]
        if not chains:
            return []
        trigger, *steps = self.rng.choice(chains)
        return [self.line(trigger, operation, self.rng.choice(scopes)) for operation, scopes in steps]

    def weighed(self, names: tuple[str, ...]) -> str:
        weights = [STYLES[self.style].get(name, 1) for name in names]
        return self.rng.choices(names, weights)[0]

    def amounts(self, operation: str) -> str:
        rng = self.rng
        if operation == "buff":
            attack = rng.choice((-99, -2, -1, 0, 1, 1, 2, 3))
            return f", attack = {attack}, health = {rng.choice((0, 0, 1, 1, 2, 5))}"
        if operation == "keyword":
            return f', keyword = "{rng.choice(KEYWORDS)}"'
        if operation == "summon":
            return f', card = "{rng.choice(self.summoned)}"' + rng.choice(("", ", amount = 2", ", amount = 6"))
        if operation in ("ablate", "destroy", "recall", "tap"):
            return ""
        return f", amount = {rng.choice((1, 1, 1, 2, 2, 3, 5, 99))}"


def invent_deck(rng: random.Random, cards: CardSet, first_row: int) -> dict[str, int]:
    """A legal deck of the cards from a row on, filled up with others where they don't suffice."""
    copies = [card.id for card in cards for _ in range(1 if card.type == "researcher" else 2) if not card.token]
    wanted = [card_id for card_id in copies if cards[card_id].row >= first_row]
    rng.shuffle(wanted)
    others = [card_id for card_id in copies if cards[card_id].row < first_row]
    chosen = (wanted + rng.sample(others, min(30, len(others))))[:30]
    return {card_id: chosen.count(card_id) for card_id in sorted(set(chosen))}


def invent_settings(rng: random.Random, cards: CardSet) -> dict:
    """Settings that differ from the game's in some fields."""
    choices = {
        "funding": (1, 5, 18, 40, 200, 9999),
        "racks": (0, 1, 5, 10, 20, 99),
        "turn_limit": (1, 2, 9, 30, 60, 100),
        "action_limit": (1, 2, 5, 20, 60),
        "first_hand": tuple(range(11)),
        "second_hand": tuple(range(11)),
        "extra_card": ("", "mixed-precision", rng.choice(list(cards)).id),
    }
    return {name: rng.choice(values) for name, values in choices.items() if rng.random() < 0.35}
