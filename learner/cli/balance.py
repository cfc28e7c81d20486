"""``backprop balance``: how the card set plays, card by card and deck by deck."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from learner.cli import arguments
from learner.cli.output import Output

if TYPE_CHECKING:
    from learner.balance.figures import Figures, Share

NAME = "balance"
HELP = "how the card set plays: first player, decks, cards, keywords, Backpropagation and what it is worth"
RANDOM_PAIRS = 500
AT_ONCE = 2000
"""Matches that are in memory together."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Who plays, how often, with what."""
    parser.add_argument("--player", default="lookahead", metavar="A",
                        help="who plays both seats: a bot, an agent's file, a run's folder (default: %(default)s)")
    parser.add_argument("--matches", type=arguments.count, default=20_000, metavar="N",
                        help="matches to count over (default: %(default)s)")
    parser.add_argument("--pairs", type=arguments.count, default=500, metavar="N",
                        help="pairs against itself refusing Backpropagation (default: %(default)s)")
    parser.add_argument("--decks", type=arguments.names, metavar="D,…", default=[],
                        help=f"decks by id or file, or random: {RANDOM_PAIRS} drawn pairs (default: all that ship)")
    parser.add_argument("--picture", metavar="FILE.svg", type=Path, help="write the figures as a picture")
    arguments.add_workers(parser)
    arguments.add_seed(parser)


def run(args: argparse.Namespace) -> int:
    """Play, count, report."""
    from game.cards import first_set
    from game.errors import GameError
    from game.files import write_atomic
    from learner.balance.census import Census, take_census
    from learner.balance.figures import figures_of
    from learner.balance.picture import picture
    from learner.rl.measure import find_player, refusal
    from learner.rl.rollout import Rollouts, deck_pairs, make_pairings

    out, cards = Output(args.json), first_set()
    if args.picture is not None and (args.picture.suffix != ".svg" or not args.picture.resolve().parent.is_dir()):
        raise GameError(f"--picture {args.picture}: needs the name of an .svg file in a folder that exists")
    lab = find_player(args.player, cards, args.seed)
    decks = deck_pairs(args.decks, cards, args.seed, RANDOM_PAIRS)
    with Rollouts(args.workers, cards) as rollouts:
        with out.progress("playing", args.matches, "matches") as bar:
            pairings, parts = make_pairings(0, args.matches, args.seed, decks, [(0, 0)]), []
            for first in range(0, args.matches, AT_ONCE):
                played = rollouts.play([lab], pairings[first:first + AT_ONCE], bar.advance).played
                parts.append(take_census(played, cards))
        figures = figures_of(Census.joined(parts))
        with out.progress("refusing Backpropagation", 2 * args.pairs, "matches") as bar:
            worth = refusal(rollouts, lab, "backpropagation", args.pairs, args.seed + 1, decks, bar.advance)
    tell(out, args.player, figures)
    out.say(f"{args.player} as it is against itself refusing Backpropagation, {worth.pairs} pairs: "
            f"{worth.mean:.1%} ({worth.low:.1%} – {worth.high:.1%})")
    if args.picture is not None:
        write_atomic(args.picture, picture(figures))
        out.say(f"picture: {args.picture}")
    out.result({"player": args.player, "seed": args.seed, "cards": cards.hash, "decks": args.decks or "shipped",
                **figures.as_dict(), "against_refusing": worth.as_dict()})
    return 0


def tell(out: Output, player: str, figures: Figures) -> None:
    """The figures for people."""
    from learner.balance.figures import keyword_rows, misses

    mean, short, long = figures.turns
    out.say(f"{player} against itself, {figures.matches:,} matches of {mean:.1f} turns a player "
            f"(most between {short:.1f} and {long:.1f}); the first player scores {figures.starter}")
    if figures.decks:
        names = [name for name, _ in figures.decks]
        out.table("Deck (row) against deck", ["deck", "the field", *names],
                  [[name, str(share), *["–" if name == other else f"{figures.against[name, other].mean:.1%}"
                                        for other in names]] for name, share in figures.decks])
    out.table("Cards, by the score of who drew them", ["card", "drawn", "drawn and played", "played of drawn"],
              [[card.id, str(card.drawn), str(card.played), f"{card.play_rate:.0%}"] for card in figures.cards])
    out.table("Keywords", ["keyword", "a use", "a match"],
              [[name, what, f"{uses:.2f}"] for name, what, uses in keyword_rows(figures)])
    _tell_backprop(out, figures.backprop)
    missed = misses(figures)
    for miss in missed:
        out.say(f"missed: {miss}")
    if not missed:
        out.say("every goal of the set is met")


def _tell_backprop(out: Output, b: dict[str, float | Share]) -> None:
    out.say(f"Backpropagation: drawn by {b['drawn']:.0%} of players, of those {b['castable_when_drawn']:.0%} could "
            f"cast it at some time, of those {b['cast_when_castable']:.0%} did; {b['casts_a_match']:.2f} casts a "
            f"match, in {b['cast_turns_of_castable']:.0%} of the turns in which it could be cast")
    out.say(f"who drew it scored {b['score_when_drawn']}, who cast it {b['score_when_cast']}, who could but didn't "
            f"{b['score_when_castable_but_not_cast']}")
