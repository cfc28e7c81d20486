"""A window that plays by itself, match after match, in a process of its own: for kills and for measurements.

    python -m tests.window.autoplay FOLDER SEED [ROUNDS]

ROUNDS: of practice after each match (default: as many as always).

Writes a line after every picture in which something is new: the match's number and where it stands, by
digest; or "over" when a match and all that follows it is done.
"""

from __future__ import annotations

import os
import sys
from multiprocessing.connection import Connection
from pathlib import Path

from game.bots import make_bot
from game.bots.single import decide
from game.window.app import App, Options
from game.window.worker import ProcessService, serve
from learner.practice import Practice
from learner.seat import Seat


class AutoPlay:
    """Presses what a hasty person would."""

    def __init__(self, app: App) -> None:
        self.app, self.bot = app, make_bot("everything")
        self.last = ""
        self.begun = False

    def act(self) -> None:
        """The next thing to do, if there is one."""
        scene = self.app.scene
        if scene.name == "menu":
            self._menu(scene)
        elif scene.name == "match":
            session = scene.session  # type: ignore[attr-defined]
            if scene.settled.my_turn and not session.waiting and scene.timeline.beat is None:  # type: ignore[attr-defined]
                scene.play(decide(self.bot, session.match))  # type: ignore[attr-defined]
        elif scene.name == "result":
            scene._training()  # type: ignore[attr-defined]
        elif scene.name == "training" and not scene.moving:
            self.begun = False
            self.say("over")
            scene.back()
        elif scene.name in ("backprop", "dialog"):
            scene.back()
        assert scene.name != "crash"

    def _menu(self, scene: object) -> None:
        if self.begun or not self.app.ui.pictures.weights:  # the service hasn't said yet whether a match is open
            return
        self.begun = True
        if scene.open:  # type: ignore[attr-defined]
            scene._resume()  # type: ignore[attr-defined]
        else:
            scene._begin()  # type: ignore[attr-defined]

    def say(self, line: str) -> None:
        """A line at once, whatever happens next."""
        if line != self.last:
            self.last = line
            os.write(1, f"{line}\n".encode())

    def shown(self) -> None:
        """What the picture shows."""
        scene = self.app.scene
        if scene.name == "match":
            self.say(f"shown {scene.session.number} {scene.settled.digest}")  # type: ignore[attr-defined]


def lab(pipe: Connection, folder: str, seed: int, rounds: int) -> None:
    """The lab's process with so many rounds of practice after a match."""
    seat = Seat(folder, seed, practice=Practice(rounds=rounds))
    try:
        serve(pipe, seat)
    finally:
        seat.close()


def main(folder: str, seed: int, rounds: int) -> None:
    """Play until it is ended."""
    service = ProcessService(lab, folder, seed, rounds)
    app = App(Options(Path(folder), seed=seed, size=(1280, 720), audio=False, speed="instant"), service)
    auto = AutoPlay(app)
    step = app.step

    def played(seconds: float) -> None:
        auto.act()
        step(seconds)
        auto.shown()
        app._dirty = True

    app.step = played  # type: ignore[method-assign]
    try:
        app.run()
    finally:
        service.close()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else Practice().rounds)
