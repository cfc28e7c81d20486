"""Intervals and ratings against known values and by simulation."""

from __future__ import annotations

import numpy as np
import pytest

from learner.rl.ratings import bradley_terry, score_of, wilson


@pytest.mark.parametrize(("wins", "n", "low", "high"), [
    # R. G. Newcombe (1998), table I, and the formula by hand
    (5, 10, 0.2365931, 0.7634069), (0, 10, 0.0, 0.2775328), (10, 10, 0.7224672, 1.0), (81, 263, 0.2553, 0.3662),
    (1, 1, 0.2065493, 1.0)])
def test_wilson(wins, n, low, high):
    assert wilson(wins, n) == pytest.approx((low, high), abs=5e-5)


def test_wilson_of_nothing_says_nothing():
    assert wilson(0, 0) == (0.0, 1.0)


@pytest.mark.parametrize("p", [0.5, 0.7, 0.95])
@pytest.mark.parametrize("correlation", [0.0, 0.9])
def test_the_interval_of_paired_scores_covers_the_truth(p, correlation):
    """95 % of the intervals contain the true score, also where the two matches of a pair are alike or opposed."""
    generator = np.random.default_rng(int(100 * p) + int(10 * correlation))
    covered, trials, pairs = 0, 2000, 120
    for _ in range(trials):
        first = generator.random(pairs) < p
        second = np.where(generator.random(pairs) < correlation, first, generator.random(pairs) < p)
        score = score_of((first.astype(float) + second) / 2)
        covered += score.low <= p <= score.high
        assert 0 <= score.low <= score.mean <= score.high <= 1
    assert 0.925 < covered / trials < 0.985


def test_scores_without_a_spread():
    assert score_of(np.full(50, 0.5)).mean == 0.5
    sure = score_of(np.ones(50))
    assert (sure.low, sure.high) == pytest.approx(wilson(50, 50))
    assert score_of(np.array([1.0])) == score_of(np.array([1.0]))
    assert (score_of(np.array([1.0])).low, score_of(np.array([1.0])).high) == (0.0, 1.0)
    assert score_of(np.array([])).pairs == 0


def simulate(elo, seat, games, generator):
    found = []
    for a in elo:
        for b in elo:
            if a != b:
                p = 1 / (1 + 10 ** ((elo[b] - elo[a] - seat) / 400))
                found.append((a, b, float(generator.binomial(games, p)), games))
    return found


def test_bradley_terry_finds_the_strengths_and_the_first_turn():
    elo = {"bot": 0.0, "weak": -150.0, "strong": 220.0, "stronger": 400.0}
    inside, count = 0, 0
    for seed in range(40):
        ratings = bradley_terry(simulate(elo, 35.0, 300, np.random.default_rng(seed)), "bot")
        assert ratings.elo["bot"] == 0.0
        assert ratings.error["bot"] == 0.0
        for name in ("weak", "strong", "stronger"):
            inside += abs(ratings.elo[name] - elo[name]) < 1.96 * ratings.error[name]
            count += 1
        assert abs(ratings.seat - 35.0) < 30
    assert inside / count > 0.88


def test_bradley_terry_is_finite_without_a_loss_and_keeps_the_order():
    ratings = bradley_terry([("a", "b", 20.0, 20), ("b", "a", 0.0, 20), ("b", "c", 20.0, 20), ("c", "b", 0.0, 20)], "c")
    assert ratings.elo["a"] > ratings.elo["b"] > ratings.elo["c"] == 0.0
    assert all(np.isfinite([*ratings.elo.values(), *ratings.error.values(), ratings.seat]))


def test_whoever_is_pinned_the_differences_are_the_same():
    games = simulate({"x": 0.0, "y": 100.0, "z": -50.0}, 10.0, 100, np.random.default_rng(1))
    one, two = bradley_terry(games, "x"), bradley_terry(games, "z")
    for name in "xyz":
        assert one.elo[name] - one.elo["z"] == pytest.approx(two.elo[name], abs=1e-3)
