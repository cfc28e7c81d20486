"""``backprop replay FILE``: a recorded match told in words, or only verified."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from learner.cli import arguments
from learner.cli.output import Output

NAME = "replay"
HELP = "tell a recorded match turn by turn, or verify it"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """File, verify, language."""
    parser.add_argument("file", metavar="FILE", help="a replay or a save")
    parser.add_argument("--verify", action="store_true", help="only say whether the record is true")
    parser.add_argument("--seat", type=int, choices=(0, 1), metavar="P",
                        help="tell it as player P saw it: nothing that was hidden from that seat (0 or 1)")
    parser.add_argument("--export", metavar="FILE", help="with --seat: write that player's story, JSON, to a new file")
    arguments.add_language(parser)
    arguments.add_card_files(parser)


def run(args: argparse.Namespace) -> int:
    """Play the record again, compare every digest, and tell what happened."""
    from game.cards import load_cards
    from game.errors import GameError
    from game.events import Event, redact
    from game.files import write_atomic
    from game.match import Match
    from game.replay import Replay
    from game.story import story
    from game.text.events import Narrator

    out = Output(args.json)
    if args.export and args.seat is None:
        raise GameError("--export writes one player's story: say whose with --seat 0 or --seat 1")
    if args.export and Path(args.export).exists():
        raise GameError(f"{args.export}: is there already; name a new file")
    cards = load_cards(*args.cards)
    replay = Replay.read(args.file)
    lines: list[str] = []
    narrator: Narrator | None = None

    def tell(match: Match, events: list[Event]) -> None:
        nonlocal narrator
        narrator = narrator or Narrator(match, args.lang)
        lines.extend(narrator.lines(events if args.seat is None else redact(events, args.seat)))

    match = replay.verify(cards, None if args.verify else tell)
    verdicts = [step[0] for step in replay.steps if isinstance(step, tuple) and len(step) == 3]
    facts: dict[str, Any] = {
        "decks": replay.deck_ids, "seed": replay.seed, "sources": replay.sources, "turns": match.turn,
        "steps": len(replay.steps), "updates": {kind: verdicts.count(kind) for kind in sorted(set(verdicts))},
        "result": replay.result, "digest": match.digest()}
    if args.export:
        write_atomic(args.export, json.dumps(story(replay, args.seat, cards), indent=1))
    if lines:
        out.say("\n".join(lines) + "\n")
    ending = Narrator(match, args.lang).ending(*match.outcome) if match.outcome else "unfinished"
    out.say(f"{args.file}: true. {facts['steps']} steps, {facts['turns']} turns, {len(verdicts)} updates; "
            f"digest {facts['digest']}; {ending}")
    out.result({"file": args.file, "verified": True, **facts, **({} if args.verify else {"lines": lines})})
    return 0
