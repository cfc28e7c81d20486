"""What is written down: events for those who watch, and triggers that wait for their turn."""

from __future__ import annotations

from game.engine.compiled import rule
from game.engine.records import LOOP_LIMIT, TASKS, Log, Work


@rule
def event(log: Log, kind: int, player: int, slot: int, card: int, a: int, b: int, entry: int) -> None:
    """Write one event if there is a log; past its end only the count goes on, so that readers can tell."""
    if log.shape[0] == 0:
        return
    used = log[0, 0] + 1
    log[0, 0] = used
    if used < log.shape[0]:
        row = log[used]
        row[0], row[1], row[2], row[3], row[4], row[5], row[6] = kind, player, slot, card, a, b, entry


@rule
def queue(work: Work, trigger: int, player: int, slot: int, entry: int, card: int, family: int, residual: int,
          attack: int, health: int) -> None:
    """Let a trigger wait for its turn, behind those that wait already."""
    if work.last >= TASKS:  # 12 deaths and 12 entries are the most that boards can hold: only a loop gets here
        work.waves = LOOP_LIMIT
        return
    task = work.tasks[work.last]
    work.last += 1
    task.trigger, task.player, task.slot, task.entry = trigger, player, slot, entry
    task.card, task.family, task.residual, task.attack, task.health = card, family, residual, attack, health
