"""What is done in a match, line by line, before it is shown: a save may come a moment later and be killed before.

A line says where the match stood, by digest, and what was done then. A match read from a save goes
on from the last line that begins where it stands; so it doesn't matter how much of the journal the
save holds already, or what was taken back meanwhile. Lines outlive the process once they are
written; they are not forced onto the disk, as saves are.
"""

from __future__ import annotations

import json
from pathlib import Path

from game.match import Match
from game.undo import undo

PLAY, UNDO, CONCEDE = "play", "undo", "concede"


class Journal:
    """The journal in a file. A folder that can't be written to costs the journal, not the match."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)

    def note(self, before: str, what: str, number: int) -> None:
        """Something was done where the match had the digest ``before``: an action, or a player's undo or concession."""
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps([before, what, number]) + "\n")
        except OSError:
            pass

    def catch_up(self, match: Match) -> int:
        """Do in ``match`` what was done after it was saved; how many lines that were. Needs its update sources."""
        lines = self._read()
        start = max((place for place, line in enumerate(lines) if line[0] == match.digest()), default=len(lines))
        done = 0
        for before, what, number in lines[start:]:
            if before != match.digest() or match.outcome is not None:
                break
            if what == PLAY:
                match.play(number)
            elif what == UNDO:
                undo(match, number)
            else:
                match.concede(number)
            done += 1
        return done

    def _read(self) -> list[tuple[str, str, int]]:
        """The whole lines; the last may be half of one."""
        found: list[tuple[str, str, int]] = []
        try:
            text = self.path.read_text(encoding="utf-8")
        except (OSError, ValueError):
            return found
        for line in text.splitlines():
            try:
                before, what, number = json.loads(line)
                if what not in (PLAY, UNDO, CONCEDE):
                    break
                found.append((str(before), str(what), int(number)))
            except (ValueError, TypeError):
                break
        return found
