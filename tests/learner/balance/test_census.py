"""The census counts what the matches' events tell, match by match."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from game.engine import records as r
from game.settings import Settings
from learner.agent import Agent
from learner.balance.census import Census, take_census
from learner.balance.figures import CARDS, Share, figures_of, misses
from learner.balance.picture import picture
from learner.rl.measure import refusal
from learner.rl.ratings import wilson
from learner.rl.rollout import Lab, Rollouts, deck_pairs, make_pairings

MATCHES = 48


@pytest.fixture(scope="module")
def matches(cards):
    with Rollouts(1, cards) as rollouts:
        labs = [Lab("g", Agent(1, cards), "greedy"), Lab("e", Agent(2, cards), "everything")]
        pairings = make_pairings(0, MATCHES, 3, deck_pairs([], cards, 0), [(0, 1), (1, 0)])
        return rollouts.play(labs, pairings).played


@pytest.fixture(scope="module")
def census(matches, cards):
    return take_census(matches, cards)


def told(played, cards):
    """Cards drawn in turns and played, and casts, by seat, from the match's events; and damage prevented."""
    drawn, cast, absorbed = ([Counter(), Counter()] for _ in range(3))
    events = []
    played.replay(cards, Settings(), ("a", "b"), events.extend)
    begun = False
    for event in events:
        begun |= event.kind == "turn"
        name = cards.cards[event.card].id if event.card else ""
        if event.kind == "draw" and begun:
            drawn[event.player][name] += 1
        elif event.kind == "play":
            cast[event.player][name] += 1
        elif event.kind == "absorb":
            absorbed[event.player][name] += 1
    return drawn, cast, sum(sum(side.values()) for side in absorbed)


def test_plays_casts_and_prevented_damage_agree_with_the_events(matches, census, cards):
    prevented = 0
    for number, played in enumerate(matches):
        drawn, cast, absorbed = told(played, cards)
        prevented += absorbed
        for seat in (0, 1):
            assert {cards[row].id for row in np.flatnonzero(census.played[number, seat])} == set(cast[seat])
            assert census.casts[number, seat] == cast[seat]["backpropagation"]
            known = {name for name in drawn[seat] if name}
            assert known <= {cards[row].id for row in np.flatnonzero(census.drawn[number, seat])}
    assert census.keywords["regularized"] == prevented > 0


def test_what_was_played_was_drawn_unless_the_rules_gave_it(census, cards):
    coin = cards.row("mixed-precision")
    given = census.played & ~census.drawn
    # What is recalled to the hand was in the deck, too; only the second player's extra card wasn't.
    given[:, :, coin] = False
    assert not given.any()
    assert not census.drawn[:, :, [c.row for c in cards.cards if c is not None and c.token]].any()


def test_a_cast_turn_is_a_castable_turn(census):
    assert (census.cast_turns <= census.castable_turns).all()
    assert (census.cast_turns <= census.casts).all()
    assert ((census.casts > 0) == (census.cast_turns > 0)).all()
    assert census.castable_turns.sum() > census.cast_turns.sum() > 0


def test_the_same_counts_in_batches_of_any_size(matches, census, cards, monkeypatch):
    monkeypatch.setattr("learner.balance.census.BATCH", 7)
    again = Census.joined([take_census(matches[:20], cards), take_census(matches[20:], cards)])
    assert again.decks == census.decks
    for name in ("points", "starters", "turns", "drawn", "played", "castable_turns", "cast_turns", "casts"):
        assert (getattr(again, name) == getattr(census, name)).all(), name
    assert again.keywords == census.keywords


def test_figures_are_means_of_the_census(matches, census):
    figures = figures_of(census)
    starts = [(1 + p.reward(p.starter)) / 2 for p in matches]
    assert figures.starter.mean == pytest.approx(np.mean(starts))
    assert (figures.starter.low, figures.starter.high) == wilson(sum(starts), MATCHES)
    for (a, b), share in figures.against.items():
        assert share.mean == pytest.approx(1 - figures.against[b, a].mean)
        assert share.n == figures.against[b, a].n
    assert figures.turns[0] == pytest.approx(np.mean([p.turns for p in matches]) / 2)
    assert set(figures.keywords) == set(r.KEYWORDS)
    for card in figures.cards:
        assert 0 <= card.play_rate <= 1
        assert card.played.n <= card.drawn.n
    assert picture(figures).startswith("<svg")


def test_misses_name_what_lies_outside_a_goal(census):
    figures = figures_of(census)
    outside = [card.id for card in figures.cards if not CARDS[0] <= card.drawn.mean <= CARDS[1]]
    assert [miss.split(",")[0] for miss in misses(figures) if ", when drawn," in miss] == outside
    assert len(outside) > 0  # 48 matches are few


def test_a_share_of_nothing_is_a_half_of_which_nothing_is_known():
    assert Share.of(np.zeros(0)) == Share(0.5, 0.0, 1.0, 0)
    assert str(Share.of(np.zeros(0))) == "–"


def test_a_lab_that_refuses_a_card_never_plays_it_but_may_exchange_it(cards):
    row = cards.row("backpropagation")
    agent = Agent(1, cards)
    for bot in ("greedy", "lookahead", "search:20", ""):
        lab = Lab("lab", agent, bot, refuses=frozenset({row}))
        with Rollouts(1, cards) as rollouts:
            played = rollouts.play([lab], make_pairings(0, 24, 3, deck_pairs([], cards, 0), [(0, 0)])).played
        census = take_census(played, cards)
        assert not census.played[:, :, row].any()
        assert census.castable_turns.sum() > 0
        assert census.played.any()


def test_refusing_a_card_that_nobody_has_changes_nothing(cards):
    lab = Lab("g", Agent(1, cards), "greedy")
    with Rollouts(1, cards) as rollouts:
        score = refusal(rollouts, lab, "alphago", 6, 0, deck_pairs(["vision"], cards, 0))
    assert (score.mean, score.pairs) == (0.5, 6)
