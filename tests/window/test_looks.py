"""Layout, letters and colours: nothing outside, nothing overlapping, nothing cut off, every glyph there."""

from __future__ import annotations

import itertools

import pygame
import pytest

from game.assets import assets
from game.cards import first_set
from game.engine.legal import REFUSALS
from game.fields import LANGUAGES
from game.milestones import timeline
from game.window import theme as th
from game.window.layout import match_layout
from game.window.text import FONTS, Text
from game.words import texts

SIZES = ((960, 540), (1280, 720), (1600, 1200), (3840, 2160))
GROUNDS = {"panel", "dialog", "match", "crash", "result", "pause"}
"""Widgets on which others stand."""
ACTING = ("match", "backprop", "training", "result")


def _problems(app) -> list[str]:
    window = pygame.Rect((0, 0), app.ui.size)
    found = [f"{w.id} is outside: {w.rect}" for w in app.widgets if not window.contains(w.rect)]
    found += [f"{w.id} is cut off: {w.text[:40]!r}" for w in app.widgets if w.clipped]
    solid = [w for w in app.widgets if w.id not in GROUNDS and not w.id.endswith(".panel")]
    found += [f"{a.id} and {b.id} overlap" for a, b in itertools.combinations(solid, 2) if a.rect.colliderect(b.rect)]
    return found


@pytest.mark.parametrize("scene", ["menu", "rules", "timeline", "settings", "credits", "crash", *ACTING])
def test_nothing_overlaps_or_is_cut_off(open_window, scene) -> None:
    hands = open_window(scene="" if scene == "menu" else scene)
    app, problems = hands.app, []
    for size, scale, language in itertools.product(SIZES, (80, 100, 200), LANGUAGES):
        if size == (3840, 2160) and scale == 200 and scene not in ("match", "menu"):
            continue  # the same grid as 1280 × 720, four times as slow
        pygame.display.set_mode(size)
        app.settings.scale, app.settings.language = scale, language
        steps = range(5) if scene == "backprop" else range(1)
        for step in steps:
            if scene == "backprop":
                app.scene.step = step
            app.draw()
            problems += [f"{size} {scale} % {language} {step}: {line}" for line in _problems(app)]
    assert not problems, "\n".join(problems[:20])


def test_the_board_never_overlaps_whatever_the_hand() -> None:
    for size, hand in itertools.product([*SIZES, (1280, 1024), (2560, 1080)], range(11)):
        places = match_layout(size, hand)
        window = pygame.Rect((0, 0), size)
        assert all(window.contains(rect) for rect in places.values())
        assert not any(a.colliderect(b) for a, b in itertools.combinations(places.values(), 2))


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
