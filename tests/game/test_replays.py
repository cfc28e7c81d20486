"""Replays: what is written is read back and verified; what was tampered with is refused in one clear line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from game.cards import first_set
from game.errors import ReplayError
from game.match import Match
from game.replay import LARGEST, Replay, result_of
from game.updates import ScriptedUpdates, Verdict
from tests.game.matches import compiled_only, finished, new, stopping
from tests.scenarios.testcards import extended


@pytest.fixture(scope="module")
def replay() -> Replay:
    """A finished match with learned updates and others."""
    return next(made for made in (Replay.of(finished(seed)) for seed in range(60, 300))
                if len({step[0] for step in made.steps if isinstance(step, tuple)}) > 1)


def refused(text: str) -> str:
    """The one line with which a replay's text is refused, when it is read or when it is verified."""
    with pytest.raises(ReplayError) as caught:
        Replay.from_json(text).verify()
    message = str(caught.value)
    assert message
    assert message.isprintable(), message
    assert len(message) < 400
    return message


def changed(replay: Replay, change: Callable[[dict[str, Any]], Any]) -> str:
    """The replay's text after a change to what it says."""
    raw = json.loads(replay.to_json())
    change(raw)
    return json.dumps(raw)


@pytest.mark.parametrize("seed", range(60, 72))
def test_round_trip(seed: int, tmp_path: Path) -> None:
    match = finished(seed)
    replay = Replay.of(match)
    replay.write(tmp_path / "replay.json")
    again = Replay.read(tmp_path / "replay.json")
    assert again == replay
    assert again.to_json() == replay.to_json()
    verified = again.verify()
    assert verified.states.tobytes() == match.states.tobytes()
    assert Replay.of(verified, replay.sources) == replay
    assert replay.result == result_of(match)
    assert replay.sources == ("scripted", "scripted")


def test_there_is_a_digest_for_each_turn_and_for_the_end(replay: Replay) -> None:
    match = replay.verify()
    assert len(replay.digests) == match.turn + 2
    assert replay.digests[-1] == match.digest()
    assert len(set(replay.digests)) >= len(replay.digests) - 1  # a match may end where a turn begins


def test_watching_a_replay_sees_every_step_with_its_events() -> None:
    match = new(8)
    told = [match.play(match.legal_actions()[-1]) for _ in range(30)]
    seen: list[Any] = []
    turns: list[int] = []
    Replay.of(match).verify(watch=lambda at, events: (seen.append(events), turns.append(at.turn)))
    assert seen == told
    assert turns == sorted(turns)


def test_results_in_words() -> None:
    assert Replay.of(new(9)).result == "running"
    for player, words in ((0, "player 1 wins: concede"), (1, "player 0 wins: concede")):
        match = new(9)
        match.concede(player)
        assert Replay.of(match).result == words


def test_a_replay_without_sources_says_so() -> None:
    assert Replay.of(new(9)).sources == ("", "")
    match = Match(("1986", "vision"), 1, updates=(None, ScriptedUpdates()))
    assert Replay.of(match).sources == ("", "scripted")


# ---- tampering ----------------------------------------------------------------------------------------


def _swap(raw: Any, name: Any, value: Any) -> None:
    raw[name] = value


TAMPERED: list[tuple[str, Callable[[dict[str, Any]], Any], str]] = [
    ("other rules", lambda raw: _swap(raw, "rules", raw["rules"] + 1), "made under rules version"),
    ("other cards", lambda raw: _swap(raw, "cards", "0" * 16), "made with card set 0000000000000000; this set is"),
    ("other format", lambda raw: _swap(raw, "format", "chess"), "the format mark is missing"),
    ("other version", lambda raw: _swap(raw, "version", 99), "replay version 99; this program reads version 1"),
    ("other seed", lambda raw: _swap(raw, "seed", raw["seed"] + 1), "step 0: the state isn't the recorded one"),
    ("bad seed", lambda raw: _swap(raw, "seed", -1), "damaged: needs a whole number from 0 to 18446744073709551615"),
    ("other result", lambda raw: _swap(raw, "result", "draw: turn limit"), "it doesn't end as it says"),
    ("running", lambda raw: _swap(raw, "result", "running"), "it doesn't end as it says"),
    ("a step less", lambda raw: raw["steps"].pop(), "the state isn't the recorded one"),
    ("no steps", lambda raw: raw["steps"].clear(), "the state isn't the recorded one"),
    ("a step more", lambda raw: raw["steps"].append(224), "the match is over"),
    ("a step twice", lambda raw: raw["steps"].insert(3, raw["steps"][3]), ""),
    ("steps swapped", lambda raw: raw["steps"].reverse(), ""),
    ("a step outside", lambda raw: raw["steps"].insert(0, 238), "damaged: needs a whole number from 0 to 237"),
    ("a step in words", lambda raw: raw["steps"].insert(0, "end turn"), "damaged: no step: 'end turn'"),
    ("another verdict", lambda raw: _other_verdict(raw["steps"]), "the state isn't the recorded one"),
    ("an unknown verdict", lambda raw: raw["steps"].append(["perhaps", 0, ""]), "damaged: no step"),
    ("a verdict too many", lambda raw: raw["steps"].insert(2, ["learned", 0, ""]), "no gradient update is awaited"),
    ("a concession", lambda raw: raw["steps"].insert(5, ["concede", 0]), ""),
    ("a third player's concession", lambda raw: raw["steps"].append(["concede", 2]), "from 0 to 1"),
    ("a digest less", lambda raw: raw["digests"].pop(), ""),
    ("a digest more", lambda raw: raw["digests"].append("f" * 16), ""),
    ("no digests", lambda raw: raw["digests"].clear(), "the state isn't the recorded one"),
    ("no cards", lambda raw: _swap(raw, "decks", [{}, {}]), "has 0 cards; a deck has exactly 30"),
    ("one deck", lambda raw: raw["decks"].pop(), "damaged: needs two entries"),
    ("swapped decks", lambda raw: raw["decks"].reverse(), "step 0: the state isn't the recorded one"),
    ("unknown card", lambda raw: raw["decks"][0].update({"perzeptron": 1}), "did you mean perceptron"),
    ("a copy more", lambda raw: _one_more(raw["decks"][1]), "a deck has exactly 30"),
    ("a number in words", lambda raw: _swap(raw, "rules", "1"), "damaged: needs a whole number"),
    ("a truth for a number", lambda raw: _swap(raw, "rules", True), "damaged: needs a whole number"),
    ("a list for a text", lambda raw: _swap(raw, "result", []), "damaged: needs a text"),
    ("a source less", lambda raw: raw["sources"].pop(), "damaged: needs two entries"),
    ("half the settings", lambda raw: raw["settings"].pop("racks"), "the settings are incomplete"),
    ("a setting more", lambda raw: raw["settings"].update(speed=3), "the settings are incomplete"),
    ("an unknown extra card", lambda raw: raw["settings"].update(extra_card="coin"), "unknown card 'coin'")]


def _other_digest(at: int) -> Callable[[dict[str, Any]], Any]:
    return lambda raw: _swap(raw["digests"], at, "0" * 16)


def _without(name: str) -> Callable[[dict[str, Any]], Any]:
    return lambda raw: raw.pop(name)


def _setting(name: str, by: int) -> Callable[[dict[str, Any]], Any]:
    return lambda raw: raw["settings"].update({name: raw["settings"][name] + by})


TAMPERED += [(f"digest {at}", _other_digest(at), "the state isn't the recorded one") for at in (0, 1, 2, -2, -1)]
TAMPERED += [(f"without {name}", _without(name), "") for name in ("format", "version", *Replay.__dataclass_fields__)]
TAMPERED += [(f"setting {name}", _setting(name, -1), "the state isn't the recorded one") for name in (
    "funding", "racks", "turn_limit", "action_limit", "first_hand", "second_hand")]


def _other_verdict(steps: list[Any]) -> None:
    verdict = next(step for step in steps if isinstance(step, list) and step[0] == "learned")
    verdict[0] = "vanished"


def _one_more(deck: dict[str, int]) -> None:
    deck[next(card for card, copies in deck.items() if copies == 1 and card not in (
        "frank-rosenblatt", "seppo-linnainmaa", "david-rumelhart", "geoffrey-hinton"))] += 1


@pytest.mark.parametrize(("change", "words"), [item[1:] for item in TAMPERED], ids=[item[0] for item in TAMPERED])
def test_tampering_is_refused(replay: Replay, change: Callable[[dict[str, Any]], Any], words: str) -> None:
    assert words in refused(changed(replay, change))


@compiled_only
def test_tampering_with_any_single_step_is_noticed_or_makes_no_difference(replay: Replay) -> None:
    """A Momentum for another Model is the same match if neither attacks; what changes the state is noticed."""
    raw = json.loads(replay.to_json())
    noticed = 0
    for at, step in enumerate(raw["steps"]):
        if isinstance(step, int):
            raw["steps"][at] = (step + 1) % 238
            try:
                assert Replay.from_json(json.dumps(raw)).verify().digest() == replay.digests[-1]
            except ReplayError:
                noticed += 1
            raw["steps"][at] = step
    assert noticed > 0.9 * len(raw["steps"])


@pytest.mark.parametrize("text", ["", "null", "[]", "{}", "3", "\"x\"", "{", "NaN", "\x00", "{\"format\":1}",
                                  "\ufeff{}", "9" * 5000, "[[[[" * 20_000], ids=lambda text: repr(text[:12]))
def test_what_is_no_replay_is_refused(text: str) -> None:
    assert refused(text).startswith("not a replay: ")


def test_line_breaks_and_endless_texts_do_not_get_into_the_refusal(replay: Replay) -> None:
    for name in ("cards", "result", "deck_ids", "version", "format"):
        for value in ("a\nb", "\x1b[31m", "x" * 900, ["x" * 900] * 2, ["a\nb", "c"]):
            raw = json.loads(replay.to_json())
            raw[name] = value
            if name == "deck_ids":
                raw["decks"][0] = {}
            refused(json.dumps(raw))
    for card in ("a\nb", "\x1b[31m", "x" * 900):
        refused(changed(replay, lambda raw, card=card: raw["decks"][0].update({card: 1})))  # type: ignore[misc]
        refused(changed(replay, lambda raw, card=card: raw.update({card: 1})))  # type: ignore[misc]


def test_another_card_set_is_refused(replay: Replay) -> None:
    other = extended('''
    [[card]]
    id = "one-more"
    effects = [{ trigger = "play", operation = "compute", scope = "own_lab", amount = 1 }]
    ''')
    with pytest.raises(ReplayError, match=f"made with card set {first_set().hash}; this set is {other.hash}"):
        replay.verify(other)


def test_a_file_too_large_is_refused(tmp_path: Path) -> None:
    (tmp_path / "big.json").write_bytes(b" " * (LARGEST + 1))
    with pytest.raises(ReplayError, match=r"big\.json: too large for a replay \(over 16 MiB\)"):
        Replay.read(tmp_path / "big.json")


def test_a_verdicts_row_and_gradient_are_kept(tmp_path: Path) -> None:
    match = next(match for seed in range(50, 90) for match in stopping(seed) if match.phase == "awaiting_update")
    match.give(Verdict("learned", 5, "feed"))
    Replay.of(match).write(tmp_path / "replay.json")
    assert Replay.read(tmp_path / "replay.json").steps[-1] == ("learned", 5, "feed")
