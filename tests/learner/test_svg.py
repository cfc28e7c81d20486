"""Charts: well formed whatever is drawn, and marks where the values say."""

from __future__ import annotations

import math
import re
from xml.etree import ElementTree

import pytest

from learner.svg import bars, cells, lines, picture, short


def marks(panel, tag):
    root = ElementTree.fromstring(picture([panel]))
    return [element for element in root.iter() if element.tag.endswith(tag)]


@pytest.mark.parametrize("points", [
    [], [(0, 0)], [(1, 2), (3, math.inf), (4, math.nan)], [(1e-300, 1e300), (1, 1)], [(5, 7)] * 3], ids=str)
@pytest.mark.parametrize("log", [False, True])
def test_lines_take_any_numbers(points, log):
    panel = lines("a < b & c", {"x": points, "y": points}, "across", "up", log_x=log, log_y=log)
    assert "nan" not in panel.marks
    assert marks(panel, "text")[0].text == "a < b & c"


def test_a_line_goes_through_its_points_in_order():
    panel = lines("", {"x": [(0, 0), (1, 10), (2, 40)]}, "", "")
    at = [(float(dot.get("cx")), float(dot.get("cy"))) for dot in marks(panel, "circle")]
    assert at[1][0] - at[0][0] == pytest.approx(at[2][0] - at[1][0], abs=0.2)
    assert (at[0][1] - at[2][1]) / (at[0][1] - at[1][1]) == pytest.approx(4, abs=0.05)


def test_a_logarithmic_axis_gives_powers_equal_steps():
    panel = lines("", {"x": [(1, 0.1), (2, 1), (3, 10)]}, "", "", log_y=True)
    at = [float(dot.get("cy")) for dot in marks(panel, "circle")]
    assert at[0] - at[1] == pytest.approx(at[1] - at[2], abs=0.2)


def test_bars_are_as_long_as_their_values_and_negative_ones_go_left():
    drawn = marks(bars("t", {"one": 1.0, "three": 3.0, "minus": -1.0}, "units"), "rect")[1:]
    width = [float(bar.get("width")) for bar in drawn]
    assert width[1] == pytest.approx(3 * width[0], abs=0.3)
    assert width[2] == pytest.approx(width[0], abs=0.3)
    assert float(drawn[2].get("x")) + width[2] == pytest.approx(float(drawn[0].get("x")), abs=0.2)


def test_cells_are_blue_above_zero_and_red_below_and_deeper_the_larger():
    fills = [cell.get("fill") for cell in marks(cells("t", [[1.0, 0.5, 0.0, -1.0, math.nan]]), "rect")[1:]]
    red, _, blue = zip(*[map(int, re.findall(r"\d+", fill)) for fill in fills[:4]], strict=True)
    assert blue[0] > red[0]
    assert red[3] > blue[3]
    assert red[0] < red[1] < red[2] == 255
    assert fills[4] == "#999999"


def test_a_picture_holds_its_panels_side_by_side():
    panel = bars("t", {"one": 1.0}, "units")
    root = ElementTree.fromstring(picture([panel] * 3, columns=2))
    assert int(root.get("width")) > 2 * panel.width
    assert int(root.get("height")) > 2 * panel.height


def test_numbers_are_short():
    assert [short(value) for value in (0.123456, 12345.6, 2.0, math.nan, 1e-9)] == [
        "0.123", "12,346", "2", "nan", "1e-09"]
