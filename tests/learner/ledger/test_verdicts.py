"""Verdicts other than "learned": the card is spent, and nothing else happens."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from game.vector import play_round
from learner.agent import Agent
from learner.autodiff import no_grad
from learner.ledger.ledger import apply_entries, weights_asked
from learner.ledger.updates import GradientSource, Lesson, card_gradient, gradient_norm, judge
from learner.rl.rollout import Lab, Rollouts, deck_pairs, make_pairings


@pytest.mark.parametrize(("norm", "outcome"), [
    (0.0, "vanished"), (math.nextafter(1e-6, 0), "vanished"), (1e-6, "learned"), (math.nextafter(1e-6, 1), "learned"),
    (1.0, "learned"), (math.nextafter(1000, 0), "learned"), (1000.0, "learned"),
    (math.nextafter(1000, 2000), "exploded"), (math.inf, "exploded"), (math.nan, "exploded")])
def test_thresholds(norm, outcome):
    assert judge(norm) == outcome


def test_the_norm_is_over_all_parameters_and_hides_nothing():
    assert gradient_norm({"a": np.float32([[3.0, 0.0]]), "b": np.float32([4.0])}) == 5.0
    assert math.isnan(gradient_norm({"a": np.float32([1, np.nan]), "b": np.float32([np.inf])}))
    assert gradient_norm({"a": np.float32([3e38, 3e38])}) == pytest.approx(3e38 * math.sqrt(2))


def set_weights(module, value, end=""):
    """Set all weights, or those of the damage prediction whose name ends so."""
    state = module.state_dict()
    module.load_state_dict({name: np.full_like(array, value)
                            if not end or (name.startswith("damage") and name.endswith(end)) else array
                            for name, array in state.items()})


def spoil(agent, kind):
    for policy in agent.models.values():
        if kind == "nan":
            set_weights(policy, np.nan)
        elif kind == "huge":
            set_weights(policy, 1e6, "bias")
        elif kind == "infinite":
            set_weights(policy, 3e38, "weight")


class Exact(GradientSource):
    """Its networks predict just the damage that was taken."""

    def update(self, request):
        set_weights(self.agent.models[request.family], 0.0, "weight")
        set_weights(self.agent.models[request.family], float(request.damage), "bias")
        return super().update(request)


@pytest.mark.parametrize(("kind", "outcome"), [("nan", "exploded"), ("huge", "exploded"), ("infinite", "exploded"),
                                               ("exact", "vanished")])
def test_in_whole_matches_nothing_but_the_card_is_spent(cards, kind, outcome):
    from game.bots import make_bot
    from game.settings import Settings

    agent = Agent(1, cards)
    spoil(agent, kind)
    source = (Exact if kind == "exact" else GradientSource)(agent, "me")
    before = {name: agent.digest(name) for name in agent.networks}
    pairings = make_pairings(0, 12, 5, deck_pairs((), cards, 5), [(0, 0)])
    played = play_round(pairings, [make_bot("everything")], [source], cards)
    verdicts = [verdict for match in played for _, _, verdict in match.updates]
    assert len(verdicts) > 10
    assert {(v.outcome, v.row) for v in verdicts} == {(outcome, 0)}
    assert source.entries == []
    assert apply_entries(agent, source.entries) == []
    if kind != "exact":
        assert {name: agent.digest(name) for name in agent.networks} == before
    for match in played:
        kinds = []
        replay = match.replay(cards, Settings(), ("learner", "learner"), lambda events, kinds=kinds: kinds.append(
            [(e.kind, e.entry) for e in events]))
        after_verdicts = [events for step, events in zip(replay.steps, kinds, strict=True)
                          if isinstance(step, tuple)]
        assert all(not {"buff", "training", "trigger"} & {kind for kind, _ in events} for events in after_verdicts)
        assert all(entry == 0 for events in kinds for _, entry in events)
        assert len(after_verdicts) == len(match.updates)


def test_the_card_is_spent(one_round, cards):
    """Compute paid and the card gone from the hand, whatever the verdict; only "learned" changes the Model."""
    from game.match import Match

    played = next(p for p in one_round.collected.played if p.updates)
    match = Match(played.pairing.decks, played.pairing.seed, cards)
    for step in played.steps:
        if not isinstance(step, int):
            break
        before, match_before = match.states.copy(), match.clone()
        match.play(step)
    request = match.pending
    lab_before, lab_after = before[0].labs[request.player], match.state.labs[request.player]
    assert lab_after.hand_size == lab_before.hand_size - 1
    assert lab_after.compute <= lab_before.compute
    units = []
    for agent, outcome in ((Agent(1, cards), "learned"), (Agent(1, cards), "exploded")):
        if outcome == "exploded":
            spoil(agent, "nan")
        trial = match.clone()
        source = GradientSource(agent, "me")
        # A hurt of one more than was taken can't vanish on fresh networks.
        verdict = source.update(replace(request, damage=request.damage + 1))
        assert verdict.outcome == outcome
        trial.give(verdict)
        assert trial.phase != "awaiting_update"
        assert trial.state.labs[request.player].hand_size >= lab_after.hand_size
        units.append(trial.state.labs[request.player].units[request.slot].copy())
    spent = match.state.labs[request.player].units[request.slot]
    assert units[1].tobytes() == spent.tobytes()
    assert units[0].updates == spent.updates + 1
    assert units[0].training == 1
    assert match_before.state.labs[request.player].hand_size == lab_before.hand_size


def test_a_gradient_leaves_weights_and_other_gradients_alone(one_round):
    agent, request = one_round.agents[0].copy(), one_round.requests[0]
    policy = agent.models[request.family]
    digest = agent.digest(request.family)
    for parameter in policy.parameters():
        parameter.grad = parameter.detach() * 0 + 7
    card_gradient(policy, agent.encoder, Lesson.of(request, policy))
    assert agent.digest(request.family) == digest
    assert all((parameter.grad.numpy() == 7).all() for parameter in policy.parameters())
    with no_grad(), pytest.raises(Exception, match="grad"):  # and no silent zero inside no_grad
        card_gradient(policy, agent.encoder, Lesson.of(request, policy))


def test_weights_asked_names_every_network_that_judged(one_round):
    asked = weights_asked(one_round.agents, one_round.collected.played)
    for number, agent in enumerate(one_round.agents):
        families = {request.family for played in one_round.collected.played
                    for seat, request, _ in played.updates if played.pairing.seats[seat] == number}
        assert set(asked[number]) == families
        assert all((asked[number][family][name] == array).all()
                   for family in families for name, array in agent.models[family].state_dict().items())


def test_a_stranger_s_gradient_is_refused(one_round):
    agent = one_round.agents[0].copy()
    entry = one_round.collected.entries[0][0]
    set_weights(agent.models[entry.family], 0.5, "bias")
    digests = {name: agent.digest(name) for name in agent.networks}
    with pytest.raises(ValueError, match="computed on weights"):
        apply_entries(agent, [entry])
    assert {name: agent.digest(name) for name in agent.networks} == digests


def test_bots_labs_get_verdicts_from_networks_too(cards):
    pairings = make_pairings(0, 8, 6, deck_pairs((), cards, 6), [(0, 1), (1, 0)])
    labs = [Lab("everything", Agent(1, cards), "everything"), Lab("greedy", Agent(2, cards), "greedy")]
    with Rollouts(1, cards) as rollouts:
        collected = rollouts.play(labs, pairings)
    verdicts = [v for played in collected.played for _, _, v in played.updates]
    assert verdicts
    assert all(len(v.gradient) == 16 for v in verdicts)
    assert sum(v.outcome == "learned" for v in verdicts) == sum(map(len, collected.entries))
