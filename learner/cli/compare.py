"""``backprop compare``: backpropagation and eight other ways to train the same layers on the same task."""

from __future__ import annotations

import argparse

from learner.cli import arguments, telling

NAME = "compare"
HELP = "backpropagation beside eight other ways to train the same layers"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """How long."""
    parser.add_argument("--steps", type=arguments.count, default=2000, metavar="N",
                        help="updates of each method, a hundredth for finite differences (default: %(default)s)")
    telling.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Train, measure, tell."""
    told = telling.Telling.of(args, NAME, NAME)

    from learner.compare import report

    with told.progress(report.REPORT_STEPS) as progress:
        lesson = report.run(args.seed, args.steps, progress)
    told.tell(lesson)
    return 0
