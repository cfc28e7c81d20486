"""Practice at home: whole rounds or none, each owed round once, the ledger's promise, the same again after a kill."""

from __future__ import annotations

import pytest

from game.bots import make_bot
from game.bots.single import decide
from game.errors import GameError
from learner import practice
from learner.home import PERSON, Home
from learner.ledger.audit import audit
from learner.practice import Practice, practise

PLAN = Practice(rounds=2, matches=3)


def _match(home: Home) -> None:
    """A whole match of two bots in the folder, kept, with practice owed."""
    game = home.begin(("1986", "vision"), "greedy", 5)
    bot = make_bot("everything")
    while game.match.outcome is None:
        game.match.play(decide(bot, game.match))
    home.finish(game, PLAN.rounds)


def _state(home: Home) -> dict[str, str]:
    agent = home.person().agent
    return {name: agent.digest(name) for name in agent.networks}


def test_every_owed_round_is_practised_once_and_the_audit_agrees(tmp_path) -> None:
    with Home(tmp_path, 3) as home:
        _match(home)
        assert home.owed() == 2
        heard: list[int] = []
        first = practise(home, PLAN, heard.append)
        assert first is not None
        assert (first.left, sum(heard), first.matches) == (1, 3, 3)
        after_first = _state(home)
        second = practise(home, PLAN)
        assert second is not None
        assert second.round == first.round + 1
        assert second.left == 0
        assert practise(home, PLAN) is None
        assert _state(home)["player"] != after_first["player"], "PPO teaches, too"
        played = home.store.count("matches")
        assert played == 1 + 2 * PLAN.matches
    with Home(tmp_path, 3) as home:  # nothing of it lives in memory
        assert home.owed() == 0
        game = home.begin(("1986", "vision"), "greedy", 6)
        assert game.number == played
    report = audit(tmp_path)
    assert not report.wrong
    assert report.applied == report.entries == report.buffs
    assert report.entries > 0


def test_a_round_that_is_killed_never_happened_and_is_the_same_again(tmp_path, monkeypatch) -> None:
    ends = []
    for killed in (False, True):
        folder = tmp_path / str(killed)
        with Home(folder, 3) as home:
            _match(home)
            if killed:
                home.learn()
                before = (_state(home), home.owed(), home.store.count("matches"), home.store.count("entries"))
                with monkeypatch.context() as patch:
                    patch.setattr(practice, "record_steps", _dies)
                    with pytest.raises(KeyboardInterrupt):
                        practise(home, PLAN)
                assert before == (_state(home), home.owed(), home.store.count("matches"), home.store.count("entries"))
        with Home(folder, 3) as home:
            practise(home, PLAN)
            ends.append((_state(home), [tuple(row)[:3] for row in home.store.entries()]))
    assert ends[0] == ends[1]


def _dies(*_: object) -> None:
    raise KeyboardInterrupt


def test_no_weight_moves_while_a_match_is_open_and_skipping_is_kept(tmp_path) -> None:
    with Home(tmp_path, 3) as home:
        _match(home)
        game = home.begin(("1986", "vision"), "greedy", 6)
        home.save(game, game.match)
        before = _state(home)
        with pytest.raises(GameError, match="a match is open"):
            practise(home, PLAN)
        assert (_state(home), home.owed()) == (before, 2)
        home.discard()
        home.owe(0)
    with Home(tmp_path, 3) as home:
        assert practise(home, PLAN) is None


def test_the_cards_steps_after_practice_build_on_it(tmp_path) -> None:
    with Home(tmp_path, 3) as home:
        _match(home)
        practise(home, PLAN)
        practised = _state(home)
        _match(home)
        pending = home.store.entries("owner = ? AND status = 'pending'", PERSON)
        assert all(practised[row["family"]] == row["weights"] for row in pending)
        home.learn()
        assert _state(home)["player"] == practised["player"]
