"""A window that plays by itself, match after match, in a process of its own: for kills and for measurements.

    python -m tests.window.autoplay FOLDER SEED [MATCHES [SPEED]]

Writes a line after every picture in which something is new: the match's number and where it stands, by
digest; or "over" when a match and all that follows it is done.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from game.bots import make_bot
from game.bots.single import decide
from game.window.app import App, Options
from game.window.worker import ProcessService
from learner.cli.window import work


class AutoPlay:
    """Presses what a hasty person would."""

    def __init__(self, app: App) -> None:
        self.app, self.bot, self.done = app, make_bot("everything"), 0
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
            self.done += 1
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


def main(folder: str, seed: int, matches: int, speed: str) -> None:
    """Play until so many matches are over."""
    service = ProcessService(work, folder, seed)
    app = App(Options(Path(folder), seed=seed, size=(1280, 720), audio=False, speed=speed), service)
    auto = AutoPlay(app)
    step = app.step

    def played(seconds: float) -> None:
        auto.act()
        step(seconds)
        auto.shown()
        app._dirty = True
        app.running = auto.done < matches

    app.step = played  # type: ignore[method-assign]
    try:
        app.run()
    finally:
        service.close()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 10**9,
         sys.argv[4] if len(sys.argv) > 4 else "instant")
