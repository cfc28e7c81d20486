"""Pictures of measurements. Needs matplotlib, the extra ``report``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from game.errors import GameError

COLOURS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377")
"""P. Tol's bright scheme: told apart by everybody."""


def check_picture(path: str) -> None:
    """Before work begins: GameError unless matplotlib is there, and the folder and the kind of picture are."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise GameError("--plot needs matplotlib, the extra report: "
                        "pip install 'backpropagation-game[report]'") from None
    if not Path(path).resolve().parent.is_dir():
        raise GameError(f"--plot {path}: there is no such folder")
    if Path(path).suffix.lower() not in (".png", ".svg", ".pdf"):
        raise GameError(f"--plot {path}: needs a file ending in .png, .svg or .pdf")


def figure_and_axes(width: float, height: float) -> tuple[Any, Any]:
    """A figure that needs no screen, in inches, and its axes."""
    from matplotlib.figure import Figure

    figure = Figure((width, height), layout="constrained")
    axes = figure.subplots()
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def bars(values: dict[str, float], label: str, path: str) -> None:
    """A bar for each name, in the order given, from the top."""
    figure, axes = figure_and_axes(7, 0.9 + 0.4 * len(values))
    drawn = axes.barh(list(values), list(values.values()), color=COLOURS[0])
    axes.bar_label(drawn, [f"{value:.3f}" for value in values.values()], padding=3)
    axes.invert_yaxis()
    axes.set_xlabel(label)
    axes.set_xlim(0, max(*values.values(), 1e-3) * 1.15)
    figure.savefig(path)


def scaling(lines: dict[str, list[tuple[int, float]]], across: str, up: str, path: str) -> None:
    """A line of (size, rate) for each name, both axes logarithmic."""
    figure, axes = figure_and_axes(7, 4.5)
    for place, (name, points) in enumerate(lines.items()):
        sizes, rates = zip(*sorted(points), strict=True)
        axes.loglog(sizes, rates, marker="o", label=name, color=COLOURS[place % len(COLOURS)],
                    linestyle="-" if place < len(COLOURS) else "--")
    every = sorted({size for points in lines.values() for size, _ in points})
    axes.set_xticks(every, [f"{size:,}" for size in every])
    axes.minorticks_off()
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    figure.savefig(path)
