"""An agent at play: a decision depends on what the player sees and on its random word, and on nothing else."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from game.bots.protocol import decision_words
from game.engine import records as r
from game.match import Match
from game.vector import play_round
from learner.agent import Agent
from learner.autodiff import no_grad, steady_rows
from learner.ledger.updates import GradientSource
from learner.policies.acting import AgentPlayer, Memory, sample
from learner.rl.rollout import Lab, Rollouts, deck_pairs, make_pairings, paired


class Watched(AgentPlayer):
    """Keeps what it was asked."""

    def __init__(self, agent):
        super().__init__(agent)
        self.asked = []

    def choose(self, decisions):
        # The histories grow while the match goes on: freeze what this decision saw.
        own = [{entry: list(rows) for entry, rows in decisions._own(i).items()} for i in range(len(decisions))]
        self.asked += [(decisions, i, own[i]) for i in range(len(decisions))]
        return super().choose(decisions)


@pytest.fixture(scope="module")
def asked(cards):
    """An agent and 600 real decisions of it, from all over their matches: (decisions, row, histories)."""
    player = Watched(Agent(31, cards))
    play_round(make_pairings(0, 30, 4, deck_pairs((), cards, 4), [(0, 0)]), [player],
               [GradientSource(player.agent, "me")], cards)
    return player.agent, player.asked[::max(1, len(player.asked) // 600)][:600]


def decide(agent, asked):
    """Actions and memory of these decisions taken in one batch."""
    one = asked[0][0]
    batch = replace(one, **{name: np.stack([getattr(d, name)[i] for d, i, _ in asked])
                            for name in ("observations", "masks", "words", "matches", "seats")},
                    _own=lambda i: asked[i][2])
    memory = Memory()
    actions = AgentPlayer(agent, memory).choose(batch)
    found = memory.joined()
    return [(int(actions[i]), *(found[name][i].tobytes() for name in ("player_logp", "model_logp", "values")))
            for i in range(len(asked))]


def test_alone_or_among_three_hundred(asked):
    agent, decisions = asked
    decisions = decisions[::2]
    together = decide(agent, decisions)
    assert len({action for action, *_ in together}) > 20
    assert sum(action // r.TOKENS in range(r.HAND, r.END_TURN) for action, *_ in together) > 20
    for i in range(0, 300, 5):
        assert decide(agent, decisions[i:i + 1]) == together[i:i + 1]


def test_in_any_order_and_in_batches_of_any_size(asked):
    agent, decisions = asked
    expected = decide(agent, decisions)
    order = np.random.default_rng(0).permutation(len(decisions)).tolist()
    shuffled = decide(agent, [decisions[i] for i in order])
    assert shuffled == [expected[i] for i in order]
    for size in (9, 20, 37, 64, 65, 129):
        found = [one for start in range(0, len(decisions), size)
                 for one in decide(agent, decisions[start:start + size])]
        assert found == expected


@pytest.mark.parametrize("shape", [(64, 514, 128), (64, 37, 32), (640, 66, 48), (63, 7, 5), (1, 9, 3)])
def test_steady_rows_give_a_row_the_same_bits_at_every_place(shape):
    from learner.autodiff import tensor
    from learner.nn import Conv1d, Linear

    rows, inner, width = shape
    generator = np.random.default_rng(1)
    layer = Linear(inner, width, generator=generator)
    x = generator.normal(size=(rows, inner)).astype(np.float32)
    weight = generator.normal(size=(inner, width)).astype(np.float32)
    conv = Conv1d(4, 6, 3, padding=1, generator=generator)
    lanes = generator.normal(size=(rows, 4, 6)).astype(np.float32)
    found = [set(), set(), set()]
    with no_grad(), steady_rows():
        for shift in range(0, rows, max(1, rows // 64)):
            moved = tensor(np.roll(x, shift, 0))
            found[0].add(layer(moved).numpy()[shift].tobytes())
            found[1].add((moved @ tensor(weight)).numpy()[shift].tobytes())
            found[2].add(conv(tensor(np.roll(lanes, shift, 0))).numpy()[shift].tobytes())
        expected = x @ layer.weight.detach().numpy().T + layer.bias.detach().numpy()
        np.testing.assert_allclose(layer(tensor(x)).numpy(), expected, rtol=1e-4, atol=1e-4)
    assert [len(each) for each in found] == [1, 1, 1]


def test_global_random_state_plays_no_part(asked, monkeypatch):
    agent, decisions = asked
    np.random.seed(1)  # noqa: NPY002
    random.seed(1)
    expected = decide(agent, decisions[:100])
    np.random.seed(2)  # noqa: NPY002
    random.seed(2)
    for _ in range(7):
        np.random.random()  # noqa: NPY002
        random.random()
    before = random.getstate(), np.random.get_state()[1].tobytes()  # noqa: NPY002
    assert decide(agent, decisions[:100]) == expected
    assert (random.getstate(), np.random.get_state()[1].tobytes()) == before  # noqa: NPY002


def test_words_differ_between_seats_plies_and_seeds():
    seeds, seats, plies = (np.repeat(np.arange(8, dtype=np.uint64), 200), np.tile(np.arange(200) % 2, 8),
                           np.tile(np.arange(200) // 2, 8))
    words = np.empty(1600, np.uint64)
    decision_words(seeds, seats.astype(np.int32), plies.astype(np.int32), words)
    assert len(set(words.tolist())) == 1600


def test_samples_follow_the_probabilities():
    n = 40_000
    words = np.random.default_rng(3).integers(0, 2**64, n, dtype=np.uint64)
    logits = np.tile(np.float32([1.0, 5.0, 0.0, -1.0]), (n, 1))
    masks = np.tile([True, False, True, True], (n, 1))
    choices, logp = sample(logits, masks, words)
    p = np.exp([1.0, 0.0, -1.0]) / np.exp([1.0, 0.0, -1.0]).sum()
    share = np.bincount(choices, minlength=4) / n
    np.testing.assert_allclose(share[[0, 2, 3]], p, atol=4 * 0.5 / n**0.5)
    assert share[1] == 0
    np.testing.assert_allclose(logp, np.log(np.insert(p, 1, 1))[choices], rtol=1e-5)


@pytest.mark.parametrize("word", [0, 2**64 - 1])
def test_samples_are_legal_for_the_extreme_words(word):
    logits = np.float32([[-80, 90, 3], [0, 0, 0], [1e9, -1e9, 5], [-1e9, 5, -1e9]])
    masks = np.array([[1, 0, 1], [0, 1, 0], [0, 1, 1], [1, 0, 0]], bool)
    choices, logp = sample(logits, masks, np.full(4, word, np.uint64))
    assert masks[np.arange(4), choices].all()
    assert np.isfinite(logp).all()


def test_hidden_things_change_no_choice(cards):
    """Both decks shuffled, the enemy's hand exchanged for its deck, the generator moved on: the same decision."""
    agent, generator = Agent(32, cards), np.random.default_rng(5)
    compared = 0
    for seed in range(12):
        match = Match(("1986", "attention"), seed, cards, GradientSource(agent, "me"))
        for _ in range(int(generator.integers(5, 60))):
            if match.outcome is None:
                match.play(int(generator.choice(match.legal_actions())))
        if match.outcome is not None:
            continue
        me, other = match.clone(), match.clone()
        state = other.states[0]
        mine, enemy = state.labs[match.player], state.labs[1 - match.player]
        mine.deck[:mine.deck_size] = generator.permutation(mine.deck[:mine.deck_size])
        hidden = generator.permutation([*enemy.hand[:enemy.hand_size], *enemy.deck[:enemy.deck_size]])
        enemy.hand[:enemy.hand_size] = hidden[:enemy.hand_size]
        enemy.deck[:enemy.deck_size] = hidden[enemy.hand_size:]
        other.states[other.states.dtype.names[0]] += np.uint64(12345)
        assert other.states.tobytes() != me.states.tobytes()
        rows = [one.observe(match.player) for one in (me, other)]
        assert rows[0].tobytes() == rows[1].tobytes()
        from game.bots.protocol import Decisions

        chosen = [int(AgentPlayer(agent).choose(Decisions(
            cards, row[None], one.mask()[None], np.uint64([99]), np.array([0]), np.array([match.player]), None))[0])
            for one, row in zip((me, other), rows, strict=True)]
        assert chosen[0] == chosen[1]
        compared += 1
    assert compared > 6


def told(played):
    """A match's steps without the numbers of ledger entries, which belong to one match."""
    return [step if isinstance(step, int) else (step[0], step[2]) for step in played.steps]


@pytest.mark.parametrize("trained", [False, True], ids=["fresh", "trained"])
@pytest.mark.parametrize("bot", ["", "greedy"])
def test_the_same_agent_in_both_seats_scores_exactly_one_half(cards, league_run, trained, bot):
    from learner.rl.ratings import paired_score

    agent = Agent.load(league_run / "agent.safetensors", cards) if trained else Agent(40, cards)
    labs = [Lab("a", agent, bot), Lab("b", agent.copy(), bot)]
    with Rollouts(1, cards, places=17) as rollouts:
        played = rollouts.play(labs, paired(20, 3, deck_pairs((), cards, 3))).played
    for one, swapped in zip(played[::2], played[1::2], strict=True):
        assert told(one) == told(swapped)
        assert one.winner == swapped.winner
    score = paired_score(played, 0)
    assert score.mean == 0.5
    assert score.low <= 0.5 <= score.high
