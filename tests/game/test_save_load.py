"""Saves: written and read at every ply, and played on as if nothing had been."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from game.errors import ReplayError
from game.match import Match
from game.updates import ScriptedUpdates
from tests.game.matches import act, compiled_only, finished, new, stopping


@compiled_only
@pytest.mark.parametrize("seed", [41, 42, 43])
def test_save_and_load_at_every_ply_and_play_both_on(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "match.json"
    for step, match in enumerate(stopping(seed)):
        match.save(path)
        loaded = Match.load(path)
        assert loaded.states.tobytes() == match.states.tobytes()
        assert [link.done for link in loaded.links()] == [link.done for link in match.links()]
        assert (loaded.name, loaded.phase, loaded.outcome) == (match.name, match.phase, match.outcome)
        one, other = match.clone(), loaded
        chances = np.random.default_rng(step), np.random.default_rng(step)
        while one.outcome is None:
            for each, chance in zip((one, other), chances, strict=True):
                act(each, chance)
            assert one.digest() == other.digest()
        assert one.outcome == other.outcome


def test_a_match_saved_while_it_awaits_an_update_awaits_it_again(tmp_path: Path) -> None:
    match = next(match for seed in range(50, 90) for match in stopping(seed) if match.phase == "awaiting_update")
    match.save(tmp_path / "match.json")
    loaded = Match.load(tmp_path / "match.json")
    asked, again = match.pending, loaded.pending
    assert asked is not None
    assert again is not None
    for name in asked.__dataclass_fields__:
        assert np.array_equal(getattr(asked, name), getattr(again, name)), name
    answered = Match.load(tmp_path / "match.json", updates=ScriptedUpdates())
    match.give(ScriptedUpdates().update(asked))
    assert answered.phase == match.phase != "awaiting_update"
    assert answered.digest() == match.digest()


def test_a_conceded_match_is_saved_with_its_reason(tmp_path: Path) -> None:
    match = new(3)
    match.concede(1)
    match.save(tmp_path / "match.json")
    loaded = Match.load(tmp_path / "match.json")
    assert loaded.outcome == match.outcome == (0, "concede")


def test_a_save_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    match = new(5)
    path = tmp_path / "match.json"
    match.save(path)
    before = path.read_bytes()
    with pytest.raises(OSError, match="No such file"):
        match.save(tmp_path / "missing" / "match.json")
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["match.json"]


def test_loading_what_is_not_there_or_not_a_replay(tmp_path: Path) -> None:
    with pytest.raises(ReplayError, match="can't be read: No such file"):
        Match.load(tmp_path / "nothing.json")
    with pytest.raises(ReplayError, match="can't be read: Is a directory"):
        Match.load(tmp_path)
    (tmp_path / "bytes.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ReplayError, match=r"bytes\.json"):
        Match.load(tmp_path / "bytes.json")


def test_a_save_is_small(tmp_path: Path) -> None:
    finished(7).save(tmp_path / "match.json")
    assert (tmp_path / "match.json").stat().st_size < 20_000
