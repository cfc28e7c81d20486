"""The menu: go on, a new match with decks and opponent, rules, the timeline, settings, credits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from game.decks import load_deck, shipped_decks
from game.window import theme as th
from game.window.fan import fan
from game.window.scenes.base import Scene
from game.window.scenes.practice import progress
from game.window.session import Session
from game.window.widgets.base import Button, Label, Panel, Ui, Widget
from game.window.widgets.form import Choice, turn_choice
from game.window.worker import Answer

if TYPE_CHECKING:
    from game.window.app import App

FAN = 5
"""Cards of the chosen deck that are shown."""
OPPONENTS = ("random", "everything", "greedy", "lookahead", "search", "beginner", "good", "best")
"""Bots, and the trained agents that ship (assets/agents)."""


class MenuScene(Scene):
    """Knows from the service's ``hello`` whether a match is open."""

    name = "menu"
    extent = (80, 34, 1120, 664)

    def __init__(self, app: App) -> None:
        super().__init__(app)
        options = app.options
        self.open: dict[str, Any] | None = None
        self.message, self.waiting = "", False
        decks = shipped_decks()
        self.decks = [*decks, *(deck for deck in (options.deck, options.other_deck) if deck not in decks)]
        self.deck, self.other = self.decks.index(options.deck), self.decks.index(options.other_deck)
        self.opponents = [*OPPONENTS, *([options.opponent] if options.opponent not in OPPONENTS else [])]
        self.opponent = self.opponents.index(options.opponent)
        self.seeds = 0
        if options.discard:
            app.service.ask("discard")
        if options.load is not None:
            self._resume(options.load)

    def enter(self) -> None:
        """Whether a match is open may have changed meanwhile."""
        self.app.service.ask("hello")

    def build(self, ui: Ui) -> list[Widget]:
        """Title and buttons at the left, the new match at the right."""
        app = self.app
        found: list[Widget] = [
            Label("title", ui.place(80, 84, 660, 76), ui.say("win.title"), 60, th.GOLD, "title"),
            Label("subtitle", ui.place(84, 160, 548, 60), ui.say("win.subtitle"), 19, th.MUTED, valign="top")]
        pages = self._pages()
        entries = [("continue", "win.continue", self._resume, bool(self.open), "primary" if self.open else "plain"),
                   ("play", "win.play", self._begin, True, "plain" if self.open else "primary"),
                   *((name, f"win.{name}", action, True, "plain") for name, action in pages),
                   ("quit", "win.quit", app.quit, True, "quiet")]
        for number, (name, key, action, enabled, kind) in enumerate(entries):
            found.append(Button(name, ui.place(84, 252 + 56 * number, 330, 48), ui.say(key), action,
                                enabled and not self.waiting, kind, 20))
        found += progress(app, ui, 820, 262, 352, 40)
        found += self._match(ui)
        words = self.message or (ui.say("win.starting") if self.waiting else "")
        if words:
            found.append(Label("message", ui.place(84, 648, 1110, 50), words, 16,
                               th.ORANGE if self.message else th.MUTED))
        return found

    def _match(self, ui: Ui) -> list[Widget]:
        decks = [load_deck(deck, self.app.cards) for deck in self.decks]
        names = [deck.name(ui.language) for deck in decks]
        box = ui.place(520, 252, 680, 372)
        rows: list[Widget] = [
            Panel("match", box), Label("match.title", ui.place(548, 264, 260, 36), ui.say("win.new_match"), 22,
                                       th.TEXT, "title"),
            Choice("deck", ui.place(548, 308, 624, 46), ui.say("win.your_deck"), names, self.deck, self._set_deck),
            Label("deck.text", ui.place(560, 358, 600, 46), self._about(decks[self.deck], ui), 15, th.MUTED,
                  valign="top"),
            Choice("other", ui.place(548, 412, 624, 46), ui.say("win.their_deck"), names, self.other, self._set_other),
            Label("other.text", ui.place(560, 462, 600, 46), self._about(decks[self.other], ui), 15, th.MUTED,
                  valign="top"),
            Choice("opponent", ui.place(548, 516, 624, 46), ui.say("win.opponent"), self._opponent_names(ui),
                   self.opponent, self._set_opponent)]
        known = self.opponents[self.opponent] in OPPONENTS
        rows.append(Label("opponent.text", ui.place(560, 566, 600, 46),
                          ui.say(f"opponent.{self.opponents[self.opponent]}_about") if known else "", 15, th.MUTED,
                          valign="top"))
        return rows

    def draw_over(self, ui: Ui, widgets: list[Widget]) -> None:
        """Five cards of the chosen deck at the upper right, held as in a hand."""
        deck = load_deck(self.decks[self.deck], self.app.cards)
        cards = sorted((self.app.cards.card(name) for name in deck.cards), key=lambda card: (card.cost, card.row))
        models = [card for card in cards if card.type == "model"] or cards
        shown = [models[k * (len(models) - 1) // max(1, FAN - 1)] for k in range(min(FAN, len(models)))]
        fan(ui, shown, ui.place(684, 34, 504, 200))

    def key(self, key: int, shift: bool) -> bool:
        """Left and Right turn a choice."""
        return turn_choice(self.app.widgets, self.app.focus, key)

    def back(self) -> None:
        """Nothing to go back to."""

    def answers(self, answers: list[Answer]) -> list[Answer]:
        """The folder is open, or a match begins."""
        rest = []
        for answer in answers:
            if answer.job == "" and answer.error:
                raise RuntimeError(answer.error)
            if answer.job == "hello":
                if answer.error:
                    self.message = answer.error
                else:
                    self.open = answer.value["open"]
                    self.app.ui.pictures.learn(answer.value["pictures"])
            elif answer.job in ("begin", "resume"):
                self._started(answer)
            elif answer.job == "finish" and answer.error:
                self.message = answer.error
            else:
                rest.append(answer)
        return rest

    # ---- details ----

    def _pages(self) -> list[tuple[str, Any]]:
        from game.window.scenes.pages import CreditsScene, RulesScene, TimelineScene
        from game.window.scenes.settings import SettingsScene

        app = self.app
        return [("rules", lambda: app.push(RulesScene(app))), ("timeline", lambda: app.push(TimelineScene(app))),
                ("settings", lambda: app.push(SettingsScene(app))), ("credits", lambda: app.push(CreditsScene(app)))]

    def _begin(self) -> None:
        """Begin a match; if one is open, ask whether it is to be given up."""
        from game.window.scenes.dialog import Dialog

        if self.open:
            self.app.push(Dialog(self.app, "win.discard_title", "win.discard_text",
                                 [("win.cancel", lambda: None), ("win.discard_yes", lambda: self._ask(True))]))
        else:
            self._ask(False)

    def _ask(self, discard: bool) -> None:
        self.message, self.waiting = "", True
        options = self.app.options
        self.app.service.ask("begin", deck=self.decks[self.deck], other_deck=self.decks[self.other],
                             opponent=self.opponents[self.opponent], seed=options.seed + self.seeds, discard=discard)

    def _resume(self, file: str = "") -> None:
        self.message, self.waiting = "", True
        self.app.service.ask("resume", file=file)

    def _started(self, answer: Answer) -> None:
        from game.window.scenes.match import MatchScene

        self.waiting = False
        if answer.error:
            self.message = answer.error
            self.app.service.ask("hello")
            return
        self.seeds += 1
        self.app.ui.pictures.learn(answer.value["pictures"])
        session = Session.start(answer.value, self.app.service, self.app.ui.language, self.app.cards)
        self.app.replace(self, MatchScene(self.app, session))

    def _about(self, deck: Any, ui: Ui) -> str:
        return str(deck.texts.get(ui.language, deck.texts.get("en", "")))

    def _opponent_names(self, ui: Ui) -> list[str]:
        return [ui.say(f"opponent.{name}") if name in OPPONENTS else name for name in self.opponents]

    def _set_deck(self, at: int) -> None:
        self.deck = at

    def _set_other(self, at: int) -> None:
        self.other = at

    def _set_opponent(self, at: int) -> None:
        self.opponent = at
