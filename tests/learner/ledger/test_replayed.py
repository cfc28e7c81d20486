"""The card's gradient by recorded steps, and losses by one forward pass: the bits of one lesson at a time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from game.engine import records as r
from learner.agent import Agent
from learner.ledger.ledger import lesson_loss, lesson_losses
from learner.ledger.replayed import LONGEST, Replays
from learner.ledger.updates import Lesson, card_gradient

FAMILIES = [family for family in r.FAMILIES if family]


@pytest.fixture(scope="module")
def lessons(one_round):
    """Real lessons, with and without a target, on histories of none to three observations."""
    rows = [request.observation for request in one_round.requests[:3]]
    found = [Lesson(q.observation, tuple(rows[:i % 4]), q.slot, q.target, q.damage)
             for i, q in enumerate(one_round.requests[:32])]
    assert {lesson.target < 0 for lesson in found} == {True, False}
    return found


def agent_of(cards, seed):
    """Networks whose damage prediction isn't zero, so that all of the trunk gets a gradient."""
    agent, generator = Agent(seed, cards), np.random.default_rng(seed)
    for policy in agent.models.values():
        policy.load_state_dict({name: array + generator.normal(0, 0.05, array.shape).astype(np.float32)
                                for name, array in policy.state_dict().items()})
    return agent


@pytest.mark.parametrize("family", FAMILIES)
def test_the_bits_are_those_of_the_gradient_as_written(cards, lessons, family):
    """Over two agents in turn, as in a round between two labs, and after weights have changed in place."""
    replays, agents = Replays(), [agent_of(cards, seed) for seed in (1, 2)]
    digests = set()
    for times in range(4):
        for lesson in lessons:
            for agent in agents:
                policy = agent.models[family]
                given = lesson if policy.recurrent else replace(lesson, history=())
                wanted, found = (gradient(policy, agent.encoder, given)
                                 for gradient in (card_gradient, replays.gradient))
                assert found == replace(wanted, arrays=found.arrays)
                assert list(found.arrays) == list(wanted.arrays)
                for name, array in wanted.arrays.items():
                    assert found.arrays[name].tobytes() == array.tobytes(), name
                digests.add(found.digest)
        for parameter in agents[times % 2].models[family].parameters():
            parameter.array[...] *= np.float32(0.9)
    assert len(digests) > 32
    assert all(step.reason is None and step.replays > step.recordings for step in replays.steps(family))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("factor", [1e20, np.inf, np.nan])
def test_an_update_on_spoilt_weights_explodes_as_written(cards, lessons, family, factor):
    """Without a warning, whether recorded on them or replayed, and the next one on sound weights is right again."""
    sound, spoilt = agent_of(cards, 3), agent_of(cards, 3)
    with np.errstate(all="ignore"):
        for parameter in spoilt.models[family].parameters():
            parameter.array[...] *= np.float32(factor)
    replays = Replays()
    for agent, outcome in [(spoilt, "exploded")] * 4 + [(sound, "learned"), (spoilt, "exploded"), (sound, "learned")]:
        policy = agent.models[family]
        wanted, found = (gradient(policy, agent.encoder, lessons[0]) for gradient in (card_gradient, replays.gradient))
        assert (found.outcome, found.digest) == (outcome, wanted.digest)


def test_long_sequences_are_computed_as_written(cards, lessons):
    agent, replays = agent_of(cards, 5), Replays()
    policy = agent.models["recurrent"]
    for count in (LONGEST, LONGEST + 1):
        long = replace(lessons[0], history=(lessons[1].observation,) * count)
        for _ in range(3):
            assert replays.gradient(policy, agent.encoder, long).digest == card_gradient(
                policy, agent.encoder, long).digest
    assert [step.replays for step in replays.steps("recurrent")] == [1]


@pytest.mark.parametrize("family", FAMILIES)
def test_losses_in_one_pass_are_those_one_by_one(cards, lessons, family):
    agent = agent_of(cards, 4)
    policy = agent.models[family]
    given = [lesson if policy.recurrent else replace(lesson, history=()) for lesson in lessons]
    losses = lesson_losses(policy, agent.encoder, given)
    assert losses == [lesson_loss(policy, agent.encoder, lesson) for lesson in given]
    assert len(set(losses)) > 16
