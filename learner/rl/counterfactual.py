"""What was a gradient worth? A run's casts, played on with their update and without it.

A learned update gives +1/+1, the training mark, the count and the triggers; a vanished one gives
nothing, and the card is spent all the same. So a cast is gone back to, its verdict is given once
as it was and once as *vanished*, and the players who played the match play on from there in both
branches, several times over: with the same deck orders and, at the same ply in the same seat, the
same random words. The caster's score with less its score without is what the update was worth in
wins. Nothing of what the network learned is in that: weights don't change within a match.

Players' networks are kept in the last two checkpoints only, so casts are drawn from the last
round, whose players are those in the checkpoint before it. The first continuation takes the
match's own random words: with its update it must end as it did.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from game.cards import CardSet, first_set
from game.errors import GameError
from game.events import Event
from game.match import Match
from game.replay import Replay
from game.start import Start
from game.updates import Verdict
from game.vector import Pairing, Played
from learner.ledger.store import Store
from learner.rl.labs import players_in
from learner.rl.ratings import Z
from learner.rl.rollout import Lab, Rollouts


@dataclass(frozen=True)
class Cast:
    """One learned update of a run, and where both branches begin."""

    row: int
    """Its ledger entry."""
    match: int
    seed: int
    family: str
    weights: str
    """Digest of the network that learned."""
    seat: int
    owners: tuple[str, str]
    winner: int | None
    """How the match ended."""
    decisions: int
    learned: Start
    vanished: Start


@dataclass(frozen=True)
class Worth:
    """What updates were worth in wins: the mean difference and its 95 % interval."""

    casts: int
    matches: int
    score_with: float
    score_without: float
    mean: float
    low: float
    high: float

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return dict(self.__dict__)


@dataclass(frozen=True)
class Report:
    """All casts' worth, by family as well."""

    round: int
    drawn_from: int
    """Learned updates in that round."""
    continuations: int
    worth: Worth
    families: dict[str, Worth]
    as_recorded: int
    """Casts whose match, played on with the update and its own random words, ended as it did."""

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {**self.__dict__, "worth": self.worth.as_dict(),
                "families": {name: worth.as_dict() for name, worth in self.families.items()}}


def counterfactual(run: Path | str, count: int, continuations: int = 8, seed: int = 0, workers: int = 1,
                   cards: CardSet | None = None, progress: Callable[[int], None] | None = None) -> Report:
    """Measure what ``count`` casts of a run's last round were worth (all of them, if there are fewer).

    ``progress`` is told how many more matches have been played on: 2 · continuations a cast.
    GameError if the run keeps no players, or no update was learned in its last round.
    """
    path, cards = Path(run), cards or first_set()
    store = Store(path / "ledger.sqlite")
    try:
        number = int(store.meta("round", 0))
        players = path / "checkpoints" / f"{number - 1:06d}.safetensors"
        if not players.exists():
            raise GameError(f"{players}: is missing; only a training run keeps the players that could play on")
        labs = players_in(players, cards)
        rows = store.entries("match IN (SELECT number FROM matches WHERE round = ?)", number)
        if not rows:
            raise GameError(f"{path}: no update was learned in its last round, {number}")
        generator = np.random.default_rng([seed, 3])
        drawn = sorted(generator.choice(len(rows), min(count, len(rows)), replace=False).tolist())
        casts = _find(store, [rows[i] for i in drawn], cards)
    finally:
        store.close()
    scores, as_recorded = _play(casts, labs, continuations, seed, workers, cards, progress)
    groups = np.array([cast.match for cast in casts])
    families = np.array([cast.family for cast in casts])
    return Report(number, len(rows), continuations, worth_of(scores, groups),
                  {str(name): worth_of(scores[families == name], groups[families == name])
                   for name in np.unique(families)}, as_recorded)


def worth_of(scores: Any, groups: Any) -> Worth:
    """The mean difference over casts, float64 ``(n, 2)``: scores with and without; ``groups`` ``(n,)``: their matches.

    Casts of one match share its luck, so the interval is that of K.-Y. Liang and S. L. Zeger (1986)
    for clusters. With a single match it can't be told: −1 to 1.
    """
    difference = scores[:, 0] - scores[:, 1]
    n, mean = len(difference), float(difference.mean())
    sums = np.array([(difference[groups == group] - mean).sum() for group in np.unique(groups)])
    low, high = -1.0, 1.0
    if len(sums) > 1:
        half = Z * math.sqrt(len(sums) / (len(sums) - 1) * float((sums * sums).sum())) / n
        low, high = max(-1.0, mean - half), min(1.0, mean + half)
    return Worth(n, len(sums), float(scores[:, 0].mean()), float(scores[:, 1].mean()), mean, low, high)


def _find(store: Store, rows: Sequence[Any], cards: CardSet) -> list[Cast]:
    """Replay the matches of ledger rows up to each cast, and give both verdicts there."""
    wanted: dict[int, dict[int, Any]] = {}
    for row in rows:
        wanted.setdefault(int(row["match"]), {})[int(row["row"])] = row
    found = []
    for record in store.matches():
        if int(record["number"]) not in wanted:
            continue
        own = wanted[int(record["number"])]
        replay = Replay.from_json(store.replay_text(record))

        def watch(match: Match, events: list[Event], own: Any = own, record: Any = record) -> None:
            if match.last is None or not isinstance(match.last.done, Verdict) or match.last.done.row not in own:
                return
            row, branches = own[match.last.done.row], []
            for verdict in (match.last.done, Verdict("vanished")):
                branch = match.before_last()
                branch.give(verdict)
                branches.append(Start.of(branch))
            first, second = json.loads(record["labs"])
            found.append(Cast(int(row["row"]), int(row["match"]), match.seed, str(row["family"]), str(row["weights"]),
                              int(row["seat"]), (first, second), record["winner"], int(record["decisions"]), *branches))

        replay.verify(cards, watch)
    return found


def _play(casts: Sequence[Cast], labs: Sequence[Lab], continuations: int, seed: int, workers: int, cards: CardSet,
          progress: Callable[[int], None] | None) -> tuple[Any, int]:
    """The caster's mean scores, float64 ``(casts, 2)``: with and without; and how many ended as recorded."""
    number = {lab.owner: place for place, lab in enumerate(labs)}
    pairings: list[Pairing] = []
    decks: Any = ()
    for cast in casts:
        missing = [owner for owner in cast.owners if owner not in number]
        if missing:
            raise GameError(f"match {cast.match}: {missing[0]} isn't in the checkpoint before it")
        first, second = cast.owners
        if labs[number[cast.owners[cast.seat]]].agent.digest(cast.family) != cast.weights:
            raise GameError(f"ledger entry {cast.row}: was computed on other weights than the checkpoint's")
        fresh = np.random.default_rng([seed, 4, cast.row]).integers(2**63, size=continuations - 1)
        for word in (cast.seed, *fresh.tolist()):
            for start in (cast.learned, cast.vanished):
                pairings.append(Pairing(cast.match, decks, word, (number[first], number[second]), start))
    with Rollouts(workers, cards) as rollouts:
        played = rollouts.play(labs, pairings, progress).played
    scores = np.array([_score(p, cast.seat) for p, cast in zip(
        played, np.repeat(np.array(casts, object), 2 * continuations), strict=True)])
    same = sum(p.winner == cast.winner and p.decisions == cast.decisions
               for p, cast in zip(played[::2 * continuations], casts, strict=True))
    return scores.reshape(len(casts), continuations, 2).mean(axis=1), same


def _score(played: Played, seat: int) -> float:
    return (played.reward(seat) + 1) / 2
