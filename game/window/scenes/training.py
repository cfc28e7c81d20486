"""After a match: each network's step, the loss before and after, and what changed in what Models would do.

Then the lab practises (:mod:`game.window.scenes.practice` has those pages), and this screen says how far it is.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import pygame

from game.engine import records as r
from game.window import theme as th
from game.window.scenes.base import Scene
from game.window.scenes.changes import change_rows, damage_rows, place_words
from game.window.scenes.practice import change_page, progress, round_page
from game.window.widgets.base import Button, Label, Panel, Ui, Widget
from game.window.widgets.form import Bars

if TYPE_CHECKING:
    from game.window.app import App
    from game.window.scenes.match import MatchScene


class TrainingScene(Scene):
    """Shows what the service did; leaving earlier loses nothing, for it goes on there."""

    name = "training"
    extent = (60, 24, 1160, 678)

    def __init__(self, app: App, match: MatchScene) -> None:
        super().__init__(app)
        self.match = match
        self.at = 0

    @property
    def moving(self) -> bool:
        """Until all is learned."""
        return self.match.training is None or self.app.practice.going_on

    def build(self, ui: Ui) -> list[Widget]:
        """A page for each update, one's own first; then for each round of practice and each Model it changed."""
        found: list[Widget] = [
            Panel("panel", ui.place(60, 24, 1160, 612)),
            Label("title", ui.place(96, 36, 780, 52), ui.say("training.title"), 32, th.GOLD, "title")]
        pages = self._pages(ui)
        self.at = max(0, min(self.at, len(pages) - 1))
        if not pages:
            dots = "." * (1 + int(ui.now * 2) % 3)
            found.append(Label("wait", ui.place(96, 260, 1088, 60), ui.say("training.wait", dots=dots), 22,
                               align="centre"))
        else:
            found += pages[self.at]()
        if len(pages) > 1:
            found += [Label("count", ui.place(900, 44, 284, 36), ui.say("training.count", n=self.at + 1,
                                                                         all=len(pages)), 17, th.MUTED, align="right"),
                      Button("previous", ui.place(60, 652, 200, 50), ui.say("win.previous"), lambda: self._turn(-1),
                             self.at > 0)]
        found += progress(self.app, ui, 276, 652, 200, 50)
        found.append(Button("menu", ui.place(490, 652, 300, 50), ui.say("win.to_menu"), self.back, kind="primary"))
        if self.app.practice.going_on:
            found.append(Button("skip", ui.place(804, 652, 200, 50), ui.say("training.skip"), self.app.practice.skip,
                                self.app.practice.owed > 0))
        if len(pages) > 1:
            found.append(Button("next", ui.place(1020, 652, 200, 50), ui.say("win.next"), lambda: self._turn(1),
                                self.at < len(pages) - 1))
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

    def _pages(self, ui: Ui) -> list[Callable[[], list[Widget]]]:
        training = self.match.training
        if training is None:
            return []
        pages: list[Callable[[], list[Widget]]] = [
            partial(self._page, ui, step, entry) for own in (True, False) for step in training["steps"]
            if step["own"] is own for entry in step["entries"]]
        if not pages:
            pages.append(lambda: [Label("none", ui.place(196, 240, 888, 120), ui.say("training.none"), 20,
                                        align="centre")])
        practice = self.app.practice
        if practice.rounds:
            pages += [partial(change_page, self.app, ui, before, now) for before, now in
                      zip(practice.before, practice.now, strict=True)]
        return [*pages, *(partial(round_page, self.app, ui, number) for number in range(len(practice.rounds)))]

    def _turn(self, by: int) -> None:
        self.at += by  # kept within the pages when they are built

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
                (ui.say("training.before"), entry["before"] / most, None, ui.number(entry["before"], ".4f")),
                (ui.say("training.after"), entry["after"] / most, None, ui.number(entry["after"], ".4f"))]),
            Label("loss.text", ui.place(96, 352, 500, 100), ui.say("training.loss_text"), 16, th.MUTED, valign="top"),
            Label("weights", ui.place(96, 470, 500, 140), ui.say(
                "training.weights", before=step["weights_before"], after=step["weights_after"]), 16, th.MUTED,
                  valign="top")]
        if "was" in entry:
            names = [place_words(ui, token) for token in range(r.TOKENS)]
            found += [Label("choices", ui.place(640, 190, 544, 36), ui.say("training.choices"), 20, th.TEXT, "title"),
                      Bars("changes", ui.place(640, 230, 544, 140), change_rows(ui, entry["was"], entry["is"], names)),
                      Label("fears", ui.place(640, 376, 544, 36), ui.say("net.damage"), 20, th.TEXT, "title"),
                      Bars("fears.bars", ui.place(640, 416, 544, 140),
                           damage_rows(ui, entry["was"], entry["is"], names)),
                      Label("choices.text", ui.place(640, 566, 544, 60), ui.say("training.choices_text"), 16, th.MUTED,
                            valign="top")]
        return found

