"""A journal brings a saved match to where it stood, however much of it the save holds, and whatever was taken back."""

from __future__ import annotations

import random

import pytest

from game.bots import make_bot
from game.bots.single import decide
from game.journal import CONCEDE, PLAY, UNDO, Journal
from game.match import Match
from game.undo import can_undo, undo
from game.updates import ScriptedUpdates


@pytest.mark.parametrize("seed", range(3))
def test_from_every_save_the_journal_leads_to_the_end(tmp_path, seed) -> None:
    rng, bot, journal = random.Random(seed), make_bot("greedy"), Journal(tmp_path / "match.journal")
    match = Match(("1986", "vision"), seed, updates=ScriptedUpdates())
    saves, undone = [match.clone()], 0
    for _ in range(80):
        if match.outcome is not None:
            break
        before = match.digest()
        if can_undo(match, match.player) and rng.random() < 0.3:
            journal.note(before, UNDO, match.player)
            undo(match, match.player)
            undone += 1
        else:
            action = decide(bot, match)
            journal.note(before, PLAY, action)
            match.play(action)
        saves.append(match.clone())
    if match.outcome is None:
        journal.note(match.digest(), CONCEDE, 0)
        match.concede(0)
    assert undone
    with (tmp_path / "match.journal").open("a") as file:
        file.write('["half a li')
    for save in saves:
        save.updates = (ScriptedUpdates(), ScriptedUpdates())
        journal.catch_up(save)
        assert save.digest() == match.digest()


def test_a_strange_journal_does_nothing(tmp_path) -> None:
    match = Match(("1986", "vision"), 1)
    before = match.digest()
    for text in ("", "{", '["0000", "play", 3]', f'["{before}", "sing", 3]', "\x00", '[1]\n[2]'):
        (tmp_path / "j").write_text(text)
        assert Journal(tmp_path / "j").catch_up(match) == 0
    assert Journal(tmp_path / "none").catch_up(match) == 0
    assert match.digest() == before
