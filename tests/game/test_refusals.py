"""Every reason for a refusal comes up, in words, with every byte unchanged; and malformed actions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from game.actions import END, encode
from game.engine import records as r
from game.engine.legal import REFUSALS
from game.errors import GameError, IllegalAction
from game.match import Match
from tests.game.matches import finished, new, refusing, stopping
from tests.scenarios.scenario import Scenario, given

MALFORMED = [None, 1.5, 1.0, True, False, "x", "3", b"1", [1], (1,), {}, np.float32(3), np.bool_(True),
             np.array([1, 2]), float("nan"), float("inf"), pytest.param(object(), id="object")]
OUTSIDE = [-1, 238, 239, 10**30, -(10**30), 2**31, 2**63, 2**64, np.int64(-5), np.uint64(2**64 - 1)]


def _scene() -> Scenario:
    return given(own={1: "gru", 2: "gru tapped", 3: "gru new", 4: "gru frozen hurt=1", 5: "perceptron 0/4"},
                 enemy={1: "bert", 2: "gpt", 3: "perceptron"}, compute=4,
                 hand="perceptron, dropout, backpropagation, forward-forward, early-stopping, dead-relu, gpt, "
                      "fine-tuning")


@pytest.mark.parametrize(("source", "token", "reason"), [
    (8, 0, "there is no card at that place of the hand"),
    (6, 6, "not enough compute"),
    (0, 1, "a Model needs one of your empty slots"),
    (0, 0, "a Model needs one of your empty slots"),
    (0, 9, "a Model needs one of your empty slots"),
    (1, 1, "this card takes no target"),
    (2, 0, "this card needs a Model as its target"),
    (2, 7, "this card needs a Model as its target"),
    (2, 6, "the slot that was aimed at is empty"),
    (4, 13, "the slot that was aimed at is empty"),
    (2, 8, "the target must be one of your Models"),
    (4, 1, "the target must be an enemy Model"),
    (2, 1, "the target must be one of your Models that took damage this turn"),
    (3, 4, "the target must be one of your Models that took no damage this turn"),
    (5, 9, "the target must have an attack of 2 or less"),
    (2, 4, "a Frozen Model can't be the target of a gradient update"),
    (7, 4, "a Frozen Model can't be the target of a gradient update"),
    (15, 7, "there is no Model of yours in that slot"),
    (11, 7, "that Model is tapped"),
    (12, 7, "that Model entered this turn and isn't Pretrained"),
    (13, 7, "that Model is Frozen"),
    (14, 7, "that Model has no attack"),
    (10, 0, "Models attack enemy Models or the enemy lab"),
    (10, 2, "Models attack enemy Models or the enemy lab"),
    (10, 12, "the slot that was aimed at is empty"),
    (10, 7, "an enemy Guard must be attacked first"),
    (10, 9, "an enemy Guard must be attacked first"),
    (16, 3, "\"end turn\" takes no target")])
def test_refusals_in_the_action_phase(source: int, token: int, reason: str) -> None:
    match = _scene().match
    message = refusing(match, encode(source, token))
    assert message.endswith(f": {reason}")
    assert message.startswith("can't ")
    assert match.why_not(encode(source, token)) == reason


def test_refusals_in_the_mulligan() -> None:
    match = new(1)
    for source in range(match.state.labs[match.player].hand_size, 10):
        assert "no card at that place" in refusing(match, encode(source))
    for action in (encode(0, 3), encode(12, 7), encode(11)):
        assert "there is no such action" in refusing(match, action)
    assert "takes no target" in refusing(match, END + 2)
    match.play(0)
    assert "already exchanged" in refusing(match, 0)


def test_every_reason_is_tested_here_or_in_the_scenarios() -> None:
    """The list of reasons and the parameters above are held together."""
    mark = next(mark for mark in test_refusals_in_the_action_phase.pytestmark)  # type: ignore[attr-defined]
    here = {reason for _, _, reason in mark.args[1]}
    elsewhere = {"the match is over", "a gradient update is awaited; no other action is legal until its verdict",
                 "there is no such action", "that card was already exchanged, or wasn't an opening card",
                 "the deck is empty, so there is nothing to exchange the card for"}
    assert here | elsewhere == set(REFUSALS[1:])


@pytest.mark.parametrize("action", MALFORMED, ids=repr)
def test_what_is_no_number_is_no_action(action: Any) -> None:
    for match in (new(2), _scene().match, finished(2)):
        assert "an action is a whole number from 0 to 237" in refusing(match, action)


@pytest.mark.parametrize("action", OUTSIDE, ids=repr)
def test_numbers_outside_are_no_actions(action: Any) -> None:
    for match in (new(2), _scene().match):
        assert refusing(match, action) == "there is no such action"
    assert refusing(finished(2), action) == "the match is over"


def test_numpy_integers_are_numbers() -> None:
    one, other = _scene().match, _scene().match
    one.play(END)
    other.play(np.int16(END))
    assert one.digest() == other.digest()
    assert type(next(iter(other.links())).done) is int


def test_everything_is_refused_after_the_end() -> None:
    match = finished(3)
    for action in range(r.ACTIONS):
        assert refusing(match, action) == "the match is over"
    with pytest.raises(IllegalAction, match="the match is over"):
        match.concede(0)
    assert match.legal_actions() == []


def test_everything_is_refused_while_an_update_is_awaited() -> None:
    match = next(match for seed in range(50, 90) for match in stopping(seed) if match.phase == "awaiting_update")
    for action in [*range(r.ACTIONS), *OUTSIDE]:
        assert "a gradient update is awaited" in refusing(match, action)


@pytest.mark.parametrize("player", [-1, 2, "0", None, True, 0.0, np.float64(1)])
def test_only_player_0_and_1_exist(player: Any) -> None:
    match = new(4)
    before = match.states.tobytes()
    for method in (match.concede, match.observe):
        with pytest.raises(GameError, match="a player is 0 or 1"):
            method(player)
    assert match.states.tobytes() == before
    assert match.last is None


@pytest.mark.parametrize("player", [0, 1, np.int64(1)])
def test_conceding_is_possible_at_any_time_in_either_seat(player: int) -> None:
    for match in (new(5), _scene().match):
        events = match.concede(player)
        assert match.outcome == (1 - player, "concede")
        assert [event.kind for event in events] == ["over"]
        assert refusing(match, END) == "the match is over"
        done = match.last.done  # type: ignore[union-attr]
        assert type(done.player) is int  # a save must be able to write it


@pytest.mark.parametrize("decks", ["1986", ("1986",), ("1986", "vision", "vision"), ()])
def test_a_match_needs_two_decks(decks: Any) -> None:
    with pytest.raises(GameError, match="a match needs two decks"):
        Match(decks, 1)
