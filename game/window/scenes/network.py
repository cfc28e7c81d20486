"""An opened Model: what happens inside its network, its weights, what it predicts, and what it would choose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pygame

from game.window import theme as th
from game.window.netview import Legend, Tiles
from game.window.scenes.base import Scene
from game.window.viewmodel import UnitView
from game.window.widgets.base import Button, Label, Panel, Ui, Widget
from game.window.widgets.form import Bars
from game.window.wiring import Wiring
from game.window.worker import Answer

if TYPE_CHECKING:
    from game.window.app import App


class NetworkScene(Scene):
    """All numbers come from the network itself, on the present observation. Two pages: units, and weights."""

    name = "network"
    over = True
    extent = (40, 20, 1200, 682)

    def __init__(self, app: App, unit: UnitView, report: dict[str, Any], names: dict[int, str]) -> None:
        super().__init__(app)
        self.unit, self.report, self.names = unit, report, names
        self.weights = False
        """Whether the page of the weights is shown."""
        self.net: dict[str, Any] | None = None
        self._ticket = app.service.ask("network", token=unit.token)

    @property
    def moving(self) -> bool:
        """Until the service has looked inside."""
        return self.net is None

    def answers(self, answers: list[Answer]) -> list[Answer]:
        """What happens inside."""
        rest = []
        for answer in answers:
            if answer.job == "network":
                if answer.ticket == self._ticket and not answer.error:
                    self.net = answer.value
            else:
                rest.append(answer)
        return rest

    def build(self, ui: Ui) -> list[Widget]:
        """Title, the page, the way to the other page and back."""
        card = self.app.cards[self.unit.card]
        found: list[Widget] = [
            Panel("panel", ui.place(40, 20, 1200, 616)),
            Label("title", ui.place(68, 30, 900, 48), card.name(ui.language), 28, th.FAMILY[card.family], "title"),
            Label("about", ui.place(68, 78, 1140, 34), ui.say("net.about", family=ui.say(f"family.{card.family}")), 16,
                  th.MUTED)]
        found += self._weights(ui) if self.weights else self._units(ui)
        return [*found,
                Button("page", ui.place(340, 652, 290, 50),
                       ui.say("net.to_units" if self.weights else "net.to_weights"), self._turn),
                Button("back", ui.place(650, 652, 290, 50), ui.say("win.back"), self.back, kind="primary")]

    def key(self, key: int, shift: bool) -> bool:
        """Left and Right turn the page."""
        if key in (pygame.K_LEFT, pygame.K_RIGHT):
            self._turn()
            return True
        return False

    def enter(self) -> None:
        """The focus begins on the way back."""
        self.app.focus = "back"

    def _turn(self) -> None:
        self.weights = not self.weights

    def _units(self, ui: Ui) -> list[Widget]:
        if self.net is None:
            return [Label("wait", ui.place(68, 280, 1140, 60), ui.say("net.wait"), 20, align="centre")]
        return [Wiring("wiring", ui.place(68, 116, 1144, 440), self.net, self.report, self.names, self.unit.token),
                *([] if self.net["targets"] else [Label("none", ui.place(874, 250, 338, 120), ui.say("net.none"), 17,
                                                        th.MUTED, align="centre")]),
                Legend("legend", ui.place(68, 562, 340, 66)),
                Label("legend.text", ui.place(424, 562, 788, 66), ui.say("net.legend"), 15, th.MUTED)]

    def _weights(self, ui: Ui) -> list[Widget]:
        report = self.report
        choices = sorted(((p, token) for token, p in enumerate(report["probabilities"]) if report["aims"][token]),
                         reverse=True)[:7]
        most = max((abs(report["damage"][token]) for _, token in choices), default=1.0) or 1.0
        rows = [(self.names.get(token, "?"), p, None, ui.number(p, ".1%")) for p, token in choices]
        fears = [(self.names.get(token, "?"), abs(report["damage"][token]) / most, None,
                  ui.number(report["damage"][token], "+.3f")) for _, token in choices]
        found: list[Widget] = [
            Label("weights.title", ui.place(68, 122, 640, 32), ui.say("net.weights"), 19, th.TEXT, "title"),
            Tiles("weights", ui.place(68, 158, 640, 420), report["layers"]),
            Legend("legend", ui.place(68, 590, 640, 34))]
        if not choices:
            return [*found, Label("intent.none", ui.place(740, 158, 472, 80), ui.say("net.none"), 17, th.MUTED)]
        return [*found,
                Label("intent.title", ui.place(740, 122, 472, 32), ui.say("net.intent"), 19, th.TEXT, "title"),
                Bars("intent", ui.place(740, 158, 472, 200), rows),
                Label("damage.title", ui.place(740, 372, 472, 32), ui.say("net.damage"), 19, th.TEXT, "title"),
                Bars("damage", ui.place(740, 408, 472, 200), fears, (th.ORANGE, th.BLUE))]
