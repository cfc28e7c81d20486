"""``backprop history``: where backpropagation comes from, and the experiments of 1986 run again."""

from __future__ import annotations

import argparse

from learner.cli import arguments, telling
from learner.cli.output import Output

NAME = "history"
HELP = "the timeline of backpropagation, and the experiments of 1986 run again"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """How many networks, what of it, in which language."""
    parser.add_argument("--inits", type=arguments.count, default=100, metavar="N",
                        help="initialisations of each network, trained together (default: %(default)s)")
    parser.add_argument("--timeline", action="store_true", help="print the timeline alone")
    arguments.add_language(parser)
    telling.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Print the timeline; then train, tables, pictures, sentences (in English)."""
    from game.milestones import timeline

    out = Output(args.json)
    entries = [{"year": one.year, "who": one.who, "source": one.source, "title": one.titles[args.lang],
                "text": one.texts[args.lang]} for one in timeline()]
    told = None if args.timeline else telling.Telling.of(args, NAME, NAME)
    for entry in entries:
        out.say(f"{entry['year']}  {entry['title']} ({entry['who']})\n      {entry['text']}")
    if told is None:
        out.result({"timeline": entries})
        return 0

    from learner.history import report

    out.say()
    with told.progress(report.STEPS) as progress:
        lesson = report.run(args.seed, args.inits, progress)
    told.tell(lesson, timeline=entries)
    return 0
