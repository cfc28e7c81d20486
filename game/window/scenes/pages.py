"""Pages to read: the rules in brief, the timeline, the keys, the credits with licences."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pygame

from game.assets import assets
from game.engine.records import KEYWORDS
from game.milestones import timeline
from game.settings import Settings
from game.window import theme as th
from game.window.scenes.base import Scene
from game.window.widgets.base import Button, Panel, Ui, Widget
from game.window.widgets.icons import icon

if TYPE_CHECKING:
    from game.window.app import App

Block = tuple[str, str]
"""Kind (title, head, text, term, note, pair, sign) and words; a pair's and a sign's two parts are apart by a tab."""
STYLES: dict[str, tuple[float, th.Colour, str, float]] = {
    "title": (30, th.GOLD, "title", 0), "head": (22, th.TEXT, "title", 18), "text": (17, th.TEXT, "body", 8),
    "term": (17, th.ACCENT, "body", 6), "note": (14, th.MUTED, "body", 4), "pair": (17, th.TEXT, "body", 9),
    "sign": (17, th.TEXT, "body", 9)}
"""Letters' size, colour and font, and the grid units above."""
SIGNS = (("attack", th.ORANGE), ("health", th.PINK), ("hand", th.MUTED), ("deck", th.MUTED), ("person", th.GOLD),
         ("chevron", th.GREEN), ("target", th.ORANGE), ("skull", th.TEXT))
"""Signs that the rules explain, with the colours in which the match shows them."""


class Page(Widget):
    """Blocks of text below each other, from ``offset`` grid units on."""

    def __init__(self, name: str, rect: pygame.Rect, blocks: list[Block], offset: float) -> None:
        super().__init__(name, rect, "\n".join(words for _, words in blocks))
        self.blocks, self.offset = blocks, offset
        self.most = 0.0
        """How far the page can be turned."""

    def draw(self, ui: Ui) -> None:
        """What is inside the box."""
        clip = ui.surface.get_clip()
        ui.surface.set_clip(self.rect)
        y = self.rect.top - ui.px(1) * round(self.offset)
        begin = y
        for kind, words in self.blocks:
            size, colour, font, gap = STYLES[kind]
            y += ui.px(gap if y > begin else 0)
            first, _, words = words.rpartition("\t")
            left = ui.letters(17) * 2 if kind == "sign" else self.rect.width * 26 // 100 if kind == "pair" else 0
            wide = self.rect.width - left
            need = ui.text.height(words, font, ui.letters(size), wide)
            if kind == "pair":
                need = max(need, ui.text.height(first, "bold", ui.letters(size), left - ui.px(12)))
            if y + need > self.rect.top and y < self.rect.bottom:
                self.write(ui, words, pygame.Rect(self.rect.left + left, y, wide, need + 2), size, colour, font)
                if kind == "pair":
                    beside = pygame.Rect(self.rect.left, y, left - ui.px(12), need + 2)
                    self.write(ui, first, beside, size, th.ACCENT, "bold")
                elif kind == "sign":
                    side = ui.letters(20)
                    icon(ui.surface, first, pygame.Rect(self.rect.left, y, side, side), dict(SIGNS)[first])
            y += need
        ui.surface.set_clip(clip)
        self.most = max(0.0, (y - begin - self.rect.height) / ui.px(1) + 8)


class PageScene(Scene):
    """A page with a title and a way back; arrows, Page Up and Down, and the wheel turn it."""

    extent = (180, 20, 920, 682)

    def __init__(self, app: App) -> None:
        super().__init__(app)
        self.offset = 0.0
        self.page: Page | None = None

    def blocks(self, ui: Ui) -> list[Block]:
        """What there is to read."""
        return []

    def build(self, ui: Ui) -> list[Widget]:
        """Panel, page, button."""
        self.page = Page("page", ui.place(220, 40, 840, 580), self.blocks(ui), self.offset)
        return [Panel("panel", ui.place(180, 20, 920, 616)), self.page,
                Button("back", ui.place(490, 652, 300, 50), ui.say("win.back"), self.back, kind="primary")]

    def draw_over(self, ui: Ui, widgets: list[Widget]) -> None:
        """How far the page is turned."""
        page = self.page
        if page is not None and page.most > 0:
            track = ui.place(1078, 40, 8, 580)
            pygame.draw.rect(ui.surface, th.INK, track, border_radius=ui.px(4))
            part = track.height * track.height // max(1, track.height + ui.px(1) * round(page.most))
            top = track.top + round((track.height - part) * min(1.0, self.offset / page.most))
            pygame.draw.rect(ui.surface, th.MUTED, pygame.Rect(track.left, top, track.width, part),
                             border_radius=ui.px(4))

    def wheel(self, steps: int) -> None:
        """Turn the page."""
        most = self.page.most if self.page is not None else 0.0
        self.offset = max(0.0, min(most, self.offset - 60 * steps))

    def key(self, key: int, shift: bool) -> bool:
        """Up, Down, Page Up, Page Down."""
        steps = {pygame.K_UP: 1, pygame.K_DOWN: -1, pygame.K_PAGEUP: 7, pygame.K_PAGEDOWN: -7, pygame.K_HOME: 999,
                 pygame.K_END: -999}
        if key in steps:
            self.wheel(steps[key])
            return True
        return False


class RulesScene(PageScene):
    """The rules in brief; docs/rules.md has them to the last random call."""

    name = "rules"

    def blocks(self, ui: Ui) -> list[Block]:
        """Aim, turn, attack, the card, keywords."""
        found: list[Block] = [("title", ui.say("win.rules"))]
        for part in ("aim", "turn", "attack", "card"):
            words = ui.say(f"rules.{part}", funding=Settings().funding)
            found += [("head", ui.say(f"rules.{part}_head")), ("text", words)]
        found.append(("head", ui.say("rules.keywords_head")))
        found += [("pair", f"{ui.say(f'keyword.{word}')}\t{ui.say(f'glossary.{word}')}") for word in KEYWORDS]
        found.append(("head", ui.say("rules.signs_head")))
        return [*found, *(("sign", f"{sign}\t{ui.say(f'rules.sign_{sign}')}") for sign, _ in SIGNS)]


class TimelineScene(PageScene):
    """Where backpropagation comes from and what became of it."""

    name = "timeline"

    def blocks(self, ui: Ui) -> list[Block]:
        """A heading, who and a text for each milestone."""
        found: list[Block] = [("title", ui.say("win.timeline"))]
        for one in timeline():
            found += [("head", f"{one.year} · {one.titles[ui.language]}"), ("term", one.who),
                      ("text", one.texts[ui.language]), ("note", one.source)]
        return found


class KeysScene(PageScene):
    """All keys."""

    name = "keys"
    over = True

    def blocks(self, ui: Ui) -> list[Block]:
        """A line for each."""
        names = ("tab", "arrows", "digits", "enter", "esc", "e", "u", "h", "m", "l", "i", "space", "page", "f1", "f11")
        return [("title", ui.say("keys.title")),
                *(("pair", ui.say(f"keys.{name}").replace(": ", "\t", 1)) for name in names)]


class CreditsScene(PageScene):
    """Who made what, under which licence."""

    name = "credits"

    def blocks(self, ui: Ui) -> list[Block]:
        """From assets/CREDITS.md, and the fonts' own licences."""
        found: list[Block] = [("title", ui.say("win.credits")), ("text", ui.say("win.credits_text"))]
        text = (assets() / "CREDITS.md").read_text(encoding="utf-8")
        for row in (line for line in text.splitlines() if line.startswith("| ")):
            cells = [cell.strip().strip("`") for cell in row.strip("| ").split(" | ")]
            if cells[0] not in ("what", "---"):
                found += [("term", cells[0]), ("text", " · ".join(cells[1:]).replace("`", ""))]
        for path in sorted((assets() / "fonts").glob("*/LICENSE")):
            found.append(("head", path.parent.name.replace("-", " ").title().replace("Dejavu", "DejaVu")))
            found += [("text", part) for part in _paragraphs(path.read_text(encoding="utf-8", errors="replace"))]
        return found


def _paragraphs(text: str) -> list[str]:
    """A licence's paragraphs, each in one line after its heading in capitals; ruled lines are left out."""
    found = []
    for part in text.split("\n\n"):
        lines = [line.strip() for line in part.splitlines() if line.strip(" -=_")]
        heads = [lines.pop(0)] if len(lines) > 1 and lines[0].isupper() else []
        found += ["\n".join([*heads, " ".join(lines)])] if lines else []
    return found
