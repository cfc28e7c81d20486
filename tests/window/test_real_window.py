"""The command itself, in a real window on a virtual screen, driven as a person would."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.window.screen import virtual_screen

THERE = shutil.which("Xvfb") and shutil.which("xdotool")
pytestmark = [pytest.mark.slow,
              pytest.mark.skipif(not THERE, reason="needs Xvfb and xdotool (apt-get install xvfb xdotool)")]


class Window:
    """The process and what it writes about itself."""

    def __init__(self, folder: Path, display: str, *options: str) -> None:
        self.dump, self.env = folder / "ui.json", {**os.environ, "DISPLAY": display, "SDL_AUDIODRIVER": "dummy"}
        self.env.pop("SDL_VIDEODRIVER", None)
        self.dump.unlink(missing_ok=True)
        self.process = subprocess.Popen([
            sys.executable, "-m", "learner.cli.main", "play", "--data-dir", str(folder / "home"), "--size", "1280x720",
            "--ui-dump", str(self.dump), "--speed", "instant", "--opponent", "random", "--seed", "5", *options],
            env=self.env, stdout=subprocess.DEVNULL)

    def look(self) -> dict[str, Any]:
        """The newest description, {} while there is none."""
        with contextlib.suppress(OSError, ValueError):
            found: dict[str, Any] = json.loads(self.dump.read_text(encoding="utf-8"))
            return found
        return {}

    def until(self, wanted: Callable[[dict[str, Any]], Any], seconds: float = 60) -> dict[str, Any]:
        """Wait for a description."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            seen = self.look()
            if seen and wanted(seen):
                return seen
            assert self.process.poll() is None, "the window has ended"
            time.sleep(0.02)
        raise AssertionError(f"not within {seconds} s: {self.look().get('scene')}")

    def do(self, *words: str) -> None:
        """xdotool; waits until the window has answered with a new picture, if it does."""
        frame = self.look().get("frame")
        subprocess.run(["xdotool", *words], env=self.env, check=True)
        end = time.monotonic() + 0.5
        while self.look().get("frame") == frame and time.monotonic() < end:
            time.sleep(0.01)

    def key(self, name: str) -> None:
        """Press a key."""
        self.do("key", name)

    def click(self, widget: str) -> None:
        """Click the middle of a widget, if it is still there."""
        rect = next((w["rect"] for w in self.look().get("widgets", []) if w["id"] == widget), None)
        if rect is None:
            return
        left, top, wide, high = rect
        self.do("mousemove", str(left + wide // 2), str(top + high // 2), "click", "1")


@pytest.fixture
def display() -> Iterator[str]:
    """A virtual screen of its own."""
    with virtual_screen() as display:
        yield display


def _target(seen: dict[str, Any]) -> tuple[str, str]:
    """A source's and its target's widget."""
    source, token = divmod(next(a for a in seen["legal"] if a < 224), 14)
    name = f"hand.{source}" if source < 10 else f"own.{source - 9}"
    return name, ("lab.own" if token == 0 else "lab.enemy" if token == 7 else f"own.{token}" if token < 7 else
                  f"enemy.{token - 7}")


@pytest.mark.parametrize("by", ["mouse", "keys"])
def test_a_match_in_a_real_window(tmp_path: Path, display: str, by: str) -> None:
    window = Window(tmp_path, display)
    try:
        window.until(lambda seen: seen["scene"] == "menu", 120)
        if by == "mouse":
            window.click("play")
        else:
            _focus(window, "play")
            window.key("Return")
        seen = window.until(lambda seen: seen["scene"] == "match")
        for _ in range(800):
            seen = window.until(lambda s: s["scene"] != "match" or (s["my_turn"] and not s["animating"]) or s["over"])
            if seen["scene"] in ("result", "training"):
                break
            if seen["scene"] in ("dialog", "backprop"):
                if by == "mouse":
                    window.click("answer.0" if seen["scene"] == "dialog" else "skip")
                else:
                    window.key("Return")
            elif seen["scene"] != "match" or seen["over"]:
                time.sleep(0.05)
            elif seen["phase"] == "mulligan" or seen["legal"] == [224]:
                window.key("e") if by == "keys" else window.click("end")
            else:
                source, target = _target(seen)
                if by == "mouse":
                    window.click(source)
                    window.click(target)
                else:
                    _focus(window, source)
                    window.key("Return")
                    _focus(window, target)
                    window.key("Return")
        assert window.look()["scene"] == "result"
        window.process.send_signal(signal.SIGTERM)
        assert window.process.wait(20) == 0
        assert list((tmp_path / "home" / "replays").glob("*.json"))
    finally:
        window.process.kill()
        window.process.wait()


def _mine(seen: dict[str, Any]) -> bool:
    return bool(seen["scene"] == "match" and seen["my_turn"] and not seen["animating"])


def _focus(window: Window, widget: str) -> None:
    for _ in range(40):
        if window.look()["focus"] == widget:
            return
        window.key("Tab")


def test_a_kill_loses_nothing_after_the_last_action(tmp_path: Path, display: str) -> None:
    digest = ""
    for number in range(3):
        window = Window(tmp_path, display, *(["--load"] if digest else []))
        try:
            if not digest:
                window.until(lambda seen: seen["scene"] == "menu", 120)
                window.click("play")
            seen = window.until(_mine, 120)
            assert not digest or seen["digest"] == digest
            window.click("end")
            if window.look()["scene"] == "dialog":
                window.click("answer.0")
            seen = window.until(lambda now, old=seen["digest"]: _mine(now) and now["digest"] != old)
            time.sleep(0.5 + 0.1 * number)  # the service saves right after it was told
            digest = seen["digest"]
        finally:
            window.process.kill()
            window.process.wait()
        time.sleep(1.0)  # its service ends by itself when the pipe is gone
