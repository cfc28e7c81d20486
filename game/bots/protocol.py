"""What a player is given when it must decide, for one match or for many at once.

A player never receives a state. It sees observations and legal masks, a random word for each
decision (drawn from the match's seed, the seat and the ply: the same situation gives the same
choice, whoever else is playing), and, for look-ahead, imagined states in which everything that
it can't see has been replaced by chance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from game.cards import CardSet
from game.engine import batch
from game.engine.chance import mix
from game.engine.compiled import Word, rule
from game.engine.observe import TOKEN_FIELDS, view
from game.engine.records import Ints, Words, copy_states


@dataclass
class Decisions:
    """``n`` decisions to take, each in another match.

    Attributes: ``cards``; ``observations`` int32 ``(n, OBSERVATION_SIZE)``; ``masks`` uint8
    ``(n, 238)``; ``words`` uint64 ``(n,)``, one random word each; ``matches`` int64 ``(n,)``,
    numbers that tell the matches of a round apart; ``seats`` int64 ``(n,)``, which player decides.
    """

    cards: CardSet
    observations: Any
    masks: Any
    words: Any
    matches: Any
    seats: Any
    _states: Any
    """Copies of the true states, for :meth:`imagine` alone."""
    _own: Callable[[int], dict[int, list[tuple[int, Any]]]] = field(default=lambda i: {})
    """For decision i: entry number → (ply, observation) of each decision that Model took before."""

    def __len__(self) -> int:
        return len(self.words)

    def history(self, i: int, slot: int) -> list[Any]:
        """The observations of the decisions that the own Model in a slot took itself before decision i."""
        entry = int(view(self.observations[i]).tokens[slot + 1, TOKEN_FIELDS.index("entry")])
        return [row for _, row in self._own(i).get(entry, [])]

    def imagine(self, salt: int = 0, blank: int = 0) -> Any:
        """States ``(n + blank,)`` that agree with the observations; all that is hidden comes from (word, salt)."""
        states = copy_states(self._states, blank)
        words = salted(self.words, salt)
        pool = deckable_rows(self.cards)
        batch.imagine(states, 0, len(self), np.ascontiguousarray(self.seats, np.int32), pool, words)
        return states


class Player(Protocol):
    """Chooses actions: a bot, an agent, or what stands between a person and the match.

    Some also have ``probabilities(decisions)``, float64 ``(n, 238)``: how likely they choose each action.
    """

    name: str

    def choose(self, decisions: Decisions) -> Any:
        """A legal action's number for each decision, int ``(n,)``."""


def deckable_rows(cards: CardSet) -> Any:
    """Rows of the cards that can be in a deck, int32."""
    return np.array([card.row for card in cards.cards if card is not None and not card.token], np.int32)


def salted(words: Any, salt: int) -> Any:
    """Words that are unrelated to the given ones and to those of another salt, uint64 ``(n,)``."""
    out = np.array(words, np.uint64)
    _salt(out, np.uint64(salt))
    return out


@rule(entry=True)
def _salt(words: Words, salt: Word) -> None:
    for i in range(len(words)):
        words[i] = mix(mix(words[i] ^ mix(salt)))


@rule(entry=True)
def decision_words(seeds: Words, seats: Ints, plies: Ints, words: Words) -> None:
    """The random word of each decision: a function of the match's seed, the seat and the ply."""
    for i in range(len(words)):
        words[i] = mix(mix(mix(seeds[i]) ^ Word(seats[i] + 1)) ^ Word(plies[i]))
