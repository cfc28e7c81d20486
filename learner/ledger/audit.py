"""Anyone can check a run: replay its matches, compute every gradient and every step again, compare.

On x86-64 the same bits must come out; on other processors the same verdicts, and norms that
agree to 1e-5.
"""

from __future__ import annotations

import json
import platform
import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from game.cards import CardSet, first_set
from game.errors import GameError, ReplayError
from game.match import Event, Match
from game.replay import Replay
from game.updates import Verdict
from learner.agent import Agent, weights_digest
from learner.ledger.ledger import mean_gradient
from learner.ledger.store import APPLIED, PENDING, Store
from learner.ledger.updates import ROWS_PER_MATCH, Lesson, card_gradient
from learner.optim import SGD

EXACT = platform.machine().lower() in ("x86_64", "amd64")
TOLERANCE = 1e-5


@dataclass
class Report:
    """What an audit counted, and what it found wrong."""

    matches: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    buffs: int = 0
    entries: int = 0
    applied: int = 0
    pending: int = 0
    measurements: int = 0
    steps: int = 0
    gradients: int = 0
    """Gradients computed again."""
    wrong: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {**self.__dict__, "verdicts": dict(self.verdicts), "ok": not self.wrong}


def audit(run: Path | str, cards: CardSet | None = None,
          progress: Callable[[int, int], None] | None = None) -> Report:
    """Check a run's ledger against its matches and weights; ``progress(done, matches)`` is called on the way."""
    path = Path(run)
    store = Store(path / "ledger.sqlite" if path.is_dir() else path)
    report = Report()
    report.wrong += store.check_chain()
    auditor = _Auditor(store, cards or first_set(), report)
    total = store.count("matches")
    for match in store.matches():
        auditor.match(match)
        if progress is not None:
            progress(report.matches, total)
    auditor.leftovers()
    auditor.steps()
    store.close()
    return report


class _Auditor:
    def __init__(self, store: Store, cards: CardSet, report: Report) -> None:
        self.store, self.cards, self.report = store, cards, report
        self.rows = {int(row["row"]): row for row in store.entries()}
        self.agent = Agent(0, cards, "auditor")
        self.loaded: dict[str, str] = {}
        self.arrays: dict[int, dict[str, Any]] = {}
        self.of_step: dict[int, set[int]] = {int(step["step"]): set(json.loads(step["entries"]))
                                             for step in store.steps()}
        self.seen: set[int] = set()

    def match(self, row: Any) -> None:
        report, number = self.report, int(row["number"])
        report.matches += 1
        try:
            replay = Replay.from_json(self.store.replay_text(row))
        except ReplayError as error:
            report.wrong.append(f"match {number}: {error}")
            return
        if "scripted" in replay.sources:
            report.wrong.append(f"match {number}: its verdicts are scripted, not learned")
        asked, buffs = 0, report.buffs

        def check(match: Match, events: list[Event]) -> None:
            nonlocal asked
            assert match.last is not None
            done = match.last.done
            if isinstance(done, Verdict):
                before = match.clone()
                before.states, before.last = _state_before(match), match.last.before
                self.verdict(number, asked, before, done)
                asked += 1
            for event in events:
                if event.kind == "buff" and event.entry:
                    report.buffs += 1

        try:
            final = replay.verify(self.cards, check)
        except (ReplayError, GameError) as error:
            report.wrong.append(f"match {number}: {error}")
            return
        if final.name != row["name"] or asked != row["cast"] or report.buffs - buffs != row["buffs"]:
            report.wrong.append(f"match {number}: the record beside its replay differs from it")

    def verdict(self, number: int, ordinal: int, match: Match, verdict: Verdict) -> None:
        report = self.report
        report.verdicts[verdict.outcome] += 1
        if verdict.outcome != "learned":
            return
        where = f"match {number}, ledger entry {verdict.row}"
        row = self.rows.get(verdict.row)
        if row is None or verdict.row != number * ROWS_PER_MATCH + ordinal + 1:
            report.wrong.append(f"{where}: a learned verdict without its entry")
            return
        self.seen.add(verdict.row)
        request = match.pending
        assert request is not None
        request = replace(request, number=number)
        same = {"match": number, "name": request.match, "seat": request.player, "ply": request.ply,
                "turn": request.turn, "slot": request.slot, "model": request.entry, "card": request.card,
                "family": request.family, "cause": request.cause, "observation_ply": request.observation_ply,
                "target": request.target, "damage": request.damage, "gradient": verdict.gradient}
        for name, value in same.items():
            if row[name] != value:
                report.wrong.append(f"{where}: {name} is {row[name]!r} in the ledger and {value!r} in the match")
                return
        self.gradient(where, row, Lesson.of(request, self.agent.models[request.family]))

    def gradient(self, where: str, row: Any, lesson: Lesson) -> None:
        report, family = self.report, str(row["family"])
        if zlib.decompress(row["observation"]) != lesson.to_bytes():
            report.wrong.append(f"{where}: the observation in the ledger isn't the match's")
            return
        try:
            self.load(family, str(row["weights"]))
        except (GameError, ValueError) as error:
            report.wrong.append(f"{where}: {error}")
            return
        found = card_gradient(self.agent.models[family], self.agent.encoder, lesson)
        report.gradients += 1
        exact = found.digest == row["gradient"] and found.norm == row["norm"] and found.loss == row["loss"]
        close = found.outcome == "learned" and abs(found.norm - row["norm"]) <= TOLERANCE * max(1.0, row["norm"])
        if not (exact if EXACT else close):
            report.wrong.append(f"{where}: the gradient computed again has norm {found.norm!r} and digest "
                                f"{found.digest}, the ledger says {row['norm']!r} and {row['gradient']}")
        if row["step"] is not None:
            self.arrays[int(row["row"])] = found.arrays
            self.try_step(int(row["step"]))

    def load(self, family: str, digest: str) -> None:
        if self.loaded.get(family) != digest:
            self.agent.models[family].load_state_dict(self.store.weights(digest))
            self.loaded[family] = digest

    def try_step(self, number: int) -> None:
        """Repeat a step as soon as all its gradients are there, and forget them."""
        rows = self.of_step.get(number)
        if not rows or not rows <= self.arrays.keys():
            return
        step = next(s for s in self.store.steps() if s["step"] == number)
        gradients = [self.arrays.pop(row) for row in sorted(rows)]
        family = str(step["family"])
        policy = self.agent.models[family]
        try:
            self.load(family, str(step["before"]))
            self.store.weights(str(step["after"]))
        except (GameError, ValueError) as error:
            self.report.wrong.append(f"step {number}: {error}")
            return
        from learner.autodiff import Tensor

        mean = mean_gradient(gradients)
        for name, parameter in policy.named_parameters():
            parameter.grad = Tensor(mean[name]) if name in mean else None
        SGD(policy.parameters(), lr=float(step["lr"])).step()
        policy.zero_grad()
        self.loaded.pop(family)
        self.report.steps += 1
        if EXACT and weights_digest(policy.state_dict()) != step["after"]:
            self.report.wrong.append(f"step {number}: applied again it gives other weights than the ledger says")
        self.of_step[number] = set()

    def leftovers(self) -> None:
        report = self.report
        report.entries = len(self.rows)
        for number, row in self.rows.items():
            status = row["status"]
            report.applied += status == APPLIED
            report.pending += status == PENDING
            report.measurements += status not in (APPLIED, PENDING)
            if number not in self.seen:
                report.wrong.append(f"ledger entry {number}: no learned verdict of a match stands behind it")
            if (status == APPLIED) != (row["step"] is not None):
                report.wrong.append(f"ledger entry {number}: marked {status}, but its step is {row['step']}")

    def steps(self) -> None:
        report, taken = self.report, Counter[int]()
        for step in self.store.steps():
            rows = json.loads(step["entries"])
            taken.update(rows)
            for row in rows:
                if row not in self.rows or self.rows[row]["step"] != step["step"]:
                    report.wrong.append(f"step {step['step']}: ledger entry {row} doesn't belong to it")
            if self.of_step[int(step["step"])]:
                report.wrong.append(f"step {step['step']}: couldn't be repeated, some of its gradients are missing")
        for row, times in taken.items():
            if times != 1:
                report.wrong.append(f"ledger entry {row}: applied {times} times")
        if report.verdicts["learned"] != report.buffs or report.buffs != report.entries:
            report.wrong.append(f"{report.verdicts['learned']} learned verdicts, {report.buffs} buffs and "
                                f"{report.entries} ledger entries: they should be equal")


def _state_before(match: Match) -> Any:
    from game.engine.records import state_from

    assert match.last is not None
    return state_from(match.last.state)
