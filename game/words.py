"""Texts by key, in English and Brazilian Portuguese, from assets/locale/."""

from __future__ import annotations

import functools
from typing import Any

from game.assets import assets
from game.errors import GameError
from game.fields import LANGUAGES, read_toml


@functools.cache
def texts(language: str) -> dict[str, str]:
    """All texts of a language, by dotted key."""
    if language not in LANGUAGES:
        raise GameError(f"unknown language {language!r}: there are {', '.join(LANGUAGES)}")
    flat: dict[str, str] = {}
    for group, entries in read_toml(assets() / "locale" / f"{language}.toml").items():
        for key, text in entries.items():
            flat[f"{group}.{key}"] = text
    return flat


def say(key: str, language: str = "en", **values: Any) -> str:
    """A text in a language with its placeholders filled in; KeyError for an unknown key."""
    return texts(language)[key].format(**values)
