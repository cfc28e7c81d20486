"""Random matches with every invariant of the rules checked after every action.

    python scripts/fuzz.py --actions 1000000 --seed 1
    NUMBA_BOUNDSCHECK=1 python scripts/fuzz.py --actions 1000000 --seed 1     # array bounds checked, too

Exits with 1 at the first violation and prints what it takes to see it again. Updates get scripted
verdicts: mostly learned, now and then vanished or exploded.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from game.actions import END
from game.cards import CardSet, first_set
from game.decks import random_deck
from game.engine import compiled
from game.engine import records as r
from game.events import Event
from game.match import Match
from game.updates import ScriptedUpdates

OUTCOMES = ("learned", "learned", "vanished", "learned", "learned", "exploded", "learned")


def _columns(record: Any) -> dict[str, int]:
    """Where a record's fields lie, counted in int32."""
    return {name: record.dtype.fields[name][1] // 4 for name in record.dtype.names}


S, L, U = _columns(r.State), _columns(r.Lab), _columns(r.Unit)
LAB, UNIT = r.Lab.dtype.itemsize // 4, r.Unit.dtype.itemsize // 4
FLAGS = [U[name] for name in ("tapped", "training", "held", "ablated", "doomed")]
THIS_TURN = [U[name] for name in ("rush", "hurt", "attacks", "hurt_ply", "attack_ply", "attack_token")]


def parts(match: Match) -> tuple[Any, Any, Any]:
    """A match's state as int32 views: whole, labs ``(2, n)``, units ``(2, 6, n)``."""
    flat = match.states.view(np.int32)
    labs = flat[S["labs"]:].reshape(2, LAB)
    return flat, labs, labs[:, L["units"]:].reshape(2, r.SLOTS, UNIT)


def state_faults(match: Match) -> list[str]:
    """Every invariant that this state breaks, in words; empty for a sound one."""
    flat, labs, units = parts(match)
    phase, reason = flat[S["phase"]], flat[S["reason"]]
    faults = []

    def check(sound: Any, fault: str) -> None:
        if not sound:
            faults.append(fault)

    check(not match._work["first"][0] and not match._work["last"][0], "triggers are left in the queue")
    check(not match._work["waves"][0], "waves are left over")
    check((phase == r.OVER) == (flat[S["result"]] != r.RUNNING) == (reason != 0), "phase, result and reason differ")
    check(reason == r.BY_CONCESSION or (flat[S["update_card"]] > 0) == (phase == r.AWAITING_UPDATE),
          "an update is awaited, or isn't, against the phase")
    check(flat[S["turn"]] <= flat[S["turn_limit"]], "turn limit passed")
    check(flat[S["actions"]] <= flat[S["action_limit"]], "action limit passed")
    funding = labs[:, L["funding"]]
    check((funding <= flat[S["funding_cap"]]).all(), "funding above its cap")
    check(phase == r.OVER or (funding > 0).all(), "a lab without funding plays on")
    check((labs[:, L["compute"]] >= 0).all(), "negative compute")
    check((labs[:, L["racks"]] >= 0).all() and (labs[:, L["racks"]] <= flat[S["rack_cap"]]).all(), "racks out of range")
    check((labs[:, L["fatigue"]] >= 0).all(), "negative fatigue")
    for pile, most in (("hand", r.HAND), ("deck", r.DECK), ("aside", r.HAND)):
        sizes, at = labs[:, L[f"{pile}_size"]], L[pile]
        check((sizes >= 0).all() and (sizes <= most).all(), f"{pile} size out of range")
        inside = np.arange(most) < sizes[:, None]
        check(((labs[:, at:at + most] > 0) == inside).all(), f"{pile} has holes, or cards beyond its end")
    there = units[:, :, U["card"]] > 0
    check(not units[~there].any(), "an empty slot isn't all zeros")
    if reason == r.BY_LOOP:
        return faults  # stopped in the middle of a resolution
    alive = units[there]
    check((alive[:, U["health"]] > 0).all(), "a Model at 0 health or less is on the board")
    check((alive[:, U["health"]] <= alive[:, U["max_health"]]).all(), "health above its maximum")
    check((alive[:, U["attack"]] >= 0).all(), "negative permanent attack")
    check(not alive[:, U["doomed"]].any(), "a destroyed Model is on the board")
    check(((alive[:, FLAGS] == 0) | (alive[:, FLAGS] == 1)).all(), "a flag is neither 0 nor 1")
    check(((alive[:, U["keywords"]] >> len(r.KEYWORDS)) == 0).all(), "unknown keyword bits")
    check((alive[:, U["attacks"]] <= 2).all(), "more than two attacks")
    check(((alive[:, U["hurt"]] > 0) == (alive[:, U["hurt_ply"]] > 0)).all(), "damage counter and its decision differ")
    check((alive[:, U["hurt"]] >= 0).all(), "negative damage counter")
    check((alive[:, U["turn"]] <= flat[S["turn"]]).all(), "entered in the future")
    entries = alive[:, U["entry"]].tolist()
    check(len(set(entries)) == len(entries), "two Models share an entry number")
    check(all(0 < entry <= flat[S["entries"]] for entry in entries), "entry number out of range")
    legal = match.mask().sum()
    check((legal > 0) == (phase < r.AWAITING_UPDATE), "legal actions while none is due, or none while one is")
    return faults


class Watch:
    """Follows one match from its beginning: accounts for every card, and looks at what a turn must reset."""

    def __init__(self, match: Match) -> None:
        self.match = match
        self.tokens = match.cards.table["token"].astype(bool)
        self.chief = [0, 0]
        self.owned = self.held()

    def held(self) -> Any:
        """Cards of each lab in deck, hand, aside, on the board and beside it, counted by row, tokens left out."""
        _, labs, units = parts(self.match)
        zones = [labs[:, L[zone]:L[zone] + most] for zone, most in (
            ("deck", r.DECK), ("hand", r.HAND), ("aside", r.HAND), ("researcher", 1))] + [units[:, :, U["card"]]]
        rows = np.concatenate(zones, axis=1)
        counts = np.stack([np.bincount(side, minlength=len(self.tokens)) for side in rows])
        counts[:, self.tokens] = 0
        counts[:, 0] = 0
        return counts

    def after(self, events: list[Event]) -> list[str]:
        """Faults of the match after an action that brought these events."""
        played = [0, 0]
        for event in events:
            player, card = event.player, event.card
            if event.kind == "play":
                if self.match.cards[card].type == "technique":
                    self.owned[player, card] -= 1
                elif self.match.cards[card].type == "model":
                    played[player] = card
            elif event.kind == "enter":
                if played[player] == card:
                    played[player] = 0
                else:
                    self.owned[player, card] += 1
            elif event.kind == "researcher":
                self.owned[player, self.chief[player]] -= 1
                self.chief[player] = card
            elif event.kind in ("death", "discard"):
                self.owned[player, card] -= 1
            elif event.kind == "mulligan_done" and player != self.match.state.starter:
                self.owned[player, self.match.state.coin] += 1
        self.owned[:, self.tokens] = 0
        self.owned[:, 0] = 0
        faults = state_faults(self.match)
        if (self.held() != self.owned).any():
            faults.append("cards came from nowhere or went missing")
        if events and any(event.kind == "turn" for event in events) and parts(self.match)[2][:, :, THIS_TURN].any():
            faults.append("something of last turn is left on a Model")
        if any(event.entry for event in events):
            faults.append("a scripted update names a ledger entry")
        return faults


def play_randomly(seed: int, cards: CardSet | None = None) -> Iterator[tuple[Match, list[Event]]]:
    """A match of two random decks by random legal actions: yields it after each with the events.

    Four styles reach different corners: any action; never end a turn while anything else is legal; the
    same, and leave the labs in peace (full boards, empty decks); hardly ever act (full hands).
    """
    cards = cards or first_set()
    chance = np.random.default_rng(seed)
    decks = (random_deck(cards, chance), random_deck(cards, chance))
    style = chance.integers(4)
    match = Match(decks, seed, cards, ScriptedUpdates(*OUTCOMES[seed % 3:]))
    yield match, []
    while match.outcome is None:
        legal = np.flatnonzero(match.mask())
        if match.turn and len(legal) > 1:
            if style == 3:
                legal = legal[-1:] if chance.random() < 0.8 else legal
            elif style:
                legal = legal[:-1]
        if style == 2:
            calm = legal[(legal < r.HAND * r.TOKENS) | (legal % r.TOKENS != r.ENEMY_LAB)]
            legal = calm if len(calm) else np.array([END])
        yield match, match.play(int(legal[chance.integers(len(legal))]))


def fuzz(actions: int, seed: int, progress: bool = False) -> tuple[int, int, str]:
    """Actions taken, matches begun, and the first fault with what shows it again (empty: none)."""
    taken, matches, begun = 0, 0, time.monotonic()
    while taken < actions:
        name = seed * 1_000_000 + matches
        matches += 1
        watch = None
        for match, events in play_randomly(name):
            if watch is None:
                watch = Watch(match)
            else:
                taken += 1
            faults = watch.after(events)
            if faults:
                done = [link.done for link in match.links()]
                return taken, matches, (f"{'; '.join(faults)}\nafter {len(done)} steps of play_randomly({name}):\n"
                                        f"decks {[dict(deck.cards) for deck in match.decks]}\nsteps {done}")
            if taken >= actions:
                break
        if progress and matches % 200 == 0:
            pace = taken / (time.monotonic() - begun)
            print(f"{taken:>9} actions, {matches} matches, {pace:.0f} actions/s", flush=True)
    return taken, matches, ""


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description="Random matches with every invariant checked after every action.")
    parser.add_argument("--actions", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1, help="another seed plays other matches")
    options = parser.parse_args()
    if options.actions < 1 or options.seed < 0:
        parser.error("--actions needs at least 1, --seed at least 0")
    checked = compiled.ENABLED and bool(compiled.numba.config.BOUNDSCHECK)
    print(f"rules {'compiled' if compiled.ENABLED else 'interpreted'}, array bounds "
          f"{'checked' if checked or not compiled.ENABLED else 'not checked'}")
    taken, matches, fault = fuzz(options.actions, options.seed, progress=True)
    if fault:
        print(f"VIOLATION: {fault}", file=sys.stderr)
        return 1
    print(f"{taken} actions in {matches} matches, no violation")
    return 0


if __name__ == "__main__":
    sys.exit(main())
