"""``backprop audit``: every gradient of a run, computed again; or what a gradient was worth."""

from __future__ import annotations

import argparse

from learner.cli import arguments
from learner.cli.output import Output

NAME = "audit"
HELP = "replay a run's matches and compute every gradient and every step again"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The run, and what to do with it."""
    parser.add_argument("run", metavar="RUN", help="a run's folder, or its ledger.sqlite")
    parser.add_argument("--counterfactual", type=arguments.count, metavar="N",
                        help="instead: play N casts of the last round on with their update and without it, and say "
                             "what an update was worth in wins")
    parser.add_argument("--continuations", type=arguments.count, metavar="K",
                        help="how often each of them is played on, both ways (default: 8)")
    arguments.add_workers(parser)
    arguments.add_seed(parser)


def run(args: argparse.Namespace) -> int:
    """Check and report; 1 if anything is wrong."""
    from pathlib import Path

    from game.errors import GameError

    if not Path(args.run).exists():
        raise GameError(f"{args.run}: there is no such run")
    if args.counterfactual:
        return _counterfactual(args, Output(args.json))
    if args.continuations:
        raise GameError("--continuations belongs to --counterfactual N")
    return _audit(args, Output(args.json))


def _audit(args: argparse.Namespace, out: Output) -> int:
    from learner.ledger.audit import EXACT, audit

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


def _counterfactual(args: argparse.Namespace, out: Output) -> int:
    from learner.rl.counterfactual import counterfactual

    each = args.continuations or 8
    with out.progress("playing on", 2 * each * args.counterfactual, "matches") as bar:
        report = counterfactual(args.run, args.counterfactual, each, args.seed, args.workers,
                                progress=bar.advance)
    total = report.worth
    out.table(f"what an update was worth in round {report.round}", ["network", "casts", "with", "without", "worth",
                                                                    "95 % from", "to"], [
        [name, worth.casts, worth.score_with, worth.score_without, worth.mean, worth.low, worth.high]
        for name, worth in [*report.families.items(), ("all", total)]])
    out.say(f"an update was worth {total.mean:+.3f} wins to its caster, 95 % interval {total.low:+.3f} to "
            f"{total.high:+.3f} ({total.casts} of {report.drawn_from} casts, in {total.matches} matches, each played "
            f"on {report.continuations} times with the update and {report.continuations} times as if it had vanished)")
    if report.as_recorded < total.casts:
        out.say(f"{total.casts - report.as_recorded} matches didn't end as recorded with their update and their own "
                "random words: networks round differently on this processor")
    out.result(report.as_dict())
    return 0
