"""One gradient update in five steps, from the numbers that decided it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pygame

from game.engine import records as r
from game.window import theme as th
from game.window.netview import Legend, Tiles
from game.window.scenes.base import Scene
from game.window.scenes.changes import damage_rows, place_words
from game.window.widgets.base import Button, Label, Panel, Ui, Widget
from game.window.widgets.cards import BoardUnit
from game.window.widgets.form import Bars
from game.window.widgets.update import SeenBoard, Verdict

if TYPE_CHECKING:
    from game.window.app import App

STEPS = 5
SECONDS = (2.6, 2.6, 3.6, 2.4, 1e9)
"""How long each step is shown when nobody presses anything."""


class BackpropScene(Scene):
    """Steps by keys, plays with Space, ends with Enter or Esc. ``report``: the service's, of one update."""

    name = "backprop"
    over = True
    extent = (60, 20, 1160, 682)

    def __init__(self, app: App, report: dict[str, Any], still: bool) -> None:
        super().__init__(app)
        self.report = report
        self.step = 2 if still else 0
        self.playing = not still and not app.settings.reduced_motion and app.settings.speed != "instant"
        self.shown = 1e9 if still else 0.0
        """Seconds in this step."""

    # ---- time ----

    @property
    def moving(self) -> bool:
        """While it plays, or a step is still unfolding."""
        return self.playing or self.shown < 1.6

    def tick(self, seconds: float) -> None:
        """On to the next step when its time is over."""
        self.shown += min(seconds, 0.1)
        if self.app.settings.reduced_motion:
            self.shown = max(self.shown, 2.0)
        if self.playing and self.shown > SECONDS[self.step]:
            self._go(1)

    # ---- showing ----

    def build(self, ui: Ui) -> list[Widget]:
        """Title, the step, the buttons."""
        report = self.report
        card = self.app.cards.card(report["card"])
        cause = self.app.cards.card(report["cause"]).name(ui.language)
        title = f"{cause}: {card.name(ui.language)}"
        if not report["own"]:
            title = ui.say("backprop.theirs", title=title)
        found: list[Widget] = [
            Panel("panel", ui.place(60, 20, 1160, 616)),
            Label("title", ui.place(92, 30, 760, 48), title, 28, th.GOLD, "title"),
            Label("step", ui.place(860, 30, 328, 48), ui.say("backprop.step", n=self.step + 1, all=STEPS), 18, th.MUTED,
                  align="right"),
            Label("step.title", ui.place(92, 82, 1096, 40), ui.say(f"backprop.title{self.step + 1}"), 22, th.ACCENT,
                  "title"),
            Label("step.text", ui.place(92, 122, 1096, 54), self._words(ui), 17, th.TEXT, valign="top")]
        found += [self._saw, self._loss, self._gradient, self._verdict, self._after][self.step](ui)
        found += [
            Button("previous", ui.place(60, 652, 220, 50), ui.say("win.previous"), lambda: self._go(-1), self.step > 0),
            Button("play", ui.place(380, 652, 240, 50), ui.say("backprop.pause" if self.playing else "backprop.play"),
                   self._toggle, self.step < STEPS - 1),
            Button("skip", ui.place(660, 652, 240, 50), ui.say("backprop.close"), self.back,
                   kind="primary" if self.step == STEPS - 1 else "plain"),
            Button("next", ui.place(1000, 652, 220, 50), ui.say("win.next"), lambda: self._go(1), self.step < STEPS - 1,
                   "primary" if self.step < STEPS - 1 else "plain")]
        return found

    def facts(self) -> dict[str, Any]:
        """The numbers that are shown."""
        return {"step": self.step, **{key: self.report[key] for key in (
            "prediction", "damage", "loss", "norm", "outcome", "entry")}}

    def _words(self, ui: Ui) -> str:
        report = self.report
        values: dict[str, Any] = {key: report[key] for key in ("prediction", "damage", "loss", "norm", "lr", "entry",
                                                               "turn")}
        values["target"] = place_words(ui, report["target"]) if report["target"] >= 0 else ""
        values["family"] = ui.say(f"family.{report['family']}")
        key = f"backprop.text{self.step + 1}"
        if self.step >= 3:
            key += f"_{report['outcome']}"
        elif self.step < 2 and report["target"] < 0:
            key += "_mean"
        return ui.say(key, **values)

    # ---- the five steps ----

    def _saw(self, ui: Ui) -> list[Widget]:
        return [SeenBoard("saw", ui.place(92, 182, 1096, 440), self.report, self.app.cards, ui.language)]

    def _loss(self, ui: Ui) -> list[Widget]:
        report = self.report
        most = max(abs(report["prediction"]), report["damage"], 1e-9)
        grown = min(1.0, self.shown / 0.9)
        rows = [(ui.say("backprop.prediction"), grown * max(0.0, report["prediction"]) / most, None,
                 ui.number(report["prediction"], ".4f")),
                (ui.say("backprop.damage"), grown * report["damage"] / most, None, f"{report['damage']}")]
        prediction, error, loss = (ui.number(value, ".4f") for value in (
            report["prediction"], report["prediction"] - report["damage"], report["loss"]))
        formula = f"L = ½ · ({prediction} − {report['damage']})² = ½ · ({error})² = {loss}"
        return [Bars("bars", ui.place(142, 236, 896, 120), rows, (th.BLUE, th.ORANGE)),
                Label("formula", ui.place(92, 404, 1096, 70), formula, 30, th.GOLD, "bold", "centre"),
                Label("formula.text", ui.place(192, 486, 896, 90), ui.say("backprop.formula"), 17, th.MUTED,
                      align="centre", valign="top")]

    def _gradient(self, ui: Ui) -> list[Widget]:
        layers = self.report["gradients"]
        hidden = max(0, len(layers) - 1 - int(self.shown / 2.4 * len(layers)))
        fresh = any(layer["name"].startswith("damage") and layer["name"].endswith("weight") and layer["norm"] == 0
                    for layer in self.report["before"]["layers"])
        learns = self.report["norm"] > 0
        note = "backprop.zero" if fresh and learns else "backprop.direction"
        return [Tiles("gradient", ui.place(92, 184, 1096, 400), layers, hidden),
                Legend("legend", ui.place(92, 592, 340, 34)),
                Label("direction", ui.place(448, 588, 740, 42), ui.say(note), 15, th.MUTED, align="right")]

    def _verdict(self, ui: Ui) -> list[Widget]:
        return [Verdict("verdict", ui.place(92, 190, 1096, 420), self.report)]

    def _after(self, ui: Ui) -> list[Widget]:
        report = self.report
        before, after = report["before"]["probabilities"], report["after"]["probabilities"]
        if report["outcome"] != "learned":
            return [*self._model(ui, 560, 200), Label("nothing", ui.place(192, 390, 896, 120), ui.say(
                "backprop.nothing"), 22, th.MUTED, align="centre", valign="top")]
        names = [self.app.cards[token["card"]].name(ui.language) if token["card"] and place not in (0, r.ENEMY_LAB)
                 else place_words(ui, place) for place, token in enumerate(report["tokens"])]
        rows = [(names[token], was, now, f"{ui.number(was, '.1%')} → {ui.number(now, '.1%')}")
                for token, (was, now) in enumerate(zip(before, after, strict=True)) if was > 0 or now > 0][:7]
        bonus = "{:+d}/{:+d}".format(*report["bonus"])
        return [*self._model(ui, 202, 188),
                Label("buff", ui.place(92, 362, 380, 64), bonus, 40, th.GOLD, "title", "centre"),
                Label("buff.text", ui.place(112, 430, 340, 194), ui.say(
                    "backprop.buff_text" if report["own"] else "backprop.buff_text_theirs", entry=report["entry"]),
                      17, th.TEXT, align="centre", valign="top"),
                Label("choices", ui.place(500, 184, 688, 32), ui.say("backprop.choices"), 19, th.TEXT, "title"),
                Bars("choices.bars", ui.place(500, 220, 688, 156), rows[:5]),
                Label("fears", ui.place(500, 382, 688, 32), ui.say("backprop.expects"), 19, th.TEXT, "title"),
                Bars("fears.bars", ui.place(500, 418, 688, 146),
                     damage_rows(ui, report["before"], report["after"], names)),
                Label("choices.text", ui.place(500, 568, 688, 56), ui.say("backprop.choices_text"), 15, th.MUTED)]

    def _model(self, ui: Ui, left: float, top: float) -> list[Widget]:
        """The Model as it came out of the update, if it is still there."""
        unit = self.report["unit"]
        return [] if unit is None else [BoardUnit("learner", ui.place(left, top, 160, 168), unit.token, unit,
                                                  self.app.cards[unit.card], "", ui.language, None, True)]

    # ---- keys ----

    def key(self, key: int, shift: bool) -> bool:
        """Left, Right, Space; Enter on a button is as everywhere."""
        if key in (pygame.K_LEFT, pygame.K_RIGHT):
            self.playing = False
            self._go(1 if key == pygame.K_RIGHT else -1)
            return True
        if key == pygame.K_SPACE:
            self._toggle()
            return True
        return False

    def enter(self) -> None:
        """The focus begins on the way out."""
        self.app.focus = "skip"

    def _toggle(self) -> None:
        self.playing = not self.playing and self.step < STEPS - 1

    def _go(self, by: int) -> None:
        step = max(0, min(STEPS - 1, self.step + by))
        if step != self.step:
            self.step, self.shown = step, 0.0
        if step == STEPS - 1:
            self.playing = False
