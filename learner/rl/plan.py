"""What fixes a run: it is written down when the run begins and read again when it goes on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from game.errors import GameError
from learner.ledger.ledger import CARD_LR
from learner.rl.ppo import Config

SWITCHES = ("ppo", "ledger")
"""What a run can do without."""
OPPONENT = "opponent"
"""How a run names the lab that it trains against."""


@dataclass(frozen=True)
class Plan:
    """What fixes a run: the same plan gives the same run, to the bit, at one thread setting."""

    seed: int = 0
    labs: tuple[str, ...] = ("agent",)
    """Owners of the learning labs: one plays itself and its past, two play each other."""
    decks: tuple[str, ...] = ()
    """Deck names; none: those that ship; ("random",): drawn."""
    matches: int = 256
    """A round's."""
    past_share: float = 0.2
    """Share of matches against past selves (one lab only)."""
    past_every: int = 8
    """A past self joins the league, and a snapshot is kept, after so many rounds."""
    past_most: int = 6
    card_lr: float = CARD_LR
    ppo: Config = field(default_factory=Config)
    without: str = ""
    """What is switched off, to measure what it is worth: "ppo" (only the card teaches), "ledger" (the card's
    gradients are computed, give their buffs and are kept, marked *measurement*, but don't reach the weights), or
    nothing."""

    against: str = ""
    """Whom its lab plays instead of itself and its past, by a name that :func:`learner.rl.measure.find_player` knows;
    this opponent's weights stand still, and its entries are marked *measurement*. Nobody: ""."""

    def __post_init__(self) -> None:
        if not 1 <= len(self.labs) <= 2 or len(set(self.labs)) != len(self.labs):
            raise GameError(f"a run has one or two learning labs of different names, not {self.labs}")
        if self.matches < 2:
            raise GameError(f"a round needs at least 2 matches, not {self.matches}")
        if self.without not in ("", *SWITCHES):
            raise GameError(f"a run can do without {' or '.join(SWITCHES)}, not {self.without!r}")
        if self.against and (len(self.labs) != 1 or OPPONENT in self.labs):
            raise GameError(f"a run against somebody has one learning lab, not named {OPPONENT}, not {self.labs}")

    @staticmethod
    def from_dict(raw: dict[str, Any]) -> Plan:
        """A plan from its JSON form."""
        return Plan(**{**raw, "labs": tuple(raw["labs"]), "decks": tuple(raw["decks"]), "ppo": Config(**raw["ppo"])})
