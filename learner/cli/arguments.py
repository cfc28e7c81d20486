"""Argument types that commands share: each turns a text into a checked value or says what is wrong."""

from __future__ import annotations

import argparse
import math
import os


def count(text: str) -> int:
    """A whole number from 1."""
    return _whole(text, 1, "a whole number from 1")


def seed(text: str) -> int:
    """A whole number from 0 to 2⁶⁴−1."""
    return _whole(text, 0, "a whole number from 0 to 2^64 - 1", 2**64 - 1)


def above_zero(text: str) -> float:
    """A finite number above 0."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value > 0):
        raise argparse.ArgumentTypeError(f"needs a number above 0, not {text!r}")
    return value


def names(text: str) -> list[str]:
    """A list separated by commas, none of them empty."""
    parts = [part.strip() for part in text.split(",")]
    if not all(parts):
        raise argparse.ArgumentTypeError(f"needs names separated by commas, not {text!r}")
    return parts


def add_seed(parser: argparse.ArgumentParser, default: int | None = 0) -> None:
    """``--seed``; with ``default=None`` a fresh one is drawn by the command (see :func:`fresh_seed`)."""
    shown = "drawn anew" if default is None else "%(default)s"
    parser.add_argument("--seed", type=seed, default=default, metavar="N", help=f"fixes all chance (default: {shown})")


def add_language(parser: argparse.ArgumentParser) -> None:
    """``--lang``: en or pt-BR."""
    parser.add_argument("--lang", choices=("en", "pt-BR"), default="en", help="language of the texts (default: en)")


def add_card_files(parser: argparse.ArgumentParser) -> None:
    """``--cards FILE``, any number of times: drop-in cards behind the first set."""
    parser.add_argument("--cards", metavar="FILE", action="append", default=[],
                        help="add the cards of a TOML file to the first set; may be given again")


def add_workers(parser: argparse.ArgumentParser) -> None:
    """``--workers``: processes that play matches; it changes no result."""
    parser.add_argument("--workers", type=count, default=min(2, os.cpu_count() or 1), metavar="N",
                        help="processes that play; changes no result (default: %(default)s)")


def fresh_seed() -> int:
    """A seed nobody chose, below 2³²: short enough to be typed again."""
    return int.from_bytes(os.urandom(4), "little")


def _whole(text: str, low: int, wanted: str, high: int | None = None) -> int:
    try:
        value = int(text)
    except ValueError:
        value = low - 1
    if value < low or (high is not None and value > high):
        raise argparse.ArgumentTypeError(f"needs {wanted}, not {text!r}")
    return value
