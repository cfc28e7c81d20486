"""An opened Model: its network's weights, what it predicts, and what it would choose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from game.window import theme as th
from game.window.netview import Legend, Tiles
from game.window.scenes.base import Scene
from game.window.viewmodel import UnitView
from game.window.widgets.base import Button, Label, Panel, Ui, Widget
from game.window.widgets.form import Bars

if TYPE_CHECKING:
    from game.window.app import App


class NetworkScene(Scene):
    """All numbers come from the network itself, on the present observation."""

    name = "network"
    over = True

    def __init__(self, app: App, unit: UnitView, report: dict[str, Any], names: dict[int, str]) -> None:
        super().__init__(app)
        self.unit, self.report, self.names = unit, report, names

    def build(self, ui: Ui) -> list[Widget]:
        """Weights at the left, outputs at the right."""
        report = self.report
        card = self.app.cards[self.unit.card]
        choices = sorted(((p, token) for token, p in enumerate(report["probabilities"]) if report["aims"][token]),
                         reverse=True)[:7]
        most = max((abs(report["damage"][token]) for _, token in choices), default=1.0) or 1.0
        rows = [(self.names.get(token, "?"), p, None, f"{p:.1%}") for p, token in choices]
        fears = [(self.names.get(token, "?"), abs(report["damage"][token]) / most, None,
                  f"{report['damage'][token]:+.3f}") for _, token in choices]
        found: list[Widget] = [
            Panel("panel", ui.place(40, 20, 1200, 616)),
            Label("title", ui.place(68, 30, 900, 48), card.name(ui.language), 28, th.FAMILY[card.family], "title"),
            Label("about", ui.place(68, 78, 1140, 34), ui.say("net.about", family=ui.say(f"family.{card.family}")), 16,
                  th.MUTED),
            Label("weights.title", ui.place(68, 122, 640, 32), ui.say("net.weights"), 19, th.TEXT, "title"),
            Tiles("weights", ui.place(68, 158, 640, 420), report["layers"]),
            Legend("legend", ui.place(68, 590, 640, 34))]
        if choices:
            found += [Label("intent.title", ui.place(740, 122, 472, 32), ui.say("net.intent"), 19, th.TEXT, "title"),
                      Bars("intent", ui.place(740, 158, 472, 200), rows),
                      Label("damage.title", ui.place(740, 372, 472, 32), ui.say("net.damage"), 19, th.TEXT, "title"),
                      Bars("damage", ui.place(740, 408, 472, 200), fears, (th.ORANGE, th.BLUE))]
        else:
            found.append(Label("intent.none", ui.place(740, 158, 472, 80), ui.say("net.none"), 17, th.MUTED))
        found.append(Button("back", ui.place(490, 652, 300, 50), ui.say("win.back"), self.back, kind="primary"))
        return found
