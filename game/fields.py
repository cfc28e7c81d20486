"""Reading TOML files and checking their fields: an error names the file, the place and the field, in one line."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from game.errors import CardError

LANGUAGES = ("en", "pt-BR")


def read_toml(path: Path) -> dict[str, Any]:
    """A TOML file's content; CardError in one line if it is missing or damaged."""
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8"))
    except OSError as error:
        raise CardError(f"{path}: can't be read: {error.strerror or error}") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise CardError(f"{path.name}: not a TOML file: {error}") from None


def read_tables(path: Path, name: str, what: str) -> list[dict[str, Any]]:
    """The tables of a file that is a list of ``[[name]]`` and nothing else; CardError if it is ``what`` but isn't."""
    content = read_toml(path)
    tables = content.get(name)
    if set(content) != {name} or not isinstance(tables, list) or not all(isinstance(t, dict) for t in tables):
        raise CardError(f"{path.name}: a {what} is a list of [[{name}]] tables and nothing else")
    return tables


def choice(where: str, name: str, value: Any, choices: Iterable[str]) -> str:
    """One of some words."""
    choices = tuple(choices)
    if not isinstance(value, str) or value not in choices:
        raise CardError(f"{where}: field {name}: {value!r} isn't one of {', '.join(choices)}")
    return value


def whole(where: str, name: str, value: Any, low: int, high: int) -> int:
    """A whole number within bounds."""
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise CardError(f"{where}: field {name}: needs a whole number from {low} to {high}, not {value!r}")
    return value


def text(where: str, name: str, value: Any, empty: bool = False) -> str:
    """A text, with something in it unless it may be empty."""
    if not isinstance(value, str) or (not value.strip() and not empty) or "\0" in value:
        raise CardError(f"{where}: field {name}: needs a text, not {value!r}")
    return value
