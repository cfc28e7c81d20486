"""The settings: each takes effect at once and is kept."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from game.fields import LANGUAGES
from game.window import theme as th
from game.window.scenes.base import Scene
from game.window.settings import SCALES, SPEEDS, UPDATES
from game.window.widgets.base import Button, Label, Panel, Ui, Widget
from game.window.widgets.form import Choice, turn_choice

if TYPE_CHECKING:
    from game.window.app import App

SWITCHES = ("step", "reduced_motion", "confirm_end", "sound")
VOLUMES = (0, 20, 40, 60, 80, 100)
LANGUAGE_NAMES = {"en": "English", "pt-BR": "Português (Brasil)"}


class SettingsScene(Scene):
    """A column of choices."""

    name = "settings"
    extent = (260, 24, 760, 678)

    def __init__(self, app: App) -> None:
        super().__init__(app)

    def build(self, ui: Ui) -> list[Widget]:
        """Language, scale, speed, switches, volume."""
        settings = self.app.settings
        yes_no = [ui.say("settings.no"), ui.say("settings.yes")]
        automatic = ui.say("settings.automatic") + (f" ({ui.scale:.0%})" if not settings.scale else "")
        lines: list[tuple[str, list[str], int, Any]] = [
            ("language", [LANGUAGE_NAMES[name] for name in LANGUAGES], LANGUAGES.index(settings.language),
             lambda at: LANGUAGES[at]),
            ("scale", [f"{scale} %" if scale else automatic for scale in SCALES], SCALES.index(settings.scale),
             lambda at: SCALES[at]),
            ("speed", [ui.say(f"settings.speed_{speed}") for speed in SPEEDS], SPEEDS.index(settings.speed),
             lambda at: SPEEDS[at]),
            ("updates", [ui.say(f"settings.updates_{whose}") for whose in UPDATES], UPDATES.index(settings.updates),
             lambda at: UPDATES[at]),
            *((name, yes_no, int(getattr(settings, name)), bool) for name in SWITCHES),
            ("volume", [f"{volume} %" for volume in VOLUMES],
             min(range(len(VOLUMES)), key=lambda i: abs(VOLUMES[i] - settings.volume)), lambda at: VOLUMES[at])]
        found: list[Widget] = [Panel("panel", ui.place(260, 24, 760, 612)),
                               Label("title", ui.place(296, 36, 688, 48), ui.say("win.settings"), 30, th.GOLD, "title")]
        for number, (name, values, at, value) in enumerate(lines):
            found.append(Choice(name, ui.place(296, 94 + 59 * number, 688, 50), ui.say(f"settings.{name}"), values, at,
                                partial(self._turn, name, value)))
        found.append(Button("back", ui.place(490, 652, 300, 50), ui.say("win.back"), self.back, kind="primary"))
        return found

    def key(self, key: int, shift: bool) -> bool:
        """Left and Right turn a choice."""
        return turn_choice(self.app.widgets, self.app.focus, key)

    def _turn(self, name: str, value: Any, to: int) -> None:
        self._set(name, value(to))

    def _set(self, name: str, value: Any) -> None:
        setattr(self.app.settings, name, value)
        self.app.save_settings()
