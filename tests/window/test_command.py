"""The command's own part: what it says when the window can't open, and pictures without a screen."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from game.errors import GameError
from game.window.settings import Settings
from learner.cli import window


def test_without_pygame_it_says_how_to_install_it(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(window, "find_spec", lambda name: None)
    with pytest.raises(GameError, match="pip install"):
        window.run(argparse.Namespace(scene=""), tmp_path, 1)


def test_both_pygames_are_refused(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(window, "_installed", lambda name: True)
    with pytest.raises(GameError, match="overwrite each other"):
        window.run(argparse.Namespace(scene=""), tmp_path, 1)


def test_a_picture_and_its_description(tmp_path) -> None:
    picture, dump = tmp_path / "menu.png", tmp_path / "menu.json"
    ran = subprocess.run(
        [sys.executable, "-m", "learner.cli.main", "play", "--data-dir", str(tmp_path / "home"), "--size", "960x540",
         "--lang", "pt-BR", "--screenshot", str(picture), "--ui-dump", str(dump)], capture_output=True, text=True,
        check=False, env={**os.environ, "SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy"}, timeout=120)
    assert (ran.returncode, ran.stdout) == (0, ""), ran.stderr
    assert picture.stat().st_size > 10_000
    seen = json.loads(dump.read_text(encoding="utf-8"))
    assert (seen["scene"], seen["size"], seen["language"]) == ("menu", [960, 540], "pt-BR")
    assert {"id", "rect", "enabled", "text", "focused", "clipped"} <= set(seen["widgets"][0])


def test_settings_are_kept_and_nonsense_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    Settings(language="pt-BR", scale=150, sound=False).save(path)
    assert Settings.load(path) == Settings(language="pt-BR", scale=150, sound=False)
    path.write_text('{"language": "xx", "scale": 7, "sound": "loud", "volume": 900, "new": 1}', encoding="utf-8")
    assert Settings.load(path) == Settings(volume=100)
    path.write_text("{", encoding="utf-8")
    assert Settings.load(path) == Settings()


def test_the_worker_imports_no_pygame() -> None:
    code = "import sys, learner.seat, game.window.worker, game.window.session; sys.exit('pygame' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
