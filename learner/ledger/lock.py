"""One process at a time works in a folder."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from game.errors import GameError


def hold(folder: Path, refusal: str) -> sqlite3.Connection:
    """Take a folder's lock, to be closed in the end; the system lets it go whatever happens to the process.

    GameError with the text ``refusal`` if another process has it, OSError if the disk refuses.
    """
    lock = sqlite3.connect(folder / "lock.sqlite", timeout=0, isolation_level=None)
    try:
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        lock.close()
        if "locked" in str(error):
            raise GameError(f"{folder}: {refusal}") from None
        raise OSError(f"{folder / 'lock.sqlite'}: {error}") from None
    return lock
