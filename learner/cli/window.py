"""Joins the window and the lab behind it: arguments in, a process for the lab, the window in front."""

from __future__ import annotations

import argparse
import shutil
import tempfile
from importlib import metadata
from importlib.util import find_spec
from multiprocessing.connection import Connection
from pathlib import Path

from game.errors import GameError

PLAYED = ("match", "network", "history", "pause", "dialog", "backprop", "training", "result")
SCENES = ("menu", *PLAYED, "rules", "timeline", "settings", "keys", "credits", "crash")
INSTALL = "the window needs pygame: pip install 'backpropagation-game[play]' (or play in the terminal with --text)"
BOTH = "pygame and pygame-ce overwrite each other: pip uninstall pygame pygame-ce, then pip install pygame-ce"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What only the window understands."""
    window = parser.add_argument_group("the window")
    window.add_argument("--size", type=_size, metavar="WxH", help="the window's size (default: to fit the screen)")
    window.add_argument("--speed", choices=("half", "normal", "double", "instant"), help="of what moves")
    window.add_argument("--scale", type=int, choices=(80, 90, 100, 110, 125, 150, 175, 200),
                        help="of letters and controls, in %% (default: as set, at first what the screen needs)")
    window.add_argument("--no-audio", action="store_true", help="without sound")
    window.add_argument("--scene", choices=SCENES, default="", help="begin with this scene")
    window.add_argument("--screenshot", metavar="FILE", help="write the first settled picture (PNG) and end")
    window.add_argument("--ui-dump", metavar="FILE", help="describe every settled picture in this file (JSON)")


def run(args: argparse.Namespace, folder: Path, seed: int) -> int:
    """Open the window and play until it is closed; its exit code."""
    if find_spec("pygame") is None:
        raise GameError(INSTALL)
    if _installed("pygame") and _installed("pygame-ce"):
        raise GameError(BOTH)
    from game.window.app import App, Options
    from game.window.worker import ProcessService

    if args.scene in PLAYED:  # a bot plays there in the person's place: not in the person's lab
        folder = Path(tempfile.mkdtemp(prefix="backprop-"))
    service = ProcessService(work, str(folder), seed)
    options = Options(
        folder=folder, seed=seed, language=args.lang, size=args.size, speed=args.speed, scale=args.scale,
        audio=not args.no_audio, scene=args.scene, screenshot=args.screenshot, ui_dump=args.ui_dump, deck=args.deck,
        other_deck=args.opponent_deck, opponent=args.opponent, load=args.load, discard=args.discard)
    try:
        return App(options, service).run()
    finally:
        service.close()
        if args.scene in PLAYED:
            shutil.rmtree(folder, ignore_errors=True)


def _installed(name: str) -> bool:
    """Whether a distribution is there."""
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def work(pipe: Connection, folder: str, seed: int) -> None:
    """The lab's process."""
    from game.window.worker import serve
    from learner.seat import Seat

    seat = Seat(folder, seed, tell=lambda job, value: pipe.send((0, job, value, "", "")))
    try:
        serve(pipe, seat)
    finally:
        seat.close()


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.lower().partition("x")
    if not (width.isdecimal() and height.isdecimal() and 640 <= int(width) <= 7680 and 360 <= int(height) <= 4320):
        raise argparse.ArgumentTypeError(f"needs a size like 1280x720, from 640x360, not {text!r}")
    return int(width), int(height)
