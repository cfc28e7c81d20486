"""``backprop lesson``: runs one of the claims about backpropagation, with a table, a picture and what it shows."""

from __future__ import annotations

import argparse

from learner.cli import telling
from learner.cli.output import Output

NAME = "lesson"
HELP = "run a claim about backpropagation: a table, a picture, and what they show"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which, and how it is told."""
    parser.add_argument("lesson", nargs="?", metavar="NAME", help="which one; without it they are listed")
    telling.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """List the lessons, or run one."""
    from learner.lessons.lesson import find_lesson, lessons

    if args.lesson is None:
        out = Output(args.json)
        out.table("", ["lesson", "what it shows"], [[name, about] for name, (_, about) in lessons().items()])
        out.result({"lessons": {name: about for name, (_, about) in lessons().items()}})
        return 0
    module = find_lesson(args.lesson)
    told = telling.Telling.of(args, module.NAME, f"lesson {module.NAME}")
    with told.progress(module.STEPS) as progress:
        lesson = module.run(args.seed, progress)
    told.tell(lesson)
    return 0
