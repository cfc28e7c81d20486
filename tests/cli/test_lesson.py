"""``backprop lesson``: listing, running, pictures, pages, and what it refuses."""

from __future__ import annotations

import json

import pytest

from learner.cli.page import BEGIN, END, markdown
from learner.lessons.lesson import Table, lessons


def test_lessons_are_listed(backprop):
    ran = backprop("lesson")
    assert ran.code == 0
    assert all(name in ran.out and about in ran.out for name, (_, about) in lessons().items())
    assert json.loads(backprop("lesson", "--json").out)["lessons"].keys() == lessons().keys()


@pytest.mark.parametrize("name", ["numbers", "NUMBERS", "Numbers"])
def test_a_lesson_is_told(backprop, tmp_path, name):
    ran = backprop("lesson", name, "--output", tmp_path / "new" / "folder")
    assert ran.code == 0
    files = sorted((tmp_path / "new" / "folder").iterdir())
    assert [file.name for file in files] == ["numbers-charts.svg", "numbers-graph.svg"]
    assert all(f"picture: {file}" in ran.out for file in files)


def test_json_is_one_document(backprop, tmp_path):
    ran = backprop("lesson", "numbers", "--output", tmp_path, "--json", "--seed", "3")
    document = json.loads(ran.out)
    assert document["name"] == "numbers"
    assert document["tables"][0]["rows"][0]["quantity"] == "exp 2"
    assert document["sentences"]


def test_a_page_gets_the_results_between_its_marks(backprop, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"# Mine\n\n{BEGIN}\nold\n{END}\n\nthe end\n", encoding="utf-8")
    for _ in range(2):  # a second time changes nothing more
        assert backprop("lesson", "numbers", "--page", page).code == 0
        words = page.read_text(encoding="utf-8")
        assert words.startswith(f"# Mine\n\n{BEGIN}\n\nWhat `backprop lesson NUMBERS --seed 0` found:\n\n- 12 of 13")
        assert words.endswith(f"|\n\n{END}\n\nthe end\n")
        assert "![graph](numbers-graph.svg)" in words
    assert (tmp_path / "numbers-graph.svg").is_file()


@pytest.mark.parametrize(("args", "said"), [
    (["nonsense"], "lesson nonsense: there is none of that name; there are "),
    (["numbers", "--page", "no-such.md"], "no-such.md: there is no such page"),
    (["numbers", "--page", "unmarked.md"], "unmarked.md: needs the line"),
    (["numbers", "--output", "unmarked.md"], "--output unmarked.md: is a file"),
    (["numbers", "--output", "unmarked.md/below"], "unmarked.md/below: is below a file"),
    (["numbers", "--seed", "-1"], "whole number"),
])
def test_bad_input_is_one_line_before_work_begins(backprop, tmp_path, monkeypatch, args, said):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("learner.lessons.numbers.run", None)  # so that running it would raise
    (tmp_path / "unmarked.md").write_text("no marks here\n", encoding="utf-8")
    ran = backprop("lesson", *args)
    assert ran.code == 2
    assert said in ran.err
    assert ran.err.count("\n") == 1
    assert not ran.out


def test_markdown_escapes_what_would_split_a_cell():
    assert markdown(Table("T", ["a|b"], [[None], [0.12345]])) == "**T**\n\n| a\\|b |\n| --- |\n| – |\n| 0.123 |"
