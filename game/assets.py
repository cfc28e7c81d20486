"""Finds the assets folder, in a checkout and in an installed wheel."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def assets() -> Path:
    """The folder with cards/, decks/ and the rest; FileNotFoundError if the installation lacks it."""
    for folder in (_PACKAGE / "_assets", _PACKAGE.parent / "assets"):
        if (folder / "cards").is_dir():
            return folder
    raise FileNotFoundError(f"no assets beside {_PACKAGE}: the installation is incomplete, install it again")
