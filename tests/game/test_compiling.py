"""Where compiled rules are kept, and what becomes of them when that can't be written."""

from __future__ import annotations

from pathlib import Path

import pytest

from game.engine import compiled

pytestmark = pytest.mark.skipif(not compiled.ENABLED, reason="the rules run interpreted, nothing is compiled")


def test_the_cache_follows_its_variable_and_is_keyed_by_the_sources(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "_folder", compiled._UNSET)
    monkeypatch.setenv("BACKPROP_CACHE_DIR", str(tmp_path))
    folder = compiled.cache_folder()
    assert folder == tmp_path / "rules" / compiled._digest()
    assert folder.is_dir()
    before = compiled._digest()
    monkeypatch.setattr(compiled.numba.config, "BOUNDSCHECK", "another")
    assert compiled._digest() != before


def test_a_cache_that_cannot_be_made_is_done_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "_folder", compiled._UNSET)
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("BACKPROP_CACHE_DIR", str(tmp_path / "file"))
    assert compiled.cache_folder() is None


def test_an_annotation_that_cannot_be_compiled_is_named() -> None:
    with pytest.raises(TypeError, match="no compiled type for the annotation 'float or so'"):
        compiled._numba_type("float or so")


def test_preparing_twice_does_nothing_more() -> None:
    compiled.prepare()
    prepared = compiled._prepared
    compiled.prepare()
    assert compiled._prepared == prepared == len(compiled._registered)
