"""Effects, the queue of waiting triggers, deaths: sections 9 to 14 of the rules."""

from .cards import Card
from .table import SLOTS, Model

MOST_WAVES = 100
MOST_TRIGGERS = 64


class Resolution:
    def begin_resolution(self) -> None:
        self.queue: list[tuple[str, Model, list[dict]]] = []
        self.joined = 0  # triggers that joined since the last working-off ended

    # [10] The order of resolution

    def join(self, trigger: str, model: Model, effects: list[dict] = ()) -> None:
        """A trigger that is about this Model joins the queue; the effects are a Researcher's."""
        if self.phase == "over":
            return
        self.joined += 1
        if self.joined > MOST_TRIGGERS:
            self.queue.clear()
            self.end_match(3, "endless loop")
        else:
            self.queue.append((trigger, model, effects))

    def work_off(self) -> None:
        while self.queue:
            trigger, model, effects = self.queue.pop(0)
            if trigger in ("own_enter", "own_update"):
                self.carry_out(effects, model.side, model)
            elif trigger == "update":
                if model.there and not model.ablated:
                    self.carry_out(model.card.effects_of("update"), model.side, model)
            else:
                if not model.ablated:
                    self.carry_out(model.card.effects_of("death"), model.side, model)
                self.residual(model)
        self.joined = 0

    def settle(self) -> None:
        self.work_off()
        waves = 0
        while self.phase != "over":
            both = [self.labs[self.player], self.labs[1 - self.player]]
            dead = [model for lab in both for model in lab.models if not model.living]
            if not dead:
                return
            for model in dead:
                self.remove(model)
            waves += 1
            if waves == MOST_WAVES:
                self.end_match(3, "endless loop")
                return
            for model in dead:
                self.join("death", model)
            self.work_off()

    # [11] Residual

    def residual(self, fallen: Model) -> None:
        if not fallen.has("residual"):
            return
        attack = max(0, fallen.attack - fallen.card.attack)
        health = max(0, fallen.max_health - fallen.card.health)
        if attack == 0 and health == 0:
            return
        living = [model for model in self.labs[fallen.side].models if model.living]
        family = [model for model in living if model.card.family == fallen.card.family]
        heir = self.chance.one_of(family or living)
        if heir:
            self.buff(heir, attack, health)

    # [2] The board

    def enter(self, card: Card, side: int, slot: int) -> Model:
        self.entries += 1
        model = Model(card, side, slot, self.entries, self.turn)
        self.labs[side].slots[slot] = model
        researcher = self.researcher_for(model, "own_enter")
        if researcher:
            self.join("own_enter", model, researcher.effects_of("own_enter"))
        return model

    def remove(self, model: Model) -> None:
        self.labs[model.side].slots[model.slot] = None
        model.there = False

    def researcher_for(self, model: Model, trigger: str) -> Card | None:
        """The Researcher of the Model's lab, if it has that trigger and listens to the Model's family."""
        researcher = self.labs[model.side].researcher
        if researcher and researcher.effects_of(trigger) and researcher.family in ("", model.card.family):
            return researcher
        return None

    # [13] Scopes

    def neighbours(self, model: Model) -> list[Model]:
        slots = [slot for slot in (model.slot - 1, model.slot + 1) if 0 <= slot < SLOTS]
        return [other for slot in slots if (other := self.labs[model.side].slots[slot])]

    def reached(self, scope: str, side: int, about: Model | None) -> list[Model]:
        """The Models that a scope reaches. `about` is the Model whose effect it is, or the chosen one."""
        own, enemy = self.labs[side].models, self.labs[1 - side].models
        match scope:
            case "chosen" | "self":
                return [about] if about and about.there else []
            case "neighbours":
                return self.neighbours(about) if about else []
            case "own":
                return own
            case "other_own":
                return [model for model in own if model is not about]
            case "enemy":
                return enemy
            case "all":
                return own + enemy
            case "random_own" | "random_enemy":
                one = self.chance.one_of([model for model in (own if scope == "random_own" else enemy) if model.living])
                return [one] if one else []
        raise ValueError(scope)

    # [14] Operations

    def carry_out(self, effects: list[dict], side: int, about: Model | None, card: Card | None = None) -> None:
        for effect in effects:
            if effect["operation"] == "update":
                self.ask(about, card, effect)
            elif effect["scope"] in ("own_lab", "enemy_lab"):
                self.do_to_lab(effect, side if effect["scope"] == "own_lab" else 1 - side)
            else:
                for model in self.reached(effect["scope"], side, about):
                    self.do_to_model(effect, model)

    def do_to_lab(self, effect: dict, side: int) -> None:
        lab, amount = self.labs[side], effect.get("amount", 1)
        match effect["operation"]:
            case "damage":
                lab.funding -= amount
            case "heal":
                lab.funding = min(lab.funding + amount, self.settings["funding"])
            case "draw":
                self.draw(side, amount)
            case "discard":
                for _ in range(amount):
                    if lab.hand:
                        lab.hand.pop(self.chance.bounded(len(lab.hand)))
            case "compute":
                lab.compute += amount
            case "rack":
                lab.racks = max(lab.racks, min(lab.racks + amount, self.settings["racks"]))
            case "summon":
                for _ in range(amount):
                    slot = lab.lowest_empty_slot()
                    if slot is not None:
                        self.enter(self.cards[effect["card"]], side, slot)
            case other:
                raise ValueError(other)

    def do_to_model(self, effect: dict, model: Model) -> None:
        match effect["operation"]:
            case "damage":
                self.damage(model, effect["amount"])
            case "heal":
                model.health = min(model.health + effect["amount"], model.max_health)
            case "buff":
                self.buff(model, effect["attack"], effect["health"])
            case "rush":
                model.rush += effect["amount"]
            case "keyword":
                model.keywords.add(effect["keyword"])
            case "ablate":
                self.ablate(model)
            case "destroy":
                model.doomed = True
            case "recall":
                if not model.doomed:
                    self.remove(model)
                    if not model.card.token:
                        self.labs[model.side].take_into_hand(model.card)
            case "tap":
                model.tapped = model.held = True
            case other:
                raise ValueError(other)

    def draw(self, side: int, amount: int) -> None:
        lab = self.labs[side]
        for _ in range(amount):
            if lab.deck:
                lab.take_into_hand(lab.deck.pop())
            else:
                lab.fatigue += 1
                lab.funding -= lab.fatigue

    def ablate(self, model: Model) -> None:
        model.attack, model.max_health = model.card.attack, model.card.health
        model.health = min(model.health, model.card.health)
        model.rush = 0
        if model.has("recurrent") and model.attacks >= 1:
            model.tapped = True
        model.keywords = set()
        model.ablated = True

    # [9] Damage, health, attack

    def damage(self, model: Model, amount: int) -> None:
        if amount < 1:
            return
        if model.has("regularized"):
            model.keywords.remove("regularized")
            return
        lost = min(amount, model.health)
        model.health -= lost
        if model.hurt == 0 and lost > 0:
            model.hurt_ply = max(self.ply, self.turn_ply)
        model.hurt += lost

    def buff(self, model: Model, attack: int, health: int) -> None:
        model.attack = max(0, model.attack + attack)
        model.max_health += health
        model.health += health
