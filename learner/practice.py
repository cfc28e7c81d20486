"""Further training at home: after a match the person's lab plays itself, and learns from that as a run does.

A round of practice is a run's round (:mod:`learner.rl.season`) in small: whole matches with all
weights standing still, then the card's steps, then PPO. It is one transaction, so that a round
that is killed never happened and is played again, the same to the bit, by whoever comes next;
and how many rounds are still owed stands in the same database. PPO begins each round with a fresh
optimizer: at home a few rounds follow each other, and its state would be the only thing that
isn't in the database.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from learner.health import TrainingError, check_weights
from learner.home import PERSON, Home
from learner.ledger.ledger import Step, apply_entries, keep_matches, record_steps, weights_asked
from learner.ledger.store import PENDING
from learner.ledger.updates import Entry
from learner.rl.ppo import Config, make_batch, make_optimizers, ppo_update
from learner.rl.rollout import Lab, Rollouts, deck_pairs, make_pairings


@dataclass(frozen=True)
class Practice:
    """How much a lab practises after a match."""

    rounds: int = 3
    matches: int = 24
    """Of the lab against itself, in a round."""
    ppo: Config = field(default_factory=lambda: Config(learning_rate=3e-4))


@dataclass(frozen=True)
class Practised:
    """What a round did."""

    round: int
    matches: int
    decisions: int
    entries: list[Entry]
    steps: list[Step]
    left: int
    """Rounds still owed."""


def practise(home: Home, plan: Practice, progress: Callable[[int], None] | None = None) -> Practised | None:
    """Play and learn from one round that is owed; None if none is. ``progress``: called with matches done.

    GameError if a match is open, for its gradients are computed on the present weights. TrainingError
    if weights or losses go wrong: nothing of the round is kept, and no further one is owed.
    """
    home.learn()
    if home.owed() == 0:
        return None
    home.refuse_open()
    number, store = home.round(), home.store
    agent = home.person().agent
    lab = Lab(PERSON, agent, remembers=True)
    seed = np.random.default_rng([int(store.meta("seed")), number, 5])
    decks = deck_pairs((), home.cards, int(seed.integers(2**31)))
    pairings = make_pairings(store.next_match(), plan.matches, int(seed.integers(2**63)), decks, [(0, 0)])
    with Rollouts(1, home.cards) as rollouts:
        collected = rollouts.play([lab], pairings, progress)
    asked = weights_asked([agent], collected.played)
    steps = apply_entries(agent, collected.entries[0])
    rewards = {(p.pairing.number, seat): p.reward(seat) for p in collected.played for seat in (0, 1)}
    batch = make_batch(collected.memories[0], rewards, plan.ppo)
    try:
        ppo_update(agent, make_optimizers(agent, plan.ppo), batch, plan.ppo, seed)
        check_weights(agent, PERSON, "after practice")
    except TrainingError:
        home.owe(0)
        raise
    with store.transaction():
        keep_matches(store, number, collected.played, [PERSON], asked, home.cards)
        store.add_entries(collected.entries[0], PENDING)
        record_steps(store, number, steps)
        home.keep_weights(agent)
        store.set_meta("round", number)
        home.owe(home.owed() - 1)
        store.seal()
    return Practised(number, len(pairings), len(batch), collected.entries[0], steps, home.owed())

