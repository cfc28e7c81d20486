"""The timeline: what ships is whole, and every mistake in a file is named with file and field."""

from __future__ import annotations

import pytest

from game.errors import CardError
from game.milestones import load_timeline, timeline

FINE = """[[milestone]]
year = 1986
who = "Somebody"
source = "A journal"
en = { title = "A title", text = "A text." }
pt-BR = { title = "Um título", text = "Um texto." }
"""


def test_the_ancestors_are_there_in_their_order():
    wanted = [(1960, "Kelley"), (1962, "Dreyfus"), (1969, "Minsky"), (1970, "Linnainmaa"), (1974, "Werbos"),
              (1986, "Rumelhart")]
    years = [(milestone.year, milestone.who) for milestone in timeline()]
    places = [next(i for i, (year, who) in enumerate(years) if year == at and name in who) for at, name in wanted]
    assert places == sorted(places)
    assert [year for year, _ in years] == sorted(year for year, _ in years)


def test_a_fine_file_is_read(tmp_path):
    (tmp_path / "mine.toml").write_text(FINE, encoding="utf-8")
    (milestone,) = load_timeline(tmp_path / "mine.toml")
    assert (milestone.year, milestone.titles["pt-BR"], milestone.texts["en"]) == (1986, "Um título", "A text.")


@pytest.mark.parametrize(("old", "new", "said"), [
    ("[[milestone]]", "[[other]]", "mine.toml: a timeline is a list of [[milestone]] tables"),
    ("year = 1986", "year = 86", "mine.toml: milestone 1: field year: needs a whole number from 1600 to 2100, not 86"),
    ("year = 1986", "", "milestone 1: field year: "),
    ('who = "Somebody"', 'who = " "', "milestone 1: field who: needs a text"),
    ('source = "A journal"', "source = 3", "milestone 1: field source: needs a text, not 3"),
    ('source = "A journal"', 'source = "A"\nnobel = true', "milestone 1: field nobel: a milestone has year, who"),
    ('text = "Um texto."', 'words = "Um texto."', "milestone 1: field pt-BR: needs a table with title and text"),
    ('title = "A title"', 'title = ""', "milestone 1: en: field title: needs a text"),
    ("Um texto", '"', "mine.toml: not a TOML file: "),
])
def test_a_mistake_is_named(tmp_path, old, new, said):
    path = tmp_path / "mine.toml"
    path.write_text(FINE.replace(old, new), encoding="utf-8")
    with pytest.raises(CardError, match="mine") as found:
        load_timeline(path)
    assert said in str(found.value)
    assert "\n" not in str(found.value)


def test_years_go_forward(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(FINE + FINE.replace("1986", "1985"), encoding="utf-8")
    with pytest.raises(CardError, match=r"mine\.toml: milestone 2: field year: 1985 stands behind 1986"):
        load_timeline(path)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(CardError, match=r"no-such\.toml: can't be read"):
        load_timeline(tmp_path / "no-such.toml")
