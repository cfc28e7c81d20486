"""The autodiff core against PyTorch eager (fused AdamW) and JAX jit: one training step of several networks.

Both sides run in this process with the same number of threads, taking turns, on inputs that change every step; a row's
ratio is the median over rounds of ours / theirs, so that a machine that slows down slows both. With one thread the
process's own time is measured, which does not see what else the machine does; with more, the time on the wall.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np

import learner.autodiff as ad
import learner.nn as nn
import learner.optim as optim
from learner.bench import Effort, Row, peers

Step = Callable[[Any, Any], Any]
_clock = time.process_time if peers.threads() == 1 else time.perf_counter


class Work:
    """A network, its inputs, and what is asked of it: the most that ours / theirs may be, by peer."""

    def __init__(
        self,
        name: str,
        build: Callable[[Any], Any],
        shape: tuple[int, ...],
        classes: int,
        compiled: bool,
        goals: dict[str, float],
    ) -> None:
        self.name, self.build, self.shape, self.classes = name, build, shape, classes
        self.compiled, self.goals = compiled, goals

    def batches(self) -> Iterator[tuple[Any, Any]]:
        rng = np.random.default_rng(0)
        made = [
            (rng.standard_normal(self.shape).astype(np.float32), rng.integers(0, self.classes, self.shape[0]))
            for _ in range(4)
        ]
        while True:
            yield from made

    def ours(self) -> Step:
        """One step of ours: forward, loss, backward, AdamW."""
        model = self.build(nn)
        optimizer = optim.AdamW(model.parameters(), lr=1e-4)

        def step(x: Any, y: Any) -> Any:
            loss = ad.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            return loss

        run: Any = ad.compile(step) if self.compiled else step
        return lambda x, y: run(ad.Tensor(x), ad.Tensor(y))


class _Last:
    """The last hidden state of a recurrent layer, then a linear one, in either library."""

    def __new__(cls, n: Any) -> Any:
        class Net(n.Module):  # type: ignore[misc]
            def __init__(self) -> None:
                super().__init__()
                self.lstm, self.head = n.LSTM(64, 64), n.Linear(64, 8)

            def forward(self, x: Any) -> Any:
                return self.head(self.lstm(x.transpose(0, 1))[0][-1])

        return Net()


def _block(n: Any) -> Any:
    options: dict[str, Any] = {"dropout": 0.0, "activation": "gelu", "batch_first": True, "norm_first": True}
    ours = getattr(n, "TransformerBlock", None)
    block = ours(64, 4) if ours is not None else n.TransformerEncoderLayer(64, 4, 256, **options)
    return n.Sequential(block, n.Flatten(), n.Linear(14 * 64, 8))


def _convolution(n: Any) -> Any:
    return n.Sequential(n.Conv1d(32, 32, 3, padding=1), n.ReLU(), n.Conv1d(32, 32, 3, padding=1), n.ReLU(), n.Flatten(),
                        n.Linear(32 * 6, 8))  # fmt: skip


def _mlp(*sizes: int) -> Callable[[Any], Any]:
    def build(n: Any) -> Any:
        layers = []
        for i, (a, b) in enumerate(pairwise(sizes)):
            layers += [n.Linear(a, b)] + ([n.ReLU()] if i < len(sizes) - 2 else [])
        return n.Sequential(*layers)

    return build


WORKS = [
    Work("10-64-3 MLP, batch 32, eager", _mlp(10, 64, 3), (32, 10), 3, False, {"torch": 0.35}),
    Work("10-64-3 MLP, batch 32, compiled", _mlp(10, 64, 3), (32, 10), 3, True, {"torch": 0.12, "jax": 0.6}),
    *(
        Work(f"300-256-256-238 MLP, batch {batch:,}, compiled", _mlp(300, 256, 256, 238), (batch, 300), 238, True,
             {"torch": goal, "jax": 1.0})
        for batch, goal in ((32, 0.7), (256, 0.9), (4096, 1.0))
    ),
    Work("LSTM 64, 16 steps, batch 256, compiled", _Last, (256, 16, 64), 8, True, {"torch": 1.0}),
    Work("transformer block, 14 tokens, width 64, batch 256, compiled", _block, (256, 14, 64), 8, True, {"torch": 1.0}),
    Work("conv1d, 32 channels, 6 lanes, batch 1,024, compiled", _convolution, (1024, 32, 6), 8, True, {"torch": 1.0}),
]  # fmt: skip


NAME = "autodiff"
HELP = "training steps of the autodiff core beside PyTorch and JAX"


def measure(effort: Effort, progress: Callable[[str], None]) -> list[Row]:
    """All rows, in microseconds of a step where nothing else is said; the goal for a step is ours / theirs.

    The two sides take turns; with a peer that isn't installed a row has only our side.
    """
    found = []
    for work in WORKS:
        for peer, goal in work.goals.items():
            theirs = peers.build(peer, work.build, work.shape, work.classes)
            ours, other = _compare(work, theirs, max(3, effort.repeats), effort.seconds / 10)
            found.append(_row(work.name, peer, goal, ours, other))
            progress(f"{work.name}, {peer}")
    for name, unit, goal, cost in _costs():
        found.append(Row(name, unit, cost, goal=goal))
        progress(name)
    return found


def _row(name: str, peer: str, goal: float, ours: list[float], theirs: list[float]) -> Row:
    mine = statistics.median(ours)
    if not theirs:
        return Row(name, "us", mine)
    ratio = statistics.median(a / b for a, b in zip(ours, theirs, strict=True))
    return Row(name, "us", mine, peer, statistics.median(theirs), goal, goal_for="ratio", paired=ratio)


def _compare(work: Work, theirs: Step | None, rounds: int, seconds: float) -> tuple[list[float], list[float]]:
    """Microseconds a step of both sides, round by round."""
    ours = work.ours()
    batches = work.batches()
    for step in filter(None, (ours, theirs)):
        for _ in range(8):
            step(*next(batches))
    count = max(1, int(seconds / max(_time(ours, batches, 2) * 1e-6, 1e-6)))
    mine, other = [], []
    for _ in range(rounds):
        mine.append(_time(ours, batches, count))
        if theirs is not None:
            other.append(_time(theirs, batches, count))
    return mine, other


def _time(step: Step, batches: Iterator[tuple[Any, Any]], count: int) -> float:
    start = _clock()
    for _ in range(count):
        step(*next(batches))
    return (_clock() - start) / count * 1e6


def _costs() -> Iterator[tuple[str, str, float, float]]:
    """(what, unit, goal, measured): costs that need no peer."""
    x, y = ad.ones(2, 2, requires_grad=True), ad.ones(2, 2)
    count = 2000

    def chain() -> tuple[float, float]:
        start = _clock()
        out = x
        for _ in range(count):
            out = out * y
        middle = _clock()
        out.backward(y)
        return (middle - start) / count * 1e6, (_clock() - middle) / count * 1e6

    runs = [chain() for _ in range(9)]
    yield "one operation on tiny arrays, forward", "us", 3.0, statistics.median(r[0] for r in runs)
    yield "one operation on tiny arrays, backward", "us", 2.0, statistics.median(r[1] for r in runs)
    for batch in (32, 256):
        yield f"backward / forward of the 300-256-256-238 MLP, batch {batch}", "share", 2.0, _backward_share(batch)
    yield "memory of a checkpointed 12-block transformer step / plain", "share", 0.35, _checkpoint_share()


def _backward_share(batch: int) -> float:
    model = _mlp(300, 256, 256, 238)(nn)
    x, y = ad.randn(batch, 300), ad.randint(0, 238, (batch,))
    forward, backward = [], []
    for _ in range(40):
        start = _clock()
        loss = ad.cross_entropy(model(x), y)
        middle = _clock()
        model.zero_grad()
        loss.backward()
        forward.append(middle - start)
        backward.append(_clock() - middle)
    return statistics.median(backward) / statistics.median(forward)


def _checkpoint_share() -> float:
    """Peak memory of a step, checkpointed over plain, as tracemalloc sees NumPy's allocations."""
    import tracemalloc

    blocks = [nn.TransformerBlock(64, 4) for _ in range(12)]
    peaks = []
    for checkpointed in (True, False):
        x = ad.randn(64, 14, 64)
        x.requires_grad_()
        tracemalloc.start()
        for block in blocks:
            x = ad.checkpoint(block, x) if checkpointed else block(x)
        x.square().mean().backward()
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    return peaks[0] / peaks[1]
