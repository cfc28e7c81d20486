"""The promise: learned verdicts = buffs = ledger entries = gradients that reach the weights, each once."""

from __future__ import annotations

import itertools
import json
from collections import Counter, defaultdict

import pytest

from game.replay import Replay
from game.updates import Verdict
from learner.agent import weights_digest
from learner.ledger.store import Store
from learner.rl import checkpoint
from learner.rl.plan import Plan
from learner.rl.season import Season


def check_promise(path, cards):
    """Count from the replays' events alone, then compare with the ledger and the steps."""
    store = Store(path / "ledger.sqlite")
    learned, buffed, trained, unlearned = {}, [], [], 0
    for match in store.matches():
        count = [0, 0]

        def watch(state, events, count=count):
            nonlocal unlearned
            done = state.last.done
            buffs = [event.entry for event in events if event.kind == "buff" and event.entry]
            marks = [event.entry for event in events if event.kind == "training" and event.entry]
            if isinstance(done, Verdict) and done.outcome == "learned":
                assert done.row not in learned
                learned[done.row] = done.gradient
                assert buffs == [done.row]
                assert marks == [done.row]
            else:
                assert buffs == marks == []
                unlearned += isinstance(done, Verdict)
            count[0] += isinstance(done, Verdict)
            count[1] += len(buffs)
            buffed.extend(buffs)
            trained.extend(marks)

        Replay.from_json(store.replay_text(match)).verify(cards, watch)
        assert count == [match["cast"], match["buffs"]]
    entries = store.entries()
    assert len(learned) >= store.count("matches")  # else this shows nothing
    assert {row["row"]: row["gradient"] for row in entries} == learned
    assert sorted(buffed) == sorted(trained) == sorted(learned)
    assert {row["status"] for row in entries} == {"applied"}
    taken = Counter(row for step in store.steps() for row in json.loads(step["entries"]))
    assert taken == Counter(dict.fromkeys(learned, 1))
    assert all(row["row"] in json.loads(store.steps()[row["step"] - 1]["entries"]) for row in entries[::7])
    assert store.total("cast") == len(learned) + unlearned
    assert store.check_chain() == []
    return store


def test_two_labs(pair_run, cards):
    store = check_promise(pair_run, cards)
    assert {row["owner"] for row in store.entries()} == {"A", "B"}


def test_a_league_whose_past_selves_learn_from_the_card_alone(league_run, cards):
    store = check_promise(league_run, cards)
    steps = defaultdict(list)
    for step in store.steps():
        steps[step["owner"], step["family"]].append(step)
    past = {owner for owner, _ in steps} - {"agent"}
    assert "agent@1" in past
    tensors, facts = checkpoint.read(league_run / "checkpoints" / "000003.safetensors")
    for (owner, family), taken in steps.items():
        if owner in facts["past"]:
            for one, following in itertools.pairwise(taken):
                assert one["after"] == following["before"]
            weights = checkpoint.part(tensors, f"past/{owner}/{family}/")
            assert weights_digest(weights) == taken[-1]["after"] != taken[0]["before"]


def test_the_learners_card_steps_move_the_weights_that_its_next_matches_use(pair_run):
    """PPO comes between a step and the next round, but never touches the damage prediction."""
    store = Store(pair_run / "ledger.sqlite")
    compared = 0
    last = {}
    for step in store.steps():
        key = step["owner"], step["family"]
        before, after = store.weights(step["before"]), store.weights(step["after"])
        assert any((before[name] != after[name]).any() for name in before)
        if key in last:
            for name in before:
                if name.startswith("damage"):
                    assert (before[name] == last[key][name]).all()
                    compared += 1
        last[key] = after
    assert compared > 10


@pytest.mark.slow
@pytest.mark.parametrize("plan", [Plan(seed=8, labs=("A", "B"), matches=250),
                                  Plan(seed=9, matches=250, past_every=1)], ids=["pair", "league"])
def test_a_thousand_matches(tmp_path, cards, plan):
    with Season.create(tmp_path / "run", plan) as season:
        for _ in range(4):
            season.round()
    store = check_promise(tmp_path / "run", cards)
    assert store.count("matches") == 1000
