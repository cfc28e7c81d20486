"""``backprop history``: the timeline, the experiments, and their page."""

from __future__ import annotations

import json

import pytest

from game.milestones import timeline
from learner.cli.page import parts_of
from tests.lessons.test_every_lesson import PAGES


@pytest.mark.parametrize("language", ["en", "pt-BR"])
def test_the_timeline(backprop, tmp_path, monkeypatch, language):
    monkeypatch.chdir(tmp_path)
    ran = backprop("history", "--timeline", "--lang", language)
    assert ran.code == 0
    at = [ran.out.index(milestone.titles[language]) for milestone in timeline()]
    assert at == sorted(at)
    document = json.loads(backprop("history", "--timeline", "--json", "--lang", language).out)
    assert [entry["year"] for entry in document["timeline"]] == [milestone.year for milestone in timeline()]
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize("inits", [1, 3])
def test_few_initialisations_are_told_too(backprop, tmp_path, inits):
    ran = backprop("history", "--inits", inits, "--output", tmp_path, "--json", "--seed", 2)
    assert ran.code == 0
    document = json.loads(ran.out)
    assert document["tables"][0]["rows"][0]["initialisations"] == inits
    assert {file.name for file in tmp_path.iterdir()} == {"history-success.svg", "history-hidden.svg"}


def test_its_page_has_a_run():
    _, between, _ = parts_of(PAGES / "history.md")
    assert "`backprop history --seed 0`" in between
    assert "history-hidden.svg" in between
    assert "](history.md)" in (PAGES / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("args", [["--inits", "0"], ["--lang", "xx"], ["--page", "no-such.md"]])
def test_bad_input(backprop, args):
    ran = backprop("history", *args)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
