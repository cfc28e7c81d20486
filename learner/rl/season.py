"""A run: rounds of whole matches, and what is learned between them.

A round, top to bottom (:meth:`Season.round`):

1. pair the labs and play whole matches with all weights standing still;
2. apply each lab's ledger: the card's gradients, one step a family;
3. PPO on each learning lab's decisions;
4. keep everything in one transaction: matches, ledger, weights, figures, checkpoint.

A run killed at any moment goes on from its last whole round as if it had never stopped.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from game.cards import CardSet, first_set
from game.errors import GameError
from game.files import check_new, filling, write_atomic
from game.vector import Pairing, Played
from learner.agent import Agent
from learner.health import TrainingError, check_weights
from learner.ledger.ledger import Step, apply_entries, keep_matches, record_steps, weights_asked
from learner.ledger.lock import hold
from learner.ledger.store import MEASUREMENT, PENDING, Store
from learner.ledger.updates import Entry
from learner.rl import checkpoint, snapshots
from learner.rl.labs import Learner, Past, restore, snapshot
from learner.rl.measure import find_player
from learner.rl.metrics import card_figures, match_figures
from learner.rl.plan import OPPONENT, Plan
from learner.rl.ppo import make_batch, make_optimizers, ppo_update, step_size, unreached
from learner.rl.rollout import Collected, Lab, Rollouts, make_pairings


class Season:
    """A run's folder: ``ledger.sqlite``, ``checkpoints``, ``snapshots``, ``<lab>.safetensors``, ``metrics.jsonl``."""

    def __init__(self, path: Path, plan: Plan, cards: CardSet, store: Store, rollouts: Rollouts) -> None:
        self._lock = hold(path, "another process works on this run")
        self.path, self.plan, self.cards, self.store, self.rollouts = path, plan, cards, store, rollouts
        self.done = 0
        """Whole rounds played."""
        self.next_match = 0
        self.last_played: list[Played] = []
        self.unreached: list[str] = []
        """Parameters that the first round's loss didn't reach (see :func:`learner.rl.ppo.unreached`)."""
        self.learners = [Learner(owner, agent, make_optimizers(agent, plan.ppo)) for owner, agent in (
            (owner, Agent(plan.seed * 1000 + number, cards, owner)) for number, owner in enumerate(plan.labs))]
        self.past: list[Past] = []
        self.opponent: Lab | None = None
        """Whom it trains against, if the plan names somebody: weights that stand still."""
        _, self.decks = plan.played_with(cards)

    # ---- beginning and going on ----

    @staticmethod
    def create(path: Path | str, plan: Plan, workers: int = 1, cards: CardSet | None = None) -> Season:
        """Begin a run in a new or empty folder; GameError if something is there already."""
        path, cards = check_new(path, "`--resume` goes on with a run, or name a new folder"), cards or first_set()
        settings, _ = plan.played_with(cards)  # an unknown deck is refused before anything is written
        opponent = replace(find_player(plan.against, cards, plan.seed), owner=OPPONENT) if plan.against else None
        rollouts = Rollouts(workers, cards, settings)  # and nothing is there either when compiling is interrupted
        with filling(path):
            (path / "checkpoints").mkdir()
            (path / snapshots.FOLDER).mkdir()
            store = Store(path / "ledger.sqlite", create=True)
            season = Season(path, plan, cards, store, rollouts)
            season.opponent = opponent
            season._write_checkpoint()
            season._write_agents()
            with store.transaction():
                store.set_meta("plan", asdict(plan))
                store.set_meta("cards", cards.hash)
                store.set_meta("round", 0)
                store.seal()
        return season

    @staticmethod
    def resume(path: Path | str, workers: int = 1, cards: CardSet | None = None,
               learning_rate: float | None = None) -> Season:
        """Go on with a run from its last whole round, ``learning_rate``: with another one for PPO from now on.

        GameError if there is none or it doesn't fit.
        """
        path, cards = Path(path), cards or first_set()
        store = Store(path / "ledger.sqlite")
        try:
            if store.meta("plan") is None:
                raise GameError(f"{path}: isn't a training run, or wasn't whole when it began; name a new folder")
            if store.meta("cards") != cards.hash:
                raise GameError(f"{path}: was made with card set {store.meta('cards')}; this set is {cards.hash}")
            plan = Plan.from_dict(store.meta("plan"))
            if learning_rate is not None:
                plan = replace(plan, ppo=replace(plan.ppo, learning_rate=learning_rate))
            season = Season(path, plan, cards, store, Rollouts(workers, cards, plan.played_with(cards)[0]))
            season._read_checkpoint(int(store.meta("round")))
            store.set_meta("plan", asdict(plan))
            (path / snapshots.FOLDER).mkdir(exist_ok=True)
            season._write_metrics()
            season._write_agents()
        except (KeyError, TypeError) as error:
            raise GameError(f"{path}: its plan is another version's: {error}") from None
        except BaseException:
            store.close()
            raise
        return season

    def close(self) -> None:
        """Stop the workers and close the database."""
        self.rollouts.close()
        self.store.close()
        self._lock.close()

    def __enter__(self) -> Season:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    # ---- a round ----

    def round(self, progress: Callable[[int], None] | None = None, most: int | None = None) -> dict[str, Any]:
        """Play and learn from one round of whole matches (``most``: no more than that); returns its figures.

        TrainingError, with a diagnosis, if anything becomes NaN, infinite or explodes; the checkpoint
        of the round before is kept.
        """
        try:
            return self._round(progress, most)
        except TrainingError as error:
            rate = self.plan.ppo.learning_rate
            raise TrainingError(
                f"{self.path}: stopped in round {self.done + 1}: {error}. The last good checkpoint is "
                f"{self._checkpoint(self.done)}; go on from it with `backprop train --resume --out {self.path} "
                f"--learning-rate {rate / 3:.2g}` (it was {rate:g}; with the same rate the same comes again)",
                error.network, error.parameter) from error

    def _round(self, progress: Callable[[int], None] | None, most: int | None) -> dict[str, Any]:
        began = time.perf_counter()
        number = self.done + 1
        labs = self._labs()
        self._check(labs, "before the matches")
        pairings = self._pairings(number, len(labs))[:most]
        collected = self.rollouts.play(labs, pairings, progress)
        self.last_played = collected.played
        rolled = time.perf_counter()
        asked = weights_asked([lab.agent for lab in labs], collected.played)
        steps = [step for lab, entries in zip(labs, collected.entries, strict=True)
                 if lab is not self.opponent for step in apply_entries(lab.agent, entries, self.plan.card_lr)
                 ] if self.plan.without != "ledger" else []
        self._check(labs, "after the card's steps")
        carded = time.perf_counter()
        figures = {f"{learner.owner}/{key}": value for place, learner in enumerate(self.learners)
                   for key, value in self._ppo(number, place, learner, collected).items()
                   } if self.plan.without != "ppo" else {}
        self._check(labs, "after PPO's steps")
        trained = time.perf_counter()
        self.done, self.next_match = number, self.next_match + len(pairings)
        self._join_league()
        self._write_checkpoint()
        owners = [lab.owner for lab in labs]
        document = {"round": number, **match_figures(collected.played, owners, len(self.learners)),
                    "league": len(self.past), **figures,
                    **card_figures(steps, [learner.owner for learner in self.learners]),
                    "seconds_rollout": rolled - began, "seconds_card": carded - rolled,
                    "seconds_ppo": trained - carded, "seconds": time.perf_counter() - began}
        document["decisions_per_second"] = document["decisions"] / document["seconds"]
        document["rollout_decisions_per_second"] = document["decisions"] / document["seconds_rollout"]
        self._keep(number, labs, collected, asked, steps, document)
        return document

    def _check(self, labs: Sequence[Lab], when: str) -> None:
        for lab in labs:
            check_weights(lab.agent, lab.owner, when)

    def _labs(self) -> list[Lab]:
        learning = [Lab(learner.owner, learner.agent, remembers=self.plan.without != "ppo")
                    for learner in self.learners]
        if self.opponent is not None:
            return [*learning, self.opponent]
        return [*learning, *[Lab(past.owner, past.agent) for past in self.past]]

    def _pairings(self, number: int, labs: int) -> list[Pairing]:
        generator = np.random.default_rng([self.plan.seed, number, 1])
        if len(self.learners) == 2 or self.opponent is not None:
            seats = [(0, 1), (1, 0)]
        else:
            seats = []
            for i in range(self.plan.matches):
                other = 0
                if labs > 1 and generator.random() < self.plan.past_share:
                    other = 1 + int(generator.integers(labs - 1))
                seats.append((0, other) if i % 2 == 0 else (other, 0))
        offset = number * 7 % len(self.decks)
        decks = [*self.decks[offset:], *self.decks[:offset]]
        seed = int(generator.integers(2**63))
        return make_pairings(self.next_match, self.plan.matches, seed, decks, seats)

    def _ppo(self, number: int, place: int, learner: Learner, collected: Collected) -> dict[str, float]:
        rewards = {(p.pairing.number, seat): p.reward(seat) for p in collected.played for seat in (0, 1)}
        batch = make_batch(collected.memories[place], rewards, self.plan.ppo)
        if number == 1:
            self.unreached += [f"{learner.owner}/{name}" for name in unreached(learner.agent, batch, self.plan.ppo)]
        generator = np.random.default_rng([self.plan.seed, number, 2, place])
        return ppo_update(learner.agent, learner.optimizers, batch, self.plan.ppo, generator)

    def _join_league(self) -> None:
        if len(self.learners) == 1 and self.opponent is None and self.done % self.plan.past_every == 0:
            owner = f"{self.learners[0].owner}@{self.done}"
            self.past = [*self.past, Past(owner, self.learners[0].agent.copy(owner))][-self.plan.past_most:]

    def _keep(self, number: int, labs: Sequence[Lab], collected: Collected, asked: list[dict[str, dict[str, Any]]],
              steps: list[Step], document: dict[str, Any]) -> None:
        store = self.store
        entries: list[Entry] = [entry for own in collected.entries for entry in own]
        with store.transaction():
            keep_matches(store, number, collected.played, [lab.owner for lab in labs], asked, self.cards,
                         self.rollouts.settings)
            store.add_entries(entries, MEASUREMENT if self.plan.without == "ledger" else PENDING,
                              (OPPONENT,) if self.opponent is not None else ())
            record_steps(store, number, steps)
            document["ledger_rows"] = store.count("entries")
            store.add_metrics(number, document)
            store.set_meta("round", number)
            store.seal()
        for old in sorted((self.path / "checkpoints").glob("*.safetensors"))[:-2]:
            old.unlink()
        self._write_agents()
        with (self.path / "metrics.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(document) + "\n")

    # ---- files ----

    def _checkpoint(self, number: int) -> Path:
        return self.path / "checkpoints" / f"{number:06d}.safetensors"

    def _write_checkpoint(self) -> None:
        tensors, facts = snapshot(self.learners, self.past, self.opponent)
        checkpoint.write(self._checkpoint(self.done), tensors,
                         {"round": self.done, "next_match": self.next_match, **facts})

    def _read_checkpoint(self, number: int) -> None:
        tensors, facts = checkpoint.read(self._checkpoint(number))
        try:
            self.past, self.opponent = restore(tensors, facts, self.learners, self.plan.seed, self.cards)
        except (KeyError, TypeError, ValueError) as error:
            what = " ".join(str(error).split())
            raise GameError(f"{self._checkpoint(number)}: doesn't fit this run: {what}") from None
        for learner in self.learners:
            for name, optimizer in learner.optimizers.items():
                for group in optimizer.param_groups:
                    group["lr"] = step_size(name, self.plan.ppo)
        self.done, self.next_match = int(facts["round"]), int(facts["next_match"])
        for later in (self.path / "checkpoints").glob("*.safetensors"):
            if int(later.stem) > number:
                later.unlink()

    def _write_agents(self) -> None:
        """Each learning lab's agent as it is now, and every ``past_every`` rounds one more that stays as it is."""
        for learner in self.learners:
            notes = {"rounds": self.done, "run_seed": self.plan.seed}
            learner.agent.save(self.path / f"{learner.owner}.safetensors", **notes)
            if self.done % self.plan.past_every == 0:
                learner.agent.save(snapshots.place(self.path, learner.owner, self.done), **notes)

    def _write_metrics(self) -> None:
        write_atomic(self.path / "metrics.jsonl", "".join(json.dumps(d) + "\n" for d in self.store.metrics()))
