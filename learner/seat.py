"""What stands behind a window: the lab at home, the opponent, gradients, hints, the training after a match.

One handler of jobs, run in a process of its own. It knows nothing about windows; it keeps a
mirror of the match that is being played, with the real update sources, and saves after every
action.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from game.bots.lookahead import Lookahead
from game.bots.protocol import Player
from game.bots.single import decide
from game.cards import CardSet, first_set
from game.engine import records as r
from game.engine.observe import TOKEN_FIELDS, view
from game.errors import GameError
from game.match import Match
from game.replay import Replay
from game.undo import undo
from game.updates import UpdateRequest, UpdateSource, Verdict
from learner.agent import Agent
from learner.home import Game, Home
from learner.ledger.ledger import Step
from learner.practice import Practice, Practised, practise
from learner.probes import Probe, answers, probes_of
from learner.reports import model_report, picture_weights, update_report
from learner.wiring import wiring


@dataclass
class Watched:
    """An update source that also reports on every update it gave."""

    source: UpdateSource
    report: Callable[[UpdateRequest, Verdict], dict[str, Any]]
    found: list[tuple[Verdict, dict[str, Any]]]

    def __post_init__(self) -> None:
        self.name = self.source.name

    def update(self, request: UpdateRequest) -> Verdict:
        """The source's verdict."""
        verdict = self.source.update(request)
        self.found.append((verdict, self.report(request, verdict)))
        return verdict


class Seat:
    """Does the window's jobs: ``seat(job, values)``. The folder is opened by the first of them.

    ``tell(job, value)`` reports on a job that is still being done; ``practice``: what follows a match.
    """

    def __init__(self, folder: Path | str, seed: int, cards: CardSet | None = None, practice: Practice | None = None,
                 tell: Callable[[str, Any], None] = lambda job, value: None) -> None:
        self.folder, self.seed, self.cards = Path(folder), seed, cards or first_set()
        self.practice, self.tell = practice or Practice(), tell
        self.probes: list[Probe] = []
        self.home: Home | None = None
        self.game: Game | None = None
        self.player: Player | None = None
        self.found: list[tuple[Verdict, dict[str, Any]]] = []

    def __call__(self, job: str, values: dict[str, Any]) -> Any:
        """Do a job; raises what goes wrong."""
        return getattr(self, f"do_{job}")(**values)

    def close(self) -> None:
        """Leave the folder to others."""
        if self.home is not None:
            self.home.__exit__()
            self.home = None

    # ---- the lab at home ----

    def do_hello(self) -> dict[str, Any]:
        """Open the folder; what is to go on with, and the networks' pictures."""
        home = self._home()
        return {"open": home.open(), "owed": home.owed(), "pictures": {"own": self._pictures("")},
                "folder": str(self.folder)}

    def do_begin(self, deck: str, other_deck: str, opponent: str, seed: int, discard: bool = False) -> dict[str, Any]:
        """Begin a match; ``discard``: give up the one that is open."""
        home = self._home()
        if discard:
            home.discard()
        return self._seated(home.begin((deck, other_deck), opponent, seed), "", (deck, other_deck))

    def do_resume(self, file: str = "") -> dict[str, Any]:
        """Go on with the open match. A damaged one is set aside, and the error says where it is now."""
        home = self._home()
        saved = home.open()
        try:
            game = home.resume(file)
        except GameError as error:
            path = home.folder / "saves" / str((saved or {}).get("file", ""))
            if saved is None or file or not path.is_file():
                raise
            aside = path.with_suffix(".damaged.json")
            path.replace(aside)
            raise GameError(f"the saved match can't be used ({error}); it was set aside as {aside}") from None
        return self._seated(game, Replay.of(game.match).to_json(), None)

    def do_discard(self) -> None:
        """Give the open match up."""
        self._home().discard()

    def do_finish(self) -> dict[str, Any]:
        """Keep the finished match, let every lab learn from it; what each step did, and how much practice follows."""
        home, game = self._home(), self._game()
        replay = home.finish(game, self.practice.rounds)
        entries = {entry.row: entry for source in game.sources for entry in source.source.entries}
        steps = [self._step(game, step, entries) for step in home.learn()]
        self.probes = probes_of(game.match, self.cards)
        self.game = None
        return {"replay": str(replay), "steps": steps, "pictures": self._pictures(""), "owed": home.owed(),
                "matches": self.practice.matches, "models": answers(home.person().agent, self.probes)}

    def do_practise(self) -> dict[str, Any] | None:
        """One round of the practice that is owed; None if there is none, or a match is being played."""
        home = self._home()
        if self.game is not None or home.open() is not None:
            return None
        done = 0

        def progress(more: int) -> None:
            nonlocal done
            done += more
            self.tell("practising", {"done": done, "all": self.practice.matches, "owed": home.owed()})

        found = practise(home, self.practice, progress)
        if found is None:
            return None
        models = answers(home.person().agent, self.probes)
        return {**self._practised(found), "models": models, "pictures": self._pictures("")}

    def do_skip(self) -> None:
        """No more practice for now."""
        self._home().owe(0)

    # ---- a match ----

    def do_play(self, action: int) -> dict[str, Any]:
        """Take an action, give its updates their verdicts, save."""
        game = self._game()
        self.found.clear()
        game.match.play(action)
        self._save()
        return {"digest": game.match.digest(),
                "verdicts": [(v.outcome, v.row, v.gradient, v.details, report) for v, report in self.found]}

    def do_concede(self) -> None:
        """The person gives up."""
        self._game().match.concede(0)

    def do_undo(self) -> None:
        """Take the person's latest action back."""
        undo(self._game().match, 0)
        self._save()

    def do_choose(self) -> int:
        """What the opponent does."""
        game = self._game()
        assert self.player is not None
        return decide(self.player, game.match, game.number)

    def do_hint(self) -> int:
        """What a careful player would do in the person's place, knowing no more than the person."""
        return decide(Lookahead(), self._game().match)

    def do_intents(self) -> dict[int, dict[str, Any]]:
        """By token: what each of the person's Models would choose if it were sent now."""
        game = self._game()
        tokens = view(game.match.observe(0)).tokens
        return {slot + 1: model_report(*self._model(slot)) for slot in range(r.SLOTS) if tokens[slot + 1, 0]}

    def do_network(self, token: int) -> dict[str, Any]:
        """What happens inside a Model of the person's, at one of the tokens 1–6, if it were sent now."""
        return wiring(*self._model(token - 1))

    # ---- details ----

    def _home(self) -> Home:
        if self.home is None:
            self.home = Home(self.folder, self.seed, self.cards)
        return self.home

    def _game(self) -> Game:
        if self.game is None:
            raise GameError("no match is being played")
        return self.game

    def _seated(self, game: Game, replay: str, decks: tuple[str, str] | None) -> dict[str, Any]:
        self.game = game
        lab = game.labs[1]
        self.player = lab.player()
        game.match.updates = (self._watched(0), self._watched(1))
        self._save()
        return {"number": game.number, "journal": str(game.journal), "seed": game.match.seed,
                "opponent": game.opponent, "replay": replay, "decks": decks,
                "pictures": {"own": self._pictures(game.labs[0].owner), "enemy": self._pictures(game.labs[1].owner)}}

    def _watched(self, player: int) -> Watched:
        game = self._game()

        def report(request: UpdateRequest, verdict: Verdict) -> dict[str, Any]:
            return update_report(game.labs[player].agent, request, verdict, self.cards)

        return Watched(game.sources[player], report, self.found)

    def _save(self) -> None:
        game = self._game()
        if game.match.outcome is None:
            names = (game.sources[0].name, game.sources[1].name)
            assert all(source is not None and source.name in names for source in game.match.updates)
            self._home().save(game, game.match)

    def _model(self, slot: int) -> tuple[Agent, str, Any, int, list[Any]]:
        """Whose network a Model of the person's has, its family, and what it sees."""
        match: Match = self._game().match
        row = match.observe(0)
        token = view(row).tokens[slot + 1]
        history = [seen for _, seen in match.own_decisions(0).get(int(token[TOKEN_FIELDS.index("entry")]), [])]
        return self._game().labs[0].agent, self.cards[int(token[0])].family, row, slot, history

    def _pictures(self, owner: str) -> dict[str, Any]:
        """By family: some weights as they are, and as they were when the lab began."""
        home = self._home()
        labs = {lab.owner: lab.agent for lab in (self.game.labs if self.game else ())}
        agent = labs.get(owner) or home.person().agent
        born = Agent.load(home.folder / "labs" / f"{owner or home.person().owner}.safetensors", self.cards)
        return {family: (picture_weights(agent.models[family]), picture_weights(born.models[family]))
                for family in agent.models}

    def _step(self, game: Game, step: Step, entries: dict[int, Any]) -> dict[str, Any]:
        own = step.owner == game.labs[0].owner
        agent = game.labs[0 if own else 1].agent
        rows = []
        for row, before, after in zip(step.rows, step.losses_before, step.losses_after, strict=True):
            entry = entries.get(row)
            change: dict[str, Any] = {"row": row, "before": float(before), "after": float(after)}
            if entry is not None:
                policy = agent.models[step.family]
                now = policy.state_dict()
                lesson = entry.lesson
                for when, weights in (("was", step.weights_before), ("is", step.weights_after)):
                    policy.load_state_dict(weights)
                    change[when] = model_report(agent, step.family, lesson.observation, lesson.slot,
                                                list(lesson.history))
                policy.load_state_dict(now)
                change["card"] = entry.card
            rows.append(change)
        return {"own": own, "family": step.family, "entries": rows, "weights_before": step.before,
                "weights_after": step.after, "moved": step.moved}

    # ---- practice ----

    def _practised(self, found: Practised) -> dict[str, Any]:
        cards = {entry.row: entry.card for entry in found.entries}
        updates = [{"row": row, "family": step.family, "card": cards[row], "before": before, "after": after}
                   for step in found.steps
                   for row, before, after in zip(step.rows, step.losses_before, step.losses_after, strict=True)]
        return {"round": found.round, "matches": found.matches, "decisions": found.decisions, "owed": found.left,
                "updates": updates}
