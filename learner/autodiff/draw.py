"""The computation graph as SVG, with values and gradients; no outside program is needed.

    Path("loss.svg").write_text(draw(lambda: criterion(model(x), y), names=dict(model.named_parameters())))

Every box is a value: its operation, shape, value and the gradient of the result with respect to it, in numbers and as
two strips of cells (blue above 0, red below, each cell the strongest element of its part). Values flow left to right
along the lines; gradients flow back. Parameters have a green edge, other inputs a grey one, and boxes get redder the
larger their gradient is beside the others.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from html import escape
from pathlib import PurePath
from typing import Any

import numpy as np

from learner.autodiff.inspection import Entry, Index, Tape, summary
from learner.autodiff.tensor import Tensor

WIDTH, HEIGHT, GAP_X, GAP_Y, MARGIN = 204, 108, 56, 16, 20
LETTERS = 27
"""So many fit into a box."""
CELLS, CELL = 31, 6
"""Cells in a strip, and their width."""
MASKED = 1e8
"""Values from this size on, like NaN, stay white in a strip: beside a mask's −10⁹ all others would look like 0."""
VIEWS = frozenset({"reshape", "permute", "transpose", "slice", "narrow", "detach", "squeeze", "unsqueeze"})
"""Operations that only look at their operand in another way."""


def draw(function: Callable[..., Tensor], *inputs: Tensor, names: Mapping[str, Any] | None = None) -> str:
    """Run function(*inputs) and return its graph as an SVG document. names: what to call tensors from outside."""
    return draw_tape(Tape.record(function, *inputs, names=names))


def draw_tape(tape: Tape, hide: Collection[str] = ()) -> str:
    """A recorded program as an SVG document. hide: names of operations on one value that get no box (see VIEWS)."""
    entries = _shown(tape, hide)
    columns = _columns(entries)
    at = _positions(entries, columns)
    right = max(x for x, _ in at.values()) + WIDTH + MARGIN
    bottom = max(y for _, y in at.values()) + HEIGHT + MARGIN
    strongest = max((float(np.abs(g).max()) for g in tape.gradients.values() if g.size), default=0.0)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {right} {bottom}" width="{right}" height="{bottom}" '
        f'font-family="monospace" font-size="11">',
        f'<rect width="{right}" height="{bottom}" fill="white"/>',
    ]
    for entry in entries:
        parts += [_line(at[o], at[entry.index]) for o in entry.operands if isinstance(o, Index)]
    parts += [_box(entry, at[entry.index], tape.gradients.get(entry.index), strongest) for entry in entries]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _shown(tape: Tape, hide: Collection[str]) -> list[Entry]:
    """The entries that get a box, their operands those that do."""
    instead: dict[int, Index] = {}
    shown = []
    for entry in tape.entries:
        operands = tuple(instead.get(o, o) if isinstance(o, Index) else o for o in entry.operands)
        sources = [o for o in operands if isinstance(o, Index)]
        if entry.op is not None and entry.op.name in hide and len(sources) == 1 and entry.index != tape.at:
            instead[entry.index] = sources[0]
        else:
            shown.append(replace(entry, operands=operands))
    return shown


def _columns(entries: list[Entry]) -> dict[int, int]:
    """How far right each box stands: one step right of its rightmost operand; inputs just left of their first use."""
    columns = {entry.index: 0 for entry in entries}
    used: dict[int, list[int]] = {entry.index: [] for entry in entries}
    for entry in entries:
        sources = [o for o in entry.operands if isinstance(o, Index)]
        if entry.op is not None:
            columns[entry.index] = 1 + max((columns[o] for o in sources), default=0)
        for o in sources:
            used[o].append(entry.index)
    for entry in reversed(entries):
        if entry.op is None:
            columns[entry.index] = min((columns[user] for user in used[entry.index]), default=1) - 1
    return columns


def _positions(entries: list[Entry], columns: dict[int, int]) -> dict[int, tuple[int, int]]:
    """Top left corners: within a column, boxes in the order of the mean height of what they are computed from."""
    at: dict[int, tuple[int, int]] = {}
    for column in sorted(set(columns.values())):
        members = [e for e in entries if columns[e.index] == column]

        def height(entry: Entry) -> float:
            above = [at[o][1] for o in entry.operands if isinstance(o, Index)]
            return sum(above) / len(above) if above else float("inf")

        for row, entry in enumerate(sorted(members, key=height)):
            at[entry.index] = (MARGIN + column * (WIDTH + GAP_X), MARGIN + row * (HEIGHT + GAP_Y))
    return at


def _line(start: tuple[int, int], end: tuple[int, int]) -> str:
    x1, y1, x2, y2 = start[0] + WIDTH, start[1] + HEIGHT // 2, end[0], end[1] + HEIGHT // 2
    bend = max((x2 - x1) // 2, 20)
    curve = f"M{x1},{y1} C{x1 + bend},{y1} {x2 - bend},{y2} {x2},{y2}"
    return f'<path d="{curve}" fill="none" stroke="#888" stroke-width="1.2"/>'


def _box(entry: Entry, at: tuple[int, int], gradient: Any, strongest: float) -> str:
    x, y = at
    share = 0.0 if gradient is None or not gradient.size or not strongest else float(np.abs(gradient).max()) / strongest
    share = min(max(share, 0.0), 1.0) if np.isfinite(share) else 1.0
    fill = f"rgb(255,{255 - int(90 * share)},{255 - int(110 * share)})"
    edge = "#2a7" if entry.op is None and entry.tensor.requires_grad else "#999" if entry.op is None else "#335"
    label = entry.label if len(entry.label) <= LETTERS else "…" + entry.label[1 - LETTERS :]
    lines = [
        label,
        "x".join(map(str, entry.tensor.shape)) or "number",
        f"value {summary(entry.tensor.array)}",
        "no gradient" if gradient is None else f"grad {summary(gradient)}",
    ]
    text = "".join(
        f'<text x="{x + 8}" y="{y + 16 + 16 * i}"{bold}>{escape(line)}</text>'
        for i, (line, bold) in enumerate(zip(lines, (' font-weight="bold"', "", "", ""), strict=True))
    )
    strips = _strip(x + 8, y + 74, entry.tensor.array) + ("" if gradient is None else _strip(x + 8, y + 89, gradient))
    place = "/".join(PurePath(entry.place).parts[-3:])  # a picture travels; where it was made is nobody's business
    title = f"<title>{escape(f'{entry.label}, {place}')}</title>"
    return (
        f'<g>{title}<rect x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="7" fill="{fill}" stroke="{edge}" '
        f'stroke-width="1.5"/>{text}{strips}</g>'
    )


def _strip(x: int, y: int, array: Any) -> str:
    """An array's elements, or the strongest of each of CELLS parts of them, as coloured cells in a row."""
    flat = np.asarray(array, np.float64).ravel()
    if flat.size < 2:
        return ""
    flat = np.where(np.abs(flat) < MASKED, flat, 0.0)
    parts = np.array_split(flat, min(CELLS, flat.size))
    values = [float(part[np.abs(part).argmax()]) for part in parts]
    largest = max(map(abs, values)) or 1.0
    cells = []
    for place, value in enumerate(values):
        share = abs(value) / largest
        end = (51, 102, 170) if value > 0 else (187, 68, 51)
        colour = ",".join(str(round(255 + (c - 255) * share)) for c in end)
        cells.append(f'<rect x="{x + CELL * place}" y="{y}" width="{CELL}" height="11" fill="rgb({colour})"/>')
    return f'{"".join(cells)}<rect x="{x}" y="{y}" width="{CELL * len(values)}" height="11" fill="none" stroke="#aaa"/>'
