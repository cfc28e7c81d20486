"""What fixes a run: it is written down when the run begins and read again when it goes on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from game.cards import CardSet
from game.decks import Deck, load_deck
from game.errors import GameError
from game.settings import Settings
from learner.exploit.game import SMALL
from learner.ledger.ledger import CARD_LR
from learner.rl.ppo import Config
from learner.rl.rollout import deck_pairs

SWITCHES = ("ppo", "ledger")
"""What a run can do without."""
SMALL_GAME = "small"
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

    game: str = ""
    """"small": matches of the solved game that `backprop exploit` measures in, with its own decks; else whole ones."""
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
        if self.game not in ("", SMALL_GAME):
            raise GameError(f"a run plays whole matches or the {SMALL_GAME} game, not {self.game!r}")
        if self.game and self.decks:
            raise GameError(f"the {SMALL_GAME} game has its own decks; don't name others")
        if self.against and (len(self.labs) != 1 or OPPONENT in self.labs):
            raise GameError(f"a run against somebody has one learning lab, not named {OPPONENT}, not {self.labs}")

    def played_with(self, cards: CardSet) -> tuple[Settings, Sequence[tuple[Deck, Deck]]]:
        """Settings of its matches, and the pairs of decks that take turns."""
        if not self.game:
            return Settings(), deck_pairs(self.decks, cards, self.seed)
        first, second = (load_deck(deck, cards, SMALL.settings.deck_size) for deck in SMALL.decks)
        return SMALL.settings, [(first, second)]

    @staticmethod
    def from_dict(raw: dict[str, Any]) -> Plan:
        """A plan from its JSON form."""
        return Plan(**{**raw, "labs": tuple(raw["labs"]), "decks": tuple(raw["decks"]), "ppo": Config(**raw["ppo"])})
