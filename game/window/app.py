"""The application: the window, the loop, the stack of scenes, focus, and what mouse and keys mean everywhere."""

from __future__ import annotations

import os
import sys
import time
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
os.environ.setdefault("SDL_VIDEO_X11_WMCLASS", "backprop")
os.environ.setdefault("SDL_WINDOWS_DPI_AWARENESS", "permonitorv2")
if sys.platform.startswith("linux") and not os.environ.get("WAYLAND_DISPLAY"):
    os.environ.setdefault("SDL_FRAMEBUFFER_ACCELERATION", "0")  # without a GPU a flip takes 0.4 ms instead of 7

import pygame

from game.cards import first_set
from game.window import layout
from game.window import theme as th
from game.window.art import Pictures
from game.window.backdrop import backdrop
from game.window.dump import describe, write_dump
from game.window.inputs import Inputs
from game.window.practice import Practice
from game.window.scenes.base import Scene
from game.window.settings import Settings
from game.window.sound import Sound
from game.window.text import Text
from game.window.widgets.base import Ui, Widget, focus_ring, part_frame, shade
from game.window.worker import Service

FRAMES = 60
IDLE_WAIT = 120
"""Milliseconds between looks at the service while nothing moves."""


@dataclass
class Options:
    """What the command asked for."""

    folder: Path
    seed: int = 0
    language: str | None = None
    size: tuple[int, int] | None = None
    speed: str | None = None
    scale: int | None = None
    audio: bool = True
    scene: str = ""
    screenshot: str | None = None
    ui_dump: str | None = None
    deck: str = "1986"
    other_deck: str = "vision"
    opponent: str = "greedy"
    load: str | None = None
    discard: bool = False


class App(Inputs):
    """Everything that lasts as long as the window."""

    def __init__(self, options: Options, service: Service) -> None:
        from game.window.scenes.start import first_scenes

        super().__init__()
        self.options, self.service = options, service
        self.practice = Practice(service)
        self.cards = first_set()
        self.settings_file = options.folder / "settings.json"
        self.settings = Settings.load(self.settings_file)
        for name in ("language", "speed", "scale"):
            if getattr(options, name) is not None:
                setattr(self.settings, name, getattr(options, name))
        pygame.display.init()
        pygame.key.set_repeat(350, 60)
        self._open_window()
        self.ui = Ui(pygame.display.get_surface() or pygame.Surface((1, 1)), Text(), self.settings,
                     pictures=Pictures(), desktop=self._desktop()[1])
        self.sound = Sound(options.audio, self.settings)
        self.code = 0
        self.frames = 0
        for scene in first_scenes(self):
            self.push(scene)

    # ---- scenes ----

    def push(self, scene: Scene) -> None:
        """Put a scene on top."""
        if self.scenes:
            self.scene.focus = self.focus
        self.scenes.append(scene)
        self._changed_scene()

    def pop(self) -> None:
        """Leave the top scene; the last one is never left so."""
        if len(self.scenes) > 1:
            self.scenes.pop()
            self._changed_scene(self.scene.focus)

    def replace(self, *scenes: Scene) -> None:
        """Leave all scenes for these."""
        self.scenes = list(scenes)
        self._changed_scene()

    def _changed_scene(self, focus: str = "") -> None:
        self.focus = focus
        self.pressed = self.dragging = None
        self._dirty = True
        self.scene.enter()

    def show_keys(self) -> None:
        """List all keys."""
        from game.window.scenes.pages import KeysScene

        if not isinstance(self.scene, KeysScene):
            self.push(KeysScene(self))

    def save_settings(self) -> None:
        """Keep what was set."""
        self.settings.save(self.settings_file)
        self.ui.kept.clear()
        self._dirty = True

    # ---- the loop ----

    def run(self) -> int:
        """Until the window is closed."""
        clock = pygame.time.Clock()
        last = time.perf_counter()
        while self.running:
            try:
                moving = self.scene.moving or self.dragging is not None
                events = pygame.event.get()
                if not events and not moving and not self._dirty:
                    event = pygame.event.wait(IDLE_WAIT)
                    events = [event, *pygame.event.get()] if event.type != pygame.NOEVENT else []
                for event in events:
                    self.handle(event)
                now = time.perf_counter()
                self.step(now - last)
                last = now
                if moving:
                    clock.tick(FRAMES)
            except Exception as error:
                self.crash(error)
        self.sound.close()
        pygame.display.quit()
        return self.code

    def step(self, seconds: float) -> None:
        """Take in answers, let time go by, draw if anything changed."""
        answers = self.service.answers()
        if answers:
            self._dirty = True
            answers = self.practice.take(answers)
            for scene in reversed(list(self.scenes)):
                answers = scene.answers(answers)
        moving = self.scene.moving
        for scene in list(self.scenes):
            scene.tick(seconds)
        self.ui.now += min(seconds, 0.1)
        if self._dirty or moving or self.scene.moving or self.dragging:
            self.draw()
            pygame.display.flip()
            self.frames += 1
            if not self.scene.moving:
                self._settled()

    def draw(self) -> None:
        """The whole picture, and with it the widgets that the next event meets."""
        self._dirty = False
        surface = pygame.display.get_surface()
        assert surface is not None
        ui = self.ui
        ui.surface = surface
        surface.blit(backdrop(ui), (0, 0))
        first = max((i for i, scene in enumerate(self.scenes) if not scene.over), default=0)
        for place, scene in enumerate(self.scenes[first:], start=first):
            top = place == len(self.scenes) - 1
            if place > first:
                shade(ui, surface.get_rect(), 170, th.INK, 0)
            ui.hover = ui.focus = ""
            ui.stand(scene.extent)
            widgets = scene.build(ui)
            if top:
                part = self.pointed_part()
                self._take(widgets)
                hover = self.at(self.pointer)
                ui.hover = hover.id if hover is not None and not self.by_keys else ""
                ui.focus = self.focus if self.by_keys else ""
                ui.part = part
                widgets = self.widgets = scene.build(ui)
            for widget in widgets:
                widget.draw(ui)
            if top:
                self._mark(widgets)
            scene.draw_over(ui, widgets)

    def _take(self, widgets: list[Widget]) -> None:
        self.widgets = widgets
        if not any(widget.id == self.focus for widget in widgets if widget.focusable):
            self.focus = next((w.id for w in widgets if w.focusable and w.enabled), "")

    def _mark(self, widgets: list[Widget]) -> None:
        """Frames around what the keyboard acts on, and around the number or line that is pointed at."""
        for widget in widgets:
            if widget.id == self.focus and self.by_keys:
                focus_ring(self.ui, widget.rect)
            if self.ui.part and widget.id == (self.ui.focus or self.ui.hover):
                for rect in (rect for name, rect in widget.parts if name == self.ui.part):
                    part_frame(self.ui, rect)
        self._dirty |= self.ui.part != self.pointed_part()  # the picture has moved under the pointer

    def _settled(self) -> None:
        if self.options.ui_dump:
            write_dump(self.options.ui_dump, describe(self))
        if self.options.screenshot and self.ready_for_picture():
            pygame.image.save(self.ui.surface, self.options.screenshot)
            self.quit()

    def ready_for_picture(self) -> bool:
        """Whether the scene that was asked for is shown in full."""
        return not self.options.scene or self.scene.name == self.options.scene

    # ---- trouble ----

    def crash(self, error: Exception) -> None:
        """Write what went wrong into a file and show where it is; a second time in a row ends the window."""
        from game.window.scenes.crash import CrashScene

        if self.options.screenshot or (self.scenes and self.scene.name == "crash"):
            raise error
        log = self.options.folder / "crash.log"
        try:
            log.parent.mkdir(parents=True, exist_ok=True)
            log.write_text("".join(traceback.format_exception(error)), encoding="utf-8")
        except OSError:
            traceback.print_exception(error)
        self.replace(CrashScene(self, str(error) or type(error).__name__, str(log)))

    # ---- details ----

    def _open_window(self) -> None:
        size = self.options.size or self._fitting()
        pygame.display.set_caption("Backpropagation")
        pygame.display.set_mode(size, pygame.RESIZABLE)

    def _fitting(self) -> tuple[int, int]:
        """The largest usual size for which the screen has room, or the smallest there is."""
        wide, high = self._desktop()
        sizes = ((3200, 1800), (2880, 1620), (2560, 1440), (1920, 1080), (1600, 900), (1280, 720), (960, 540))
        return next((size for size in sizes if size[0] <= wide * 0.95 and size[1] <= high * 0.92), layout.SMALLEST)

    def _desktop(self) -> tuple[int, int]:
        sizes: list[Any] = pygame.display.get_desktop_sizes()
        return sizes[0] if sizes else (layout.WIDE, layout.HIGH)
