"""Where self-play's time goes, what the matrix products alone would allow, and training beside MaskablePPO.

All in one process. Shares are of one round's time; products alone are the same
shapes, the same number of times, without the tiles that keep a row's bits independent of its place.
"""

from __future__ import annotations

import contextlib
import statistics
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from game.cards import first_set
from game.vector import Pairing, VectorMatch
from learner.agent import Agent
from learner.autodiff.modes import Switch, modes
from learner.autodiff.ops import products
from learner.autodiff.recorder import Recorder
from learner.autodiff.table import TABLE, Op
from learner.bench import Effort, Row, maskable
from learner.bench.peers import threads
from learner.ledger.updates import GradientSource
from learner.policies.acting import AgentPlayer
from learner.rl.plan import Plan
from learner.rl.rollout import Lab, Rollouts, deck_pairs, make_pairings
from learner.rl.season import Season

NAME = "selfplay"
HELP = "where the time of self-play goes, and training beside sb3-contrib's MaskablePPO"
MATCHES = 192
"""A round's, as many as rollouts play side by side."""

_clock = time.process_time if threads() == 1 else time.perf_counter
"""With one thread the process's own time, which doesn't see what else the machine does."""

Product = tuple[tuple[int, ...], tuple[int, ...]]


def measure(effort: Effort, progress: Callable[[str], None]) -> list[Row]:
    """All rows; ``progress`` is told what is done."""
    rows: list[Row] = []

    def add(row: Row) -> None:
        rows.append(row)
        progress(row.work)

    for row in _rollouts(effort):
        add(row)
    for row in _training(effort):
        add(row)
    return rows


# ---- rollouts ------------------------------------------------------------------------------------


def _rollouts(effort: Effort) -> list[Row]:
    cards = first_set()
    lab = Lab("agent", Agent(effort.seed, cards, "agent"), remembers=True)
    pairings = make_pairings(0, MATCHES, effort.seed, deck_pairs((), cards, effort.seed), [(0, 0)])
    watch = Stopwatch()
    rates, bounds, shares = [], [], []
    with Rollouts(1, cards) as rollouts:
        shapes = _products_of(rollouts, lab, pairings)
        for _ in range(effort.repeats):
            alone = _alone(shapes)
            watch.seconds.clear()
            began = _clock()
            with _watching(watch):
                collected = rollouts.play([lab], pairings)
            took = _clock() - began
            decisions = sum(played.decisions for played in collected.played)
            rates.append(decisions / took)
            bounds.append(decisions / alone)
            shares.append({name: seconds / took for name, seconds in watch.seconds.items()})
    share = {name: statistics.median(part[name] for part in shares) for name in shares[0]}
    rest = 1 - share["products"] - share["engine"]
    return [
        Row("matrix products (BLAS)", "share of time", share["products"]),
        Row("rules engine", "share of time", share["engine"]),
        Row("the rest, Python", "share of time", rest),
        Row("of which: the networks that choose, but for their products", "share of time",
            share["choosing"] - share["products"]),
        Row("of which: the card's gradients, in fixed order", "share of time", share["gradients"]),
        Row("rollouts, one process", "decisions/s", statistics.median(rates), "the same matrix products alone",
            statistics.median(bounds), goal=0.3, goal_for="ratio",
            paired=statistics.median(a / b for a, b in zip(rates, bounds, strict=True)))]


class Stopwatch:
    """Adds up how long functions take, by name."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)

    def timed(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, timed."""
        def run(*args: Any, **kwargs: Any) -> Any:
            began = _clock()
            try:
                return function(*args, **kwargs)
            finally:
                self.seconds[name] += _clock() - began

        return run


@contextlib.contextmanager
def _watching(watch: Stopwatch) -> Iterator[None]:
    """Engine calls, choices, the card's gradients and matrix products are timed inside."""
    parts: list[tuple[Any, str, str]] = [
        *[(VectorMatch, name, "engine") for name in ("look", "step", "deal", "give")],
        (AgentPlayer, "choose", "choosing"), (GradientSource, "update", "gradients"),
        (products, "steady_matmul", "products"), (TABLE["matmul"], "kernel", "products")]
    with contextlib.ExitStack() as stack:
        for owner, attribute, name in parts:
            before = getattr(owner, attribute)
            stack.callback(setattr, owner, attribute, before)
            setattr(owner, attribute, watch.timed(name, before))
        yield


class _Shapes(Recorder):
    """Counts the shapes of the matrix products that go through BLAS."""

    def __init__(self) -> None:
        self.found: Counter[Product] = Counter()

    def ran(self, op: Op, operands: tuple[Any, ...], arrays: list[Any], settings: dict[str, Any], result: Any,
            aux: Any) -> None:
        if modes.fixed:
            return
        if op.name == "linear":
            self.found[arrays[0].shape, arrays[1].shape[::-1]] += 1
        elif op.name == "matmul":
            self.found[arrays[0].shape, arrays[1].shape] += 1


def _products_of(rollouts: Rollouts, lab: Lab, pairings: list[Pairing]) -> Counter[Product]:
    """How often each shape of product comes up in these matches."""
    shapes = _Shapes()
    with Switch("recorder", shapes):
        rollouts.play([lab], pairings)
    return shapes.found


def _alone(shapes: Counter[Product]) -> float:
    """Seconds that all the products take by themselves."""
    generator = np.random.default_rng(0)
    total = 0.0
    for (x_shape, y_shape), count in shapes.items():
        x = generator.standard_normal(x_shape, np.float32)
        y = np.ascontiguousarray(generator.standard_normal(y_shape, np.float32).mT).mT  # as a layer's weight lies
        out = np.matmul(x, y)
        began = _clock()
        for _ in range(count):
            np.matmul(x, y, out=out)
        total += _clock() - began
    return total


# ---- training ------------------------------------------------------------------------------------


def _training(effort: Effort) -> list[Row]:
    """Whole rounds of ours and of theirs, in turns."""
    with (tempfile.TemporaryDirectory() as folder,
          Season.create(Path(folder) / "run", Plan(seed=effort.seed, matches=MATCHES)) as season):
        agent = season.learners[0].agent
        sizes = {name: sum(p.array.size for p in module.parameters()) for name, module in agent.networks.items()}
        player, models = sizes["player"], sum(sizes.values()) - sizes["player"]
        peers = {f"PPO's settings as ours, {maskable.ENVS} environments":
                 maskable.build(player, season.plan.ppo, effort.seed),
                 "its own defaults": maskable.build(player, None, effort.seed)}
        learn: dict[str, Callable[[], int]] = {"ours": lambda: int(season.round()["decisions"])}
        learn |= {name: peer.learn for name, peer in peers.items() if peer is not None}
        rates: dict[str, list[float]] = {name: [] for name in learn}
        for turn in range(1 + effort.repeats):
            for name, work in learn.items():
                began = _clock()
                decisions = work()
                if turn:  # the first isn't counted
                    rates[name].append(decisions / (_clock() - began))
    work_name = f"whole training, a player's network of {player:,} parameters and Models' of {models:,}"
    ours = statistics.median(rates["ours"])
    rows = []
    for name, peer in peers.items():
        if peer is None:
            rows.append(Row(work_name, "decisions/s", ours, f"sb3-contrib MaskablePPO, {name}: not installed", goal=8,
                            goal_for="ratio"))
        else:
            rows.append(Row(work_name, "decisions/s", ours, f"sb3-contrib MaskablePPO, {peer.parameters:,} parameters "
                            f"against {peer.opponent}, {name}", statistics.median(rates[name]), goal=8,
                            goal_for="ratio",
                            paired=statistics.median(a / b for a, b in zip(rates["ours"], rates[name], strict=True))))
    return rows
