"""Plays matches with the game and the referee side by side and stops at the first difference."""

import copy
import functools
import json
import random
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

import game.cards
from game.match import Match
from game.settings import Settings
from game.updates import Verdict

from .cards import CardSet, read_cards, read_deck
from .invent import Inventor, invent_deck, invent_settings
from .referee import END_TURN, SETTINGS, Referee
from .table import REASONS, digest, from_bytes, to_bytes

ASSETS = Path(__file__).resolve().parents[2] / "assets"
MATCHES_PER_CARD_FILE = 20
SHIPPED_DECKS = sorted((ASSETS / "decks").glob("*.toml"))


class Difference(AssertionError):
    """The game and the referee don't agree."""


@dataclass
class Plan:
    """Everything that a match depends on but the decisions."""

    seed: int
    number: int
    kind: str
    card_file: str
    decks: list[dict[str, int]]
    match_seed: int
    settings: dict


@dataclass
class Played:
    kind: str
    actions: int
    turns: int
    updates: int
    reason: str


def plan(seed: int, number: int) -> Plan:
    """The match of that number: a quarter with shipped decks, a quarter with random ones, half with invented cards."""
    rng = random.Random(f"plan {seed} {number}")
    kind = ("shipped", "random decks", "invented cards", "invented cards")[number % 4]
    card_file = invented_file(seed, number // MATCHES_PER_CARD_FILE) if kind == "invented cards" else ""
    cards, _ = card_sets(card_file)
    if kind == "shipped":
        decks = [read_deck(rng.choice(SHIPPED_DECKS)) for _ in range(2)]
    else:
        first_row = len(card_sets("")[0].rows) + 1 if card_file else 1
        decks = [invent_deck(rng, cards, first_row) for _ in range(2)]
    settings = invent_settings(rng, cards) if rng.random() < 0.4 else {}
    return Plan(seed, number, kind, card_file, decks, rng.getrandbits(64), settings)


@functools.lru_cache(maxsize=4)
def invented_file(seed: int, number: int) -> str:
    return Inventor(random.Random(f"cards {seed} {number}"), card_sets("")[0]).file()


@functools.lru_cache(maxsize=4)
def card_sets(card_file: str) -> tuple[CardSet, game.cards.CardSet]:
    """The card set as the referee and as the game read it."""
    with tempfile.TemporaryDirectory() as folder:
        further = []
        if card_file:
            further = [Path(folder) / "invented.toml"]
            further[0].write_text(card_file, encoding="utf-8")
        mine, theirs = read_cards(ASSETS / "cards", *further), game.cards.load_cards(*further)
    if mine.hash() != theirs.hash:
        raise Difference(f"the card set's hash: referee {mine.hash()}, game {theirs.hash}\n{card_file}")
    return mine, theirs


class Comparison:
    """One match, both ways."""

    def __init__(self, plan: Plan):
        self.plan = plan
        self.rng = random.Random(f"play {plan.seed} {plan.number}")
        self.done: list = []
        self.updates = 0
        cards, theirs = card_sets(plan.card_file)
        self.match = Match(plan.decks, plan.match_seed, theirs, settings=Settings(**(SETTINGS | plan.settings)))
        self.referee = Referee(plan.decks, plan.match_seed, cards, plan.settings)
        self.hash = cards.hash()
        self.haste = self.rng.choice((0.0, 0.05, 0.2, 1.0))  # how often a turn is ended though more could be done
        self.verdicts = self.rng.choice((("learned",), ("learned", "learned", "vanished", "exploded")))
        self.gives_up = self.rng.random() < 0.1
        self.clones = self.rng.random() < 0.1

    def run(self) -> Played:
        self.check()
        if self.match.name != digest(self.referee.state(), self.hash):
            self.differ("the match's name")
        while self.match.outcome is None:
            if self.gives_up and self.rng.random() < 0.01:
                player = self.rng.randrange(2)
                self.both("concede", player)
            elif self.match.phase == "awaiting_update":
                self.check_request()
                self.updates += 1
                self.both("give", self.rng.choice(self.verdicts))
            else:
                self.both("play", self.choose())
        reason = REASONS[int(self.match.state["reason"])]
        return Played(self.plan.kind, len(self.done), self.match.turn, self.updates, reason)

    def choose(self) -> int:
        legal = self.match.legal_actions()
        others = [action for action in legal if action != END_TURN]
        return self.rng.choice(others) if others and self.rng.random() >= self.haste else END_TURN

    def both(self, what: str, value: int | str) -> None:
        self.done.append([what, value])
        twin = (self.match.clone(), self.match.states.tobytes()) if self.clones else None
        before = copy.deepcopy(self.referee) if self.clones and self.rng.random() < 0.2 else None
        for side in (self.match, self.referee):
            argument = Verdict(value) if what == "give" and side is self.match else value
            try:
                getattr(side, what)(argument)
            except Exception as error:
                self.differ(f"{type(side).__name__} stopped with {error!r}")
        if before:  # the referee doesn't hang on anything outside of it
            getattr(before, what)(value)
            self.same("a copy of the referee", to_bytes(before.state()), to_bytes(self.referee.state()))
        if twin:  # a clone is untouched and can go on in the match's place
            clone, state = twin
            self.same("the match's clone", clone.states.tobytes(), state)
            getattr(clone, what)(Verdict(value) if what == "give" else value)
            self.match = clone
        self.check()

    def check(self) -> None:
        mine = to_bytes(self.referee.state())
        theirs = self.match.states.tobytes()
        if mine != theirs:
            lines = [f"{name}: referee {a}, game {b}" for name, a, b in differing(from_bytes(mine), from_bytes(theirs))]
            self.differ("the state", *lines)
        self.same("legal actions", sorted(self.referee.legal()), self.match.legal_actions())
        outcome = self.match.outcome
        winner = {0: "running", 1: 0, 2: 1, 3: None}[self.referee.result]
        mine = None if winner == "running" else (winner, self.referee.reason)
        self.same("the outcome", mine, outcome and tuple(outcome))
        self.same("the digest", digest(self.referee.state(), self.hash), self.match.digest())

    def check_request(self) -> None:
        request = self.match.pending
        mine = self.referee.request()
        theirs = {name: getattr(request, name) for name in mine} | {"history": len(request.history)}
        self.same("what the update learns from", mine, theirs)

    def same(self, what: str, mine: object, theirs: object) -> None:
        if mine != theirs:
            self.differ(what, f"referee {mine}", f"game    {theirs}")

    def differ(self, what: str, *lines: str) -> None:
        plan = asdict(self.plan)
        card_file = plan.pop("card_file")
        parts = [f"match {self.plan.number} of seed {self.plan.seed}: after {len(self.done)} steps differs {what}"]
        parts += [*lines, "plan: " + json.dumps(plan), "steps: " + json.dumps(self.done), card_file]
        raise Difference("\n".join(parts)) from None


def differing(mine: dict, theirs: dict) -> list[tuple[str, object, object]]:
    """The fields in which two states differ."""
    fields = {name: mine[name] for name in mine if name != "labs"}
    out = [(name, value, theirs[name]) for name, value in fields.items() if value != theirs[name]]
    for player, (one, other) in enumerate(zip(mine["labs"], theirs["labs"], strict=True)):
        for name in one:
            if name != "models" and one[name] != other[name]:
                out.append((f"lab {player} {name}", one[name], other[name]))
        for slot, (model, twin) in enumerate(zip(one["models"], other["models"], strict=True)):
            out += [
                (f"lab {player} slot {slot} {name}", model[name], twin[name])
                for name in model
                if model[name] != twin[name]
            ]
    return out


def compare(seed: int, number: int) -> Played:
    return Comparison(plan(seed, number)).run()
