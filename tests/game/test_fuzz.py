"""Twenty thousand random actions a day with every invariant checked; and that the checks can fail at all."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from game.cards import first_set
from game.events import Event
from scripts import fuzz
from scripts.fuzz import Watch, play_randomly, state_faults
from tests.game.matches import compiled_only
from tests.scenarios.scenario import given

SCRIPT = Path(fuzz.__file__)


@compiled_only
def test_twenty_thousand_random_actions() -> None:
    taken, matches, fault = fuzz.fuzz(20_000, seed=7)
    assert not fault, fault
    assert (taken, matches > 100) == (20_000, True)


@compiled_only
def test_random_matches_meet_every_card_and_every_kind_of_event() -> None:
    """Else the fuzzing would leave something out."""
    missing = {"absorb", "ablate", "recall", "vanish", "residual", "no_room", "fatigue", "discard", "await_update",
               "over", *(card.id for card in first_set().cards if card is not None and not card.token)}
    for seed in range(1000):
        for match, events in play_randomly(9_000_000 + seed):
            missing -= {event.kind for event in events}
            missing -= {match.cards[event.card].id for event in events if event.kind == "play"}
        if not missing:
            break
    assert not missing


BROKEN: list[tuple[str, Callable[[Any, Any], Any]]] = [
    ("0 health", lambda state, unit: unit.__setattr__("health", 0)),
    ("above its maximum", lambda state, unit: unit.__setattr__("health", 9)),
    ("negative permanent attack", lambda state, unit: unit.__setattr__("attack", -1)),
    ("destroyed Model", lambda state, unit: unit.__setattr__("doomed", 1)),
    ("neither 0 nor 1", lambda state, unit: unit.__setattr__("tapped", 2)),
    ("keyword bits", lambda state, unit: unit.__setattr__("keywords", 256)),
    ("two attacks", lambda state, unit: unit.__setattr__("attacks", 3)),
    ("damage counter", lambda state, unit: unit.__setattr__("hurt", 1)),
    ("damage counter", lambda state, unit: unit.__setattr__("hurt_ply", 1)),
    ("future", lambda state, unit: unit.__setattr__("turn", 99)),
    ("share an entry", lambda state, unit: unit.__setattr__("entry", 2)),
    ("entry number out of range", lambda state, unit: unit.__setattr__("entry", 99)),
    ("isn't all zeros", lambda state, unit: unit.__setattr__("card", 0)),
    ("above its cap", lambda state, unit: state.labs[1].__setattr__("funding", 19)),
    ("without funding", lambda state, unit: state.labs[0].__setattr__("funding", 0)),
    ("negative compute", lambda state, unit: state.labs[1].__setattr__("compute", -1)),
    ("racks", lambda state, unit: state.labs[1].__setattr__("racks", 11)),
    ("hand has holes", lambda state, unit: state.labs[0].__setattr__("hand_size", 3)),
    ("deck has holes", lambda state, unit: state.labs[0].deck.__setitem__(3, 0)),
    ("aside size", lambda state, unit: state.labs[0].__setattr__("aside_size", 11)),
    ("phase, result", lambda state, unit: state.__setattr__("result", 1)),
    ("awaited", lambda state, unit: state.__setattr__("phase", 2)),
    ("turn limit", lambda state, unit: state.__setattr__("turn", 61)),
    ("action limit", lambda state, unit: state.__setattr__("actions", 61))]


@pytest.mark.parametrize(("words", "breaks"), BROKEN, ids=[f"{n}: {item[0]}" for n, item in enumerate(BROKEN)])
def test_each_broken_invariant_is_noticed(words: str, breaks: Callable[[Any, Any], Any]) -> None:
    match = given(own={1: "gru", 2: "bert"}, enemy={1: "lstm"}, hand="dropout").match
    state = match.states[0]
    assert state_faults(match) == []
    breaks(state, state.labs[match.player].units[0])
    assert words in "; ".join(state_faults(match))


def test_a_left_over_trigger_is_noticed() -> None:
    match = given().match
    match._work["last"] = 1
    assert state_faults(match) == ["triggers are left in the queue"]


@pytest.mark.parametrize("change", ["lost", "gained", "moved"])
def test_a_card_from_nowhere_is_noticed(change: str) -> None:
    play = play_randomly(7)
    match, _ = next(play)
    watch = Watch(match)
    for match, events in play:
        assert not watch.after(events)
        if match.turn == 3:
            break
    lab = match.states[0].labs[0]
    if change == "lost":
        lab.deck_size -= 1
        lab.deck[lab.deck_size] = 0
    elif change == "gained":
        lab.deck[lab.deck_size] = 1
        lab.deck_size += 1
    else:
        lab.deck[0] = lab.deck[0] % 59 + 1
    assert watch.after([]) == ["cards came from nowhere or went missing"]


def test_what_a_turn_must_reset_is_noticed() -> None:
    match = given(own={1: "gru rush=2"}).match
    assert "something of last turn" in "; ".join(Watch(match).after([Event("turn", 0, -1, 0, 1, 0, 0)]))


@pytest.mark.parametrize(("options", "code", "words"), [
    (["--actions", "300", "--seed", "3"], 0, "300 actions in"), (["--actions", "0"], 2, "needs at least 1"),
    (["--seed", "x"], 2, "invalid int value")])
def test_the_script(options: list[str], code: int, words: str) -> None:
    run = subprocess.run([sys.executable, str(SCRIPT), *options], capture_output=True, text=True)
    assert run.returncode == code
    assert words in run.stdout + run.stderr


def test_the_script_exits_with_1_and_says_how_to_see_a_violation_again(
        monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(fuzz, "state_faults", lambda match: ["all is lost"] if match.turn == 2 else [])
    monkeypatch.setattr(sys, "argv", ["fuzz.py", "--actions", "5000", "--seed", "4"])
    assert fuzz.main() == 1
    told = capsys.readouterr().err
    assert "VIOLATION: all is lost" in told
    assert "play_randomly(4000000)" in told
    assert "steps [" in told


@pytest.mark.slow
def test_with_array_bounds_checked() -> None:
    """In a process of its own, for the compiler reads the setting when it starts."""
    run = subprocess.run([sys.executable, str(SCRIPT), "--actions", "20000", "--seed", "5"], capture_output=True,
                         text=True, env={**os.environ, "NUMBA_BOUNDSCHECK": "1"})
    assert run.returncode == 0, run.stderr
    assert "array bounds checked" in run.stdout
