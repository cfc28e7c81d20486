"""What happened, action by action, with the board as it was."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pygame

from game.engine import records as r
from game.window import theme as th
from game.window.layout import columns
from game.window.scenes.base import Scene
from game.window.viewmodel import MatchView
from game.window.widgets.base import Action, Button, Label, Panel, Ui, Widget, panel
from game.window.widgets.cards import BoardUnit
from game.window.widgets.icons import icon

if TYPE_CHECKING:
    from game.window.app import App
    from game.window.scenes.match import MatchScene

SHOWN = 11
"""Actions in the list at once."""


class Snapshot(Widget):
    """A board as it was, small: names, attack and health."""

    def __init__(self, name: str, rect: pygame.Rect, view: MatchView, match: MatchScene) -> None:
        super().__init__(name, rect)
        self.view, self.match = view, match

    def draw(self, ui: Ui) -> None:
        """Two rows of six."""
        panel(ui, self.rect, th.BACK_LOW)
        for side in range(2):
            lab = self.view.enemy if side == 0 else self.view.own
            high = self.rect.height // 2
            row = pygame.Rect(self.rect.left + ui.px(10), self.rect.top + side * high, self.rect.width - ui.px(20),
                              high)
            title = ui.say("place.enemy_lab" if side == 0 else "place.own_lab")
            words = f"{title[:1].upper()}{title[1:]} · {ui.say('win.funding', n=max(0, lab.funding), cap=lab.cap)}"
            self.write(ui, words, pygame.Rect(row.left, row.top + ui.px(6), row.width, ui.px(26)), 15, th.MUTED,
                       "narrow_bold", wrap=False)
            row = pygame.Rect(row.left, row.top + ui.px(34), row.width, high - ui.px(42))
            for slot, box in enumerate(columns(row, r.SLOTS, ui.px(6)), start=1):
                token = slot + (r.ENEMY_LAB if side == 0 else 0)
                unit = self.view.units[token]
                card = self.match.app.cards[unit.card] if unit is not None else None
                shown = BoardUnit("seen", box, token, unit, card, "", ui.language, None, True)
                shown.draw(ui)
                self.clipped |= shown.clipped


class HistoryScene(Scene):
    """A list of actions; the focused one's board beside it."""

    name = "history"
    over = True
    extent = (40, 20, 1200, 682)

    def __init__(self, app: App, match: MatchScene) -> None:
        super().__init__(app)
        self.match = match
        self.at = max(0, len(match.session.history) - 1)

    def build(self, ui: Ui) -> list[Widget]:
        """The list at the left, the board and all its lines at the right."""
        history = self.match.session.history
        first = max(0, min(self.at - SHOWN // 2, len(history) - SHOWN))
        found: list[Widget] = [Panel("panel", ui.place(40, 20, 1200, 616)),
                               Label("title", ui.place(64, 30, 500, 44), ui.say("win.log"), 26, th.GOLD, "title")]
        for number, happened in enumerate(history[first:first + SHOWN], start=first):
            line = next((line.strip() for line in happened.lines if line), "…")
            found.append(Row(f"row.{number}", ui.place(64, 80 + 49 * (number - first), 470, 44), line,
                             partial(self._set, number), number == self.at, happened.opponents))
        if history:
            happened = history[self.at]
            found += [Snapshot("snapshot", ui.place(556, 80, 660, 376), happened.after, self.match),
                      Label("lines", ui.place(556, 466, 660, 158), "\n".join(happened.lines), 16, valign="top")]
        found.append(Button("back", ui.place(490, 652, 300, 50), ui.say("win.back"), self.back, kind="primary"))
        return found

    def key(self, key: int, shift: bool) -> bool:
        """Up and Down go through the actions."""
        steps = {pygame.K_UP: -1, pygame.K_DOWN: 1, pygame.K_PAGEUP: -SHOWN, pygame.K_PAGEDOWN: SHOWN,
                 pygame.K_HOME: -9999, pygame.K_END: 9999}
        if key in steps:
            self._set(self.at + steps[key])
            return True
        return False

    def wheel(self, steps: int) -> None:
        """Back and forth."""
        self._set(self.at - steps)

    def _set(self, at: int) -> None:
        self.at = max(0, min(len(self.match.session.history) - 1, at))


class Row(Button):
    """An action's first line; the opponent's are marked by a shape as well as their place."""

    def __init__(self, name: str, rect: pygame.Rect, text: str, action: Action, chosen: bool, theirs: bool) -> None:
        super().__init__(name, rect, text, action)
        self.chosen, self.theirs = chosen, theirs

    def draw(self, ui: Ui) -> None:
        """Left-aligned, with a sign for whose it is."""
        panel(ui, self.rect, th.PANEL_HIGH if self.chosen else th.PANEL, th.GOLD if self.chosen else th.EDGE, 6)
        side = ui.px(14)
        spot = pygame.Rect(self.rect.left + ui.px(10), self.rect.centery - side // 2, side, side)
        if self.theirs:
            pygame.draw.rect(ui.surface, th.ORANGE, spot.inflate(-2, -2))
        else:
            icon(ui.surface, "chevron", spot, th.GREEN)
        self.write(ui, self.text, pygame.Rect(spot.right + ui.px(8), self.rect.top + ui.px(2), self.rect.right -
                                              spot.right - ui.px(16), self.rect.height - ui.px(4)), 15, th.TEXT,
                   "narrow", "left", "middle")
