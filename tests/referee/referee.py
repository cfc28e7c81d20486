"""A second, naive reading of docs/rules.md, written from that page alone.

The numbers in brackets are its sections. What is legal stands in decisions.py, effects in effects.py, what lies on
the table in table.py.
"""

from .cards import Card, CardSet
from .chance import Chance
from .decisions import END_TURN, Decisions
from .effects import Resolution
from .past import Decision, Past
from .table import MATCH_FIELDS, PHASES, REASONS, SLOTS, Lab, Model

SETTINGS = {  # [21]
    "funding": 25,
    "racks": 10,
    "turn_limit": 60,
    "action_limit": 60,
    "first_hand": 3,
    "second_hand": 4,
    "extra_card": "mixed-precision",
}


class Referee(Resolution, Decisions, Past):
    def __init__(self, decks: list[dict[str, int]], seed: int, cards: CardSet, settings: dict | None = None):
        self.cards = cards
        self.settings = SETTINGS | (settings or {})
        self.begin_resolution()
        self.phase, self.result, self.reason = "mulligan", 0, ""
        self.turn = self.ply = self.turn_ply = self.actions = self.entries = self.forced_ends = 0
        self.update: tuple[Model, Card, dict] | None = None  # the update that is awaited
        self.decisions: list[Decision] = []
        self.set_up(decks, seed)

    # [4] Set-up

    def set_up(self, decks: list[dict[str, int]], seed: int) -> None:
        self.chance = Chance(seed)
        self.starter = self.player = self.chance.bounded(2)
        self.labs = [Lab(self.settings["funding"]) for _ in decks]
        for lab, deck in zip(self.labs, decks, strict=True):
            lab.deck = [card for card in self.cards for _ in range(deck.get(card.id, 0))]
            self.chance.shuffle(lab.deck)
        self.draw(self.starter, self.settings["first_hand"])
        self.draw(1 - self.starter, self.settings["second_hand"])
        self.open_mulligan()

    def open_mulligan(self) -> None:
        self.exchangeable = set(range(len(self.labs[self.player].hand)))

    def exchange(self, place: int) -> None:
        lab = self.labs[self.player]
        self.exchangeable.remove(place)
        lab.aside.append(lab.hand[place])
        lab.hand[place] = lab.deck.pop()

    def end_mulligan(self) -> None:
        lab = self.labs[self.player]
        if lab.aside:
            lab.deck += lab.aside
            lab.aside = []
            self.chance.shuffle(lab.deck)
        self.player = 1 - self.player
        if self.player != self.starter:
            self.open_mulligan()
            return
        self.exchangeable = set()
        if self.settings["extra_card"]:
            self.labs[1 - self.starter].take_into_hand(self.cards[self.settings["extra_card"]])
        self.phase = "action"
        self.begin_turn()

    # [5] The turn

    def begin_turn(self) -> None:
        self.turn += 1
        self.turn_ply = self.ply + 1
        lab = self.labs[self.player]
        lab.racks = max(lab.racks, min(lab.racks + 1, self.settings["racks"]))
        lab.compute = lab.racks
        for model in lab.models:
            model.tapped = model.training or model.held
            model.training = model.held = False
        self.turn_triggers("turn_start")
        if self.phase != "over":
            self.draw(self.player, 1)
            self.look_at_labs()

    def end_turn(self) -> None:
        self.turn_triggers("turn_end")
        if self.phase == "over":
            return
        for model in self.labs[0].models + self.labs[1].models:
            model.forget_the_turn()
        self.actions = 0
        if self.turn >= self.settings["turn_limit"]:
            self.end_match(3, "turn limit")
            return
        self.player = 1 - self.player
        self.begin_turn()

    def turn_triggers(self, trigger: str) -> None:
        last_entry = self.entries
        for slot in range(SLOTS):
            model = self.labs[self.player].slots[slot]
            if self.phase == "over" or model is None or model.ablated or model.entry > last_entry:
                continue
            self.carry_out(model.card.effects_of(trigger), model.side, model)
            self.settle()
            self.look_at_labs()

    def after_action(self) -> None:
        """Both labs, then the action limit."""
        self.look_at_labs()
        if self.phase == "action" and self.actions >= self.settings["action_limit"]:
            self.forced_ends += 1
            self.end_turn()

    # [6] Decisions

    def play(self, action: int) -> None:
        source, token = divmod(action, 14)
        self.ply += 1
        self.remember_decision(source, token)
        if self.phase == "mulligan":
            if action == END_TURN:
                self.end_mulligan()
            else:
                self.exchange(source)
        elif action == END_TURN:
            self.end_turn()
        else:
            self.actions += 1
            if source < 10:
                self.play_card(source, token)
            else:
                self.attack(self.labs[self.player].slots[source - 10], token)

    def concede(self, player: int) -> None:
        self.end_match(1 + (1 - player), "concede")

    # [7] Playing a card

    def play_card(self, place: int, token: int) -> None:
        lab = self.labs[self.player]
        lab.compute -= self.cost(lab.hand[place])
        card = lab.hand.pop(place)
        about = None
        if card.type == "model":
            about = self.enter(card, self.player, token - 1)
            self.work_off()
        elif card.type == "researcher":
            lab.researcher = card
            self.draw(self.player, 1)
        else:
            about = self.at_token(token)
        self.carry_out(card.effects_of("play"), self.player, about, card)
        if self.phase != "awaiting_update":
            self.settle()
            self.after_action()

    # [8] Attacking

    def attack(self, attacker: Model, token: int) -> None:
        hurt_before = attacker.hurt
        attacker.attacks += 1
        if not (attacker.has("recurrent") and attacker.attacks == 1):
            attacker.tapped = True
        target = self.at_token(token)
        if target is None:
            self.labs[1 - self.player].funding -= attacker.shown_attack
            self.damage(attacker, 1)
        else:
            blows = [(target, attacker.shown_attack), (attacker, target.shown_attack)]
            if attacker.has("convolution"):
                blows += [(neighbour, 1) for neighbour in self.neighbours(target)]
            for model, amount in blows:
                self.damage(model, amount)
        self.settle()
        if self.phase != "over" and attacker.there and not attacker.ablated:
            self.carry_out(attacker.card.effects_of("attack"), attacker.side, attacker)
            self.settle()
        if attacker.there and attacker.hurt > hurt_before:
            attacker.attack_ply, attacker.attack_token = self.ply, token
        self.after_action()

    # [18] Gradient updates

    def ask(self, model: Model, card: Card, effect: dict) -> None:
        self.work_off()
        if self.phase != "over" and model.living and model.side == self.player and not model.has("frozen"):
            self.phase = "awaiting_update"
            self.update = (model, card, effect)

    def give(self, verdict: str) -> None:
        model, _, effect = self.update
        self.phase, self.update = "action", None
        if verdict == "learned":
            researcher = self.researcher_for(model, "own_update")
            effects = researcher.effects_of("own_update") if researcher else []
            own = [other for other in effects if other["operation"] == "buff" and other["scope"] == "chosen"]
            others = [other for other in effects if other not in own]
            buffs = [effect, *own]
            self.buff(model, sum(buff["attack"] for buff in buffs), sum(buff["health"] for buff in buffs))
            model.training = True
            model.updates += 1
            self.join("update", model)
            if researcher:
                self.join("own_update", model, others)
        self.settle()
        self.after_action()

    # [19] How a match ends

    def look_at_labs(self) -> None:
        if self.phase == "over":
            return
        lost = [lab.funding <= 0 for lab in self.labs]
        if all(lost):
            self.end_match(3, "double knock-out")
        elif any(lost):
            self.end_match(1 if lost[1] else 2, "funding")

    def end_match(self, result: int, reason: str) -> None:
        self.phase, self.result, self.reason = "over", result, reason
        self.update, self.exchangeable = None, set()

    # [22] The state

    def state(self) -> dict:
        state = dict.fromkeys(MATCH_FIELDS, 0)
        for name in ("player", "starter", "turn", "ply", "turn_ply", "actions", "entries", "forced_ends", "result"):
            state[name] = getattr(self, name)
        state["rng"] = self.chance.word
        state["phase"] = PHASES.index(self.phase)
        state["reason"] = REASONS.index(self.reason)
        state["mulligan"] = sum(1 << place for place in self.exchangeable)
        if self.update:
            model, card, effect = self.update
            state |= {"update_slot": model.slot, "update_entry": model.entry, "update_card": card.row}
            state |= {"update_attack": effect["attack"], "update_health": effect["health"]}
        state |= {"funding_cap": self.settings["funding"], "rack_cap": self.settings["racks"]}
        state |= {name: self.settings[name] for name in ("turn_limit", "action_limit")}
        extra = self.settings["extra_card"]
        state["coin"] = self.cards[extra].row if extra else 0
        state["labs"] = [lab.record() for lab in self.labs]
        return state
