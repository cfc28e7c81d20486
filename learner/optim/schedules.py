"""Learning rates over time, under the names of torch.optim.lr_scheduler.

A schedule says by which factor the initial rate of every group is multiplied at a step; `step()` moves one step on.
Rates are computed from the step alone, not from the rate before, so a resumed schedule is exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from learner.autodiff.recorder import effect
from learner.optim.optimizer import Optimizer


class LRScheduler:
    """Base of all schedules; `rate(step, initial)` says the rate of a group."""

    def __init__(self, optimizer: Optimizer) -> None:
        self.optimizer = optimizer
        # kept in the group, as in PyTorch, for a second schedule of the same optimizer to start from as well
        self.initial = [float(group.setdefault("initial_lr", group["lr"])) for group in optimizer.param_groups]
        self.last_step = 0
        self._set()

    def rate(self, step: int, initial: float) -> float:
        raise NotImplementedError(f"{type(self).__name__} must define rate")

    def step(self) -> None:
        """Move one step on and set the rates of all groups."""
        effect(self._advance)

    def _advance(self) -> None:
        self.last_step += 1
        self._set()

    def _set(self) -> None:
        for group, lr in zip(self.optimizer.param_groups, self.get_last_lr(), strict=True):
            group["lr"] = lr

    def get_last_lr(self) -> list[float]:
        """The present rate of every group."""
        return [self.rate(self.last_step, initial) for initial in self.initial]

    def state_dict(self) -> dict[str, Any]:
        return {"last_step": self.last_step, "initial": list(self.initial)}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        if len(state["initial"]) != len(self.initial):
            raise ValueError(f"the state has {len(state['initial'])} groups, this schedule {len(self.initial)}")
        self.last_step, self.initial = int(state["last_step"]), list(state["initial"])
        self._set()


class LambdaLR(LRScheduler):
    """initial * factor(step)."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Callable[[int], float]) -> None:
        self.factor = lr_lambda
        super().__init__(optimizer)

    def rate(self, step: int, initial: float) -> float:
        return initial * self.factor(step)


class StepLR(LRScheduler):
    """initial * gamma^(step // step_size)."""

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1) -> None:
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer)

    def rate(self, step: int, initial: float) -> float:
        return initial * self.gamma ** (step // self.step_size)


class CosineAnnealingLR(LRScheduler):
    """From initial down to eta_min along half a cosine in T_max steps (Loshchilov & Hutter 2017)."""

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0) -> None:
        self.steps, self.eta_min = T_max, eta_min
        super().__init__(optimizer)

    def rate(self, step: int, initial: float) -> float:
        return self.eta_min + (initial - self.eta_min) * 0.5 * (1.0 + math.cos(math.pi * step / self.steps))


class LinearLR(LRScheduler):
    """Warm-up: from start_factor * initial to end_factor * initial in total_iters steps, then constant."""

    def __init__(
        self, optimizer: Optimizer, start_factor: float = 1.0 / 3.0, end_factor: float = 1.0, total_iters: int = 5
    ) -> None:
        self.start, self.end, self.steps = start_factor, end_factor, total_iters
        super().__init__(optimizer)

    def rate(self, step: int, initial: float) -> float:
        return initial * (self.start + (self.end - self.start) * min(step, self.steps) / self.steps)


class OneCycleLR(LRScheduler):
    """Up from max_lr / div_factor to max_lr in pct_start of the steps, then down to 1 / final_div_factor of the start,
    both along half cosines (Smith & Topin 2017). The optimizer's own rate is not used."""

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float,
        total_steps: int,
        pct_start: float = 0.3,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
    ) -> None:
        self.peak, self.steps, self.share = max_lr, total_steps, pct_start
        self.low = max_lr / div_factor
        self.end = self.low / final_div_factor
        super().__init__(optimizer)

    def rate(self, step: int, initial: float) -> float:
        if step >= self.steps:
            raise ValueError(f"this cycle has {self.steps} steps and is over; make it longer or stop stepping")
        top = self.share * self.steps - 1.0
        if step <= top:
            return _cosine(self.low, self.peak, step / top)
        return _cosine(self.peak, self.end, (step - top) / (self.steps - 1.0 - top))


def _cosine(start: float, end: float, share: float) -> float:
    return end + (start - end) * 0.5 * (1.0 + math.cos(math.pi * share))


class SequentialLR(LRScheduler):
    """One schedule after the other: the k-th from milestones[k - 1] on, counting its own steps from there."""

    def __init__(self, optimizer: Optimizer, schedulers: Sequence[LRScheduler], milestones: Sequence[int]) -> None:
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                f"{len(schedulers)} schedules need {len(schedulers) - 1} milestones, got {len(milestones)}"
            )
        self.schedulers, self.starts = list(schedulers), [0, *milestones]
        super().__init__(optimizer)

    def rate(self, step: int, initial: float) -> float:
        k = sum(step >= start for start in self.starts) - 1
        return self.schedulers[k].rate(step - self.starts[k], initial)
