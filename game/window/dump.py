"""What is on the screen, in JSON, for tests and tools."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from game.files import write_atomic

if TYPE_CHECKING:
    from game.window.app import App


def describe(app: App) -> dict[str, Any]:
    """The scene, what it knows about the match, and every widget."""
    return {"frame": app.frames, "scene": app.scene.name, "size": list(app.ui.size), "language": app.ui.language,
            "scale": round(100 * app.ui.scale), "focus": app.focus, "animating": app.scene.moving, "turn": None,
            "digest": None, **app.scene.facts(), "widgets": [widget.describe(app.focus) for widget in app.widgets]}


def write_dump(path: str, content: dict[str, Any]) -> None:
    """Replace the file by the newest description, whole."""
    write_atomic(Path(path), json.dumps(content, ensure_ascii=False, indent=1))
