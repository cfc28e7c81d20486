"""``backprop puzzles``: positions with a proven answer; lists them, shows one, or scores players on them."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from learner.cli import arguments
from learner.cli.output import Output

if TYPE_CHECKING:
    from game.cards import CardSet
    from game.puzzles.puzzle import Puzzle

NAME = "puzzles"
HELP = "positions with a proven answer: list them, show one, score bots and agents on them"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which puzzle, or whose answers."""
    parser.add_argument("puzzle", nargs="?", metavar="ID", help="show this one; without it they are listed")
    parser.add_argument("--solution", action="store_true", help="say which first moves are right, too")
    parser.add_argument("--agent", type=arguments.names, metavar="A,B,…",
                        help="score these: bots (random, everything, greedy, lookahead, search:200), fresh, "
                             "agents' files, runs' folders")
    parser.add_argument("--repeats", type=arguments.count, default=1, metavar="N",
                        help="answers of each to every puzzle, with other random numbers (default: %(default)s)")
    parser.add_argument("--file", type=Path, metavar="FILE", help="puzzles of another file than the one that ships")
    arguments.add_language(parser)
    arguments.add_seed(parser)


def run(args: argparse.Namespace) -> int:
    """List, show or score."""
    from game.cards import first_set
    from game.errors import GameError
    from game.puzzles.puzzle import read_puzzles

    out, cards, puzzles = Output(args.json), first_set(), read_puzzles(args.file)
    if args.puzzle is not None and args.agent:
        raise GameError("either show a puzzle or score players with --agent, not both")
    if args.agent:
        return _score(args, out, puzzles, cards)
    if args.puzzle is not None:
        chosen = next((puzzle for puzzle in puzzles if puzzle.id == args.puzzle), None)
        if chosen is None:
            raise GameError(f"puzzle {args.puzzle}: there is none of that name; backprop puzzles lists them")
        return _show(args, out, chosen, cards)
    return _list(args, out, puzzles)


def _list(args: argparse.Namespace, out: Output, puzzles: list[Puzzle]) -> int:
    from game.puzzles.puzzle import KINDS
    from game.words import say

    rows = []
    for kind in KINDS:
        own = [puzzle for puzzle in puzzles if puzzle.kind == kind]
        if own:
            rows.append([f"{own[0].id} … {own[-1].id}", say(f"puzzle.kind_{kind}", args.lang),
                         say(f"puzzle.about_{kind}", args.lang), len(own)])
    out.table("", ["names", "kind", "what is the matter", "puzzles"], rows)
    out.result({"puzzles": [_as_dict(puzzle) for puzzle in puzzles]})
    return 0


def _show(args: argparse.Namespace, out: Output, puzzle: Puzzle, cards: CardSet) -> int:
    from game.text.board import board_text
    from game.text.moves import numbered_moves
    from game.words import say

    match = puzzle.match(cards)
    _, lines = numbered_moves(match, args.lang)
    question = say(f"puzzle.goal_{puzzle.goal.name}", args.lang, amount=puzzle.goal.amount)
    right = [match.describe(move, args.lang) for move in puzzle.moves]
    out.say(f"{puzzle.id} · {say(f'puzzle.kind_{puzzle.kind}', args.lang)}: "
            f"{say(f'puzzle.about_{puzzle.kind}', args.lang)}")
    out.say(board_text(match.observe(match.player), cards, args.lang))
    out.say("\n".join([say("puzzle.moves", args.lang), *lines]))
    out.say(question)
    if args.solution:
        out.say("\n".join([say("puzzle.answer", args.lang), *(f"  {words}" for words in right)]))
    out.result({**_as_dict(puzzle), "question": question, "state": match.digest(), "legal": match.legal_actions(),
                **({"solution": right} if args.solution else {})})
    return 0


def _score(args: argparse.Namespace, out: Output, puzzles: list[Puzzle], cards: CardSet) -> int:
    from game.puzzles.puzzle import KINDS
    from game.puzzles.solve import answer
    from learner.rl.measure import find_player

    labs = [find_player(name, cards, args.seed) for name in args.agent]
    shares: dict[str, dict[str, list[float]]] = {}
    with out.progress("answering", len(labs) * len(puzzles), "puzzles") as progress:
        for lab in labs:
            player = lab.player()
            own = shares[lab.owner] = {kind: [] for kind in KINDS}
            for puzzle in puzzles:
                answers = [answer(player, puzzle, cards, args.seed + n) for n in range(args.repeats)]
                own[puzzle.kind].append(sum(a.reached for a in answers) / args.repeats)
                progress.advance(1, lab.owner)
    kinds = [kind for kind in KINDS if any(puzzle.kind == kind for puzzle in puzzles)]
    scores = {name: {kind: sum(own[kind]) / len(own[kind]) for kind in kinds} for name, own in shares.items()}
    total = {name: sum(map(sum, own.values())) / len(puzzles) for name, own in shares.items()}
    out.table(f"Share of {len(puzzles)} puzzles solved" + (f", {args.repeats} answers each" * (args.repeats > 1)),
              ["player", "all", *kinds],
              [[name, f"{total[name]:.0%}", *(f"{scores[name][kind]:.0%}" for kind in kinds)] for name in scores])
    out.result({"repeats": args.repeats, "seed": args.seed, "puzzles": len(puzzles),
                "players": {name: {"all": total[name], **scores[name]} for name in scores}})
    return 0


def _as_dict(puzzle: Puzzle) -> dict[str, Any]:
    return {"id": puzzle.id, "kind": puzzle.kind, "goal": puzzle.goal.name, "amount": puzzle.goal.amount,
            "moves": list(puzzle.moves), "missed": list(puzzle.missed)}
