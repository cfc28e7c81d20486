"""A person's lab at home: a folder with its networks, its ledger, its saved and finished matches.

``ledger.sqlite`` holds what a run's does (``backprop audit FOLDER`` checks it), ``labs/`` the
networks as everybody began, ``saves/`` the match to go on with, ``replays/`` finished ones. What the
networks have learned since they began stands in the database and nowhere else (the ledger's steps,
and the weights after the latest practice), so a transaction decides alone what happened.

A round here is one match: weights move when it is over. One match at a time can be open, because
the gradients of all others would be computed on weights that are no more.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from game.cards import CardSet, first_set
from game.errors import GameError, ReplayError
from game.events import Event
from game.journal import Journal
from game.match import Match
from game.replay import Replay
from game.updates import UpdateRequest, UpdateSource, Verdict
from learner.agent import Agent
from learner.ledger.ledger import Step, apply_entries, record_steps
from learner.ledger.lock import hold
from learner.ledger.store import PENDING, Store
from learner.ledger.updates import GradientSource
from learner.rl.measure import find_player
from learner.rl.rollout import Lab

PERSON = "you"
"""The owner's name of the person's lab."""


class NumberedSource:
    """A lab's update source for one match that has a number."""

    name = GradientSource.name

    def __init__(self, agent: Agent, owner: str, number: int) -> None:
        self.source, self.number = GradientSource(agent, owner), number
        self.asked: set[str] = set()
        """Families whose network was asked for an update."""

    def update(self, request: UpdateRequest) -> Verdict:
        """The verdict on the request of match ``number``."""
        self.asked.add(request.family)
        return self.source.update(replace(request, number=self.number))


@dataclass
class Game:
    """A match being played at home: the person is player 0."""

    number: int
    match: Match
    labs: tuple[Lab, Lab]
    sources: tuple[NumberedSource, NumberedSource]
    opponent: str
    """The opponent as it was asked for."""
    file: Path
    """Where it is saved if the person leaves."""

    @property
    def journal(self) -> Path:
        """Where a front end may note what is done before it is saved (:class:`game.journal.Journal`)."""
        return self.file.with_suffix(".journal")


class Home:
    """The folder, opened; a context manager. GameError if another match is being played with it.

    ``seed``: of the networks, if the folder is new; ``create=False``: it must exist.
    """

    def __init__(self, folder: Path | str, seed: int, cards: CardSet | None = None, create: bool = True) -> None:
        self.folder, self.cards = Path(folder), cards or first_set()
        path = self.folder / "ledger.sqlite"
        if not create and not path.exists():
            raise GameError(f"{self.folder}: nobody has played with this folder yet")
        for part in ("labs", "saves", "replays"):
            (self.folder / part).mkdir(parents=True, exist_ok=True)
        self._lock = hold(self.folder, "another match is being played with this folder; --data-dir names another one")
        try:
            self.store = Store(path, create=not path.exists())
            with self.store.transaction():
                self.store.set_meta("cards", self.store.meta("cards", self.cards.hash))
                self.store.set_meta("seed", self.store.meta("seed", seed))
                self.store.seal()
            made_with = self.store.meta("cards")
            if made_with != self.cards.hash:
                self.store.close()
                raise GameError(f"{self.folder}: was made with card set {made_with}; this set is {self.cards.hash}")
        except BaseException:
            self._lock.close()
            raise

    def __enter__(self) -> Home:
        return self

    def __exit__(self, *exc: object) -> None:
        self.store.close()
        self._lock.close()

    # ---- labs ----

    def person(self) -> Lab:
        """The person's lab with all that it has learned."""
        return Lab(PERSON, self._grown(PERSON, Agent(int(self.store.meta("seed")), self.cards, PERSON)))

    def opponent(self, name: str) -> Lab:
        """A bot's or agent's lab (see :func:`learner.rl.measure.find_player`); here it learns, too."""
        lab = find_player(name, self.cards, int(self.store.meta("seed")) + 1)
        digest = hashlib.sha256(lab.agent.to_bytes()).hexdigest()[:8]
        owner = lab.bot or f"{re.sub(r'[^A-Za-z0-9@_-]', '_', lab.agent.name)}-{digest}"
        return replace(lab, owner=owner, agent=self._grown(owner, lab.agent))

    def _grown(self, owner: str, beginner: Agent) -> Agent:
        """A lab's networks: as they began, as the latest practice left them, as the ledger's steps since then did."""
        path = self.folder / "labs" / f"{owner}.safetensors"
        if not path.exists():
            beginner.save(path)
        agent = Agent.load(path, self.cards)
        agent.name = owner
        practised = self.store.meta("practised", {}) if owner == PERSON else {}
        for network, digest in practised.get("weights", {}).items():
            agent.networks[network].load_state_dict(self.store.weights(digest))
        for step in self.store.steps():
            if step["owner"] == owner and step["step"] > practised.get("step", -1):
                agent.models[step["family"]].load_state_dict(self.store.weights(step["after"]))
        return agent

    # ---- matches ----

    def begin(self, decks: tuple[str, str], opponent: str, seed: int) -> Game:
        """A new match against an opponent; GameError if one is open."""
        self.refuse_open()
        self.learn()  # what an interruption left pending
        number = self.store.next_match()
        labs = (self.person(), self.opponent(opponent))
        sources = _sources(labs, number)
        match = Match(decks, seed, self.cards, sources)
        game = Game(number, match, labs, sources, opponent, self.folder / "saves" / f"match-{number:04d}.json")
        game.journal.unlink(missing_ok=True)
        return game

    def save(self, game: Game, match: Match) -> Path:
        """Keep an unfinished match; :meth:`resume` goes on with it."""
        Replay.of(match, (game.sources[0].name, game.sources[1].name)).write(game.file)
        with self.store.transaction():
            self.store.set_meta("open", {"file": game.file.name, "number": game.number, "opponent": game.opponent})
        return game.file

    def open(self) -> dict[str, Any] | None:
        """The open match as {file, number, opponent}, if there is one."""
        saved: dict[str, Any] | None = self.store.meta("open")
        return saved if saved and (self.folder / "saves" / saved["file"]).exists() else None

    def refuse_open(self) -> None:
        """GameError if a match is open."""
        open_match = self.open()
        if open_match is not None:
            raise GameError(f"a match is open ({self.folder / 'saves' / open_match['file']}): go on with --load, "
                            "or give it up with --discard")

    def discard(self) -> None:
        """Give the open match up: it never happened, and nothing of it was learned."""
        saved = self.open()
        if saved is not None:
            path = self.folder / "saves" / saved["file"]
            path.unlink()
            path.with_suffix(".journal").unlink(missing_ok=True)

    def resume(self, file: str = "") -> Game:
        """Go on with the open match; ``file`` may name it.

        The networks compute every gradient of the match again and must find what they found.
        """
        saved = self.open()
        if saved is None:
            raise GameError(f"{self.folder}: no match is open here")
        path = self.folder / "saves" / saved["file"]
        if file and Path(file).resolve() != path.resolve():
            raise GameError(f"{file}: isn't the match that is open in {self.folder}; that is {path}")
        number, opponent = int(saved["number"]), str(saved["opponent"])
        labs = (self.person(), self.opponent(opponent))
        sources = _sources(labs, number)
        match = _relearn(Replay.read(path), sources, self.cards)
        match.updates = sources
        game = Game(number, match, labs, sources, opponent, path)
        if Journal(game.journal).catch_up(match) and match.outcome is None:
            self.save(game, match)
            game.journal.unlink(missing_ok=True)
        return game

    def finish(self, game: Game, practice: int = 0) -> Path:
        """Keep a finished match and its learned gradients, which are pending then; returns the replay's path.

        ``practice``: rounds of practice that the person's lab owes itself from now on.
        """
        match, store = game.match, self.store
        assert match.outcome is not None, "only a finished match is kept"
        replay = Replay.of(match)
        verdicts = sum(isinstance(link.done, Verdict) for link in match.links())
        buffs: list[Event] = []
        replay.verify(self.cards, lambda _, events: buffs.extend(
            event for event in events if event.kind == "buff" and event.entry))
        entries = [entry for source in game.sources for entry in source.source.entries]
        path = self.folder / "replays" / f"match-{game.number:04d}.json"
        replay.write(path)
        with store.transaction():
            weights = [{family: store.add_weights(family, lab.agent.models[family].state_dict())
                        for family in sorted(source.asked)}
                       for lab, source in zip(game.labs, game.sources, strict=True)]
            store.add_match(game.number, self.round(), match.name, (game.labs[0].owner, game.labs[1].owner),
                            match.outcome.winner, match.outcome.reason, match.turn, int(match.state.ply), verdicts,
                            len(buffs), replay.to_json(), weights)
            store.add_entries(entries, PENDING)
            store.set_meta("open", None)
            if practice:
                self.owe(self.owed() + practice)
            store.seal()
        game.file.unlink(missing_ok=True)
        game.journal.unlink(missing_ok=True)
        return path

    def learn(self) -> list[Step]:
        """Apply all pending gradients of every lab, each once; the steps that were taken."""
        steps = []
        for owner in sorted({row["owner"] for row in self.store.entries("status = ?", PENDING)}):
            agent = self._grown(owner, Agent(0, self.cards, owner))
            steps += apply_entries(agent, self.store.pending(owner))
        if steps:
            with self.store.transaction():
                record_steps(self.store, self.round(), steps)
                self.store.set_meta("round", self.round())
                self.store.seal()
        return steps

    def round(self) -> int:
        """The number of the round that is being played."""
        return int(self.store.meta("round", 0)) + 1

    # ---- practice (learner/practice.py) ----

    def owed(self) -> int:
        """Rounds of practice that are still to come."""
        return int(self.store.meta("practice", 0))

    def owe(self, rounds: int) -> None:
        """Say how many rounds are still to come; 0: none, what was owed is skipped."""
        self.store.set_meta("practice", rounds)

    def keep_weights(self, agent: Agent) -> None:
        """Keep all networks of the person's lab as they are after practice; inside a transaction."""
        last = max((int(step["step"]) for step in self.store.steps()), default=-1)
        self.store.drop_weights("player")  # no gradient of the card names them, and only the latest are needed
        weights = {name: self.store.add_weights(name, network.state_dict()) for name, network in agent.networks.items()}
        self.store.set_meta("practised", {"step": last, "weights": weights})


def _sources(labs: tuple[Lab, Lab], number: int) -> tuple[NumberedSource, NumberedSource]:
    return (NumberedSource(labs[0].agent, labs[0].owner, number),
            NumberedSource(labs[1].agent, labs[1].owner, number))


def _relearn(replay: Replay, sources: tuple[UpdateSource, UpdateSource], cards: CardSet) -> Match:
    """The match of a replay; its gradients are computed again and must be the recorded ones."""
    recorded = iter([step for step in replay.steps if isinstance(step, tuple) and len(step) == 3])

    def compute(match: Match, events: list[Event]) -> None:
        request = match.pending
        if request is not None:
            verdict = sources[request.player].update(request)
            if (verdict.outcome, verdict.row, verdict.gradient) != next(recorded, None):
                raise ReplayError(f"the update at ply {request.ply} wasn't computed by these networks")

    return replay.verify(cards, compute)
