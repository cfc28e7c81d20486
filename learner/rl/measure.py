"""Measuring strength: paired matches with weights standing still, results by agent and by seat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from game.assets import assets
from game.bots import BOTS, is_bot
from game.cards import CardSet
from game.decks import Deck
from game.errors import GameError
from game.vector import Played
from learner.agent import Agent, check_temperature
from learner.ledger.ledger import keep_measurement
from learner.ledger.store import Store
from learner.rl.ratings import Ratings, Score, bradley_terry, paired_score, wilson
from learner.rl.rollout import Lab, Rollouts, paired


def find_player(name: str, cards: CardSet, seed: int = 0) -> Lab:
    """A player by name.

    A bot (with networks seeded for it), "fresh", "fresh:SEED", an agent that ships, an agent's file or a run's folder;
    agents also as NAME@T, playing at the temperature T. "guided:N:NAME": a search of N simulations a decision, guided
    by the agent of that name.
    """
    if name.startswith("guided:"):
        return _guided(name, cards, seed)
    if is_bot(name):
        return Lab(name, Agent(1_000_000 + list(BOTS).index(name.partition(":")[0]), cards, name), name)
    stem, at, temperature = name.rpartition("@") if "@" in name and not Path(name).exists() else (name, "", "")
    agent = _find_agent(stem, cards, seed)
    if at:
        agent.temperature = check_temperature(temperature)
    return Lab(name, agent)


def _find_agent(name: str, cards: CardSet, seed: int) -> Agent:
    if name == "fresh" or name.startswith("fresh:"):
        number = name.partition(":")[2] or str(seed)
        if not number.isdecimal():
            raise GameError(f"unknown agent {name!r}: after fresh: comes a seed, a whole number")
        return Agent(int(number), cards, name)
    if name in shipped_agents():
        return Agent.load(assets() / "agents" / f"{name}.safetensors", cards)
    path = Path(name)
    if path.is_dir():
        files = sorted(path.glob("*.safetensors"))
        if len(files) != 1:
            raise GameError(f"{path}: has {len(files)} agents' files; name one of them")
        path = files[0]
    if not path.exists():
        raise GameError(f"unknown agent {name!r}: there are the bots {', '.join(BOTS)}, search:N, fresh, fresh:SEED, "
                        f"{', '.join(shipped_agents())}, an agent's .safetensors file, a run's folder and "
                        "guided:N:AGENT")
    return Agent.load(path, cards)


def shipped_agents() -> list[str]:
    """Names of the agents that ship."""
    return sorted(path.stem for path in (assets() / "agents").glob("*.safetensors"))


def _guided(name: str, cards: CardSet, seed: int) -> Lab:
    number, _, guide = name.removeprefix("guided:").partition(":")
    if not number.isdecimal() or int(number) < 1 or not guide:
        raise GameError(f"unknown agent {name!r}: a guided search is guided:N:AGENT, N simulations from 1")
    lab = find_player(guide, cards, seed)
    if lab.bot or lab.simulations:
        raise GameError(f"unknown agent {name!r}: only an agent can guide a search, and {guide} is none")
    return replace(lab, owner=name, simulations=int(number))


def match_up(rollouts: Rollouts, a: Lab, b: Lab, pairs: int, seed: int, decks: Sequence[tuple[Deck, Deck]],
             progress: Callable[[int], None] | None = None, store: Store | None = None) -> tuple[Score, list[Played]]:
    """A's paired score against B over ``pairs`` seeds, each played twice with the seats swapped.

    With a ``store`` the matches and their ledger entries (marked *measurement*) are kept there.
    """
    first = 0 if store is None else store.next_match()
    collected = rollouts.play([a, b], paired(pairs, seed, decks, first), progress)
    if store is not None:
        keep_measurement(store, 0, collected.played, (a.owner, b.owner), (a.agent, b.agent), collected.entries,
                         rollouts.cards)
    return paired_score(collected.played, 0), collected.played


def refusal(rollouts: Rollouts, lab: Lab, card: str, pairs: int, seed: int, decks: Sequence[tuple[Deck, Deck]],
            progress: Callable[[int], None] | None = None) -> Score:
    """The paired score of a lab against itself refusing to play a card: above one half, the card is worth having."""
    without = replace(lab, owner=f"{lab.owner} refusing", refuses=frozenset({rollouts.cards.row(card)}))
    return match_up(rollouts, lab, without, pairs, seed, decks, progress)[0]


@dataclass(frozen=True)
class Table:
    """Everybody against everybody."""

    names: list[str]
    scores: dict[tuple[str, str], Score]
    ratings: Ratings


def ladder(rollouts: Rollouts, labs: Sequence[Lab], pairs: int, seed: int, decks: Sequence[tuple[Deck, Deck]],
           progress: Callable[[int], None] | None = None, store: Store | None = None) -> Table:
    """All pairs of labs, with Bradley–Terry ratings; the first bot among them (else the first lab) is pinned at 0."""
    scores: dict[tuple[str, str], Score] = {}
    games: list[tuple[str, str, float, int]] = []
    for i, a in enumerate(labs):
        for b in labs[i + 1:]:
            score, played = match_up(rollouts, a, b, pairs, seed, decks, progress, store)
            scores[a.owner, b.owner] = score
            scores[b.owner, a.owner] = Score(score.pairs, 1 - score.mean, 1 - score.high, 1 - score.low)
            names = (a.owner, b.owner)
            for starter in (0, 1):
                own = [p for p in played if p.pairing.seats[p.starter] == starter]
                points = sum(0.5 if p.winner is None else float(p.winning_player() == starter) for p in own)
                games.append((names[starter], names[1 - starter], points, len(own)))
    pinned = next((lab.owner for lab in labs if lab.bot), labs[0].owner)
    return Table([lab.owner for lab in labs], scores, bradley_terry(games, pinned))


def results(played: Sequence[Played], names: Sequence[str]) -> list[dict[str, Any]]:
    """Wins by agent and seat with Wilson intervals: rows of {agent, seat, matches, wins, draws, share, low, high}."""
    rows = []
    for number, name in enumerate(names):
        for seat in ("first", "second"):
            own = [(p, s) for p in played for s in (0, 1)
                   if p.pairing.seats[s] == number and (p.starter == s) == (seat == "first")]
            wins = sum(p.winner == s for p, s in own)
            low, high = wilson(wins, len(own))
            rows.append({"agent": name, "seat": seat, "matches": len(own), "wins": wins,
                         "draws": sum(p.winner is None for p, _ in own),
                         "share": wins / len(own) if own else None, "low": low, "high": high})
    return rows


def verdict_counts(played: Sequence[Played]) -> Counter[str]:
    """How many updates were asked for ("cast") and came to each verdict."""
    counts = Counter(verdict.outcome for p in played for _, _, verdict in p.updates)
    return Counter({"cast": sum(counts.values()), **counts})
