"""What all processes that work for another have in common: one thread each, no signals of their own, no orphans."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator


@contextlib.contextmanager
def interrupts_held() -> Iterator[None]:
    """Ctrl-C waits meanwhile, and never reaches processes started here: the parent decides when they stop."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def become_worker() -> None:
    """To be called first in a process that works for another: leaves signals to the parent, and ends with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # where it couldn't be held back
    threading.Thread(target=_end_with_parent, daemon=True).start()
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")


def _end_with_parent() -> None:
    """A killed parent can't stop its workers, and they would wait for work for ever."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
