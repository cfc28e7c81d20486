"""A person's match on a terminal, or through any two functions that read and write lines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from game.cards import CardInfo
from game.events import redact
from game.match import Match
from game.text.board import board_text, hand_lines
from game.text.cards import card_page, find_card
from game.text.events import Narrator, verdicts_since
from game.text.moves import numbered_moves
from game.words import say, texts

LOG_LINES = 25
COMMANDS = ("help", "board", "hand", "card", "log", "concede", "quit")


@dataclass
class TextGame:
    """Plays ``match`` between a person and an opponent.

    ``read(prompt)`` returns a line or raises EOFError; ``write(text)`` shows one or more lines;
    ``opponent(match)`` chooses for the other player. After anything that ends :meth:`run`,
    exceptions too, :attr:`safe` is the match after the last whole action.
    """

    match: Match
    opponent: Callable[[Match], int]
    read: Callable[[str], str]
    write: Callable[[str], None]
    person: int = 0
    opponent_name: str = ""
    language: str = "en"
    log: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.safe = self.match.clone()
        self.narrator = Narrator(self.match, self.language, self.person)
        self._leaving = False

    def run(self) -> bool:
        """Play until the match is over (True), or the person leaves or nothing more can be read (False)."""
        self._introduce()
        while self.match.outcome is None and not self._leaving:
            if self.match.player == self.person:
                self._ask()
            else:
                self._act(self.opponent(self.match))
        return self.match.outcome is not None

    # ---- turns ----

    def _introduce(self) -> None:
        decks = self.match.decks
        self.write(self._say("play.intro", seed=self.match.seed, deck=decks[self.person].name(self.language),
                             opponent=self.opponent_name, other_deck=decks[1 - self.person].name(self.language),
                             commands=self._commands()))
        if self.match.turn == 0:
            begins = self._say("play.begins", lab=self.narrator.lab(int(self.match.state.starter)))
            self.write(begins[:1].upper() + begins[1:])

    def _ask(self) -> None:
        """Show where the match stands and read until the person acts or leaves."""
        actions, lines = numbered_moves(self.match, self.language)
        self._show_board(lines)
        while not self._leaving:
            try:
                line = self.read(self._say("play.prompt")).strip()
            except EOFError:
                self._leaving = True
                return
            if line.isdecimal():
                if 1 <= int(line) <= len(actions):
                    self._act(actions[int(line) - 1])
                    return
                self.write(self._say("play.no_move", number=line[:20], most=len(actions)))
            elif line and self._obey(line, lines):
                return

    def _act(self, action: int) -> None:
        before = self.match.last
        events = self.match.play(action)
        self.safe = self.match.clone()
        self._tell(self.narrator.lines(redact(events, self.person), verdicts_since(self.match, before)))

    def _obey(self, line: str, moves: list[str]) -> bool:
        """Carry out a command; True if the match went on or the person leaves."""
        word, _, rest = line.partition(" ")
        command = self._command(word)
        if command == "help":
            words = {key: texts(self.language)[f"command.{key}"] for key in COMMANDS}
            self.write(self._say("play.help", **{**words, "card": f"{words['card']} …"}))
        elif command == "board":
            self._show_board(moves)
        elif command == "hand":
            self.write("\n".join(hand_lines(self.match.observe(self.person), self.match.cards, self.language, True)))
        elif command == "card":
            self._show_card(rest.strip())
        elif command == "log":
            self.write("\n".join(self.log[-LOG_LINES:]))
        elif command == "concede":
            events = self.match.concede(self.person)
            self.safe = self.match.clone()
            self._tell(self.narrator.lines(events))
        elif command == "quit":
            self._leaving = True
        else:
            self.write(self._say("play.unknown", word=word[:40], commands=self._commands()))
        return command in ("concede", "quit")

    # ---- showing ----

    def _show_board(self, moves: list[str]) -> None:
        board = board_text(self.match.observe(self.person), self.match.cards, self.language)
        self.write("\n".join(["", board, self._say("move.head"), *moves]))

    def _show_card(self, wanted: str) -> None:
        if not wanted:
            self.write(self._say("play.which_card"))
            return
        card = self._hand_card(wanted) or find_card(self.match.cards, wanted)
        self.write(card_page(card, self.language) if card else self._say("play.no_card", name=wanted[:40]))

    def _hand_card(self, place: str) -> CardInfo | None:
        lab = self.match.state.labs[self.person]
        if place.isdecimal() and 1 <= int(place) <= lab.hand_size:
            return self.match.cards[int(lab.hand[int(place) - 1])]
        return None

    def _tell(self, lines: list[str]) -> None:
        self.log += lines
        if lines:
            self.write("\n".join(lines))

    def _command(self, word: str) -> str:
        """The command that a word means: in the match's language or in English, or its first letters."""
        word = word.casefold()
        for command in COMMANDS:
            if word in (command, texts(self.language)[f"command.{command}"], command[:1] if command != "card" else ""):
                return command
        return "help" if word == "?" else ""

    def _commands(self) -> str:
        return ", ".join(texts(self.language)[f"command.{command}"] for command in COMMANDS)

    def _say(self, key: str, **values: object) -> str:
        return say(key, self.language, **values)
