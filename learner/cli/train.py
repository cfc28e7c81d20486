"""``backprop train``: an agent learns from self-play and from the card, round after round."""

from __future__ import annotations

import argparse
import contextlib
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from learner.cli import arguments
from learner.cli.output import Output, Stopped, stoppable

if TYPE_CHECKING:
    from learner.rl.season import Season
    from learner.rl.tensorboard import Board

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
    parser.add_argument("--game", choices=("small",),
                        help="small: play the solved game that `backprop exploit` measures in, with its own decks")
    parser.add_argument("--learning-rate", type=arguments.above_zero, metavar="R",
                        help="PPO's step size (default: 0.001); with --resume from now on")
    parser.add_argument("--without", choices=("ppo", "ledger"),
                        help="measure what a part is worth: without ppo only the card's gradients teach; without the "
                             "ledger they are computed and kept, but don't reach the weights")
    parser.add_argument("--against", metavar="AGENT",
                        help="train against a bot, an agent's file or a run's folder, whose weights stand still, "
                             "instead of itself and its past: how exploitable that player is by learning")
    arguments.add_workers(parser)
    arguments.add_seed(parser, default=None)


def run(args: argparse.Namespace) -> int:
    """Train and report."""
    from game.errors import GameError
    from learner.rl.metrics import progress_lines
    from learner.rl.plan import OPPONENT, Plan
    from learner.rl.ppo import Config
    from learner.rl.season import Season

    out = Output(args.json)
    if args.resume:
        if args.matches or args.decks or args.seed is not None or args.without or args.against or args.game:
            raise GameError("--resume goes on with the run's own seed, game, decks, round size, parts and opponent; "
                            "don't name others")
        season = Season.resume(args.out, args.workers, learning_rate=args.learning_rate)
    else:
        ppo = Config(learning_rate=args.learning_rate) if args.learning_rate else Config()
        season = Season.create(args.out, Plan(seed=args.seed or 0, decks=tuple(args.decks), ppo=ppo,
                                              matches=args.matches or 256, without=args.without or "",
                                              game=args.game or "", against=args.against or ""), args.workers)
    with season, stoppable() as stop, _board(season, out) as board:
        first, began = season.done, time.monotonic()
        total = args.rounds * season.plan.matches if args.rounds else None
        figures = None
        with out.progress("training", total, "matches") as bar:
            if args.rounds:
                bar.advance(first * season.plan.matches)
            while not stop.requested and (season.done < args.rounds if args.rounds
                                          else time.monotonic() - began < args.minutes * 60):
                figures = season.round(bar.advance)
                if season.unreached and season.done == 1:
                    out.note("no gradient reaches: " + ", ".join(season.unreached))
                bar.show(progress_lines(figures, season.learners[0].owner))
                if board is not None:
                    board.add(figures)
        store = season.store
        due = store.count("entries", "owner != ?", OPPONENT)
        document = {"run": args.out, "rounds": season.done, "rounds_now": season.done - first,
                    "matches": store.count("matches"), "seconds": time.monotonic() - began,
                    "updates": {"cast": store.total("cast"), "learned": store.count("entries"),
                                "applied": store.count("entries", "status = 'applied'")},
                    "game": season.plan.game or None, "without": season.plan.without or None,
                    "against": season.plan.against or None,
                    "buffs": store.total("buffs"), "ledger_rows": store.count("entries"),
                    "unreached": season.unreached, "last_round": figures,
                    "agents": {x.owner: {n: x.agent.digest(n) for n in x.agent.networks} for x in season.learners}}
    all_due = "all of the agent's" if document["against"] else "all"
    applied = "none applied, as asked" if document["without"] == "ledger" else (
        f"{all_due} applied: {'yes' if document['updates']['applied'] == due else 'no'}")
    out.say(f"{args.out}: {document['rounds']} rounds, {document['matches']:,} matches, "
            f"{document['ledger_rows']:,} ledger entries, {applied}")
    out.say(f"the agent is {args.out}/agent.safetensors; `backprop ladder --agents {args.out},greedy,everything` "
            f"measures it, `backprop audit {args.out}` checks it")
    out.result(document)
    if stop.requested:
        raise Stopped(f"stopped after round {document['rounds']}; `--resume` goes on from there")
    return 0


@contextlib.contextmanager
def _board(season: Season, out: Output) -> Iterator[Board | None]:
    """TensorBoard's view of the run, where it is installed; says where."""
    from learner.rl.tensorboard import Board, installed

    if not installed():
        yield None
        return
    folder = season.path / "tensorboard"
    with contextlib.closing(Board(folder, season.store.metrics())) as board:
        out.note(f"TensorBoard: `tensorboard --logdir {folder}`")
        yield board
