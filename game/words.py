"""Texts by key, in English and Brazilian Portuguese, from assets/locale/."""

from __future__ import annotations

import functools
import string
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
    text = texts(language)[key]
    if any(isinstance(value, float) for value in values.values()):
        return _Filled(language).vformat(text, (), values)
    return text.format(**values)


def number(value: float, form: str, language: str = "en") -> str:
    """A number by a format specification, with the language's decimal mark and a minus that isn't a hyphen."""
    return format(value, form).replace("-", "−").replace(".", texts(language)["writing.decimal"])


class _Filled(string.Formatter):
    """Fills a text's placeholders; fractions are written as the language writes them."""

    def __init__(self, language: str) -> None:
        self.language = language

    def format_field(self, value: Any, format_spec: str) -> str:
        if isinstance(value, float):
            return number(value, format_spec, self.language)
        return str(super().format_field(value, format_spec))
