"""A network's picture shows its real activations and real derivatives."""

from __future__ import annotations

import numpy as np
import pytest

from game.bots import make_bot
from game.bots.single import decide
from game.engine.observe import view
from game.match import Match
from game.updates import Verdict
from learner.agent import Agent
from learner.policies.model import model_inputs
from learner.wiring import COLUMNS, EDGES, UNITS, wiring


@pytest.fixture(scope="module")
def position():
    """An observation in which some own Model may attack: (row, slot)."""
    match, bot = Match(("1986", "vision"), 4), make_bot("greedy")
    while match.outcome is None:
        row = match.observe(match.player)
        for slot in range(6):
            tokens = view(row).tokens
            agent = Agent(0)
            if tokens[slot + 1, 0] and match.state.ply > 20:
                aims = model_inputs(agent.models["mlp"], agent.encoder, row[None], np.array([slot]), [()])[2]
                if aims.sum() > 1:
                    return row, slot
        match.play(decide(bot, match))
        while match.pending is not None:
            match.give(Verdict("learned"))
    raise AssertionError("nobody could attack")


@pytest.mark.parametrize("family", COLUMNS)
def test_every_family_has_its_picture(position, family) -> None:
    row, slot = position
    found = wiring(Agent(5), family, row, slot, [row])
    assert [column["name"] for column in found["columns"]] == list(COLUMNS[family])
    assert len(found["edges"]) == len(COLUMNS[family]) + 1
    for column in found["columns"]:
        assert 0 < len(column["shown"]) <= UNITS <= column["units"]
    for edges in found["edges"]:
        assert 0 < len(edges) <= EDGES * 14
        assert all(strength != 0 and np.isfinite(strength) for *_, strength in edges)
    assert {target for _, target, _ in found["edges"][-1]} <= set(found["targets"])


def test_the_numbers_of_an_mlp_are_those_of_its_arithmetic(position) -> None:
    row, slot = position
    agent = Agent(5)
    found = wiring(agent, "mlp", row, slot, ())
    tokens, actor, _ = model_inputs(agent.models["mlp"], agent.encoder, row[None], np.array([slot]), [()])
    weights = agent.models["mlp"].state_dict()

    def hidden(tokens, actor):
        x = np.concatenate([tokens, actor], axis=2).reshape(-1)
        h1 = np.maximum(weights["hidden1.weight"] @ x + weights["hidden1.bias"], 0)
        return h1, np.maximum(weights["hidden2.weight"] @ h1 + weights["hidden2.bias"], 0)

    h1, h2 = hidden(tokens, actor)
    one, two = ([unit for unit, _ in column["shown"]] for column in found["columns"])
    assert np.allclose([value for _, value in found["columns"][1]["shown"]], h2[two], atol=1e-5)
    for token, unit, strength in found["edges"][0]:
        less, other = tokens.copy(), actor.copy()
        less[:, token], other[:, token] = 0, 0
        assert np.isclose(strength, (h1 - hidden(less, other)[0])[one[unit]], atol=1e-5)
    for a, b, strength in found["edges"][1]:
        slope = weights["hidden2.weight"][two[b], one[a]] * (h2[two[b]] > 0)
        assert np.isclose(strength, slope * h1[one[a]], atol=1e-5)
    for a, target, strength in found["edges"][2]:
        assert np.isclose(strength, weights["scores.weight"][target, two[a]] * h2[two[a]], atol=1e-5)
