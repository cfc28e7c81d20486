"""``backprop compare``: told whole, also when it is short; its page."""

from __future__ import annotations

import json

import pytest

from learner.cli.page import parts_of
from learner.compare.methods import METHODS
from tests.lessons.test_every_lesson import PAGES


@pytest.mark.slow
def test_a_short_comparison(backprop, tmp_path):
    ran = backprop("compare", "--steps", 10, "--output", tmp_path, "--json")
    assert ran.code == 0
    document = json.loads(ran.out)
    rows = document["tables"][0]["rows"]
    assert [row["method"] for row in rows] == [method.name for method in METHODS]
    assert rows[0]["times backpropagation's"] == 1
    assert {file.name for file in tmp_path.iterdir()} == {"compare-learning.svg", "compare-task.svg"}
    assert len(document["sentences"]) == 5


def test_its_page_has_a_run():
    _, between, _ = parts_of(PAGES / "compare.md")
    assert "`backprop compare --seed 0`" in between
    assert all(method.name in between and method.paper in between for method in METHODS)
    assert "](compare.md)" in (PAGES / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("args", [["--steps", "0"], ["--page", "no-such.md"]])
def test_bad_input(backprop, args):
    ran = backprop("compare", *args)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
