"""Layout, letters and colours: nothing outside, nothing overlapping, nothing cut off, every glyph there."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pygame
import pytest

from game.assets import assets
from game.cards import first_set
from game.engine.legal import REFUSALS
from game.fields import LANGUAGES
from game.milestones import timeline
from game.window import theme as th
from game.window.art import Pictures
from game.window.layout import Frame, automatic_scale, match_layout, place
from game.window.text import FONTS, Text
from game.window.viewmodel import HandView, UnitView
from game.window.widgets.base import Widget
from game.window.widgets.cards import BoardUnit, HandCard
from game.words import texts

SIZES = ((960, 540), (1280, 720), (1920, 1080), (3840, 2160))
SCALES = (80, 100, 150, 200)
EVERYDAY = [((960, 540), 80), ((960, 540), 100), ((1280, 720), 200), ((1280, 720), 100)]
GROUNDS = {"panel", "dialog", "match", "crash", "result", "pause"}
"""Widgets on which others stand."""
PAGES = ("menu", "rules", "timeline", "settings", "keys", "credits", "crash")
DURING = ("match", "network", "history", "pause", "dialog", "backprop", "training", "result")


def _problems(app) -> list[str]:
    window = pygame.Rect((0, 0), app.ui.size)
    found = [f"{w.id} is outside: {w.rect}" for w in app.widgets if not window.contains(w.rect)]
    found += [f"{w.id} is cut off: {w.text[:40]!r}" for w in app.widgets if w.clipped]
    solid = [w for w in app.widgets if w.id not in GROUNDS and not w.id.endswith(".panel")]
    found += [f"{a.id} and {b.id} overlap" for a, b in itertools.combinations(solid, 2) if a.rect.colliderect(b.rect)]
    return found


def _pages(scene, ui) -> list[tuple[str, object]]:
    """What to set, one after the other, to see all of a scene."""
    if scene.name == "backprop":
        return [("step", step) for step in range(5)]
    if scene.name == "network":
        return [("weights", False), ("weights", True)]
    if scene.name == "training":
        return [("at", at) for at in range(len(scene._pages(ui)))]
    return [("", None)]


@pytest.mark.parametrize("scene", [*PAGES, *DURING])
@pytest.mark.parametrize("cases", [
    pytest.param(EVERYDAY, id="everyday"),
    pytest.param(list(itertools.product(SIZES, SCALES)), id="all", marks=pytest.mark.slow)])
def test_nothing_overlaps_or_is_cut_off(open_window, scene, cases) -> None:
    hands = open_window(scene="" if scene == "menu" else scene)
    app, problems = hands.app, []
    for (size, scale), language in itertools.product(cases, LANGUAGES):
        pygame.display.set_mode(size)
        app.settings.scale, app.settings.language = scale, language
        for name, value in _pages(app.scene, app.ui):
            if name:
                setattr(app.scene, name, value)
            app.draw()
            problems += [f"{size} {scale} % {language} {name} {value}: {line}" for line in _problems(app)]
    assert not problems, "\n".join(problems[:20])


@pytest.mark.parametrize("scene", [*PAGES, *DURING])
def test_no_letter_is_smaller_than_14_pixels_at_the_usual_size(open_window, scene, monkeypatch) -> None:
    small: set[tuple[str, int]] = set()
    line = Text.line

    def watched(self, string, name, size, colour):
        if size < 14:
            small.add((string, size))
        return line(self, string, name, size, colour)

    monkeypatch.setattr(Text, "line", watched)
    app = open_window(scene="" if scene == "menu" else scene).app
    pygame.display.set_mode((1280, 720))
    for language in LANGUAGES:
        app.settings.scale, app.settings.language = 100, language
        for name, value in _pages(app.scene, app.ui):
            if name:
                setattr(app.scene, name, value)
            app.draw()
    assert not small


def test_the_scale_enlarges_whole_dialogs_as_far_as_they_fit() -> None:
    extent = (380.0, 227.0, 520.0, 266.0)
    for size in SIZES:
        small, plain, large = (Frame.around(size, scale, extent) for scale in (0.8, 1.0, 2.0))
        assert plain.place(extent) == place(size, extent)
        assert (small.zoom, plain.zoom, large.zoom) == (0.7 / 0.75 if size == (960, 540) else 0.8, 1, 2)
        assert pygame.Rect((0, 0), size).contains(large.place(extent))
    full = Frame.around((1280, 720), 2.0, (40, 20, 1200, 682))
    assert 1 < full.zoom < 1.05
    assert pygame.Rect(0, 0, 1280, 720).contains(full.place((40, 20, 1200, 682)))


def test_the_automatic_scale_keeps_text_readable() -> None:
    scales = (80, 90, 100, 110, 125, 150, 175, 200)
    assert automatic_scale((1280, 720), 1080, scales) == 100
    assert automatic_scale((1600, 900), 1080, scales) == 100
    assert automatic_scale((960, 540), 1080, scales) == 110
    assert automatic_scale((3200, 1800), 2160, scales) == 100  # a large window shows everything larger already
    assert automatic_scale((1280, 720), 2160, scales) == 175
    assert automatic_scale((640, 360), 2160, scales) == 200


def test_the_board_never_overlaps_whatever_the_hand() -> None:
    for size, hand, scale in itertools.product([*SIZES, (1280, 1024), (2560, 1080)], range(11), (0.8, 1.0, 1.5, 2.0)):
        places = match_layout(size, hand, scale)
        window = pygame.Rect((0, 0), size)
        assert all(window.contains(rect) for rect in places.values())
        assert not any(a.colliderect(b) for a, b in itertools.combinations(places.values(), 2))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("size", "scale"), EVERYDAY)
def test_every_name_is_whole_on_the_board_and_in_the_hand(open_window, size, scale, language) -> None:
    ui = open_window(scene="match").app.ui
    ui.surface = pygame.display.set_mode(size)
    ui.settings.scale, ui.settings.language = scale, language
    ui.stand(None)
    places, full = match_layout(size, 6, ui.scale), match_layout(size, 10, ui.scale)
    shown: list[Widget] = []
    for card in first_set().cards[1:]:
        view = HandView(0, card.row, card.cost)
        shown += [HandCard("hand.0", hand["hand.0"], view, card, "", language, None) for hand in (places, full)]
        if card.type == "model":
            unit = UnitView(1, card.row, card.attack, card.health, card.health, *[0] * 11)
            shown.append(BoardUnit("own.1", places["own.1"], 1, unit, card, "", language, None))
    for widget in shown:
        widget.draw(ui)
    assert not [widget.text for widget in shown if widget.clipped]


def test_every_character_has_a_glyph() -> None:
    text = Text()
    words = [*texts("en").values(), *texts("pt-BR").values(), "∇‖½²−→×≤…·"]
    words += [part for card in first_set().cards if card is not None for words in card.texts.values()
              for part in (words.name, words.text, words.flavour)]
    words += [part for one in timeline() for part in (one.who, one.source, *one.titles.values(), *one.texts.values())]
    missing = {character for string in words for character in string if character not in "\n" and not (
        text.has("body", character) or text.has("symbol", character))}
    assert not missing


def test_letters_stand_out_from_their_ground() -> None:
    for letters, ground in th.TEXT_PAIRS:
        assert th.contrast(letters, ground) >= 4.5, (letters, ground)


def test_every_font_has_its_licence() -> None:
    folders = {(assets() / "fonts" / file).parent for file in FONTS.values()}
    credits = (assets() / "CREDITS.md").read_text(encoding="utf-8")
    for folder in folders:
        assert (folder / "LICENSE").stat().st_size > 500
        assert folder.name.replace("-", " ").title().replace("Dejavu", "DejaVu") in credits


def test_every_rule_that_refuses_has_words_in_both_languages() -> None:
    for number, reason in enumerate(REFUSALS[1:], start=1):
        assert texts("en")[f"refusal.r{number}"] == reason
        assert texts("pt-BR")[f"refusal.r{number}"]
    assert f"refusal.r{len(REFUSALS)}" in texts("en")


def test_a_picture_keeps_its_lines_however_much_was_learned() -> None:
    cards = first_set()
    card = next(card for card in cards.cards[1:] if card.family == "convnet")
    rng = np.random.default_rng(0)
    born = rng.normal(size=400)
    rough = []
    for moved in (0.0, 0.01, 0.1, 1.0):
        pictures = Pictures()
        pictures.learn({"own": {"convnet": (list(born + moved * rng.normal(size=400)), list(born))}})
        pixels = pygame.surfarray.array3d(pictures.get(card, "own", (240, 144))).astype(float)
        rough.append(float(np.abs(np.diff(pixels, axis=0)).mean()))
    assert max(rough) < 2 * rough[0], rough


@pytest.mark.parametrize("scene", [page for page in (*PAGES, *DURING) if page not in ("credits", "timeline")])
def test_fractions_have_a_comma_in_portuguese_and_numbers_a_true_minus(open_window, scene, monkeypatch) -> None:
    wrong: set[str] = set()
    line = Text.line

    def watched(self, string, name, size, colour):
        if re.search(r"\d\.\d|(?<![\w-])-\d", string):
            wrong.add(string)
        return line(self, string, name, size, colour)

    app = open_window(scene="" if scene == "menu" else scene).app
    monkeypatch.setattr(Text, "line", watched)
    app.settings.language = "pt-BR"
    for name, value in _pages(app.scene, app.ui):
        if name:
            setattr(app.scene, name, value)
        app.draw()
    assert not wrong
