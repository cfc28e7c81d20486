"""Sums over processes, and the life of a group."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from learner.parallel.group import Group, in_order
from learner.parallel.run import ProcessFailed, run
from tests.parallel import jobs

ROOT = Path(__file__).resolve().parents[2]


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return not Path(f"/proc/{pid}/stat").exists() or Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"


def none_left(folder: Path) -> bool:
    """Whether the processes that wrote their numbers into a folder all end within ten seconds."""
    pids = [int(file.read_text()) for file in folder.iterdir()]
    assert pids
    until = time.monotonic() + 10
    while any(map(alive, pids)) and time.monotonic() < until:
        time.sleep(0.05)
    return not any(map(alive, pids))


@pytest.mark.parametrize(("length", "size"), [(10, 3), (2, 3), (0, 2), (7, 1)])
def test_parts_are_disjoint_and_cover_all(length, size):
    group = Group(0, size, {})
    places = np.concatenate([np.arange(length)[group.part(length, rank)] for rank in range(size)])
    assert places.tolist() == list(range(length))


def test_one_process_alone_needs_no_pipes():
    group, own = Group(0, 1, {}), np.arange(5.0)
    for total in (group.all_reduce(own), group.ring_all_reduce(own), group.star_all_reduce(own)):
        assert total.tolist() == own.tolist()
    assert group.sent == 0


@pytest.mark.parametrize("size", [2, 3])
def test_sums(size):
    length = 50_001  # more than a pipe holds, and no multiple of anybody's number
    found = run(jobs.sums, size, length, 5)
    expected = in_order(np.stack([own for own, _ in found]))
    for _, sums in found:
        assert (sums["all_reduce"][0] == expected).all()
        assert (sums["star_all_reduce"][0] == expected).all()
        assert sums["ring_all_reduce"][0] == pytest.approx(expected, abs=1e-12)
    for way in ("all_reduce", "ring_all_reduce"):
        sent = [sums[way][1] for _, sums in found]
        assert sum(sent) == 2 * (size - 1) * 8 * length
        assert max(sent) - min(sent) <= 4 * 8 * size
    assert found[0][1]["star_all_reduce"][1] == (size - 1) * 8 * length


def test_results_come_by_rank_from_processes_of_their_own():
    found = run(jobs.rank_and_pid, 2, 10)
    assert [value for value, _ in found] == [10, 11]
    assert len({os.getpid(), *(pid for _, pid in found)}) == 3


@pytest.mark.skipif(os.name == "nt", reason="processes are looked for by signal 0")
@pytest.mark.parametrize(("job", "words"), [(jobs.fails, "rank 1 has had enough"),
                                            (jobs.vanishes, "process 1 of 2 ended without a result")])
def test_one_failure_ends_all(tmp_path, job, words):
    with pytest.raises(ProcessFailed, match=words):
        run(job, 2, str(tmp_path))
    assert none_left(tmp_path)


def test_processes_at_different_exchanges_are_told():
    with pytest.raises(ProcessFailed, match="not at the same exchange"):
        run(jobs.misplaced, 2)


@pytest.mark.skipif(os.name == "nt", reason="needs signals")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_no_orphans_when_the_parent_is_stopped(tmp_path, how):
    program = ("from learner.parallel.run import run; from tests.parallel.jobs import waits\n"
               f"if __name__ == '__main__': run(waits, 2, {str(tmp_path)!r})\n")
    script = tmp_path.parent / f"parent{int(how)}.py"
    script.write_text(program)
    parent = subprocess.Popen([sys.executable, script], env={**os.environ, "PYTHONPATH": str(ROOT)},
                              stderr=subprocess.DEVNULL)
    until = time.monotonic() + 60
    while sum(bool(f.read_text()) for f in tmp_path.iterdir()) < 2 and time.monotonic() < until:
        time.sleep(0.05)
    parent.send_signal(how)
    assert parent.wait(30) != 0
    assert none_left(tmp_path)
