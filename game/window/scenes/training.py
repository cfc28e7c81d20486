"""After a match: each network's step, the loss before and after, and what changed in what Models would do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pygame

from game.engine import records as r
from game.window import theme as th
from game.window.scenes.base import Scene
from game.window.widgets.base import Button, Label, Panel, Ui, Widget
from game.window.widgets.form import Bars

if TYPE_CHECKING:
    from game.window.app import App
    from game.window.scenes.match import MatchScene


class TrainingScene(Scene):
    """Shows what the service did; leaving earlier loses nothing, for it goes on there."""

    name = "training"

    def __init__(self, app: App, match: MatchScene) -> None:
        super().__init__(app)
        self.match = match
        self.at = 0

    @property
    def moving(self) -> bool:
        """Until the steps are there."""
        return self.match.training is None

    def build(self, ui: Ui) -> list[Widget]:
        """A page for each update, one's own first."""
        found: list[Widget] = [
            Panel("panel", ui.place(60, 24, 1160, 612)),
            Label("title", ui.place(96, 36, 780, 52), ui.say("training.title"), 32, th.GOLD, "title")]
        training = self.match.training
        pages = self._pages()
        if training is None:
            dots = "." * (1 + int(ui.now * 2) % 3)
            found.append(Label("wait", ui.place(96, 260, 1088, 60), ui.say("training.wait", dots=dots), 22,
                               align="centre"))
        elif not pages:
            found.append(Label("none", ui.place(196, 240, 888, 120), ui.say("training.none"), 20, align="centre"))
        else:
            self.at = min(self.at, len(pages) - 1)
            found += self._page(ui, *pages[self.at])
            found.append(Label("count", ui.place(900, 44, 284, 36), ui.say("training.count", n=self.at + 1,
                                                                            all=len(pages)), 17, th.MUTED,
                               align="right"))
            found += [Button("previous", ui.place(60, 652, 200, 50), ui.say("win.previous"), lambda: self._turn(-1),
                             self.at > 0),
                      Button("next", ui.place(1020, 652, 200, 50), ui.say("win.next"), lambda: self._turn(1),
                             self.at < len(pages) - 1)]
        found.append(Button("menu", ui.place(490, 652, 300, 50), ui.say("win.to_menu"), self.back, kind="primary"))
        return found

    def key(self, key: int, shift: bool) -> bool:
        """Left and Right turn the pages."""
        if key in (pygame.K_LEFT, pygame.K_RIGHT):
            self._turn(1 if key == pygame.K_RIGHT else -1)
            return True
        return False

    def back(self) -> None:
        """To the menu."""
        from game.window.scenes.menu import MenuScene

        self.app.replace(MenuScene(self.app))

    def _pages(self) -> list[tuple[dict[str, Any], dict[str, Any]]]:
        steps = (self.match.training or {}).get("steps", [])
        return [(step, entry) for own in (True, False) for step in steps if step["own"] is own
                for entry in step["entries"]]

    def _turn(self, by: int) -> None:
        self.at = max(0, min(len(self._pages()) - 1, self.at + by))

    def _page(self, ui: Ui, step: dict[str, Any], entry: dict[str, Any]) -> list[Widget]:
        whose = "training.own" if step["own"] else "training.enemy"
        family = ui.say(f"family.{step['family']}")
        card = self.match.app.cards.card(entry["card"]).name(ui.language) if "card" in entry else ""
        most = max(entry["before"], entry["after"], 1e-9)
        found: list[Widget] = [
            Label("whose", ui.place(96, 92, 1088, 40), ui.say(whose, family=family, n=len(step["entries"])), 20,
                  th.FAMILY[step["family"]], "bold"),
            Label("what", ui.place(96, 132, 1088, 44), ui.say("training.entry", row=entry["row"], card=card,
                                                               moved=step["moved"]), 16, th.MUTED),
            Label("loss", ui.place(96, 190, 500, 36), ui.say("training.loss"), 20, th.TEXT, "title"),
            Bars("losses", ui.place(96, 232, 500, 110), [
                (ui.say("training.before"), entry["before"] / most, None, f"{entry['before']:.4f}"),
                (ui.say("training.after"), entry["after"] / most, None, f"{entry['after']:.4f}")]),
            Label("loss.text", ui.place(96, 352, 500, 100), ui.say("training.loss_text"), 16, th.MUTED, valign="top"),
            Label("weights", ui.place(96, 470, 500, 140), ui.say(
                "training.weights", before=step["weights_before"], after=step["weights_after"]), 16, th.MUTED,
                  valign="top")]
        if "was" in entry:
            rows = [(place_words(ui, token), was, now, f"{was:.1%} → {now:.1%}") for token, was, now in zip(
                range(r.TOKENS), entry["was"]["probabilities"], entry["is"]["probabilities"], strict=True)
                if was > 0 or now > 0]
            rows = sorted(rows, key=lambda row: -abs(row[1] - (row[2] or 0)))[:4]
            names = [place_words(ui, token) for token in range(r.TOKENS)]
            found += [Label("choices", ui.place(640, 190, 544, 36), ui.say("training.choices"), 20, th.TEXT, "title"),
                      Bars("changes", ui.place(640, 230, 544, 140), rows),
                      Label("fears", ui.place(640, 376, 544, 36), ui.say("net.damage"), 20, th.TEXT, "title"),
                      Bars("fears.bars", ui.place(640, 416, 544, 140), damage_rows(entry["was"], entry["is"], names)),
                      Label("choices.text", ui.place(640, 566, 544, 60), ui.say("training.choices_text"), 16, th.MUTED,
                            valign="top")]
        return found


def damage_rows(was: dict[str, Any], now: dict[str, Any], names: list[str]) -> list[tuple[str, float, float, str]]:
    """The damage expected of each target before and after, for :class:`Bars`; what changed most comes first."""
    pairs = [(names[token], before, after) for token, (before, after, legal) in enumerate(zip(
        was["damage"], now["damage"], was["aims"], strict=True)) if legal]
    most = max((abs(value) for _, *both in pairs for value in both), default=0.0) or 1.0
    return [(name, abs(before) / most, abs(after) / most, f"{before:.3f} → {after:.3f}") for name, before, after in
            sorted(pairs, key=lambda pair: -abs(pair[2] - pair[1]))[:4]]


def place_words(ui: Ui, token: int) -> str:
    """A token's name without a Model's."""
    if token in (0, r.ENEMY_LAB):
        return ui.say("place.own_lab" if token == 0 else "place.enemy_lab")
    key, slot = ("own", token) if token < r.ENEMY_LAB else ("enemy", token - r.ENEMY_LAB)
    return ui.say(f"place.{key}_slot", slot=slot)
