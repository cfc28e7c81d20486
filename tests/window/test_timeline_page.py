"""The timeline in the window: reached from the menu, whole, in both languages, turned to its end and left again."""

from __future__ import annotations

import pygame
import pytest

from game.fields import LANGUAGES
from game.milestones import timeline


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_menu_leads_to_it_and_it_says_everything(open_window, language) -> None:
    app = open_window().app
    app.settings.language = language
    app.draw()
    next(widget for widget in app.widgets if widget.id == "timeline").action()
    app.draw()
    assert app.scene.name == "timeline"
    page = next(widget for widget in app.widgets if widget.id == "page")
    for one in timeline():
        assert all(part in page.text for part in (str(one.year), one.who, one.titles[language], one.texts[language]))


def test_it_is_turned_to_its_end_and_left(open_window) -> None:
    app = open_window(scene="timeline").app
    app.draw()
    first = pygame.image.tobytes(app.ui.surface, "RGB")
    app.scene.key(pygame.K_END, False)
    app.draw()
    assert app.scene.offset == pytest.approx(app.scene.page.most)
    assert app.scene.offset > 0
    assert pygame.image.tobytes(app.ui.surface, "RGB") != first
    app.scene.back()
    app.draw()
    assert app.scene.name == "menu"
