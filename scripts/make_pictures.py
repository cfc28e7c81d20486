"""The README's pictures of the window and its animation, made by the game itself.

    python scripts/make_pictures.py            # into docs/pictures; needs Pillow for the animation

The animation is one turn: a Model attacks, is hurt, and learns from it in the Backpropagation
scene. What is seen is played and learned while it is made; the seed is the first with such a turn.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import pygame

from game import actions as act
from game.bots import make_bot
from game.bots.single import decide
from game.engine import records as r
from game.window.app import App, Options
from game.window.scenes.names import widget_of
from game.window.worker import LocalService
from learner.practice import Practice
from learner.seat import Seat

ROOT = Path(__file__).resolve().parent.parent
SIZE = (1280, 720)
SMALL = (800, 450)
"""The animation's size."""
FRAME = 0.2
"""Seconds of the game between two pictures, each shown for half of that."""
STILLS = ("match", "network")
"""Scenes of which a picture is made, under their names."""


class Window:
    """A window without a screen, in a folder that goes away."""

    def __init__(self, folder: Path, seed: int, scene: str = "") -> None:
        self.app = App(Options(folder, seed=seed, size=SIZE, audio=False, scene=scene, language="en", scale=100),
                       LocalService(Seat(folder, seed, practice=Practice(rounds=0))))
        self.frames: list[Any] = []

    def step(self, seconds: float = 0.1) -> None:
        """A picture later."""
        self.app._dirty = True
        self.app.step(seconds)

    def until(self, scene: str) -> None:
        """Until a scene is there and stands still."""
        while self.app.scene.name != scene or self.app.scene.moving:
            self.step()

    def film(self, seconds: float) -> None:
        """Keep pictures for so long."""
        for _ in range(max(1, round(seconds / FRAME))):
            self.step(FRAME / 2)
            self.step(FRAME / 2)
            self.frames.append(pygame.transform.smoothscale(self.app.ui.surface, SMALL))


def still(scene: str, file: Path) -> None:
    """A scene as it looks when everything in it is shown."""
    with tempfile.TemporaryDirectory() as folder:
        window = Window(Path(folder), 3, scene)
        window.until(scene)
        window.step()
        pygame.image.save(window.app.ui.surface, file)


def turn(seed: int) -> list[Any] | None:
    """Pictures of a turn with an attack and an update; None if the match has no such turn."""
    with tempfile.TemporaryDirectory() as folder:
        window = Window(Path(folder), seed)
        app = window.app
        window.until("menu")
        app.settings.speed = "instant"
        app.settings.updates = "none"
        app.scene._begin()  # type: ignore[attr-defined]
        window.until("match")
        scene: Any = app.scene
        bot = make_bot("greedy")
        while scene.settled.outcome is None:
            window.step()
            if not scene.settled.my_turn or scene.session.waiting:
                continue
            found = _attack_then_update(scene)
            if found is not None:
                _record(window, scene, *found)
                return window.frames
            scene.play(decide(bot, scene.session.match))
        return None


def _attack_then_update(scene: Any) -> tuple[int, int, int] | None:
    """(attack, hand place of an update, its target) such that the attacker can learn from the attack."""
    view, cards, match = scene.settled, scene.app.cards, scene.session.match
    updates = [card.place for card in view.hand if cards[card.card].target == "own_hurt"]
    if view.phase != "action" or not updates or sum(unit is not None for unit in view.units) < 6:
        return None
    for attack in sorted(view.legal):
        source, aimed = divmod(attack, r.TOKENS)
        if r.HAND <= source < r.END_TURN and aimed > r.ENEMY_LAB:
            copy, token = match.clone(), source - r.HAND + 1
            copy.updates = (None, None)
            copy.play(attack)
            for place in updates:
                if copy.outcome is None and act.encode(place, token) in copy.legal_actions():
                    return attack, place, token
    return None


def _record(window: Window, scene: Any, attack: int, place: int, token: int) -> None:
    app = window.app
    app.settings.speed, app.settings.updates = "normal", "own"
    scene.enter()
    app.by_keys = True
    source, aimed = divmod(attack, r.TOKENS)
    app.focus = widget_of(source - r.HAND + 1)
    window.film(0.6)
    scene.choose(source)
    app.focus = widget_of(aimed)
    window.film(1.4)
    scene.aim(aimed)
    window.film(1.8)
    app.focus = f"hand.{place}"
    window.film(0.4)
    scene.choose(place)
    app.focus = widget_of(token)
    window.film(1.2)
    scene.aim(token)
    while app.scene.name == "match":
        window.film(FRAME)
    app.scene.playing = True  # type: ignore[attr-defined]
    while app.scene.step < 4:  # type: ignore[attr-defined]
        window.film(FRAME)
    window.film(3.0)
    app.scene.back()
    window.film(1.8)


def save_animation(frames: list[Any], file: Path) -> None:
    """A GIF of one palette that goes round and round."""
    from PIL import Image

    pictures = [Image.frombytes("RGB", SMALL, pygame.image.tobytes(frame, "RGB")) for frame in frames]
    sheet = Image.new("RGB", (SMALL[0], SMALL[1] * 8))
    for place in range(8):
        sheet.paste(pictures[place * (len(pictures) - 1) // 7], (0, place * SMALL[1]))
    palette = sheet.quantize(256, method=Image.Quantize.MAXCOVERAGE)
    flat = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures]
    flat[0].save(file, save_all=True, append_images=flat[1:], duration=round(500 * FRAME), loop=0, optimize=True)


def main() -> int:
    """Make them all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "pictures", help="(default: docs/pictures)")
    parser.add_argument("--seed", type=int, default=1, help="the first to look for a turn (default: %(default)s)")
    args = parser.parse_args()
    os.environ.update(SDL_VIDEODRIVER="dummy", SDL_AUDIODRIVER="dummy")
    for scene in STILLS:
        still(scene, args.out / f"{scene}.png")
    frames = next(found for seed in range(args.seed, args.seed + 50) if (found := turn(seed)) is not None)
    save_animation(frames, args.out / "turn.gif")
    for path in sorted(args.out.glob("*.[pg][ni][gf]")):
        print(f"{path.name}: {path.stat().st_size // 1000} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
