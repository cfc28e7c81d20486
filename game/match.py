"""One match, for people and tools: decisions with events, refusals, observations, saves, undo points.

>>> match = Match(("1986", "vision"), seed=7)              # doctest: +SKIP
>>> match.play(match.legal_actions()[0])                    # doctest: +SKIP
[Event(kind='mulligan', ...)]

A match remembers how it came about in a chain of immutable links, so a clone shares its past
and costs no more than copying the state.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from game import actions as act
from game.cards import CardSet, first_set
from game.decks import Deck, DeckLike, deck_rows, load_deck
from game.engine import batch, compiled
from game.engine import records as r
from game.engine.legal import REFUSALS
from game.engine.observe import OBSERVATION_SIZE
from game.errors import GameError, IllegalAction
from game.events import Event
from game.settings import Settings, check_seed
from game.updates import UpdateRequest, UpdateSource, Verdict, make_request

RULES_VERSION = 1
"""Changes whenever the same actions could lead elsewhere; stamped in replays and saves."""


class Outcome(NamedTuple):
    """How a match ended: ``winner`` 0 or 1, None for a draw, and why."""

    winner: int | None
    reason: str


class Link(NamedTuple):
    """A match's past: the link before, what was done (a number, a verdict, a concession), the state before."""

    before: Link | None
    done: Any
    state: bytes


class Concession(NamedTuple):
    """A player gave up."""

    player: int


class Match:
    """One game between player 0 and player 1. See docs/rules.md for the rules.

    ``decks``: two of a shipped deck's id, a deck file's path, a mapping of card ids to copies, a
    :class:`~game.decks.Deck`. ``seed``: 0 ≤ seed < 2⁶⁴; the same decks, seed and actions give the
    same match. ``updates``: one source for both players, or one each; without a source the match
    stops at :attr:`pending` and :meth:`give` goes on.
    """

    __slots__ = ("_log", "_work", "cards", "decks", "last", "seed", "settings", "states", "updates")

    def __init__(self, decks: Sequence[DeckLike], seed: int, cards: CardSet | None = None,
                 updates: UpdateSource | Sequence[UpdateSource | None] | None = None,
                 settings: Settings | None = None) -> None:
        self.cards = cards or first_set()
        self.seed = check_seed(seed)
        self.settings = settings or Settings()
        self.updates = _pair(updates)
        if isinstance(decks, str) or len(decks) != 2:
            raise GameError(f"a match needs two decks, not {decks!r}")
        size = self.settings.deck_size
        self.decks: tuple[Deck, Deck] = (load_deck(decks[0], self.cards, size), load_deck(decks[1], self.cards, size))
        compiled.prepare()
        self.last: Link | None = None
        self.states: Any = np.zeros(1, r.State.dtype)
        self._work: Any = np.zeros(1, r.Work.dtype)
        self._log: Any = np.zeros((512, len(r.EVENT_FIELDS)), np.int32)
        batch.deal_one(self.states, 0, self._log, np.uint64(self.seed), deck_rows(self.decks, self.cards),
                       self.settings.row(self.cards))

    # ---- looking ----

    @property
    def state(self) -> Any:
        """The rules' record, to read (see :class:`game.engine.records.State`)."""
        return self.states[0]

    @property
    def player(self) -> int:
        """Whose decision it is, 0 or 1."""
        return int(self.states["player"][0])

    @property
    def turn(self) -> int:
        """Turns begun so far, both players' counted."""
        return int(self.states["turn"][0])

    @property
    def ply(self) -> int:
        """Decisions taken so far."""
        return int(self.states["ply"][0])

    @property
    def phase(self) -> str:
        """mulligan, action, awaiting_update or over."""
        return r.PHASES[self.states["phase"][0]]

    @property
    def outcome(self) -> Outcome | None:
        """None while the match runs."""
        result = int(self.states["result"][0])
        if result == r.RUNNING:
            return None
        return Outcome(None if result == r.DRAWN else result - 1, r.REASONS[self.states["reason"][0]])

    def mask(self) -> Any:
        """uint8 ``(238,)``: 1 at each legal action's number."""
        mask = np.empty(r.ACTIONS, np.uint8)
        batch.mask_one(self.states, 0, self.cards.table, mask)
        return mask

    def legal_actions(self) -> list[int]:
        """Numbers of all legal actions, ascending; empty when the match is over or awaits an update."""
        legal: list[int] = np.flatnonzero(self.mask()).tolist()
        return legal

    def why_not(self, action: int) -> str:
        """Why an action is illegal, in words; empty if it is legal."""
        source, token = divmod(action, r.TOKENS) if 0 <= action < r.ACTIONS else (-1, 0)
        return REFUSALS[batch.refusal_one(self.states, 0, self.cards.table, source, token)]

    def observe(self, player: int) -> Any:
        """int32 ``(OBSERVATION_SIZE,)``: what a player knows; :func:`game.engine.observe.view` names it."""
        player = _check_player(player)
        row = np.empty(OBSERVATION_SIZE, np.int32)
        batch.observe_one(self.states, 0, self.cards.table, player, row)
        return row

    def describe(self, action: int, language: str = "en") -> str:
        """An action of the player to act in words."""
        lab, names = self.states[0].labs[self.player], {}
        hand = [self.cards[row] for row in lab.hand[:lab.hand_size]]
        for own, side in ((True, self.player), (False, 1 - self.player)):
            for slot, unit in enumerate(self.states[0].labs[side].units):
                if unit.card:
                    names[act.slot_token(own, slot)] = self.cards[unit.card].name(language)
        return act.describe(action, [card.name(language) for card in hand], [card.target != "none" for card in hand],
                            names, self.phase == "mulligan", language)

    def digest(self) -> str:
        """Names the state: 16 hexadecimal digits over the card set's hash and every byte of the state."""
        return state_digest(self.states, self.cards)

    # ---- acting ----

    def play(self, action: int) -> list[Event]:
        """Take an action and return what happened, updates included if there is a source for them.

        Raises IllegalAction, and changes nothing, if the rules don't allow it.
        """
        if isinstance(action, bool) or not isinstance(action, (int, np.integer)):
            raise IllegalAction(f"an action is a whole number from 0 to {r.ACTIONS - 1}, not {action!r}")
        action = int(action)
        if not 0 <= action < r.ACTIONS:
            action = -1
        before = self.states.tobytes()
        self._log[0, 0] = 0
        reason = batch.step_one(self.states, 0, self.cards.table, self._work, self._log, action)
        if reason:
            raise IllegalAction(self._refuse(action, reason))
        self.last = Link(self.last, action, before)
        events = self._events(lambda states: batch.step_one(
            states, 0, self.cards.table, self._work, self._log, action), before)
        return events + self._answer()

    def give(self, verdict: Verdict) -> list[Event]:
        """Go on with the awaited update's verdict; IllegalAction if none is awaited."""
        if self.phase != "awaiting_update":
            raise IllegalAction("no gradient update is awaited")
        before = self.states.tobytes()
        kind = r.VERDICTS.index(verdict.outcome)
        self._log[0, 0] = 0
        batch.verdict_one(self.states, 0, self.cards.table, self._work, self._log, kind, verdict.row)
        self.last = Link(self.last, verdict, before)
        return self._events(lambda states: batch.verdict_one(
            states, 0, self.cards.table, self._work, self._log, kind, verdict.row), before)

    def concede(self, player: int) -> list[Event]:
        """Give the match up at any time; the other player wins."""
        player = _check_player(player)
        if self.outcome is not None:
            raise IllegalAction(REFUSALS[1])
        self.last = Link(self.last, Concession(player), self.states.tobytes())
        self._log[0, 0] = 0
        batch.finish_one(self.states, 0, self._log, 2 - player, r.BY_CONCESSION)
        return self._read_log()

    @property
    def pending(self) -> UpdateRequest | None:
        """The gradient update that is awaited, with the observation kept for it; None if none is."""
        if self.phase != "awaiting_update":
            return None
        state = self.states[0]
        own = self.own_decisions(int(state.player)).get(int(state.update_entry), [])
        return make_request(state, self.cards, self.name, self.turn_decisions(), own, 0, self.updates_asked)

    @property
    def updates_asked(self) -> int:
        """How many gradient updates have had their verdicts."""
        return sum(isinstance(link.done, Verdict) for link in self.links())

    def turn_decisions(self) -> list[tuple[int, Any, int]]:
        """(ply, observation, action's number) of what the player to act has decided this turn, in order."""
        turn, player = self.turn, self.player
        return [(int(before.ply) + 1, self._observe_bytes(link.state, player), link.done)
                for link, before in self._decisions(player) if before.turn == turn]

    def own_decisions(self, player: int) -> dict[int, list[tuple[int, Any]]]:
        """Entry number → (ply, observation) of each attack that a Model of ``player`` has decided on so far."""
        found: dict[int, list[tuple[int, Any]]] = {}
        for link, before in self._decisions(player):
            slot = link.done // r.TOKENS - r.HAND
            if 0 <= slot < r.SLOTS and before.phase == r.ACTION:
                entry = int(before.labs[player].units[slot].entry)
                found.setdefault(entry, []).append((int(before.ply) + 1, self._observe_bytes(link.state, player)))
        return found

    def _decisions(self, player: int) -> Iterator[tuple[Link, Any]]:
        """A player's decisions so far, each with the state before it."""
        for link in self.links():
            before = r.state_from(link.state)[0]
            if isinstance(link.done, int) and before.player == player:
                yield link, before

    # ---- copies, past, files ----

    def clone(self) -> Match:
        """An independent copy that shares nothing mutable; it has no update sources."""
        other = type(self).__new__(type(self))
        other.cards, other.seed, other.settings, other.decks = self.cards, self.seed, self.settings, self.decks
        other.updates, other.last = (None, None), self.last
        other.states = r.copy_states(self.states)
        other._work, other._log = self._work, self._log  # empty between actions
        return other

    def before_last(self) -> Match:
        """A copy as it stood before what was done last; ValueError if nothing was."""
        if self.last is None:
            raise ValueError("nothing was done yet")
        other = self.clone()
        other.states, other.last = r.state_from(self.last.state), self.last.before
        return other

    def links(self) -> Iterator[Link]:
        """What was done so far, first to last, each with the state before it."""
        chain: list[Link] = []
        link = self.last
        while link is not None:
            chain.append(link)
            link = link.before
        return iter(chain[::-1])

    @property
    def name(self) -> str:
        """The match's name: the digest of its first state."""
        first = next(self.links(), None)
        states = self.states if first is None else r.state_from(first.state)
        return state_digest(states, self.cards)

    def save(self, path: Path | str) -> None:
        """Write the match, finished or not, as a replay (see :mod:`game.replay`), whole or not at all."""
        from game.replay import Replay

        Replay.of(self).write(path)

    @staticmethod
    def load(path: Path | str, cards: CardSet | None = None,
             updates: UpdateSource | Sequence[UpdateSource | None] | None = None) -> Match:
        """Read and verify a saved match, ready to be played on; ReplayError if anything about it is wrong.

        With ``updates``, an update that was awaited when it was saved gets its verdict at once.
        """
        from game.replay import Replay

        match = Replay.read(path).verify(cards)
        match.updates = _pair(updates)
        match._answer()
        return match

    # ---- details ----

    def _answer(self) -> list[Event]:
        """Ask the update sources for what is awaited, as long as there is one to ask."""
        events: list[Event] = []
        while self.phase == "awaiting_update" and (source := self.updates[self.player]) is not None:
            request = self.pending
            assert request is not None
            events += self.give(source.update(request))
        return events

    def _refuse(self, action: int, reason: int) -> str:
        if action < 0 or reason == 1:
            return REFUSALS[reason]
        return f"can't {self.describe(action)}: {REFUSALS[reason]}"

    def _observe_bytes(self, state: bytes, player: int) -> Any:
        row = np.empty(OBSERVATION_SIZE, np.int32)
        batch.observe_one(r.state_from(state), 0, self.cards.table, player, row)
        return row

    def _events(self, again: Any, before: bytes) -> list[Event]:
        """The log as events; a resolution longer than the log is run again with a longer one."""
        while self._log[0, 0] >= len(self._log):
            self._log = np.zeros((2 * int(self._log[0, 0]) + 2, self._log.shape[1]), np.int32)
            again(r.state_from(before))
        return self._read_log()

    def _read_log(self) -> list[Event]:
        rows = self._log[1:self._log[0, 0] + 1].tolist()
        return [Event(r.EVENTS[row[0]], *row[1:]) for row in rows]


def state_digest(states: Any, cards: CardSet) -> str:
    """16 hexadecimal digits over the card set's hash and a state's bytes."""
    return hashlib.sha256(cards.hash.encode() + states.tobytes()).hexdigest()[:16]


def _check_player(player: Any) -> int:
    if isinstance(player, bool) or not isinstance(player, (int, np.integer)) or player not in (0, 1):
        raise GameError(f"a player is 0 or 1, not {player!r}")
    return int(player)


def _pair(updates: Any) -> tuple[UpdateSource | None, UpdateSource | None]:
    if updates is None or hasattr(updates, "update"):
        return (updates, updates)
    first, second = updates
    return (first, second)
