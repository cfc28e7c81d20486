"""Tests of the window need the extra ``play``; they run without a screen."""

from __future__ import annotations

import os
from importlib.util import find_spec

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
os.environ.setdefault("SDL_AUDIODRIVER", "dummy")

if find_spec("pygame") is None:
    collect_ignore_glob = ["test_*.py"]
else:
    from tests.window.hands import open_window  # noqa: F401
