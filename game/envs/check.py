"""A conformance kit: does an engine with :class:`~game.match.Match`'s interface keep its promises?

>>> from game.envs.check import check                              # doctest: +SKIP
>>> check(lambda seed: Match(("1986", "vision"), seed), matches=10)        # doctest: +SKIP
Report(matches=10, decisions=2153, findings=[])

``make_match(seed)`` starts a match without update sources. The kit plays matches at random, with
random verdicts where one is awaited, and holds every position and every match against
:data:`CHECKS`. :func:`examine` returns what it found as data; :func:`check` raises
:class:`Nonconformance` with the first finding in its one line and the report in ``.report``.
docs/environments.md lists what an engine must offer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from game.bots import Player
from game.envs.promises import CHECKS, POSITION, WHOLE, Kit, Step, disguised, event_faults, random_step, take
from game.errors import GameError
from game.match import Match


@dataclass(frozen=True)
class Finding:
    """One broken promise, and where to see it again."""

    check: str
    seed: int
    ply: int
    what: str

    def __str__(self) -> str:
        return f"{self.check}: match {self.seed}, ply {self.ply}: {self.what}"


@dataclass
class Report:
    """What was looked at, and every finding."""

    matches: int = 0
    decisions: int = 0
    findings: list[Finding] = field(default_factory=list)


class Nonconformance(GameError):
    """An engine breaks a promise; ``report`` has all findings."""

    def __init__(self, report: Report) -> None:
        more = len(report.findings) - 1
        super().__init__(f"{report.findings[0]}{f' (and {more} more findings)' if more else ''}")
        self.report = report


def check(make_match: Callable[[int], Match], matches: int = 10, seed: int = 0, players: Sequence[Player] = (),
          checks: Iterable[str] | None = None, disguise: Callable[[Match, int, int], Match] = disguised,
          most: int = 20_000) -> Report:
    """Hold an engine against the checks; the report, or Nonconformance with the first finding in one line.

    ``players``: bots and agents whose choices must be legal, reproducible and blind to what is
    hidden. ``checks``: some names of :data:`CHECKS`; all by default.
    """
    report = examine(Kit(make_match, players, disguise, most), range(seed, seed + matches), checks)
    if report.findings:
        raise Nonconformance(report)
    return report


def examine(kit: Kit, seeds: Iterable[int], checks: Iterable[str] | None = None) -> Report:
    """Play a match of each seed and report every finding; a match that breaks a promise is left there."""
    chosen = list(CHECKS if checks is None else checks)
    unknown = [name for name in chosen if name not in CHECKS]
    if unknown:
        raise GameError(f"there is no check {unknown[0]!r}; there are {', '.join(CHECKS)}")
    report = Report()
    for seed in seeds:
        report.matches += 1
        for finding in _faults(kit, seed, chosen, report):
            report.findings.append(finding)
            break
    return report


def _faults(kit: Kit, seed: int, chosen: list[str], report: Report) -> Iterator[Finding]:
    """Findings in one match, played at random to its end."""
    match, chance = kit.make_match(seed), np.random.default_rng([seed, 1])
    steps: list[Step] = []
    while match.outcome is None:
        ply = match.ply
        for name, faults in POSITION.items():
            if name in chosen:
                yield from (Finding(name, seed, ply, what) for what in faults(kit, match, chance))
        steps.append(random_step(match, chance))
        if "events" in chosen:
            yield from (Finding("events", seed, ply, what) for what in event_faults(match, steps[-1]))
        else:
            take(match, steps[-1])
        report.decisions += 1
        if len(steps) == kit.most:
            if "ends" in chosen:
                yield Finding("ends", seed, ply, f"not over after {kit.most} steps")
            return
    for name, whole in WHOLE.items():
        if name in chosen:
            yield from (Finding(name, seed, match.ply, what) for what in whole(kit, match, seed, steps))


__all__ = ["CHECKS", "Finding", "Kit", "Nonconformance", "Report", "check", "disguised", "examine"]
