"""Which observation is kept for an update: section 18 of the rules."""

from typing import NamedTuple

from .table import Model


class Decision(NamedTuple):
    ply: int
    turn: int
    player: int
    board: list[Model]
    """The player's own Models before it."""
    attacker: Model | None
    token: int


class Past:
    def remember_decision(self, source: int, token: int) -> None:
        board = self.labs[self.player].models
        attacker = self.labs[self.player].slots[source - 10] if self.phase == "action" and 10 <= source < 16 else None
        self.decisions.append(Decision(self.ply, self.turn, self.player, board, attacker, token))

    def request(self) -> dict:
        """What the awaited update learns from; observations are named by the ply of their decision."""
        model, card, _ = self.update
        kept = self.kept_decision(model)
        earlier = [decision.ply for decision in self.decisions if decision.attacker is model]
        return {
            "player": model.side,
            "ply": self.ply,
            "turn": self.turn,
            "slot": model.slot,
            "entry": model.entry,
            "card": model.card.id,
            "family": model.card.family,
            "cause": card.id,
            "damage": model.hurt,
            "observation_ply": kept.ply,
            "target": kept.token if kept.attacker is model else -1,
            "history": sum(ply < kept.ply for ply in earlier),
        }

    def kept_decision(self, model: Model) -> Decision:
        ply = self.ply  # 3: the decision that played the asking card
        if model.attack_ply:
            ply = model.attack_ply  # 1
        elif model.hurt:
            ply = model.hurt_ply  # 2
        own = [decision for decision in self.decisions if decision.turn == self.turn and decision.player == model.side]
        return next(decision for decision in own if decision.ply >= ply and model in decision.board)
