"""Small charts as SVG text, without any library: lines, bars, and grids of coloured cells.

    Path("loss.svg").write_text(picture([lines("Loss", {"sigmoid": points}, "step", "loss")]))

A chart is a :class:`Panel`, and a picture is panels side by side. Only marks that no viewer refuses are used: text,
rectangles, lines, circles and paths.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

COLOURS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#777777", "#000000", "#dd8833")
"""P. Tol's bright scheme, told apart by everybody, and three more."""
NEGATIVE, POSITIVE = (187, 68, 51), (51, 102, 170)
TITLE, GAP, KEY = 26, 24, 16
"""Heights in pixels: of a title, between panels, of a line of a key."""
SIZE = (380, 240)
"""Width and height of a chart's axes, in pixels."""


@dataclass(frozen=True)
class Panel:
    """A drawing of this size in pixels, its corner at (0, 0)."""

    width: int
    height: int
    marks: str


def picture(panels: Sequence[Panel], columns: int = 2) -> str:
    """The panels in rows of ``columns``, as one SVG document."""
    marks, y, right = [], GAP, 0
    for first in range(0, len(panels), columns):
        row, x = panels[first : first + columns], GAP
        for panel in row:
            marks.append(f'<g transform="translate({x},{y})">{panel.marks}</g>')
            x += panel.width + GAP
        y, right = y + max(panel.height for panel in row) + GAP, max(right, x)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {right} {y}" width="{right}" height="{y}" '
            f'font-family="sans-serif" font-size="12">\n<rect width="{right}" height="{y}" fill="white"/>\n'
            + "\n".join(marks) + "\n</svg>\n")


def lines(title: str, series: Mapping[str, Sequence[tuple[float, float]]], across: str, up: str, *,
          log_x: bool = False, log_y: bool = False, dots: bool = False) -> Panel:
    """A line through the (x, y) points of each name, or its points alone.

    What has no place, not finite or on a logarithmic axis not above 0, is left out.
    """
    shown = {name: [(x, y) for x, y in points if _has_place(x, log_x) and _has_place(y, log_y)]
             for name, points in series.items()}
    horizontal = _Axis([x for points in shown.values() for x, _ in points], log_x, SIZE[0])
    vertical = _Axis([y for points in shown.values() for _, y in points], log_y, SIZE[1])
    left, top = 58, TITLE
    marks = [text(0, 14, title, bold=True), _frame(horizontal, vertical, left, top, across, up)]
    for place, points in enumerate(shown.values()):
        colour = COLOURS[place % len(COLOURS)]
        at = [(left + horizontal.at(x), top + SIZE[1] - vertical.at(y)) for x, y in points]
        if at and not dots:
            path = "M" + " L".join(f"{x:.1f},{y:.1f}" for x, y in at)
            marks.append(f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.8"/>')
        if dots or len(at) <= 24:
            marks += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.6" fill="{colour}"/>' for x, y in at]
    key = {name: COLOURS[place % len(COLOURS)] for place, name in enumerate(shown)} if len(shown) > 1 else {}
    below = top + SIZE[1] + 42
    return Panel(left + SIZE[0] + 16, below + KEY * ((len(key) + 1) // 2), "".join(marks) + _key(key, left, below))


def bars(title: str, values: Mapping[str, float], label: str, *, log: bool = False) -> Panel:
    """A bar from 0 (on a logarithmic axis from its low end) for each name, its value beside it."""
    left = 14 + 7 * max((len(name) for name in values), default=0)
    finite = [value for value in values.values() if _has_place(value, log)]
    axis = _Axis([*finite, *([] if log else [0.0])], log, SIZE[0])
    zero, marks = 0.0 if log else axis.at(0.0), [text(0, 14, title, bold=True)]
    for place, (name, value) in enumerate(values.items()):
        y = TITLE + 22 * place
        end = axis.at(value) if _has_place(value, log) else zero
        marks += [text(left - 8, y + 13, name, anchor="end"),
                  f'<rect x="{left + min(zero, end):.1f}" y="{y + 2}" width="{abs(end - zero):.1f}" height="15" '
                  f'fill="{COLOURS[0]}"/>',
                  text(left + max(zero, end) + 5, y + 13, short(value))]
    below = TITLE + 22 * len(values)
    marks += [_stroke(left + zero, TITLE, left + zero, below), text(left, below + 18, label)]
    return Panel(left + SIZE[0] + 70, below + 24, "".join(marks))


def cells(title: str, values: Sequence[Sequence[float]], rows: Sequence[str] = (), columns: Sequence[str] = (), *,
          cell: int = 46, numbers: bool = True, digits: int = 2) -> Panel:
    """A matrix as squares, blue above 0 and red below, as deep as the value's size beside the largest.

    numbers: write each value into its square, with ``digits`` decimals.
    """
    largest = max((abs(v) for row in values for v in row if math.isfinite(v)), default=0.0) or 1.0
    left = 10 + 7 * max((len(name) for name in rows), default=0)
    top = TITLE + (18 if columns else 0)
    marks = [text(0, 14, title, bold=True)]
    marks += [text(left + cell * (at + 0.5), top - 6, name, anchor="middle") for at, name in enumerate(columns)]
    for down, row in enumerate(values):
        y = top + cell * down
        if down < len(rows):
            marks.append(text(left - 6, y + cell / 2 + 4, rows[down], anchor="end"))
        for over, value in enumerate(row):
            colour, dark = _shade(value / largest)
            marks.append(f'<rect x="{left + cell * over}" y="{y}" width="{cell - 1}" height="{cell - 1}" '
                         f'fill="{colour}"/>')
            if numbers:
                marks.append(text(left + cell * (over + 0.5), y + cell / 2 + 4, f"{value:.{digits}f}",
                                  anchor="middle", colour="white" if dark else "#222"))
    wide = left + cell * max((len(row) for row in values), default=0)
    return Panel(max(wide, int(7.2 * len(title))), top + cell * len(values), "".join(marks))


def text(x: float, y: float, words: str, *, anchor: str = "start", bold: bool = False, colour: str = "#222") -> str:
    """Words whose baseline starts, ends or has its middle at (x, y)."""
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}"'
            f'{" font-weight=" + chr(34) + "bold" + chr(34) if bold else ""}>{escape(words)}</text>')


def short(value: float) -> str:
    """A number in at most three digits that count."""
    if not math.isfinite(value):
        return str(value)
    return f"{value:,.0f}" if 1000 <= abs(value) < 1e6 else f"{value:.3g}"


class _Axis:
    """Where a value stands along ``length`` pixels, and the values that are written beside the axis."""

    def __init__(self, values: Sequence[float], log: bool, length: int) -> None:
        self.log, self.length = log, length
        placed = [self._scale(value) for value in values] or [0.0]
        self.low, high = min(placed), max(placed)
        margin = (high - self.low) * 0.04 or 0.5
        self.low, self.high = self.low - (0.0 if self.low == 0 and not log else margin), high + margin

    def _scale(self, value: float) -> float:
        return math.log10(value) if self.log else float(value)

    def at(self, value: float) -> float:
        return (self._scale(value) - self.low) / (self.high - self.low) * self.length

    def ticks(self) -> list[float]:
        """About five round values; on a logarithmic axis powers of ten, or 1, 2 and 5 times them if those are few."""
        if self.log:
            powers = range(math.floor(self.low), math.ceil(self.high) + 1)
            step = max(1, len(powers) // 6)
            factors = (1, 2, 5) if self.high - self.low < 2 else (1,)
            found = [factor * 10.0**power for power in powers if power % step == 0 for factor in factors]
            return [tick for tick in found if self.low <= self._scale(tick) <= self.high]
        size = 10 ** math.floor(math.log10(self.high - self.low))
        step = next(s * size for s in (0.2, 0.5, 1, 2) if (self.high - self.low) / (s * size) <= 6)
        return [step * n for n in range(math.ceil(self.low / step), math.floor(self.high / step) + 1)]


def _has_place(value: float, log: bool) -> bool:
    return math.isfinite(value) and (value > 0 or not log)


def _frame(horizontal: _Axis, vertical: _Axis, left: int, top: int, across: str, up: str) -> str:
    width, height = SIZE
    marks = [_stroke(left, top + height, left + width, top + height), _stroke(left, top, left, top + height)]
    for tick in horizontal.ticks():
        x = left + horizontal.at(tick)
        marks += [_stroke(x, top, x, top + height, "#eee"), text(x, top + height + 15, short(tick), anchor="middle")]
    for tick in vertical.ticks():
        y = top + height - vertical.at(tick)
        marks += [_stroke(left, y, left + width, y, "#eee"), text(left - 5, y + 4, short(tick), anchor="end")]
    marks += [text(left + width / 2, top + height + 31, across, anchor="middle"),
              f'<g transform="translate(12,{top + height / 2}) rotate(-90)">{text(0, 0, up, anchor="middle")}</g>']
    return "".join(marks)


def _key(colours: Mapping[str, str], left: int, top: int) -> str:
    """Two names a line, each behind its colour."""
    marks = []
    for place, (name, colour) in enumerate(colours.items()):
        x, y = left + (SIZE[0] // 2) * (place % 2), top + KEY * (place // 2)
        marks += [f'<rect x="{x}" y="{y}" width="11" height="11" fill="{colour}"/>', text(x + 16, y + 10, name)]
    return "".join(marks)


def _stroke(x1: float, y1: float, x2: float, y2: float, colour: str = "#555") -> str:
    return f'<path d="M{x1:.1f},{y1:.1f} L{x2:.1f},{y2:.1f}" stroke="{colour}"/>'


def _shade(share: float) -> tuple[str, bool]:
    """A colour for a value from −1 to 1, and whether it is dark."""
    if not math.isfinite(share):
        return "#999999", True
    red, green, blue = (round(255 + (end - 255) * abs(share)) for end in (POSITIVE if share >= 0 else NEGATIVE))
    return f"rgb({red},{green},{blue})", abs(share) > 0.6
