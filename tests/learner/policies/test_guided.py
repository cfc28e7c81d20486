"""A search guided by an agent: legal, blind to what is hidden, alone as among others, and moved by its guide."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from game.bots import Forest
from game.engine import records as r
from game.errors import GameError
from game.vector import play_round
from learner.agent import Agent
from learner.ledger.updates import GradientSource
from learner.policies import guided
from learner.policies.acting import AgentPlayer
from learner.policies.guided import Guided
from learner.rl.measure import find_player, match_up
from learner.rl.rollout import Rollouts, deck_pairs, make_pairings
from tests.game.test_hidden_information import situations
from tests.policies.test_probabilities import decisions, positions


@pytest.fixture(scope="module")
def agent(cards):
    return Agent(8, cards)


@pytest.fixture(scope="module")
def asked():
    """Some 60 decisions from all over two matches."""
    matches = positions(11)[::3] + positions(12)[::3]
    return decisions(matches, np.arange(len(matches)) + 5)


def part(asked, own):
    return replace(asked, **{name: getattr(asked, name)[own] for name in ("observations", "masks", "words", "matches",
                                                                          "seats", "_states")},
                   _own=lambda i: asked._own(int(own[i])))


def test_it_takes_legal_actions(agent, asked):
    chosen = Guided(agent, 12).choose(asked)
    assert asked.masks[np.arange(len(asked)), chosen].all()
    assert len(set(chosen.tolist())) > 8


@pytest.mark.parametrize("simulations", [9, 16])
def test_alone_or_among_others_in_any_order_and_few_at_once(agent, asked, monkeypatch, simulations):
    player = Guided(agent, simulations)
    together = player.choose(asked)
    order = np.random.default_rng(0).permutation(len(asked))
    assert (player.choose(part(asked, order)) == together[order]).all()
    for i in range(0, len(asked), 7):
        assert player.choose(part(asked, np.array([i]))) == together[i]
    monkeypatch.setattr(guided, "AT_ONCE", 3 * simulations)
    assert (player.choose(asked) == together).all()


def test_it_does_not_look_at_what_is_hidden(agent, cards):
    pairs = [(match.clone(), twin) for match, twin, viewer in situations(214)
             if match.player == viewer and match.outcome is None][::4]
    words = np.arange(len(pairs), dtype=np.uint64)
    seen, unseen = (Guided(agent, 12).choose(decisions([pair[side] for pair in pairs], words)) for side in (0, 1))
    assert (seen == unseen).all()


def test_one_simulation_takes_the_likeliest_action(agent, asked):
    """Nothing has been looked into yet: only the priors speak."""
    likeliest = AgentPlayer(agent).probabilities(asked).argmax(axis=1)
    assert (Guided(agent, 1).choose(asked) == likeliest).all()


def test_simulations_are_counted(agent, asked):
    player, own = Guided(agent, 10), np.flatnonzero(asked.masks.sum(axis=1) > 1)
    worlds = [asked.imagine(salt=world) for world in range(player.worlds)]
    votes = np.floor(player._votes(asked, own, worlds))
    # The first simulation of each of the four worlds looks at the root itself.
    assert (votes.sum(axis=1) == 10 - 4).all()
    assert (votes[asked.masks[own] == 0] == 0).all()


class Stub:
    """A guide that likes all actions alike and says who wins by a rule."""

    def __init__(self, value):
        self.value = value

    def judge(self, asked):
        return asked.masks / asked.masks.sum(axis=1, keepdims=True), self.value(asked)


@pytest.mark.parametrize("simulations", [100, 200])
def test_it_goes_where_the_value_is(agent, asked, simulations):
    """Whoever is to act is said to lose, or to win: it ends its turn, or does anything else (mostly)."""
    end = r.END_TURN * r.TOKENS
    own = part(asked, np.flatnonzero((asked.observations[:, 0] != r.MULLIGAN) & (asked.masks[:, end] == 1)
                                     & (asked.masks.sum(axis=1) > 2)))
    assert len(own) > 20
    ended = []
    for value in (-1.0, 1.0):
        player = Guided(agent, simulations)
        player._guide = Stub(lambda leaves, value=value: np.full(len(leaves), value))
        ended.append((player.choose(own) == end).mean())
    assert ended[0] > ended[1] + 0.5
    assert ended[1] < 0.1


def wins(match):
    """The actions that win a match at once."""
    won = []
    for action in match.legal_actions():
        after = match.clone()
        after.play(action)
        if after.outcome is not None and after.outcome.winner == match.player:
            won.append(action)
    return won


def test_the_end_of_a_match_is_worth_what_it_is(cards):
    """Who expects to lose everywhere still sees a win that the rules make, and goes there."""
    last = [match for seed in range(11, 41) for match in positions(seed)[-2:] if len(match.legal_actions()) > 2]
    found = [(match, won) for match in last if (won := wins(match))]
    assert found
    for match, won in found:
        forest, legal = Forest(match.states, 60, cards), match.mask()
        for _ in range(60):
            leaves = forest.descend(1)
            mine = len(leaves) and forest.players[0] == match.player
            forest.expand(1, np.full((1, r.ACTIONS), 1 / legal.sum()), np.array([0.0 if mine else 1.0]))
        votes, priors = forest.votes()
        assert votes.sum() == 59
        assert ((priors[0] > 0) == (legal > 0)).all()
        assert votes[0, won].sum() > 59 / 2


def test_workers_and_places_change_nothing(cards, tmp_path):
    Agent(8, cards).save(tmp_path / "agent.safetensors")
    labs = [find_player(f"guided:6:{tmp_path}", cards), find_player("everything", cards)]
    decks = deck_pairs((), cards, 2)
    scores = []
    for workers, places in ((1, 192), (1, 3), (2, 192)):
        with Rollouts(workers, cards, places=places) as rollouts:
            _, played = match_up(rollouts, *labs, 3, 2, decks)
        scores.append([(p.winner, p.steps) for p in played])
    assert scores[0] == scores[1] == scores[2]


def test_whole_matches_with_models_that_remember(cards):
    """The recurrent family's Models are asked with their own decisions of the match, in the tree too."""
    player = Guided(Agent(9, cards), 6)
    play_round(make_pairings(0, 4, 4, deck_pairs(("sequence",), cards, 4), [(0, 0)]), [player],
               [GradientSource(player.agent, "me")], cards)


@pytest.mark.parametrize("name", ["guided:200", "guided:0:fresh", "guided:x:fresh", "guided:5:greedy", "guided::fresh",
                                  "guided:5:guided:5:fresh", "guided:5:nobody"])
def test_names_that_nobody_has(cards, name):
    with pytest.raises(GameError, match="unknown agent"):
        find_player(name, cards)


def test_its_name(cards):
    lab = find_player("guided:25:fresh:3", cards)
    assert (lab.owner, lab.simulations, lab.bot) == ("guided:25:fresh:3", 25, "")
    assert isinstance(lab.player(), Guided)
    assert lab.agent.digest("player") == Agent(3, cards).digest("player")
