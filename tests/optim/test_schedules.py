"""Schedules: equal to PyTorch's step for step, exact to resume."""

from __future__ import annotations

from typing import Any

import pytest

import learner.autodiff as ad
import learner.optim as optim

BUILD: dict[str, Any] = {
    "step": lambda s, o: s.StepLR(o, 3, 0.5),
    "cosine": lambda s, o: s.CosineAnnealingLR(o, 20, 0.001),
    "warm-up": lambda s, o: s.LinearLR(o, 0.1, 1.0, 5),
    "one-cycle": lambda s, o: s.OneCycleLR(
        o, 0.2, 20, **({} if s is optim else {"cycle_momentum": False})
    ),
    "lambda": lambda s, o: s.LambdaLR(o, lambda n: 1.0 / (1 + n)),
}  # fmt: skip


def sgd() -> optim.SGD:
    return optim.SGD([ad.ones(1, requires_grad=True)], lr=0.1)


@pytest.mark.oracle
@pytest.mark.parametrize("name", BUILD)
@pytest.mark.filterwarnings("ignore:Detected call of")
def test_rates_equal_pytorchs(name: str) -> None:
    torch = pytest.importorskip("torch", reason="the oracle needs PyTorch")
    theirs = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
    ours = sgd()
    a, b = BUILD[name](optim, ours), BUILD[name](torch.optim.lr_scheduler, theirs)
    for step in range(19):
        assert ours.param_groups[0]["lr"] == pytest.approx(theirs.param_groups[0]["lr"], rel=1e-9), step
        a.step()
        b.step()


@pytest.mark.parametrize("name", BUILD)
def test_a_resumed_schedule_is_exact(name: str) -> None:
    whole = BUILD[name](optim, sgd())
    rates = []
    for _ in range(12):
        whole.step()
        rates.append(whole.get_last_lr())
    part = BUILD[name](optim, sgd())
    for _ in range(5):
        part.step()
    resumed = BUILD[name](optim, sgd())
    resumed.load_state_dict(part.state_dict())
    for expected in rates[5:]:
        resumed.step()
        assert resumed.get_last_lr() == [resumed.optimizer.param_groups[0]["lr"]] == expected


def test_warm_up_then_cosine() -> None:
    optimizer = sgd()
    parts = [optim.LinearLR(optimizer, 0.1, 1.0, 4), optim.CosineAnnealingLR(optimizer, 10)]
    schedule = optim.SequentialLR(optimizer, parts, [4])
    rates = [schedule.get_last_lr()[0]]
    for _ in range(14):
        schedule.step()
        rates.append(optimizer.param_groups[0]["lr"])
    assert rates[0] == pytest.approx(0.01)
    assert rates[4] == pytest.approx(0.1)
    assert rates[14] == pytest.approx(0.0)
    assert max(rates) == rates[4]


def test_refusals() -> None:
    with pytest.raises(ValueError, match="2 schedules need 1 milestones"):
        optim.SequentialLR(sgd(), [optim.StepLR(sgd(), 1), optim.StepLR(sgd(), 1)], [])
    cycle = optim.OneCycleLR(sgd(), 0.1, 3)
    cycle.step()
    cycle.step()
    with pytest.raises(ValueError, match="3 steps and is over"):
        cycle.step()
