"""Pages of the training screen about practice: each round's losses, and what Models would do now."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from game.engine import records as r
from game.window import theme as th
from game.window.scenes.changes import change_rows, damage_rows, place_words
from game.window.widgets.base import Label, Ui, Widget
from game.window.widgets.form import Bars
from game.window.widgets.progress import LossPairs, Progress

if TYPE_CHECKING:
    from game.window.app import App


def progress(app: App, ui: Ui, *box: float) -> list[Widget]:
    """The bar while the lab practises, or in words why it stopped; nothing when there is nothing to say."""
    practice = app.practice
    if practice.trouble:
        return [Label("practice", ui.place(*box), ui.say("training.trouble", why=practice.trouble), 14, th.ORANGE,
                      "narrow")]
    if not practice.going_on:
        return []
    done, total = practice.matches
    words = ui.say("training.practising", done=done, all=total) if total else ui.say("training.practising_soon")
    return [Progress("practice", ui.place(*box), words, done / total if total else 0.0)]


def round_page(app: App, ui: Ui, number: int) -> list[Widget]:
    """A round: how much was played, and every update's loss before and after."""
    one = app.practice.rounds[number]
    updates = one["updates"]
    found: list[Widget] = [
        Label("round", ui.place(96, 92, 1088, 40), ui.say("training.round", n=number + 1, matches=one["matches"]), 20,
              th.GOLD, "bold"),
        Label("round.text", ui.place(96, 132, 1088, 44), ui.say(
            "training.round_text", decisions=one["decisions"], n=len(updates)), 16, th.MUTED)]
    if not updates:
        return [*found, Label("round.none", ui.place(196, 280, 888, 100), ui.say("training.round_none"), 20,
                              align="centre")]
    means = [sum(update[when] for update in updates) / len(updates) for when in ("before", "after")]
    return [*found,
            Label("losses.title", ui.place(96, 184, 1088, 36), ui.say("training.losses"), 20, th.TEXT, "title"),
            LossPairs("losses", ui.place(96, 224, 1088, 290), [(update["before"], update["after"])
                                                               for update in updates]),
            Label("losses.text", ui.place(96, 522, 1088, 104), ui.say(
                "training.losses_text", before=means[0], after=means[1]), 16, th.MUTED, valign="top")]


def change_page(app: App, ui: Ui, before: dict[str, Any], now: dict[str, Any]) -> list[Widget]:
    """A Model's decision in the match: what it would attack, and the damage it expects, before practice and now."""
    card = app.cards[before["card"]]
    names = [place_words(ui, token) for token in range(r.TOKENS)]
    return [
        Label("change", ui.place(96, 92, 1088, 40), ui.say("training.change", card=card.name(ui.language),
                                                            turn=before["turn"]), 20, th.FAMILY[card.family], "bold"),
        Label("change.text", ui.place(96, 132, 1088, 44), ui.say("training.change_text"), 16, th.MUTED),
        Label("choices", ui.place(96, 184, 1088, 36), ui.say("training.choices"), 20, th.TEXT, "title"),
        Bars("changes", ui.place(96, 224, 1088, 180), change_rows(ui, before, now, names)),
        Label("fears", ui.place(96, 408, 1088, 36), ui.say("net.damage"), 20, th.TEXT, "title"),
        Bars("fears.bars", ui.place(96, 446, 1088, 180), damage_rows(ui, before, now, names))]
