"""What a person has set, kept in a file; what can't be read is set aside and the defaults hold."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from game.fields import LANGUAGES

SPEEDS = ("half", "normal", "double", "instant")
FACTORS = {"half": 0.5, "normal": 1.0, "double": 2.0, "instant": 0.0}
"""How fast the pictures go; 0: at once."""
UPDATES = ("all", "own", "none")
SCALES = (0, 80, 90, 100, 110, 125, 150, 175, 200)
"""In per cent; 0: as the window and the screen need it."""


@dataclass
class Settings:
    """All of them, with their defaults."""

    language: str = "en"
    scale: int = 0
    """One of :data:`SCALES`."""
    speed: str = "normal"
    step: bool = False
    """Wait for a key after each of the opponent's actions."""
    reduced_motion: bool = False
    sound: bool = True
    volume: int = 60
    confirm_end: bool = True
    """Ask before a turn ends in which something could still be done."""
    updates: str = "all"
    """Whose updates open the Backpropagation scene."""
    full_screen: bool = False

    def shows_update(self, own: bool) -> bool:
        """Whether an update of one's own, or of the enemy's, is told in pictures."""
        return self.updates == "all" or (own and self.updates == "own")

    def save(self, path: Path) -> None:
        """Write them; a folder that can't be written to is no reason to stop playing."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")
        except OSError:
            pass

    @classmethod
    def load(cls, path: Path) -> Settings:
        """The settings in a file, each that isn't valid replaced by its default."""
        settings = cls()
        try:
            content: Any = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return settings
        if isinstance(content, dict):
            for field in fields(cls):
                value = content.get(field.name)
                if type(value) is type(getattr(settings, field.name)):
                    setattr(settings, field.name, value)
        return settings.checked()

    def checked(self) -> Settings:
        """These, with defaults where a value is none of those on offer."""
        plain = Settings()
        self.language = self.language if self.language in LANGUAGES else plain.language
        self.speed = self.speed if self.speed in SPEEDS else plain.speed
        self.updates = self.updates if self.updates in UPDATES else plain.updates
        self.scale = self.scale if self.scale in SCALES else plain.scale
        self.volume = min(100, max(0, self.volume))
        return self
