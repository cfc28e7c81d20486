"""Whole files or none: what is written appears at once or not at all."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from game.errors import GameError


def write_atomic(path: Path | str, content: bytes | str) -> None:
    """Write a file beside its place, flush it to disk and move it there.

    A crash, a full disk or a second writer leaves the old file or the new one, never half of
    one. Raises OSError and removes what it wrote if that fails.
    """
    path = Path(path)
    data = content.encode("utf-8") if isinstance(content, str) else content
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def check_new(path: Path | str, hint: str = "name a new folder") -> Path:
    """The path if it is free for a new folder, or an empty one; else GameError."""
    path = Path(path)
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise GameError(f"{path}: is there already; {hint}")
    return path


@contextlib.contextmanager
def filling(path: Path) -> Iterator[None]:
    """Makes a new or empty folder; if the work inside fails, what was written goes, and the folder if it was new."""
    new = not path.exists()
    path.mkdir(parents=True, exist_ok=True)
    try:
        yield
    except BaseException:
        for part in path.iterdir():
            shutil.rmtree(part) if part.is_dir() else part.unlink()
        if new:
            path.rmdir()
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
