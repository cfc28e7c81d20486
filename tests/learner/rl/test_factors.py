"""The player's decision taken apart, against sums over all choices."""

from __future__ import annotations

import numpy as np
import pytest

from game.engine import records as r
from learner.policies.player import CARD_CHOICES, CHOICES, END_CHOICE, by_source, source_logp
from learner.rl.factors import player_figures

N = 300


@pytest.fixture(scope="module")
def drawn():
    """(log-probabilities now, those before, choices drawn before), with many choices illegal."""
    generator = np.random.default_rng(0)
    legal = generator.random((N, CHOICES)) < 0.2
    legal[:, END_CHOICE] = True

    def logp():
        logits = np.where(legal, generator.normal(size=(N, CHOICES)), -1e9)
        return (logits - np.log(np.exp(logits).sum(1, keepdims=True))).astype(np.float32)

    new, old = logp(), logp()
    choices = np.array([generator.choice(CHOICES, p=row / row.sum()) for row in np.exp(old.astype(np.float64))])
    return new, old, choices


def source_of(choice):
    return choice // r.TOKENS if choice < CARD_CHOICES else r.HAND + choice - CARD_CHOICES


def test_sources_are_sums_over_their_choices(drawn):
    new, _, choices = drawn
    p = np.exp(new.astype(np.float64))
    naive = np.zeros((N, r.SOURCES))
    for choice in range(CHOICES):
        naive[:, source_of(choice)] += p[:, choice]
    np.testing.assert_allclose(by_source(p), naive, atol=1e-12)
    expected = np.log([naive[i, source_of(choice)] for i, choice in enumerate(choices)])
    np.testing.assert_allclose(source_logp(p, choices), expected, rtol=1e-5, atol=1e-6)


def test_entropies_and_kls_of_the_factors(drawn):
    new, old, choices = drawn
    at = np.arange(N)
    found = player_figures(new, choices, old[at, choices], source_logp(np.exp(old.astype(np.float64)), choices))
    p = np.exp(new.astype(np.float64))
    sources = by_source(p)
    alone = -np.where(sources > 0, sources * np.log(np.where(sources > 0, sources, 1)), 0).sum(1)
    assert found["entropy/source"] == pytest.approx(alone.mean(), rel=1e-5)
    weighted, played = 0.0, 0.0
    for i in range(N):
        for card in range(r.HAND):
            target = p[i, card * r.TOKENS:(card + 1) * r.TOKENS]
            if target.sum() > 0:
                share = target[target > 0] / target.sum()
                weighted += target.sum() * -(share * np.log(share)).sum()
                played += target.sum()
    assert found["entropy/card_target"] == pytest.approx(weighted / played, rel=1e-4)
    before = by_source(np.exp(old.astype(np.float64)))
    taken = np.array([source_of(choice) for choice in choices])
    moved = np.log(sources[at, taken] / before[at, taken])
    assert found["kl/source"] == pytest.approx(np.mean(np.exp(moved) - 1 - moved), rel=1e-4)
    cards = choices < CARD_CHOICES
    rest = (new - old)[at, choices][cards] - moved[cards]
    assert found["kl/card_target"] == pytest.approx(np.mean(np.exp(rest) - 1 - rest), rel=1e-3)


def test_without_cards_there_is_no_card_target():
    logp = np.full((2, CHOICES), -1e9, np.float32)
    logp[:, END_CHOICE] = 0.0
    choices = np.array([END_CHOICE, END_CHOICE])
    assert player_figures(logp, choices, np.zeros(2), np.zeros(2)) == {"entropy/source": 0.0, "kl/source": 0.0}
