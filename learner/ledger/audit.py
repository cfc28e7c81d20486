"""Anyone can check a run: replay its matches, compute every gradient and every step again, compare.

On x86-64 the same bits must come out; on other processors the same verdicts, and norms that
agree to 1e-5. What an audit can't know is whether agents chose their actions themselves, and
what PPO did between two rounds; every verdict, buff, gradient and step of the card it can.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from game.cards import CardSet, first_set
from game.errors import GameError
from game.events import Event
from game.match import Match
from game.replay import Replay
from game.updates import UpdateRequest, Verdict
from learner.ledger.repeat import EXACT, Repeater
from learner.ledger.store import APPLIED, MEASUREMENT, PENDING, Store
from learner.ledger.updates import ROWS_PER_MATCH
from learner.rl.plan import OPPONENT

__all__ = ["EXACT", "Report", "audit"]


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
    """Steps repeated."""
    gradients: int = 0
    """Gradients computed again."""
    wrong: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {**self.__dict__, "verdicts": dict(self.verdicts), "ok": not self.wrong}


def audit(run: Path | str, cards: CardSet | None = None,
          progress: Callable[[int, int], None] | None = None) -> Report:
    """Check a run's ledger against its matches and weights; ``progress(done, matches)`` is called on the way.

    GameError if the run can't be read at all; whatever can be read and isn't true stands in the report.
    """
    path = Path(run)
    store = Store(path / "ledger.sqlite" if path.is_dir() else path)
    report = Report()
    try:
        report.wrong += store.check_chain()
        auditor = _Auditor(store, cards or first_set(), report)
        total = store.count("matches")
        for match in store.matches():
            auditor.match(match)
            if progress is not None:
                progress(report.matches, total)
        auditor.leftovers()
        auditor.repeater.finish()
        report.steps, report.gradients = auditor.repeater.steps_done, auditor.repeater.gradients
    except sqlite3.DatabaseError as error:
        raise GameError(f"{store.path}: the database is damaged: {error}") from None
    finally:
        store.close()
    return report


class _Auditor:
    def __init__(self, store: Store, cards: CardSet, report: Report) -> None:
        self.store, self.cards, self.report = store, cards, report
        self.rows = {int(row["row"]): row for row in store.entries()}
        self.repeater = Repeater(store, cards, self.rows, report.wrong)
        self.seen: set[int] = set()
        plan = store.meta("plan")
        self.wanted = "" if plan is None else MEASUREMENT if plan.get("without") == "ledger" else APPLIED
        """How a training run's rounds leave every entry: applied, unless they were to do without that; "" elsewhere."""
        self.frozen = OPPONENT if plan is not None and plan.get("against") else ""
        """Whose entries are measurements all the same: the opponent's, whose weights stand still."""

    def match(self, row: Any) -> None:
        report, number = self.report, int(row["number"])
        if number != report.matches:
            report.wrong.append(f"match {number}: it is number {report.matches} here; one before it is missing")
        report.matches += 1
        verdicts, buffs = 0, 0

        def check(match: Match, events: list[Event]) -> None:
            nonlocal verdicts, buffs
            assert match.last is not None
            if isinstance(match.last.done, Verdict):
                request = match.before_last().pending
                assert request is not None
                self.verdict(row, replay, verdicts, request, match.last.done)
                verdicts += 1
            buffs += sum(event.kind == "buff" and event.entry > 0 for event in events)

        try:
            replay = Replay.from_json(self.store.replay_text(row))
            final = replay.verify(self.cards, check)
        except GameError as error:
            report.wrong.append(f"match {number}: {error}")
            return
        report.buffs += buffs
        if final.outcome is None:
            report.wrong.append(f"match {number}: its replay doesn't reach the end")
            return
        true = {"name": final.name, "winner": final.outcome.winner, "reason": final.outcome.reason,
                "turns": final.turn, "decisions": int(final.state.ply), "cast": verdicts, "buffs": buffs}
        for name, value in true.items():
            if row[name] != value:
                report.wrong.append(f"match {number}: {name} is {row[name]!r} beside the replay and {value!r} in it")

    def verdict(self, row: Any, replay: Replay, ordinal: int, request: UpdateRequest, verdict: Verdict) -> None:
        report, number = self.report, int(row["number"])
        report.verdicts[verdict.outcome] += 1
        where = f"match {number}, update {ordinal + 1}"
        source = replay.sources[request.player]
        if source != "learner":
            report.wrong.append(f"{where}: its verdict is {source or 'nobody'}'s, not learned")
            return
        try:
            owner = str(json.loads(row["labs"])[request.player])
            weights = (json.loads(row["weights"] or "[{}, {}]"))[request.player].get(request.family)
        except (ValueError, LookupError, TypeError, AttributeError):
            report.wrong.append(f"match {number}: its labs and weights can't be read")
            return
        request = replace(request, number=number, ordinal=ordinal)
        if verdict.outcome == "learned":
            self.learned(where, row, request, verdict, {"owner": owner, **({"weights": weights} if weights else {})})
        elif verdict.row:
            report.wrong.append(f"{where}: {verdict.outcome}, but it claims ledger entry {verdict.row}")
        else:
            self.repeater.not_learned(where, request, verdict, weights)

    def learned(self, where: str, match: Any, request: UpdateRequest, verdict: Verdict, also: dict[str, Any]) -> None:
        report, row = self.report, self.rows.get(verdict.row)
        if row is None or verdict.row != request.number * ROWS_PER_MATCH + request.ordinal + 1:
            report.wrong.append(f"{where}: a learned verdict without its ledger entry")
            return
        self.seen.add(verdict.row)
        same = {"match": request.number, "name": request.match, "seat": request.player, "ply": request.ply,
                "turn": request.turn, "slot": request.slot, "model": request.entry, "card": request.card,
                "family": request.family, "cause": request.cause, "observation_ply": request.observation_ply,
                "target": request.target, "damage": request.damage, "gradient": verdict.gradient, **also}
        where = f"{where}, ledger entry {verdict.row}"
        for name, value in same.items():
            if row[name] != value:
                report.wrong.append(f"{where}: {name} is {row[name]!r} in the ledger and {value!r} in the match")
                return
        self.repeater.learned(where, row, request, int(match["round"]))

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
            wanted = MEASUREMENT if row["owner"] == self.frozen else self.wanted
            if wanted and status != wanted:
                whose = " of the opponent" if row["owner"] == self.frozen else ""
                report.wrong.append(f"ledger entry {number}: {status}, but in this run every gradient{whose} is "
                                    f"{wanted}")
            self.repeater.check_status(number, row)
        if report.verdicts["learned"] != report.buffs or report.buffs != report.entries:
            report.wrong.append(f"{report.verdicts['learned']} learned verdicts, {report.buffs} buffs and "
                                f"{report.entries} ledger entries: they should be equal")
