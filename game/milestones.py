"""The timeline of backpropagation, as data: assets/history/timeline.toml, checked field by field."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from game.assets import assets
from game.errors import CardError
from game.fields import LANGUAGES, read_tables, text, whole


@dataclass(frozen=True)
class Milestone:
    """What somebody did in a year, where it was published, and a title and a text for each language."""

    year: int
    who: str
    source: str
    titles: Mapping[str, str]
    texts: Mapping[str, str]


def load_timeline(path: Path | None = None) -> list[Milestone]:
    """All milestones of a file (by default the one that ships) in their order; CardError naming file and field."""
    path = assets() / "history" / "timeline.toml" if path is None else path
    found: list[Milestone] = []
    for number, entry in enumerate(read_tables(path, "milestone", "timeline"), start=1):
        milestone = _check(f"{path.name}: milestone {number}", entry)
        if found and milestone.year < found[-1].year:
            raise CardError(f"{path.name}: milestone {number}: field year: {milestone.year} stands behind "
                            f"{found[-1].year}; put them in the order of years")
        found.append(milestone)
    return found


@functools.cache
def timeline() -> tuple[Milestone, ...]:
    """The timeline that ships, read once."""
    return tuple(load_timeline())


def _check(where: str, entry: dict[str, Any]) -> Milestone:
    unknown = set(entry) - {"year", "who", "source", *LANGUAGES}
    if unknown:
        raise CardError(f"{where}: field {min(unknown)}: a milestone has year, who, source, {', '.join(LANGUAGES)}")
    titles, texts = {}, {}
    for language in LANGUAGES:
        words = entry.get(language)
        if not isinstance(words, dict) or set(words) != {"title", "text"}:
            raise CardError(f"{where}: field {language}: needs a table with title and text")
        titles[language] = text(f"{where}: {language}", "title", words["title"])
        texts[language] = text(f"{where}: {language}", "text", words["text"])
    return Milestone(whole(where, "year", entry.get("year"), 1600, 2100), text(where, "who", entry.get("who")),
                     text(where, "source", entry.get("source")), titles, texts)
