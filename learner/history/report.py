"""All of 1986 in one run: who learns what, what hidden units find, who gets stuck, and what can't learn at all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import learner.autodiff as torch
from learner import svg
from learner.autodiff.table import Array
from learner.history import found, stuck
from learner.history.perceptron import all_functions
from learner.history.population import Activation, Population, Training, step_function, train
from learner.history.tasks import encoder, parity, symmetry, xor
from learner.lessons.lesson import Lesson, Picture, Progress, Table

WIDTHS = (3, 4, 8)
"""Hidden units that XOR gets besides two."""
RUNGS: dict[str, tuple[Activation, Activation]] = {
    "steps": (step_function, step_function),
    "steps, then a sigmoid": (step_function, torch.sigmoid),
    "sigmoids": (torch.sigmoid, torch.sigmoid)}
"""XOR's hidden and output units, from what has no derivative to what has one everywhere."""
PERCEPTRON_SWEEPS = 50
STEPS = 4 + len(WIDTHS) + 1 + len(RUNGS) + 1


@dataclass(frozen=True)
class Rung:
    """XOR with certain units: the mean norm of the gradient at the start, and how training went."""

    gradient: float
    training: Training


def run(seed: int, inits: int, progress: Progress) -> Lesson:
    """Everything, from ``inits`` initialisations of each network."""
    random = np.random.default_rng(seed)
    trained: dict[str, Training] = {}
    for task in (xor(), parity(), symmetry(), encoder(), *map(xor, WIDTHS)):
        trained[f"{task.name} {task.shape}"] = train(Population(task, inits, random))
        progress.advance(1, f"{task.name} {task.shape}")
    first, even, mirror, code = list(trained.values())[:4]
    lost = stuck.examine(first)
    progress.advance(1, "stuck networks")
    rungs = {}
    for name, units in RUNGS.items():
        population = Population(xor(), inits, np.random.default_rng(seed), *units)
        rungs[name] = Rung(float(population.gradient_norms().mean()), train(population))
        progress.advance(1, name)
    perceptrons = all_functions(inits, PERCEPTRON_SWEEPS, random)
    progress.advance(1, "perceptrons")
    return Lesson(
        tables=[_success(trained), found.table(first, even, mirror, code), _stuck(lost), _ladder(rungs),
                _perceptrons(perceptrons)],
        pictures=[Picture("success", svg.picture(_curves(trained, rungs, perceptrons))),
                  Picture("hidden", svg.picture(found.panels(first, even, mirror, code), columns=4))],
        sentences=[_who_learned(trained), *found.sentences(first, even, mirror, code), *_who_got_stuck(first, lost),
                   _what_steps_do(rungs), _what_perceptrons_do(perceptrons)])


# ---- who learned ---------------------------------------------------------------------------------


def _success(trained: dict[str, Training]) -> Table:
    rows = []
    for name, training in trained.items():
        task, at = training.population.task, training.solved[training.solvers]
        rows.append([name, task.lr, task.spread, task.sweeps, len(training.solved), len(at),
                     int(np.median(at)) if len(at) else None, int(at.max()) if len(at) else None])
    return Table("Who learned (momentum 0.9, error summed over all patterns)",
                 ["task", "step size ε", "weights start in ±", "sweeps", "initialisations", "learned",
                  "median sweeps", "the slowest"], rows)


def _who_learned(trained: dict[str, Training]) -> str:
    shares = [f"{name} {training.solvers.sum()}" for name, training in trained.items()]
    return f"Of {len(next(iter(trained.values())).solved)} initialisations these learned: {', '.join(shares)}."


# ---- who did not ---------------------------------------------------------------------------------


def _stuck(lost: list[stuck.Stuck]) -> Table:
    return Table("The XOR networks that did not learn, where they stand at the end",
                 ["loss", "gradient's norm", "lowest curvature", "learns after a push along it"],
                 [[one.loss, one.slope, one.curvature, one.freed] for one in sorted(lost, key=lambda s: s.loss)]
                 or [[None] * 4])


def _who_got_stuck(first: Training, lost: list[stuck.Stuck]) -> list[str]:
    if not lost:
        return [f"None of {len(first.solved)} XOR networks got stuck."]
    down = sum(one.curvature < -stuck.FLAT for one in lost)
    losses = [one.loss for one in lost]
    return [f"{len(lost)} XOR networks with two hidden units got stuck, at losses from {min(losses):.3f} to "
            f"{max(losses):.3f}: their gradients' norms are at most {max(one.slope for one in lost):.0e}, {down} of "
            f"them stand where the surface still bends down some way, and a push along the lowest curvature frees "
            f"{sum(one.freed for one in lost)}."]


# ---- what has no slope ---------------------------------------------------------------------------


def _ladder(rungs: dict[str, Rung]) -> Table:
    return Table("XOR 2–2–1 with other units",
                 ["units", "gradient's norm at the start", "mean loss before", "after", "learned"],
                 [[name, rung.gradient, float(rung.training.losses[0].mean()), float(rung.training.losses[-1].mean()),
                   int(rung.training.solvers.sum())] for name, rung in rungs.items()])


def _what_steps_do(rungs: dict[str, Rung]) -> str:
    steps, smooth = rungs["steps"], rungs["sigmoids"]
    return (f"With step functions the gradient's norm is {steps.gradient:.3g} and the mean loss goes from "
            f"{steps.training.losses[0].mean():.3f} to {steps.training.losses[-1].mean():.3f}; with sigmoids the norm "
            f"is {smooth.gradient:.3g} and the mean loss goes from {smooth.training.losses[0].mean():.3f} to "
            f"{smooth.training.losses[-1].mean():.3f}.")


def _perceptrons(wrong: dict[str, Array]) -> Table:
    return Table(f"Perceptrons on all functions of two inputs, {PERCEPTRON_SWEEPS} sweeps",
                 ["function", "learned", "mean wrong answers at the end"],
                 [[name, int((errors[-1] == 0).sum()), float(errors[-1].mean())] for name, errors in wrong.items()])


def _what_perceptrons_do(wrong: dict[str, Array]) -> str:
    count = len(wrong["XOR"][-1])
    always = [name for name, errors in wrong.items() if (errors[-1] == 0).all()]
    never = [name for name, errors in wrong.items() if (errors[-1] > 0).all()]
    return (f"A single perceptron learned {len(always)} of the {len(wrong)} functions of two inputs from each of "
            f"{count} starts, and never {' and '.join(never) or 'none'}: there its least number of wrong answers in "
            f"{PERCEPTRON_SWEEPS} sweeps was {min((int(wrong[name].min()) for name in never), default=0)}.")


def _curves(trained: dict[str, Training], rungs: dict[str, Rung], wrong: dict[str, Array]) -> list[svg.Panel]:
    firsts = list(trained.items())[:4]
    widths = {f"{t.population.task.hidden} hidden units": 100 * t.solvers.mean() for name, t in trained.items()
              if name.startswith("XOR")}
    every = np.unique(np.geomspace(1, len(rungs["steps"].training.losses), 60).astype(int)) - 1
    return [
        svg.lines("Share that has learned", {name: training.share_solved() for name, training in firsts}, "sweep",
                  "share", log_x=True),
        svg.lines("XOR with steps and with sigmoids, mean loss",
                  {name: [(float(at + 1), float(rung.training.losses[at].mean())) for at in every]
                   for name, rung in rungs.items()}, "sweep", "loss", log_x=True),
        svg.lines("Perceptrons, mean wrong answers of 4",
                  {name: list(enumerate(wrong[name].mean(1).tolist())) for name in ("AND", "OR", "XOR")}, "sweep",
                  "wrong"),
        svg.bars("XOR learned by its hidden units", widths, "% of initialisations")]
