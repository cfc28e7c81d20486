"""A network at a real moment: norms against plain sums, gradients against the card's, pictures that hold together."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

from game.errors import GameError
from learner.agent import NETWORKS, Agent
from learner.explain.layers import choice_of, explain_choice, explain_target, explain_update, shapes
from learner.explain.moments import agent_of_run, find_decision, find_update, ledger_update, match_of_run
from learner.ledger.store import Store
from learner.ledger.updates import Lesson
from learner.policies.acting import AgentPlayer
from learner.policies.player import END_CHOICE

ROOT = Path(__file__).resolve().parents[3]
SVG = "{http://www.w3.org/2000/svg}"


def norm(arrays):
    return float(np.sqrt(sum(np.square(np.asarray(a, np.float64)).sum() for a in arrays)))


@pytest.fixture(scope="module")
def store(league_run):
    with Store(league_run / "ledger.sqlite") as opened:
        yield opened


@pytest.mark.parametrize("family", NETWORKS[1:])
def test_an_update_of_each_family(one_round, family):
    """Layers' gradients are the card's, every parameter is counted once, and the output's norm is the output's."""
    agent = one_round.agents[0].copy()
    policy = agent.models[family]
    generator = np.random.default_rng(0)
    policy.load_state_dict({name: array + generator.normal(0, 0.1, array.shape).astype(np.float32)
                            for name, array in policy.state_dict().items()})
    request = next(r for r in one_round.requests if r.family == family and r.target >= 0)
    lesson = Lesson.of(request, policy)
    explained, found = explain_update(agent, family, lesson)
    assert sum(layer.parameters for layer in explained.layers) == sum(p.numel() for p in policy.parameters())
    for layer in explained.layers:
        mine = [array for name, array in found.arrays.items() if name.rpartition(".")[0] == layer.name]
        if mine:
            assert layer.weight_gradient == pytest.approx(norm(mine), rel=1e-3), layer.name
            assert (layer.gradient > 0) == any(array.any() for array in mine)
        else:
            assert layer.weight_gradient is None
            assert layer.name.startswith("scores")
        assert layer.activation > 0
        assert layer.output is not None
    assert explained.tape.result.item() == pytest.approx(found.loss, rel=1e-4)
    assert all(parameter.grad is None for parameter in policy.parameters())
    root = ET.fromstring(explained.svg())
    words = [text.text or "" for text in root.iter(f"{SVG}text")]
    assert "the loss" in words
    assert "observation" in words
    assert any(word.startswith("damage") for word in words)
    assert not {"reshape", "permute", "transpose"} & set(words)
    boxes = [(float(r.get("x")), float(r.get("y")), float(r.get("width")), float(r.get("height")))
             for r in root.iter(f"{SVG}rect") if r.get("rx")]
    width, height = float(root.get("width")), float(root.get("height"))
    for i, (x, y, w, h) in enumerate(boxes):
        assert x + w <= width
        assert y + h <= height
        assert not any(abs(x - a) < w and abs(y - b) < h for a, b, _, _ in boxes[:i]), "two boxes overlap"


def test_every_layer_of_an_mlp_has_the_norm_of_its_output(one_round, cards):
    from learner.policies.model import model_inputs

    agent = one_round.agents[0]
    request = next(r for r in one_round.requests if r.family == "mlp")
    explained, _ = explain_update(agent, "mlp", Lesson.of(request, agent.models["mlp"]))
    policy = agent.models["mlp"]
    tokens, actor, _ = model_inputs(policy, agent.encoder, request.observation[None], np.array([request.slot]), [()])
    x = policy.arrange(tokens, actor)[0][0].astype(np.float64)
    state = {name: array.astype(np.float64) for name, array in policy.state_dict().items()}
    by_name = {layer.name: layer for layer in explained.layers}
    assert [layer.name for layer in explained.layers][:2] == ["hidden1", "hidden2"]
    for name in ("hidden1", "hidden2"):
        out = state[f"{name}.weight"] @ x + state[f"{name}.bias"]
        assert by_name[name].activation == pytest.approx(norm([out]), rel=1e-4)
        x = np.maximum(out, 0)


def test_an_update_from_the_ledger_is_the_one_recorded(store, league_run, cards):
    for row in store.entries()[:20]:
        agent = Agent(0, cards)
        update = ledger_update(store, int(row["row"]), agent)
        _, found = explain_update(agent, update.family, update.lesson)
        assert (found.digest, found.prediction, found.loss, found.norm) == tuple(
            row[name] for name in ("gradient", "prediction", "loss", "norm"))
    with pytest.raises(GameError, match="no ledger entry 7"):
        ledger_update(store, 7, Agent(0, cards))


def test_updates_of_a_match_are_found_in_order(store, cards):
    number = int(store.entries()[0]["match"])
    replay, _ = match_of_run(store, number)
    recorded = [step[0] for step in replay.steps if isinstance(step, tuple) and len(step) == 3]
    found = [find_update(replay, place, cards)[0] for place in range(1, len(recorded) + 1)]
    assert [update.recorded for update in found] == recorded
    with pytest.raises(GameError, match=f"has {len(recorded)} updates"):
        find_update(replay, len(recorded) + 1, cards)
    with pytest.raises(GameError, match="no match 999"):
        match_of_run(store, 999)


def test_decisions_have_the_probabilities_that_were_played_with(store, league_run, cards):
    """The last round's players are those that played: chances are the acting agent's own."""
    number = int(store.meta("round"))
    row = next(row for row in list(store.matches()) if row["round"] == number)
    replay, _ = match_of_run(store, int(row["number"]))
    actions = [step for step in replay.steps if isinstance(step, int)]
    sent = 0
    for ply in range(1, min(len(actions), 40)):
        decision, seat = find_decision(replay, ply, cards)
        assert decision.action == actions[ply - 1]
        agent, whose = agent_of_run(league_run, row, seat, number, cards)
        assert whose.endswith("as it played")
        explained, chances, value = explain_choice(agent, decision.row, decision.mask, decision.action)
        assert chances.sum() == pytest.approx(1)
        assert chances[choice_of(decision.action)] > 0
        assert -1 <= value <= 1
        assert explained.tape.result.item() == pytest.approx(np.log(chances[choice_of(decision.action)]), abs=1e-4)
        if decision.family:
            sent += 1
            target, aims = explain_target(agent, decision.family, decision.row, decision.slot, decision.history,
                                          decision.action % 14)
            assert aims[decision.action % 14] == pytest.approx(np.exp(target.tape.result.item()), rel=1e-3)
            whole = chances[choice_of(decision.action)] * aims[decision.action % 14]
            assert whole == pytest.approx(_chance(agent, replay, decision, seat, cards), rel=1e-3)
            assert target.network == decision.family
    assert sent > 2
    with pytest.raises(GameError, match=f"decisions 1 to {len(actions)}"):
        find_decision(replay, 10**6, cards)


def _chance(agent, replay, decision, seat, cards):
    """What AgentPlayer says of the same decision."""
    from game.bots.protocol import Decisions

    decisions = Decisions(cards, decision.row[None], decision.mask[None], np.zeros(1, np.uint64), np.zeros(1, np.int64),
                          np.array([seat]), None, lambda i: _Always([(0, row) for row in decision.history]))
    return AgentPlayer(agent).probabilities(decisions)[0, decision.action]


class _Always(dict):
    """The same history for whatever Model is asked for."""

    def __init__(self, rows):
        self.rows = rows

    def get(self, key, default=None):
        return self.rows


def test_choices():
    assert [choice_of(action) for action in (0, 139, 140, 223, 224)] == [0, 139, 140, 145, END_CHOICE]


def test_the_page_shows_the_shapes(cards):
    table = "".join(f"| {network} | {name} | {shape} | {size:,} |\n"
                    for network, name, shape, size in shapes(Agent(0, cards)))
    page = (ROOT / "docs" / "networks.md").read_text("utf-8")
    assert page.endswith("| --- | --- | --- | --- |\n" + table)
    assert {network for network, *_ in shapes(Agent(0, cards))} == set(NETWORKS)
    learning = (ROOT / "docs" / "learning.md").read_text("utf-8")
    for family in NETWORKS[1:]:
        total = sum(size for network, _, _, size in shapes(Agent(0, cards)) if network == family)
        (line,) = [line for line in learning.splitlines() if line.startswith(f"| {family} |")]
        assert line.endswith(f"| {total:,} |")
