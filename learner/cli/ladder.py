"""``backprop ladder``: who is how strong, measured in paired matches."""

from __future__ import annotations

import argparse
from pathlib import Path

from learner.cli import arguments
from learner.cli.output import Output

NAME = "ladder"
HELP = "everybody against everybody in paired matches: scores with intervals, and ratings"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Who, how often, with what."""
    parser.add_argument("--agents", type=arguments.names, required=True, metavar="A,B,…",
                        help="bots (random, everything, greedy, lookahead, search:N), fresh, fresh:SEED, agents' "
                             "files, runs' folders, and guided:N:AGENT: a search of N simulations a decision, "
                             "guided by an agent, as guided:200:runs/1")
    parser.add_argument("--pairs", type=arguments.count, default=100, metavar="N",
                        help="pairs of matches, seats swapped, for each two (default: %(default)s)")
    parser.add_argument("--decks", type=arguments.names, metavar="D,…", default=[],
                        help="decks by id or file, or random (default: all that ship)")
    parser.add_argument("--out", metavar="DIR", help="keep the matches and their ledger in a new folder")
    arguments.add_workers(parser)
    arguments.add_seed(parser)


def run(args: argparse.Namespace) -> int:
    """Play and report."""
    from game.cards import first_set
    from game.errors import GameError
    from game.files import check_new
    from learner.ledger.store import Store
    from learner.rl.measure import find_player, ladder
    from learner.rl.rollout import Rollouts, deck_pairs

    out, cards = Output(args.json), first_set()
    if len(args.agents) < 2 or len(set(args.agents)) != len(args.agents):
        raise GameError("--agents wants at least two different names, separated by commas")
    labs = [find_player(name, cards, args.seed) for name in args.agents]
    decks = deck_pairs(args.decks, cards, args.seed)
    store = None
    if args.out:
        check_new(args.out).mkdir(parents=True, exist_ok=True)
        store = Store(Path(args.out) / "ledger.sqlite", create=True)
        store.set_meta("cards", cards.hash)
    total = len(labs) * (len(labs) - 1) * args.pairs
    with Rollouts(args.workers, cards) as rollouts, out.progress("playing", total, "matches") as bar:
        table = ladder(rollouts, labs, args.pairs, args.seed, decks, bar.advance, store)
    if store is not None:
        store.close()
    names = sorted(table.names, key=lambda name: -table.ratings.elo[name])
    rows = []
    for name in names:
        cells = ["–" if name == other else
                 f"{table.scores[name, other].mean:.1%} ({table.scores[name, other].low:.1%} – "
                 f"{table.scores[name, other].high:.1%})" for other in names]
        rows.append([name, f"{table.ratings.elo[name]:+.0f} ± {1.96 * table.ratings.error[name]:.0f}", *cells])
    out.table(f"Score of the row against the column, {args.pairs} pairs each", ["agent", "rating", *names], rows)
    out.say(f"the first turn is worth {table.ratings.seat:+.0f} points")
    out.result({"pairs": args.pairs, "seed": args.seed, "agents": names,
                "ratings": {name: {"elo": table.ratings.elo[name], "error": table.ratings.error[name]}
                            for name in names},
                "first_turn": table.ratings.seat,
                "scores": [{"agent": a, "against": b, **score.as_dict()} for (a, b), score in table.scores.items()]})
    return 0
