"""The rule behind a single number on the board, and behind a line of the history."""

from __future__ import annotations

from game.cards import CardInfo
from game.window.viewmodel import LabView, UnitView
from game.window.widgets.base import Ui
from game.window.widgets.inspector import Subject

TOPICS = {
    "mulligan": ("mulligan", "mulligan_done"), "turn": ("turn", "rack", "compute"),
    "draw": ("draw", "discard", "fatigue"),
    "play": ("play", "enter", "no_room"), "attack": ("attack",), "damage": ("damage", "lab_damage", "absorb"),
    "heal": ("heal", "lab_heal"), "buff": ("buff", "rush"), "keyword": ("keyword",), "ablate": ("ablate",),
    "death": ("destroy", "death", "residual"), "recall": ("recall", "vanish"), "tap": ("tap",),
    "trigger": ("trigger", "researcher"), "update": ("await_update", "verdict", "training"), "end_turn": ("end_turn",),
    "over": ("over",)}
"""Which rule explains which kinds of events; the texts are why.<topic>."""
_TOPIC = {kind: topic for topic, kinds in TOPICS.items() for kind in kinds}


def line_rule(ui: Ui, kind: str, line: str) -> Subject:
    """A line of the history and the rule that it follows from."""
    return Subject(title=ui.say("win.log"), words=f"{line.strip()}\n\n{ui.say(f'why.{_TOPIC[kind]}')}")


def unit_number(ui: Ui, part: str, unit: UnitView, card: CardInfo) -> Subject:
    """A Model's attack, health or count of updates: what it is made of, and what it is for."""
    if part == "attack":
        lasting = unit.attack - unit.rush
        made = [ui.say("number.printed", n=card.attack), *_more(ui, "number.lasting", lasting - card.attack),
                *_more(ui, "number.rush", unit.rush)]
        return _number(ui, part, unit.attack, made)
    if part == "health":
        made = [ui.say("number.printed", n=card.health), *_more(ui, "number.lasting", unit.max_health - card.health),
                *([ui.say("number.lost", n=unit.max_health - unit.health)] if unit.health < unit.max_health else []),
                *([ui.say("number.hurt", n=unit.hurt)] if unit.hurt else [])]
        return _number(ui, part, unit.health, made)
    return _number(ui, part, unit.updates, [])


def card_number(ui: Ui, part: str, cost: int, card: CardInfo) -> Subject:
    """A hand card's cost, attack or health."""
    if part == "cost":
        made = [ui.say("number.printed", n=card.cost), *_more(ui, "number.discount", cost - card.cost)]
        return _number(ui, part, cost, made)
    return _number(ui, part, card.attack if part == "attack" else card.health, [])


def lab_number(ui: Ui, part: str, lab: LabView) -> Subject:
    """A lab's funding, compute, hand or deck."""
    if part == "funding":
        return _number(ui, part, max(0, lab.funding), [ui.say("number.of", n=lab.cap)])
    if part == "compute":
        return _number(ui, part, lab.compute, [ui.say("number.racks", n=lab.racks)])
    if part == "hand":
        return _number(ui, part, lab.hand, [])
    return _number(ui, part, lab.deck, [ui.say("number.fatigue", n=lab.fatigue + 1)])


def _number(ui: Ui, part: str, value: int, made: list[str]) -> Subject:
    words = [" · ".join(made), ui.say(f"number.{part}_text")]
    return Subject(title=ui.say(f"number.{part}", n=value), words="\n\n".join(filter(None, words)))


def _more(ui: Ui, key: str, amount: int) -> list[str]:
    return [ui.say(key, n=ui.number(amount, "+d"))] if amount else []
