"""Who may import whom: the window knows the game alone, and nothing else knows pygame."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def test_the_window_imports_the_game_alone() -> None:
    for path in (ROOT / "game").rglob("*.py"):
        assert not any(name.partition(".")[0] == "learner" for name in _imports(path)), path


def test_only_the_window_imports_pygame() -> None:
    for path in [*(ROOT / "game").rglob("*.py"), *(ROOT / "learner").rglob("*.py")]:
        if "window" not in path.relative_to(ROOT).parts:
            assert not any(name.partition(".")[0] == "pygame" for name in _imports(path)), path


def test_only_the_command_joins_learner_and_window() -> None:
    for path in (ROOT / "learner").rglob("*.py"):
        if "cli" not in path.relative_to(ROOT).parts:
            assert not any(name.startswith("game.window") for name in _imports(path)), path
