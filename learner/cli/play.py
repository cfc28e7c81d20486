"""``backprop play``: a person against a bot or an agent."""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from learner.cli import arguments, window
from learner.cli.output import Output, Stopped

if TYPE_CHECKING:
    from game.text.game import TextGame
    from learner.home import Game, Home

NAME = "play"
HELP = "play against a bot or an agent"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Front end, decks, opponent, save, folder."""
    parser.add_argument("--text", action="store_true", help="play in the terminal")
    parser.add_argument("--deck", default="1986", help="your deck: an id or a deck file (default: %(default)s)")
    parser.add_argument("--opponent-deck", default="vision", metavar="DECK", help="(default: %(default)s)")
    parser.add_argument("--opponent", default="greedy", metavar="NAME",
                        help="a bot (random, everything, greedy), an agent's file or a run's folder "
                             "(default: %(default)s)")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--load", nargs="?", const="", metavar="FILE",
                       help="go on with the match you left (FILE may name it)")
    which.add_argument("--discard", action="store_true", help="give up the match you left and begin another")
    parser.add_argument("--data-dir", metavar="DIR", help="your lab, its ledger, saves and replays "
                                                          "(default: the system's folder for such data)")
    parser.add_argument("--lang", choices=("en", "pt-BR"), help="language of the texts (default: en, or as it was set)")
    arguments.add_seed(parser, None)
    window.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """In the window, or with --text in the terminal: until the match is over or the person leaves.

    An unfinished match is saved, from a finished one the labs learn.
    """
    import platformdirs

    from game.bots.single import decide
    from game.cards import first_set
    from game.decks import load_deck
    from game.errors import GameError
    from game.text.game import TextGame
    from game.words import say
    from learner.home import Home
    from learner.rl.measure import find_player

    seed = arguments.fresh_seed() if args.seed is None else args.seed
    folder = args.data_dir or platformdirs.user_data_dir("backpropagation", appauthor=False)
    for deck in (args.deck, args.opponent_deck):
        load_deck(deck, first_set())
    find_player(args.opponent, first_set())  # so that what is unknown is refused before anything is written
    if not args.text and args.json:
        raise GameError("--json goes with --text; the window describes itself with --ui-dump FILE")
    if not args.text:
        return window.run(args, Path(folder), seed)
    args.lang = args.lang or "en"
    out = Output(args.json)
    with Home(folder, seed, create=args.load is None) as home:
        if args.discard:
            home.discard()
        game = (home.begin((args.deck, args.opponent_deck), args.opponent, seed) if args.load is None else
                home.resume(args.load))
        lab = game.labs[1]
        player = lab.player()
        table = TextGame(game.match, lambda match: decide(player, match, game.number), _reader(out), _writer(out),
                         opponent_name=lab.owner, language=args.lang)
        try:
            over = table.run()
        except KeyboardInterrupt:
            where = home.save(game, table.safe)
            raise Stopped(say("home.saved", args.lang, file=where)) from None
        if not over:
            where = home.save(game, table.safe)
            table.write(say("home.saved", args.lang, file=where))
            out.result({"seed": game.match.seed, "outcome": None, "saved": str(where)})
            return 0
        out.result(_close(home, game, table))
    return 0


def _close(home: Home, game: Game, table: TextGame) -> dict[str, Any]:
    """Keep the finished match, let the labs learn from it, and say so."""
    from game.words import say

    language, outcome = table.language, game.match.outcome
    assert outcome is not None
    replay = home.finish(game)
    steps = home.learn()
    table.write(say("home.replay", language, file=replay))
    learned: dict[str, list[Any]] = defaultdict(list)
    for step in steps:
        whose = "own" if step.owner == game.labs[0].owner else "enemy"
        before, after = _mean(step.losses_before), _mean(step.losses_after)
        table.write(say(f"home.learned_{whose}", language, family=say(f"family.{step.family}", language),
                        n=len(step.rows), before=before, after=after))
        learned[step.owner].append({"family": step.family, "entries": list(step.rows), "loss_before": before,
                                    "loss_after": after, "weights_before": step.before, "weights_after": step.after})
    return {"seed": game.match.seed, "outcome": {"winner": outcome.winner, "reason": outcome.reason},
            "turns": game.match.turn, "replay": str(replay), "learned": learned}


def _mean(values: tuple[float, ...]) -> float:
    return sum(values) / len(values)


def _reader(out: Output) -> Callable[[str], str]:
    """Reads a line. On a terminal with its history; with --json the prompt stays off standard output."""
    if sys.stdin.isatty() and not out.as_json:
        import contextlib

        with contextlib.suppress(ImportError):
            import readline  # noqa: F401  (line editing for input())
        return input
    stream = sys.stderr if out.as_json else sys.stdout

    def read(prompt: str) -> str:
        print(prompt, end="", file=stream, flush=True)
        line = sys.stdin.readline()
        if not line:
            print(file=stream)
            raise EOFError
        return line

    return read


def _writer(out: Output) -> Callable[[str], None]:
    """Shows lines: on standard output, or with --json on standard error."""
    stream = sys.stderr if out.as_json else sys.stdout
    return lambda text: print(text, file=stream, flush=True)
