"""``backprop bench WHAT``: measurements beside their peers and goals; WHAT is a file of learner/bench."""

from __future__ import annotations

import argparse
import importlib
from pathlib import Path

from learner.cli import arguments
from learner.cli.output import Output
from learner.finding import named_modules

NAME = "bench"
HELP = "measure speed, beside what else there is"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What, and how hard."""
    kinds = _kinds()
    parser.add_argument("what", choices=sorted(kinds), metavar="WHAT",
                        help="; ".join(f"{name}: {text}" for name, (_, text) in sorted(kinds.items())))
    parser.add_argument("--repeats", type=arguments.count, default=5, metavar="N",
                        help="runs of each measurement; the median counts (default: %(default)s)")
    parser.add_argument("--seconds", type=arguments.above_zero, default=0.5, metavar="S",
                        help="least length of a run (default: %(default)s)")
    parser.add_argument("--cold", action="store_true", help="also measure what starts from nothing (a minute more)")
    parser.add_argument("--peers", action="store_true",
                        help="also measure peers that take minutes to compile (Pgx, where it is installed)")
    parser.add_argument("--plot", metavar="FILE", help="write a picture of how speed scales (extra report)")
    arguments.add_seed(parser)


def run(args: argparse.Namespace) -> int:
    """Measure and print rows of {work, unit, ours, peer, theirs, ratio, goal, met}."""
    import platform

    from game.errors import GameError
    from learner.bench import Effort
    from learner.pictures import check_picture

    out = Output(args.json)
    module = importlib.import_module(_kinds()[args.what][0])
    if args.plot:
        if not hasattr(module, "picture"):
            raise GameError(f"--plot: there is no picture of {args.what}")
        check_picture(args.plot)
    with out.progress(f"measuring {args.what}", unit="figures") as progress:
        rows = module.measure(Effort(args.repeats, args.seconds, args.seed, args.cold, args.peers),
                              lambda work: progress.advance(1, work))
    out.table(f"{args.what} ({platform.machine()}, Python {platform.python_version()})",
              ["work", "unit", "ours", "peer", "theirs", "ratio", "goal", "met"],
              [[row.work, row.unit, row.ours, row.peer, row.theirs, row.ratio, row.goal, row.met] for row in rows])
    if args.plot:
        module.picture(rows, args.plot)
        out.say(f"picture: {args.plot}")
    out.result({"bench": args.what, "rows": [row.as_dict() for row in rows], "repeats": args.repeats,
                "seconds": args.seconds, "machine": platform.machine(), "python": platform.python_version()})
    return 0


def _kinds() -> dict[str, tuple[str, str]]:
    """Name → (module, help) of every measurement."""
    return named_modules(Path(__file__).parent.parent / "bench", "learner.bench")
