"""The computation graph as SVG, with values and gradients; no outside program is needed.

    Path("loss.svg").write_text(draw(lambda: criterion(model(x), y), names=dict(model.named_parameters())))

Every box is a value: its operation, shape, value and the gradient of the result with respect to it. Values flow left to
right along the lines; gradients flow back. Parameters are green, other inputs grey, and boxes get redder the larger
their gradient is beside the others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape
from typing import Any

import numpy as np

from learner.autodiff.inspection import Entry, Index, Tape, summary
from learner.autodiff.tensor import Tensor

WIDTH, HEIGHT, GAP_X, GAP_Y, MARGIN = 170, 74, 60, 18, 20


def draw(function: Callable[..., Tensor], *inputs: Tensor, names: Mapping[str, Any] | None = None) -> str:
    """Run function(*inputs) and return its graph as an SVG document. names: what to call tensors from outside."""
    return draw_tape(Tape.record(function, *inputs, names=names))


def draw_tape(tape: Tape) -> str:
    """A recorded program as an SVG document."""
    columns = _columns(tape.entries)
    at = _positions(tape.entries, columns)
    right = max(x for x, _ in at) + WIDTH + MARGIN
    bottom = max(y for _, y in at) + HEIGHT + MARGIN
    strongest = max((float(np.abs(g).max()) for g in tape.gradients.values() if g.size), default=0.0)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {right} {bottom}" width="{right}" height="{bottom}" '
        f'font-family="monospace" font-size="11">',
        f'<rect width="{right}" height="{bottom}" fill="white"/>',
    ]
    for entry in tape.entries:
        parts += [_line(at[o], at[entry.index]) for o in entry.operands if isinstance(o, Index)]
    parts += [_box(entry, at[entry.index], tape.gradients.get(entry.index), strongest) for entry in tape.entries]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _columns(entries: list[Entry]) -> list[int]:
    """How far right each box stands: one step right of its rightmost operand; inputs just left of their first use."""
    columns = [0] * len(entries)
    for entry in entries:
        if entry.op is not None:
            columns[entry.index] = 1 + max((columns[o] for o in entry.operands if isinstance(o, Index)), default=0)
    for entry in reversed(entries):
        if entry.op is None:
            used = [columns[e.index] for e in entries if entry.index in [o for o in e.operands if isinstance(o, Index)]]
            columns[entry.index] = min(used, default=1) - 1
    return columns


def _positions(entries: list[Entry], columns: list[int]) -> list[tuple[int, int]]:
    """Top left corners: within a column, boxes in the order of the mean height of what they are computed from."""
    at = [(0, 0)] * len(entries)
    for column in sorted(set(columns)):
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
    lines = [
        f"{entry.label} {'x'.join(map(str, entry.tensor.shape)) or 'number'}",
        f"value {summary(entry.tensor.array)}",
        "no gradient" if gradient is None else f"grad {summary(gradient)}",
    ]
    text = "".join(
        f'<text x="{x + 8}" y="{y + 20 + 19 * i}"{bold}>{escape(line)}</text>'
        for i, (line, bold) in enumerate(zip(lines, (' font-weight="bold"', "", ""), strict=True))
    )
    title = f"<title>{escape(entry.place)}</title>"
    return (
        f'<g>{title}<rect x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="7" fill="{fill}" stroke="{edge}" '
        f'stroke-width="1.5"/>{text}</g>'
    )
