"""A run's figures for TensorBoard, where it is installed (``pip install tensorboard``; PyTorch isn't needed).

The events are a view of what the run's database holds, and are written anew whenever a run goes on.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def installed() -> bool:
    """Whether TensorBoard is there."""
    return importlib.util.find_spec("tensorboard") is not None


class Board:
    """Writes figures to ``folder`` as scalars, the round being the step."""

    def __init__(self, folder: Path, past: Iterable[dict[str, Any]] = ()) -> None:
        """``past``: figures of the rounds before, with which the folder begins."""
        from tensorboard.summary.writer.event_file_writer import EventFileWriter

        folder.mkdir(exist_ok=True)
        for old in folder.glob("events.out.tfevents.*"):
            old.unlink()
        self._writer = EventFileWriter(str(folder))
        for figures in past:
            self.add(figures)

    def add(self, figures: dict[str, Any]) -> None:
        """A round's numbers; what is no number isn't shown."""
        from tensorboard.compat.proto.event_pb2 import Event
        from tensorboard.compat.proto.summary_pb2 import Summary

        numbers = {name: value for name, value in figures.items()
                   if isinstance(value, (int, float)) and name != "round"}
        values = [Summary.Value(tag=name, simple_value=value) for name, value in numbers.items()]
        self._writer.add_event(Event(step=figures["round"], summary=Summary(value=values)))
        self._writer.flush()

    def close(self) -> None:
        """Write what is left."""
        self._writer.close()
