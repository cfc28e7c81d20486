"""``backprop selfplay``: learning labs play, learn between rounds, and show how far they have come."""

from __future__ import annotations

import argparse
import contextlib
import json
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from learner.cli import arguments
from learner.cli.output import Output, Stopped, stoppable

NAME = "selfplay"
HELP = "learning labs play matches against each other; each update of the card is one real gradient"
MATCHES, PAIRS, ROUND = 2048, 150, 256


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Matches, agents, decks, folder, workers, seed."""
    parser.add_argument("--matches", type=arguments.count, default=MATCHES, metavar="N",
                        help="matches to play (default: %(default)s)")
    parser.add_argument("--agents", type=arguments.names, metavar="A,B", default=[],
                        help="let two agents or bots play with their weights standing still (default: a fresh pair "
                             "that learns)")
    parser.add_argument("--decks", type=arguments.names, metavar="D,…", default=[],
                        help="decks by id or file, or random (default: all that ship)")
    parser.add_argument("--out", metavar="DIR", help="keep replays, ledger and figures in a new folder")
    arguments.add_workers(parser)
    arguments.add_seed(parser)


def run(args: argparse.Namespace) -> int:
    """Play, learn, report."""
    from game.errors import GameError

    out = Output(args.json)
    if args.agents and len(args.agents) != 2:
        raise GameError(f"--agents wants two names, not {len(args.agents)}")
    with _folder(args.out) as folder:
        return _measure(args, out, folder) if args.agents else _learn(args, out, folder)


def _learn(args: argparse.Namespace, out: Output, folder: Path) -> int:
    from learner.rl.measure import match_up, results, verdict_counts
    from learner.rl.plan import Plan
    from learner.rl.rollout import Lab
    from learner.rl.season import Season

    size = max(2, min(ROUND, args.matches))
    plan = Plan(seed=args.seed, labs=("A", "B"), decks=tuple(args.decks), matches=size)
    played: list[Any] = []
    began = time.perf_counter()
    with Season.create(folder, plan, args.workers) as season, stoppable() as stop:
        start = [learner.agent.copy() for learner in season.learners]
        with out.progress("playing and learning", args.matches, "matches") as bar:
            while len(played) < args.matches and not stop.requested:
                figures = season.round(bar.advance, most=args.matches - len(played))
                played += season.last_played
                bar.advance(0, f"{figures['rollout_decisions_per_second']:,.0f} decisions/s, "
                               f"{figures['learned']} updates learned")
        seconds = time.perf_counter() - began
        scores = {}
        if not stop.requested:
            pairs = min(PAIRS, max(2, args.matches))
            with out.progress("measuring against the start", 4 * pairs, "matches") as bar:
                for learner, before in zip(season.learners, start, strict=True):
                    if stop.requested:
                        break
                    labs = Lab(learner.owner, learner.agent), Lab(f"{learner.owner} at its start", before)
                    scores[learner.owner], _ = match_up(
                        season.rollouts, *labs, pairs, args.seed + 1, season.decks, bar.advance)
        store = season.store
        updates = verdict_counts(played)
        document = {
            **summary(played, seconds), "results": results(played, plan.labs),
            "updates": {**{key: updates[key] for key in ("cast", "learned", "vanished", "exploded")},
                        "applied": store.count("entries", "status = 'applied'")},
            "buffs": store.total("buffs"), "ledger_rows": store.count("entries"), "rounds": season.done,
            "against_start": {name: score.as_dict() for name, score in scores.items()}, "seed": args.seed,
            "out": str(args.out) if args.out else None}
    _finish(args, out, folder, document)
    if stop.requested:
        raise Stopped(f"stopped after {len(played)} matches" + (f", kept in {args.out}" if args.out else ""))
    return 0


def _measure(args: argparse.Namespace, out: Output, folder: Path) -> int:
    from game.cards import first_set
    from game.files import filling
    from learner.ledger.store import Store
    from learner.rl.measure import find_player, match_up, results, verdict_counts
    from learner.rl.rollout import Rollouts, deck_pairs

    cards = first_set()
    a, b = (find_player(name, cards, args.seed) for name in args.agents)
    decks = deck_pairs(args.decks, cards, args.seed)
    pairs = max(1, args.matches // 2)
    began = time.perf_counter()
    with (Rollouts(args.workers, cards) as rollouts, filling(folder),
          out.progress("playing", 2 * pairs, "matches") as bar):
        store = Store(folder / "ledger.sqlite", create=True)
        store.set_meta("cards", cards.hash)
        score, played = match_up(rollouts, a, b, pairs, args.seed, decks, bar.advance, store)
    updates = verdict_counts(played)
    document = {
        **summary(played, time.perf_counter() - began), "results": results(played, args.agents),
        "updates": {**{key: updates[key] for key in ("cast", "learned", "vanished", "exploded")}, "applied": 0},
        "buffs": store.total("buffs"), "ledger_rows": store.count("entries"), "score": score.as_dict(),
        "seed": args.seed, "out": str(args.out) if args.out else None}
    store.close()
    _finish(args, out, folder, document)
    return 0


def summary(played: list[Any], seconds: float) -> dict[str, Any]:
    """Figures of any matches: how many, how long, how they ended, how fast."""
    from collections import Counter

    decisions = sum(p.decisions for p in played)
    n = max(1, len(played))
    return {"matches": len(played), "decisions": decisions, "seconds": seconds,
            "decisions_per_second": decisions / seconds, "mean_decisions": decisions / n,
            "mean_turns": sum(p.turns for p in played) / n, "starter_wins": sum(p.winner == p.starter for p in played),
            "end_reasons": dict(Counter(p.reason for p in played)),
            "turns_ended_by_action_limit": sum(p.forced_ends for p in played)}


def _finish(args: argparse.Namespace, out: Output, folder: Path, document: dict[str, Any]) -> None:
    from game.files import write_atomic

    if args.out:
        _write_replays(folder)
        write_atomic(folder / "figures.json", json.dumps(document, indent=2))
    tell(out, document)
    out.result(document)


def _write_replays(folder: Path) -> None:
    from game.files import write_atomic
    from learner.ledger.store import Store

    (folder / "replays").mkdir()
    with Store(folder / "ledger.sqlite") as store:
        for match in store.matches():
            write_atomic(folder / "replays" / f"{match['number']:06d}.json", store.replay_text(match))


def tell(out: Output, d: dict[str, Any]) -> None:
    """The figures for people."""
    speed = f"{d['decisions_per_second']:,.0f} decisions/s{', learning included' if 'against_start' in d else ''}"
    out.say(f"{d['matches']:,} matches in {d['seconds']:.0f} s, {speed}; a match takes {d['mean_turns']:.1f} turns "
            f"and {d['mean_decisions']:.0f} decisions")
    out.say("ended by: " + ", ".join(f"{reason} {n:,}" for reason, n in d["end_reasons"].items()))
    out.table("Results", ["agent", "turn", "matches", "wins", "draws", "share", "95 % interval"],
              [[r["agent"], r["seat"], r["matches"], r["wins"], r["draws"],
                "–" if r["share"] is None else f"{r['share']:.1%}", f"{r['low']:.1%} – {r['high']:.1%}"]
               for r in d["results"]])
    u = d["updates"]
    out.say(f"Backpropagation and kin: {u['cast']:,} updates asked for, {u['learned']:,} learned, "
            f"{u['vanished']:,} vanished, {u['exploded']:,} exploded")
    out.say(f"{d['buffs']:,} buffs, {d['ledger_rows']:,} ledger entries, {u['applied']:,} gradients applied")
    for name, s in d.get("against_start", {}).items():
        out.say(f"{name} against its own start, {s['pairs']} pairs: {s['score']:.1%} "
                f"(95 %: {s['low']:.1%} – {s['high']:.1%})")
    if "score" in d:
        s, a, b = d["score"], d["results"][0]["agent"], d["results"][-1]["agent"]
        out.say(f"{a} against {b}, {s['pairs']} pairs: {s['score']:.1%} (95 %: {s['low']:.1%} – {s['high']:.1%})")


@contextlib.contextmanager
def _folder(wanted: str | None) -> Iterator[Path]:
    """The folder asked for (free, not yet made), or one that goes away at the end."""
    from game.files import check_new

    if wanted is not None:
        yield check_new(wanted)
        return
    with tempfile.TemporaryDirectory(prefix="backprop-") as name:
        yield Path(name)
