"""Training in the solved game: its own decks and settings, resumed and audited as any run, and hard to exploit."""

from __future__ import annotations

from dataclasses import replace

import pytest

from game.errors import GameError
from game.replay import Replay
from learner.exploit.game import SMALL
from learner.exploit.policies import behaviour_of
from learner.exploit.sequences import SequenceForm
from learner.exploit.tree import grow
from learner.ledger.audit import audit
from learner.ledger.store import Store
from learner.rl.counterfactual import counterfactual
from learner.rl.plan import Plan
from learner.rl.rollout import Lab
from learner.rl.season import Season

PLAN = Plan(seed=1, matches=24, past_every=1, game="small")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    path = tmp_path_factory.mktemp("small") / "run"
    with Season.create(path, PLAN) as season:
        for _ in range(3):
            season.round()
    return path


def test_every_match_is_of_the_small_game(run, cards):
    with Store(run / "ledger.sqlite") as store:
        replays = [Replay.from_json(store.replay_text(record)) for record in store.matches()]
    assert len(replays) == 72
    for replay in replays[::10]:
        match = replay.verify(cards)
        assert match.settings == SMALL.settings
        assert tuple(dict(deck.cards) for deck in match.decks) == SMALL.decks


def test_it_is_audited_and_goes_on_as_if_it_had_never_stopped(run, cards, tmp_path):
    assert audit(run, cards).wrong == []
    assert counterfactual(run, 3, 2, cards=cards).worth.casts >= 1
    path = tmp_path / "run"
    with Season.create(path, PLAN) as season:
        season.round()
    with Season.resume(path) as season:
        season.round()
        season.round()
    with Store(run / "ledger.sqlite") as one, Store(path / "ledger.sqlite") as other:
        assert one.meta("ledger_head") == other.meta("ledger_head") != ""
    assert (run / "agent.safetensors").read_bytes() == (path / "agent.safetensors").read_bytes()


def test_other_games_and_decks_are_refused():
    with pytest.raises(GameError, match="whole matches or the small game, not 'large'"):
        Plan(game="large")
    with pytest.raises(GameError, match="has its own decks"):
        Plan(game="small", decks=("1986",))


@pytest.mark.slow
def test_who_trains_in_it_is_much_harder_to_exploit(tmp_path):
    tree = grow(SMALL)
    form = SequenceForm(tree)

    def exploitability(season: Season) -> float:
        lab = Lab("agent", season.learners[0].agent)
        return form.exploitability(*(form.plan(seat, behaviour_of(tree, seat, lab.player(None), 1, 0))
                                     for seat in range(2)))

    with Season.create(tmp_path / "run", replace(PLAN, matches=256, past_every=8)) as season:
        before = exploitability(season)
        for _ in range(40):
            season.round()
        after = exploitability(season)
    assert before > 0.6
    assert after < 0.2
