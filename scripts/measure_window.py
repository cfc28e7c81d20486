"""The window's speed in a real X window: start, latency, frames a second, rest, memory.

    python scripts/measure_window.py                    # about two minutes
    python scripts/measure_window.py --minutes 30       # and memory over so much auto-play

Needs Xvfb and xdotool; opens a virtual screen of its own. Prints one JSON document. What it says
holds for this machine as busy as it is: the load is part of it.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))

SIZE = (1280, 720)
EVENTS, FRAMES = 120, 1000
TICK = os.sysconf("SC_CLK_TCK")


def starting(folder: Path) -> tuple[float, float, float]:
    """Seconds to the menu's first picture, seconds of processor time in them, and the part of a core used at rest."""
    folder.mkdir()
    dump = folder / "ui.json"
    began = time.monotonic()
    process = subprocess.Popen([sys.executable, "-m", "learner.cli.main", "play", "--data-dir", str(folder / "home"),
                                "--size", "1280x720", "--no-audio", "--ui-dump", str(dump)], cwd=ROOT)
    try:
        while not dump.exists():
            time.sleep(0.005)
        seconds, used = time.monotonic() - began, _cpu(process.pid)
        time.sleep(8)
        family = [process.pid, *_children(process.pid)]
        before = sum(map(_cpu, family))
        time.sleep(10)
        return seconds, used, (sum(map(_cpu, family)) - before) / 10
    finally:
        process.terminate()
        process.wait(120)


def moving(folder: Path) -> dict[str, Any]:
    """Latency from the X event to the picture on the screen, and frames while the match moves, in this process."""
    from game.window.app import App, Options
    from game.window.worker import ProcessService
    from learner.cli.window import work
    from tests.window.autoplay import AutoPlay

    service = ProcessService(work, str(folder), 5)
    app = App(Options(folder, seed=5, size=SIZE, audio=False, speed="normal"), service)
    auto, step = AutoPlay(app), app.step
    frames: list[float] = []
    drawn: list[float] = []
    used: list[float] = []

    def watched(seconds: float) -> None:
        auto.act()
        was, number = app.scene.moving, app.frames
        began, before = time.perf_counter(), time.process_time()
        step(seconds)
        if was and app.frames > number:
            frames.append(seconds)
            drawn.append(time.perf_counter() - began)
            used.append(time.process_time() - before)
        app.running = len(frames) < FRAMES

    app.step = watched  # type: ignore[method-assign]
    quit_display, close = _keep_open()
    app.run()
    latencies = _latencies(app, step)
    service.close()
    quit_display()
    close()
    return {"frames": len(frames), "fps_mean": len(frames) / sum(frames), **_spread("frame_ms", frames),
            **_spread("work_ms", drawn), **_spread("work_cpu_ms", used), **_spread("latency_ms", latencies),
            "events": len(latencies)}


def _spread(name: str, seconds: list[float]) -> dict[str, float]:
    """Median and 95th percentile in milliseconds."""
    return {f"{name}_median": 1000 * statistics.median(seconds),
            f"{name}_p95": 1000 * sorted(seconds)[int(0.95 * len(seconds))]}


def _keep_open() -> tuple[Any, Any]:
    """Let the window stay open when the loop ends: the latency is measured with it."""
    import pygame

    quit_display = pygame.display.quit
    pygame.display.quit = lambda: None

    def close() -> None:
        pygame.display.quit = quit_display

    return quit_display, close


def _latencies(app: Any, step: Any) -> list[float]:
    """Seconds from xdotool's order to the picture that follows from it; the pointer goes from thing to thing."""
    found: list[float] = []
    app.step, app.running = step, True
    places = [w.rect.center for w in app.widgets if w.focusable and w.enabled][:8]
    tool = subprocess.Popen(["xdotool", "-"], stdin=subprocess.PIPE, text=True)
    sent: list[Any] = [0.0, (0, 0)]

    def pictures(seconds: float) -> None:
        before = app.frames
        step(seconds)
        if app.frames > before and sent[0] and app.pointer == sent[1]:
            found.append(time.perf_counter() - sent[0])
            sent[0] = 0.0

    def person() -> None:
        assert tool.stdin is not None
        for number in range(EVENTS):
            time.sleep(0.15)
            x, y = places[number % len(places)]
            sent[:] = [time.perf_counter(), (x, y)]
            tool.stdin.write(f"mousemove {x} {y}\n")
            tool.stdin.flush()
        time.sleep(0.3)
        app.running = False

    app.step = pictures
    threading.Thread(target=person, daemon=True).start()
    app.run()
    tool.kill()
    return found


def memory(folder: Path, minutes: float) -> dict[str, Any]:
    """Resident memory of window and lab (MB) after the third match and at the end; matches without practice follow."""
    process = subprocess.Popen([sys.executable, "-m", "tests.window.autoplay", str(folder), "5", "0"], cwd=ROOT,
                               stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    matches, first, end = 0, None, time.monotonic() + 60 * minutes
    try:
        for line in process.stdout:
            matches += line.startswith("over")
            if matches == 3 and first is None:
                first = _resident(process.pid)
            if time.monotonic() > end:
                break
        last = _resident(process.pid)
    finally:
        process.kill()
        process.wait()
    return {"minutes": minutes, "matches": matches, "window_mb": [first and first[0], last[0]],
            "lab_mb": [first and first[1], last[1]]}


def _children(pid: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def _resident(pid: int) -> tuple[float, float]:
    """MB of a process and of its children."""
    def one(number: int) -> float:
        return int(Path(f"/proc/{number}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    return one(pid), sum(map(one, _children(pid)))


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=0.0, help="of auto-play, for the memory (default: none)")
    args = parser.parse_args()
    if not (shutil.which("Xvfb") and shutil.which("xdotool")):
        print("measure_window: needs Xvfb and xdotool (apt-get install xvfb xdotool)", file=sys.stderr)
        return 2
    os.environ.update(SDL_AUDIODRIVER="dummy", PYTHONPATH=str(ROOT))
    os.environ.pop("SDL_VIDEODRIVER", None)
    from tests.window.screen import virtual_screen

    with virtual_screen() as display, tempfile.TemporaryDirectory() as name:
        os.environ["DISPLAY"] = display
        folder = Path(name)
        found: dict[str, Any] = {"load": os.getloadavg()[0]}
        starting(folder / "first")  # whatever is compiled once on a machine is compiled now
        found["menu_seconds"], found["menu_cpu_seconds"], found["idle_core"] = starting(folder / "second")
        found |= moving(folder / "third")
        if args.minutes:
            found["memory"] = memory(folder / "fourth", args.minutes)
    print(json.dumps(found, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
