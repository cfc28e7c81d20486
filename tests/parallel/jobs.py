"""What processes of test groups do; they import it by name."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np

from learner.parallel.group import Group


def rank_and_pid(group, offset):
    return group.rank + offset, os.getpid()


def sums(group: Group, length: int, seed: int):
    own = np.random.default_rng([seed, group.rank]).standard_normal(length)
    found = {}
    for name in ("all_reduce", "ring_all_reduce", "star_all_reduce"):
        before = group.sent
        found[name] = getattr(group, name)(own), group.sent - before
    return own, found


def fails(group, folder):
    """Rank 1 fails; the others wait for it for ever. Each leaves its process's number."""
    Path(folder, str(group.rank)).write_text(str(os.getpid()))
    if group.rank == 1:
        raise ValueError("rank 1 has had enough")
    _for_ever(group)


def vanishes(group, folder):
    Path(folder, str(group.rank)).write_text(str(os.getpid()))
    if group.rank == 1:
        os._exit(3)
    _for_ever(group)


def waits(group, folder):
    Path(folder, str(group.rank)).write_text(str(os.getpid()))
    time.sleep(600)


def misplaced(group):
    """Two processes at different exchanges."""
    group.all_reduce(np.zeros(10 if group.rank else 20))


def _for_ever(group):
    time.sleep(600)
