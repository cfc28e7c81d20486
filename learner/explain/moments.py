"""Finding the moment to explain: an update or a decision, in a run or in a replay, and the weights that were asked."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from game.cards import CardSet
from game.engine.observe import TOKEN_FIELDS, view
from game.engine.records import END_TURN, HAND, TOKENS
from game.errors import GameError
from game.events import Event
from game.match import Match
from game.replay import Replay
from game.updates import UpdateRequest, Verdict
from learner.agent import Agent
from learner.ledger.store import Store
from learner.ledger.updates import Lesson, lesson_from
from learner.rl.labs import players_in


@dataclass(frozen=True)
class Update:
    """A Backpropagation."""

    title: str
    family: str
    lesson: Lesson
    recorded: str
    """The verdict that was given."""


@dataclass(frozen=True)
class Decision:
    """A decision, and the words for what could have been done instead."""

    title: str
    row: Any
    mask: Any
    action: int
    history: tuple[Any, ...]
    """Observations of the acting Model's own earlier decisions; empty where a card or "end turn" was chosen."""
    family: str
    """Of the Model that was sent, empty if none was."""
    words: Callable[[int], str]
    """An action in words."""

    @property
    def slot(self) -> int:
        """The slot of the Model that was sent."""
        return self.action // TOKENS - HAND


def ledger_update(store: Store, number: int, agent: Agent) -> Update:
    """The update of a ledger entry; its network's weights are put into ``agent``."""
    rows = store.entries('"row" = ?', number)
    if not rows:
        raise GameError(f"{store.path}: there is no ledger entry {number}; `backprop audit` counts them, and the "
                        "first ones are " + (", ".join(str(row["row"]) for row in store.entries()[:3]) or "none"))
    row = rows[0]
    family = str(row["family"])
    agent.models[family].load_state_dict(store.weights(str(row["weights"])))
    lesson = lesson_from(zlib.decompress(row["observation"]), int(row["slot"]), int(row["target"]), int(row["damage"]))
    name = agent.cards[agent.cards.row(str(row["card"]))].name("en")
    title = (f"ledger entry {number}: {name} of {row['owner']}, match {row['match']}, "
             f"turn {row['turn']}, decision {row['ply']}, weights {row['weights']}")
    return Update(title, family, lesson, "learned")


def match_of_run(store: Store, number: int) -> tuple[Replay, Any]:
    """A match of a run and its row."""
    for row in store.matches():
        if int(row["number"]) == number:
            return Replay.from_json(store.replay_text(row)), row
    raise GameError(f"{store.path}: there is no match {number}")


def weights_of_match(store: Store, row: Any, seat: int, family: str, agent: Agent) -> None:
    """Put the weights that were asked for an update in a match into ``agent``."""
    digest = json.loads(row["weights"] or "[{}, {}]")[seat].get(family)
    if digest is None:
        raise GameError(f"{store.path}: match {row['number']} doesn't say which {family} weights it used")
    agent.models[family].load_state_dict(store.weights(digest))


def agent_of_run(path: Path, row: Any, seat: int, last_round: int, cards: CardSet) -> tuple[Agent, str]:
    """The lab that played a match, and where its weights are from: as it was in the last round, else as it is now.

    A run keeps whole labs in its last checkpoints only.
    """
    owner = str(json.loads(row["labs"])[seat])
    before = path / "checkpoints" / f"{last_round - 1:06d}.safetensors"
    if int(row["round"]) == last_round and before.exists():
        for lab in players_in(before, cards):
            if lab.owner == owner:
                return lab.agent, f"{owner}'s weights, as it played"
    file = path / f"{owner.partition('@')[0]}.safetensors"
    if not file.exists():
        raise GameError(f"{path}: doesn't keep {owner}'s networks; say with --agent whose to explain")
    return Agent.load(file, cards), f"the weights of {file.name} today; those that played this round aren't kept"


def find_update(replay: Replay, ordinal: int, cards: CardSet) -> tuple[Update, int]:
    """The ``ordinal``-th update (from 1) of a match, and the seat that asked for it."""
    found: list[tuple[UpdateRequest, Verdict]] = []

    def watch(match: Match, events: list[Event]) -> None:
        assert match.last is not None
        if isinstance(match.last.done, Verdict):
            request = match.before_last().pending
            assert request is not None
            found.append((request, match.last.done))

    replay.verify(cards, watch)
    if not 1 <= ordinal <= len(found):
        raise GameError(f"--update {ordinal}: this match has {len(found)} updates")
    request, verdict = found[ordinal - 1]
    name = cards[cards.row(request.card)].name("en")
    title = (f"update {ordinal}: {name} of player {request.player}, turn {request.turn}, "
             f"decision {request.ply}")
    # whole histories: networks without a memory don't look at them
    lesson = Lesson(request.observation, request.history, request.slot, request.target, request.damage)
    return Update(title, request.family, lesson, verdict.outcome), request.player


def find_decision(replay: Replay, ply: int, cards: CardSet) -> tuple[Decision, int]:
    """The decision with this number (from 1) in a match, and the seat that took it."""
    found: list[tuple[Decision, int]] = []

    def watch(match: Match, events: list[Event]) -> None:
        assert match.last is not None
        if isinstance(match.last.done, int):
            before = match.before_last()
            if before.ply + 1 == ply:
                found.append((_decision(before, match.last.done, cards), before.player))

    last = replay.verify(cards, watch).ply
    if not found:
        raise GameError(f"--decision {ply}: this match has decisions 1 to {last}")
    return found[0]


def _decision(match: Match, action: int, cards: CardSet) -> Decision:
    row, player = match.observe(match.player), match.player
    family, history = "", ()
    if HAND <= action // TOKENS < END_TURN and match.phase == "action":
        token = view(row).tokens[action // TOKENS - HAND + 1]
        family = cards[int(token[0])].family
        entry = int(token[TOKEN_FIELDS.index("entry")])
        history = tuple(seen for _, seen in match.own_decisions(player).get(entry, []))
    title = f"decision {match.ply + 1}, turn {match.turn}, player {player}: {match.describe(action)}"
    return Decision(title, row, match.mask(), action, history, family, match.describe)
