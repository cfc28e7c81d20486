"""An agent's action probabilities are those of its choices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from game.bots.protocol import Decisions, salted
from game.cards import first_set
from game.engine import records as r
from game.match import Match
from game.updates import ScriptedUpdates
from learner.agent import Agent
from learner.policies.acting import AgentPlayer


def positions(seed: int) -> list[Match]:
    """Clones of a match at every decision, played at random but without ending a turn early."""
    match, chance, found = Match(("1986", "sequence"), seed, updates=ScriptedUpdates()), np.random.default_rng(seed), []
    while match.outcome is None:
        found.append(match.clone())
        legal = match.legal_actions()
        match.play(int(chance.choice(legal[:-1] if len(legal) > 1 else legal)))
    return found


def decisions(matches: list[Match], words: Any) -> Decisions:
    """One decision for each match."""
    n = len(matches)
    players = [match.player for match in matches]
    return Decisions(first_set(), np.stack([m.observe(p) for m, p in zip(matches, players, strict=True)]),
                     np.stack([m.mask() for m in matches]), np.asarray(words, np.uint64), np.zeros(n, np.int64),
                     np.array(players), np.concatenate([m.states for m in matches]),
                     lambda i: matches[i].own_decisions(players[i]))


@pytest.fixture(scope="module")
def player() -> AgentPlayer:
    return AgentPlayer(Agent(5))


def test_they_sum_to_one_over_the_legal_actions(player: AgentPlayer) -> None:
    matches = positions(1) + positions(2)
    asked = decisions(matches, np.arange(len(matches)))
    found = player.probabilities(asked)
    assert found.dtype == np.float64
    assert found.shape == (len(matches), r.ACTIONS)
    assert np.abs(found.sum(axis=1) - 1).max() < 1e-12
    assert (found[asked.masks == 0] == 0).all()
    assert (found[asked.masks == 1] > 0).all()


def test_choices_fall_as_they_say(player: AgentPlayer) -> None:
    """χ² of 20,000 choices in a position with many attacks."""
    busy = max(positions(3), key=lambda match: sum(140 <= action < 224 for action in match.legal_actions()))
    assert sum(140 <= action < 224 for action in busy.legal_actions()) >= 4
    n = 20_000
    asked = decisions([busy], [0])
    words = salted(np.arange(n), 9)
    many = Decisions(asked.cards, np.repeat(asked.observations, n, 0), np.repeat(asked.masks, n, 0), words,
                     np.zeros(n, np.int64), np.repeat(asked.seats, n), np.repeat(asked._states, n),
                     lambda _: busy.own_decisions(busy.player))
    taken = np.bincount(player.choose(many), minlength=r.ACTIONS)
    wanted = n * player.probabilities(asked)[0]
    there = wanted > 0
    assert not taken[~there].any()
    chi = ((taken[there] - wanted[there])**2 / wanted[there]).sum()
    free = int(there.sum()) - 1
    assert abs(chi - free) < 5 * np.sqrt(2 * free)


def test_they_do_not_depend_on_the_batch_or_the_words(player: AgentPlayer) -> None:
    matches = positions(4)[::3]
    together = player.probabilities(decisions(matches, np.arange(len(matches))))
    alone = [player.probabilities(decisions([match], [77]))[0] for match in matches]
    assert np.abs(together - np.stack(alone)).max() < 1e-6  # float32 logits


def test_a_temperature_sharpens_and_keeps_the_order(player: AgentPlayer) -> None:
    matches = positions(4)
    asked = decisions(matches, np.arange(len(matches)))
    cool = player.agent.copy()
    cool.temperature = 0.2
    warm, sharp = player.probabilities(asked), AgentPlayer(cool).probabilities(asked)
    assert np.abs(sharp.sum(axis=1) - 1).max() < 1e-12
    # The player's own choices, "end turn" among them, stand in the same order; Models' actions are products.
    own = np.r_[0:r.HAND * r.TOKENS, r.END_TURN * r.TOKENS]
    assert (warm[:, own].argmax(axis=1) == sharp[:, own].argmax(axis=1)).all()
    several = asked.masks.sum(axis=1) > 1
    assert (sharp.max(axis=1)[several] > warm.max(axis=1)[several]).mean() > 0.9
