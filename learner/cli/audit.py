"""``backprop audit``: every gradient of a run, computed again."""

from __future__ import annotations

import argparse

from learner.cli.output import Output

NAME = "audit"
HELP = "replay a run's matches and compute every gradient and every step again"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The run."""
    parser.add_argument("run", metavar="RUN", help="a run's folder, or its ledger.sqlite")


def run(args: argparse.Namespace) -> int:
    """Check and report; 1 if anything is wrong."""
    from pathlib import Path

    from game.errors import GameError
    from learner.ledger.audit import EXACT, audit

    out = Output(args.json)
    if not Path(args.run).exists():
        raise GameError(f"{args.run}: there is no such run")
    with out.progress("auditing", None, "matches") as bar:
        report = audit(args.run, progress=lambda done, total: bar.advance(1))
    out.table("", ["checked", "count"], [
        ["matches replayed", report.matches], ["learned verdicts", report.verdicts["learned"]],
        ["buffs that carry an entry", report.buffs], ["ledger entries", report.entries],
        ["gradients computed again" + (", to the bit" if EXACT else ""), report.gradients],
        ["entries applied", report.applied], ["entries pending", report.pending],
        ["entries of measurements", report.measurements], ["optimizer steps repeated", report.steps],
        ["vanished", report.verdicts["vanished"]], ["exploded", report.verdicts["exploded"]]])
    for line in report.wrong[:50]:
        out.say(f"WRONG: {line}")
    if len(report.wrong) > 50:
        out.say(f"… and {len(report.wrong) - 50} more")
    out.say("everything agrees" if not report.wrong else f"{len(report.wrong)} things don't agree")
    out.result(report.as_dict())
    return 1 if report.wrong else 0
