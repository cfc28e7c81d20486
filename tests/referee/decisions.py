"""What is legal: sections 6, 8, 15 and 16 of the rules."""

from .cards import Card
from .table import Model

END_TURN = 224


class Decisions:
    # [6] Decisions

    def legal(self) -> set[int]:
        lab = self.labs[self.player]
        if self.phase == "mulligan":
            return {END_TURN} | {place * 14 for place in self.exchangeable if lab.deck}
        if self.phase != "action":
            return set()
        actions = {END_TURN}
        for place, card in enumerate(lab.hand):
            if self.cost(card) <= lab.compute:
                actions |= {place * 14 + token for token in self.targets(card)}
        for model in lab.models:
            if self.can_attack(model):
                actions |= {(10 + model.slot) * 14 + token for token in self.aims(model)}
        return actions

    def at_token(self, token: int) -> Model | None:
        """The Model that a token names, seen from the player who decides."""
        if 1 <= token <= 6:
            return self.labs[self.player].slots[token - 1]
        if 8 <= token <= 13:
            return self.labs[1 - self.player].slots[token - 8]
        return None

    # [15] Target rules, [16] costs

    def targets(self, card: Card) -> set[int]:
        if card.target == "none":
            return {0}
        if card.target == "empty_slot":
            return {1 + slot for slot, model in enumerate(self.labs[self.player].slots) if model is None}
        return {token for token in range(14) if (model := self.at_token(token)) and self.allowed(card, model)}

    def allowed(self, card: Card, model: Model) -> bool:
        if card.has_update and model.has("frozen"):
            return False
        own = model.side == self.player
        match card.target:
            case "own":
                return own
            case "own_hurt":
                return own and model.hurt > 0
            case "own_unhurt":
                return own and model.hurt == 0
            case "enemy":
                return not own
            case "enemy_weak":
                return not own and model.shown_attack <= 2
            case "any":
                return True
        raise ValueError(card.target)

    def cost(self, card: Card) -> int:
        researcher = self.labs[self.player].researcher
        discount = researcher.discount if researcher else None
        if discount and (discount["cards"] == card.type or (discount["cards"] == "update" and card.has_update)):
            return max(0, card.cost - discount["amount"])
        return card.cost

    # [8] Attacking

    def can_attack(self, model: Model) -> bool:
        rested = model.turn != self.turn or model.has("pretrained")
        return not model.has("frozen") and not model.tapped and rested and model.shown_attack >= 1

    def aims(self, model: Model) -> set[int]:
        enemies = self.labs[1 - self.player].models
        guards = [enemy for enemy in enemies if enemy.has("guard")]
        if guards and not model.has("attention"):
            return {8 + guard.slot for guard in guards}
        return {7} | {8 + enemy.slot for enemy in enemies}
