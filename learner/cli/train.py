"""``backprop train``: an agent learns from self-play and from the card, round after round."""

from __future__ import annotations

import argparse
import time

from learner.cli import arguments
from learner.cli.output import Output, Stopped, stoppable

NAME = "train"
HELP = "train an agent by self-play; killed or stopped, it goes on exactly with --resume"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """How long, where, with what."""
    length = parser.add_mutually_exclusive_group(required=True)
    length.add_argument("--minutes", type=arguments.above_zero, metavar="M", help="train for M minutes from now")
    length.add_argument("--rounds", type=arguments.count, metavar="N", help="train until N rounds are played in all")
    parser.add_argument("--out", required=True, metavar="RUN", help="the run's folder, new unless --resume")
    parser.add_argument("--resume", action="store_true", help="go on with the run from its last whole round")
    parser.add_argument("--matches", type=arguments.count, metavar="N", help="matches a round (default: 256)")
    parser.add_argument("--decks", type=arguments.names, metavar="D,…", default=[],
                        help="decks by id or file, or random (default: all that ship)")
    arguments.add_workers(parser)
    arguments.add_seed(parser, default=None)


def run(args: argparse.Namespace) -> int:
    """Train and report."""
    from game.errors import GameError
    from learner.rl.ppo import TrainingError
    from learner.rl.season import Plan, Season

    out = Output(args.json)
    if args.resume:
        if args.matches or args.decks or args.seed is not None:
            raise GameError("--resume goes on with the run's own seed, decks and round size; don't name others")
        season = Season.resume(args.out, args.workers)
    else:
        season = Season.create(args.out, Plan(seed=args.seed or 0, decks=tuple(args.decks),
                                              matches=args.matches or 256), args.workers)
    with season, stoppable() as stop:
        first, began = season.done, time.monotonic()
        total = args.rounds * season.plan.matches if args.rounds else None
        figures = None
        with out.progress("training", total, "matches") as bar:
            if args.rounds:
                bar.advance(first * season.plan.matches)
            while not stop.requested and (season.done < args.rounds if args.rounds
                                          else time.monotonic() - began < args.minutes * 60):
                try:
                    figures = season.round(bar.advance)
                except TrainingError as error:
                    raise GameError(f"{args.out}: stopped in round {season.done + 1}: {error}; "
                                    f"the checkpoint of round {season.done} is kept") from None
                if season.unreached and season.done == 1:
                    out.note("no gradient reaches: " + ", ".join(season.unreached))
                past = figures["score_against_last_past"]
                bar.advance(0, f"round {season.done}, {figures['decisions_per_second']:,.0f} decisions/s, "
                               f"entropy {figures['agent/entropy/player']:.2f}, "
                               f"updates {figures['learned']}/{figures['vanished']}/{figures['exploded']}"
                            + ("" if past is None else f", {past:.0%} against the last past self"))
        store = season.store
        document = {"run": args.out, "rounds": season.done, "rounds_now": season.done - first,
                    "matches": store.count("matches"), "seconds": time.monotonic() - began,
                    "updates": {"cast": store.total("cast"), "learned": store.count("entries"),
                                "applied": store.count("entries", "status = 'applied'")},
                    "buffs": store.total("buffs"), "ledger_rows": store.count("entries"),
                    "unreached": season.unreached, "last_round": figures,
                    "agents": {x.owner: {n: x.agent.digest(n) for n in x.agent.networks} for x in season.learners}}
    out.say(f"{args.out}: {document['rounds']} rounds, {document['matches']:,} matches, "
            f"{document['ledger_rows']:,} ledger entries, all applied: "
            f"{'yes' if document['updates']['applied'] == document['ledger_rows'] else 'no'}")
    out.say(f"the agent is {args.out}/agent.safetensors; `backprop ladder --agents {args.out},greedy,everything` "
            f"measures it, `backprop audit {args.out}` checks it")
    out.result(document)
    if stop.requested:
        raise Stopped(f"stopped after round {document['rounds']}; `--resume` goes on from there")
    return 0
