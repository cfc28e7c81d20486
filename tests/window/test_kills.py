"""Window and lab killed together at any moment: what was shown is there again, and the ledger keeps its promise."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from game.engine.records import state_from
from game.errors import GameError
from game.replay import Replay
from learner.home import Home
from learner.ledger.audit import audit


@pytest.mark.parametrize("kills", [pytest.param(3, marks=pytest.mark.slow),
                                   pytest.param(20, marks=pytest.mark.nightly)])
def test_kills_lose_nothing_that_was_shown(tmp_path: Path, kills: int) -> None:
    rng, checked, moments = random.Random(20), 0, set()
    env = {**os.environ, "SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy"}
    for kill in range(kills):
        with (tmp_path / "shown.txt").open("wb") as out:
            process = subprocess.Popen([sys.executable, "-m", "tests.window.autoplay", str(tmp_path / "home"), "5"],
                                       stdout=out, env=env, start_new_session=True)
            end = time.monotonic() + 120
            while not (tmp_path / "shown.txt").stat().st_size and time.monotonic() < end:
                assert process.poll() is None
                time.sleep(0.01)
            time.sleep(rng.uniform(0.0, 6.0))
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        lines = (tmp_path / "shown.txt").read_text().split("\n")[:-1]
        seen = [line.split() for line in lines if line.startswith("shown")]
        with _home(tmp_path / "home") as home:
            if seen:
                _, number, digest = seen[-1]
                moments.add("finished" if home.store.count("matches", "number = ?", int(number)) else "open")
                assert digest in _passed(home, int(number)), f"kill {kill}: what was shown last is lost"
                checked += 1
            assert home.store.count("entries", "status = 'applied' AND step IS NULL") == 0
            assert home.store.count("matches") == home.store.next_match(), "none is missing, none is there twice"
    assert checked >= kills // 2
    assert "open" in moments or kills < 20
    report = audit(tmp_path / "home")
    assert not report.wrong


def _home(folder: Path) -> Home:
    """The folder, once the killed processes have let it go."""
    end = time.monotonic() + 20
    while True:
        try:
            return Home(folder, 5)
        except GameError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)


def _passed(home: Home, number: int) -> set[str]:
    """The digests through which a match has come, as it is kept or goes on."""
    if home.store.count("matches", "number = ?", number):
        row = next(row for row in home.store.matches() if row["number"] == number)
        match = Replay.from_json(home.store.replay_text(row)).verify(home.cards)
    else:
        match = home.resume().match
    found, copy = {match.digest()}, match.clone()
    for link in match.links():
        copy.states = state_from(link.state)
        found.add(copy.digest())
    return found
