"""What an update was worth: the branches differ by the verdict alone, and the factual one is the match itself."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from game.engine.records import state_from
from game.errors import GameError
from game.start import Start
from game.vector import Pairing, play_round
from learner.ledger.store import Store
from learner.ledger.updates import GradientSource
from learner.policies.acting import AgentPlayer
from learner.rl import counterfactual as module
from learner.rl.counterfactual import counterfactual, worth_of
from learner.rl.ratings import Z


def test_a_match_goes_on_from_any_ply_as_it_did(one_round, cards):
    """Whole matches, from a middle ply on, with their updates and memories."""
    labs, tails = one_round.labs, []
    for played in one_round.collected.played[:6]:
        replay = played.replay(cards, one_round_settings(), ("learner", "learner"))
        middle = len(played.steps) // 2
        starts = []

        def watch(match, events, starts=starts, middle=middle):
            if sum(1 for _ in match.links()) == middle:
                starts.append(Start.of(match))

        replay.verify(cards, watch)
        pairing = played.pairing
        tails.append((played, middle, Pairing(pairing.number, (), pairing.seed, pairing.seats, starts[0])))
    sources = [GradientSource(lab.agent, lab.owner) for lab in labs]
    again = play_round([pairing for _, _, pairing in tails], [AgentPlayer(lab.agent) for lab in labs], sources, cards)
    for (played, middle, _), tail in zip(tails, again, strict=True):
        assert tail.steps == played.steps[middle:]
        assert (tail.winner, tail.reason, tail.decisions) == (played.winner, played.reason, played.decisions)


def one_round_settings():
    from game.settings import Settings

    return Settings()


def test_the_branches_differ_by_what_the_verdict_grants(league_run, cards):
    store = Store(league_run / "ledger.sqlite")
    rows = store.entries("match >= 40")
    casts = {cast.row: cast for cast in module._find(store, rows, cards)}
    store.close()
    assert set(casts) == {int(row["row"]) for row in rows}
    for row in rows:
        cast = casts[int(row["row"])]
        learned, vanished = (state_from(start.state)[0] for start in (cast.learned, cast.vanished))
        mine, other = (state.labs[int(row["seat"])].units[int(row["slot"])] for state in (learned, vanished))
        assert (mine.training, other.training) == (1, other.training)
        assert mine.updates == other.updates + 1
        assert mine.attack >= other.attack + 1
        assert mine.health >= other.health + 1
        assert (learned.ply, learned.turn) == (vanished.ply, vanished.turn)
        assert cast.learned.asked == cast.vanished.asked


def test_a_report_is_repeatable_and_the_run_stands_still(league_run, contents):
    before = contents(league_run)
    one = counterfactual(league_run, 12, continuations=2)
    assert one == counterfactual(league_run, 12, continuations=2, workers=2)
    assert one != counterfactual(league_run, 12, continuations=2, seed=1)
    assert contents(league_run) == before
    assert one.as_recorded == one.worth.casts == 12
    assert one.round == 3
    assert sum(worth.casts for worth in one.families.values()) == 12
    assert one.worth.mean == pytest.approx(one.worth.score_with - one.worth.score_without)
    assert one.worth.low <= one.worth.mean <= one.worth.high


def test_the_first_continuation_is_the_match_itself(league_run):
    """With one continuation and all casts, the score with the update is the casters' recorded score."""
    report = counterfactual(league_run, 10**6, continuations=1)
    store = Store(league_run / "ledger.sqlite")
    winners = {row["number"]: row["winner"] for row in store.matches()}
    points = [0.5 if winners[row["match"]] is None else float(winners[row["match"]] == row["seat"])
              for row in store.entries("match >= 40")]
    store.close()
    assert report.worth.casts == report.drawn_from == len(points)
    assert report.worth.score_with == pytest.approx(np.mean(points))


def test_intervals():
    generator = np.random.default_rng(0)
    scores = generator.random((50, 2))
    difference = scores[:, 0] - scores[:, 1]
    alone = worth_of(scores, np.arange(50))
    assert alone.mean == pytest.approx(difference.mean())
    assert alone.high - alone.mean == pytest.approx(Z * difference.std(ddof=1) / np.sqrt(50))
    doubled = worth_of(np.repeat(scores, 2, axis=0), np.repeat(np.arange(50), 2))
    assert (doubled.low, doubled.high, doubled.matches) == pytest.approx((alone.low, alone.high, 50))
    one = worth_of(scores, np.zeros(50))
    assert (one.low, one.high) == (-1.0, 1.0)


def test_the_interval_covers_what_it_should():
    """Casts of a match share its luck; in 95 % of the cases the truth, 0.1, lies inside."""
    generator = np.random.default_rng(1)
    groups, covered = np.repeat(np.arange(60), 3), 0
    for _ in range(400):
        luck = generator.normal(0, 0.3, 60)[groups]
        difference = 0.1 + luck + generator.normal(0, 0.2, 180)
        worth = worth_of(np.stack([difference, np.zeros(180)], axis=1), groups)
        covered += worth.low <= 0.1 <= worth.high
    assert 0.92 <= covered / 400 <= 0.98


def test_what_cannot_be_played_on_is_refused(league_run, pair_run, tmp_path):
    run = shutil.copytree(league_run, tmp_path / "run")
    (run / "checkpoints" / "000002.safetensors").unlink()
    with pytest.raises(GameError, match=r"000002\.safetensors: is missing"):
        counterfactual(run, 1)
    run = shutil.copytree(pair_run, tmp_path / "other")
    shutil.copy(run / "checkpoints" / "000003.safetensors", run / "checkpoints" / "000002.safetensors")
    with pytest.raises(GameError, match="other weights"):
        counterfactual(run, 1)
    with pytest.raises(GameError, match="no ledger"):
        counterfactual(tmp_path, 1)
