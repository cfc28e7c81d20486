"""What all lessons have in common: tables, pictures, sentences with numbers, and a page."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from learner.cli.page import parts_of
from learner.lessons.lesson import find_lesson, lessons

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "lessons"


@pytest.mark.parametrize("name", lessons())
def test_page(name):
    page = PAGES / f"{name.lower()}.md"
    _, found, _ = parts_of(page)
    assert f"`backprop lesson {name} --seed " in found
    pictures = re.findall(r"!\[[^]]*\]\(([^)]+)\)", found)
    assert pictures
    assert all((PAGES / picture).is_file() for picture in pictures)
    assert re.search(r"^- .*\d", found, re.MULTILINE), "a sentence with a number"
    assert f"]({page.name})" in (PAGES / "README.md").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("name", lessons())
def test_run(name, ran):
    lesson, steps = ran(name)
    assert steps == find_lesson(name).STEPS
    assert lesson.pictures
    assert lesson.sentences
    assert lesson.tables
    assert len({picture.name for picture in lesson.pictures}) == len(lesson.pictures)
    for picture in lesson.pictures:
        assert re.fullmatch(r"[a-z0-9-]+", picture.name)
        assert ElementTree.fromstring(picture.svg).tag == "{http://www.w3.org/2000/svg}svg"
    for table in lesson.tables:
        assert table.rows
        assert all(len(row) == len(table.columns) for row in table.rows)
    assert any(re.search(r"\d", sentence) for sentence in lesson.sentences)
