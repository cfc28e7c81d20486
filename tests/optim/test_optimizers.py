"""Optimizers: equal to PyTorch's step for step, exact resume, skipped steps, groups, shared parameters, denormals."""

from __future__ import annotations

import copy
import os
import subprocess
import sys
import time
from typing import Any

import numpy as np
import pytest

import learner.autodiff as ad
import learner.nn as nn
import learner.optim as optim
from learner.optim import kernels

BUILD: dict[str, Any] = {
    "SGD": lambda o, p: o.SGD(p, lr=0.05),
    "SGD momentum": lambda o, p: o.SGD(p, lr=0.05, momentum=0.9, dampening=0.1, weight_decay=0.01),
    "SGD Nesterov": lambda o, p: o.SGD(p, lr=0.05, momentum=0.9, nesterov=True),
    "RMSProp": lambda o, p: getattr(o, "RMSProp", getattr(o, "RMSprop", None))(p, lr=0.01, weight_decay=0.01),
    "Adam": lambda o, p: o.Adam(p, lr=0.01, betas=(0.8, 0.99), weight_decay=0.1),
    "AdamW": lambda o, p: o.AdamW(p, lr=0.01),
}
every = pytest.mark.parametrize("name", BUILD)


def problem(seed: int = 0) -> tuple[nn.Module, ad.Tensor, ad.Tensor]:
    rng = np.random.default_rng(seed)
    model = nn.Sequential(nn.Linear(6, 8, generator=rng), nn.Tanh(), nn.Linear(8, 3, generator=rng))
    x, y = rng.standard_normal((16, 6)).astype(np.float32), rng.integers(0, 3, 16)
    return model, ad.tensor(x), ad.tensor(y)


def train(model: nn.Module, optimizer: optim.Optimizer, x: ad.Tensor, y: ad.Tensor, steps: int) -> None:
    for _ in range(steps):
        optimizer.zero_grad()
        ad.cross_entropy(model(x), y).backward()
        optimizer.step()


def digest(model: nn.Module) -> bytes:
    return b"".join(array.tobytes() for array in model.state_dict().values())


@pytest.mark.oracle
@every
def test_a_hundred_steps_equal_pytorchs(name: str) -> None:
    torch = pytest.importorskip("torch", reason="the oracle needs PyTorch")
    model, x, y = problem()
    theirs = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.Tanh(), torch.nn.Linear(8, 3))
    theirs.load_state_dict({key: torch.from_numpy(value) for key, value in model.state_dict().items()})
    ours, other = BUILD[name](optim, model.parameters()), BUILD[name](torch.optim, theirs.parameters())
    z, t = torch.from_numpy(x.numpy().copy()), torch.from_numpy(y.numpy().copy())
    for step in range(100):
        train(model, ours, x, y, 1)
        other.zero_grad()
        torch.nn.functional.cross_entropy(theirs(z), t).backward()
        other.step()
        for p, q in zip(model.parameters(), theirs.parameters(), strict=True):
            np.testing.assert_allclose(p.array, q.detach().numpy(), rtol=1e-3, atol=2e-5, err_msg=f"step {step}")


@every
def test_saved_and_resumed_equals_never_stopped_bit_for_bit(name: str) -> None:
    model, x, y = problem()
    optimizer = BUILD[name](optim, model.parameters())
    train(model, optimizer, x, y, 7)
    weights, state = model.state_dict(), copy.deepcopy(optimizer.state_dict())
    train(model, optimizer, x, y, 9)
    resumed, _, _ = problem(1)
    again = BUILD[name](optim, resumed.parameters())
    resumed.load_state_dict(weights)
    again.load_state_dict(state)
    train(resumed, again, x, y, 9)
    assert digest(resumed) == digest(model)
    assert again.state_dict()["state"][0]["step"] == 16


@every
def test_a_step_that_is_not_finite_is_skipped_whole_and_counted(name: str) -> None:
    model, x, y = problem()
    optimizer = BUILD[name](optim, model.parameters())
    train(model, optimizer, x, y, 3)
    before, state = digest(model), optimizer.state_dict()
    for poison in (np.nan, np.inf, -np.inf):
        optimizer.zero_grad()
        ad.cross_entropy(model(x), y).backward()
        grad = next(model.parameters()).grad
        assert grad is not None
        grad[0, 0] = poison
        optimizer.step()
    assert digest(model) == before
    after = optimizer.state_dict()
    assert after.pop("skipped_steps") == 3
    assert state.pop("skipped_steps") == 0
    np.testing.assert_equal(after, state)
    train(model, optimizer, x, y, 1)
    assert digest(model) != before


def test_huge_finite_gradients_are_not_mistaken_for_infinite_ones() -> None:
    w = ad.zeros(3, requires_grad=True)
    w.grad = ad.full((3,), 1e30)
    optimizer = optim.SGD([w], lr=1e-30)
    optimizer.step()
    assert optimizer.skipped_steps == 0
    np.testing.assert_allclose(w.array, -1.0)


def test_parameters_without_a_gradient_are_left_alone() -> None:
    a, b = ad.ones(3, requires_grad=True), ad.ones(2, requires_grad=True)
    optimizer = optim.AdamW([a, b], lr=0.1)
    for both in (False, True, False):
        optimizer.zero_grad()
        (a.sum() + b.sum() if both else a.sum()).backward()
        optimizer.step()
    state = optimizer.state_dict()["state"]
    assert (state[0]["step"], state[1]["step"]) == (3, 1)
    alone = ad.ones(2, requires_grad=True)
    other = optim.AdamW([alone], lr=0.1)
    alone.sum().backward()
    other.step()
    np.testing.assert_array_equal(b.array, alone.array)


def test_groups_have_their_own_options() -> None:
    a, b = ad.ones(1, requires_grad=True), ad.ones(1, requires_grad=True)
    optimizer = optim.SGD([{"params": [a], "lr": 0.5}, {"params": b}], lr=0.25)
    (a + b).sum().backward()
    optimizer.step()
    assert (a.item(), b.item()) == (0.5, 0.75)
    optimizer.param_groups[1]["lr"] = 1.0
    optimizer.step()
    assert b.item() == -0.25


def test_two_optimizers_may_share_parameters() -> None:
    a = ad.ones(2, requires_grad=True)
    first, second = optim.SGD([a], lr=0.5), optim.SGD([a], lr=0.25)
    for optimizer in (first, second, first):
        optimizer.zero_grad()
        a.sum().backward()
        optimizer.step()
    assert a.tolist() == [-0.25, -0.25]


def test_what_does_not_belong_is_refused() -> None:
    a = ad.ones(1, requires_grad=True)
    for params, message in (
        ([], "no parameters"),
        ([a * 2.0], "leaf"),
        ([ad.ones(1)], "requires a gradient"),
        ([a, a], "twice"),
        ([{"params": [a], "rate": 1.0}], "unknown options"),
        ([a, ad.ones(1, dtype=np.float64, requires_grad=True)], "one dtype"),
    ):
        with pytest.raises((ValueError, TypeError), match=message):
            optim.SGD(params)
    with pytest.raises(ValueError, match="Nesterov"):
        optim.SGD([a], nesterov=True)
    with pytest.raises(ValueError, match="betas"):
        optim.Adam([a], betas=(1.0, 0.5))


def test_a_state_that_does_not_fit_is_refused_with_all_reasons() -> None:
    a, b = ad.ones(2, requires_grad=True), ad.ones(3, requires_grad=True)
    optimizer = optim.Adam([a, b])
    state = optimizer.state_dict()
    state["state"][0]["exp_avg"] = np.zeros(5)
    del state["state"][1]["exp_avg_sq"]
    with pytest.raises(ValueError, match="nothing was loaded") as caught:
        optimizer.load_state_dict(state)
    assert "misshapen: exp_avg of parameter 0" in str(caught.value)
    assert "missing: exp_avg_sq of parameter 1" in str(caught.value)


def test_steps_bump_versions() -> None:
    w = ad.ones(2, requires_grad=True)
    optimizer = optim.SGD([w])
    loss = (w * w).sum()
    w.grad = ad.ones(2)
    optimizer.step()
    with pytest.raises(RuntimeError, match="changed in place"):
        loss.backward()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_compiled_loop_and_numpy_round_alike(dtype: Any) -> None:
    rng = np.random.default_rng(0)
    scalars = [dtype(s) for s in (0.9, 0.999, 0.01, 0.3, 1e-8, 0.999, 0.01, kernels.TINY)]
    ours = [rng.standard_normal(1003).astype(dtype) for _ in range(3)] + [rng.random(1003).astype(dtype)]
    ours[2][:50] = 1e-31
    ours[3][:50] = 0.0
    ours[1][:50] = 0.0
    theirs = [a.copy() for a in ours]
    for _ in range(5):
        kernels.adam(*ours, *scalars)
        kernels.adam_numpy(*theirs, *scalars)
    for a, b in zip(ours, theirs, strict=True):
        assert a.tobytes() == b.tobytes()


def test_dead_units_do_not_drive_the_moments_into_denormals() -> None:
    w = ad.ones(4, requires_grad=True)
    optimizer = optim.AdamW([w])
    w.grad = ad.full((4,), 1e-3)
    optimizer.step()
    w.grad = ad.zeros(4)
    for _ in range(2000):
        optimizer.step()
    state = optimizer.state_dict()["state"][0]
    assert not state["exp_avg"].any()
    v = np.zeros(4, np.float32)
    m, g, value = np.full(4, 1e-37, np.float32), np.zeros(4, np.float32), np.ones(4, np.float32)
    kernels.adam(value, g, m, v, *[np.float32(s) for s in (0.9, 0.999, 0.01, 0.3, 1e-8, 1.0, 0.0, kernels.TINY)])
    assert (v >= np.float32(kernels.TINY)).all()
    assert not m.any()


def test_norm_clipping() -> None:
    a, b = ad.zeros(2, requires_grad=True), ad.zeros(1, requires_grad=True)
    (a * ad.tensor([3.0, 0.0]) + b * 2.0).sum().backward()  # the gradient is (3, 0), (4,)
    assert optim.clip_grad_norm_([a, b], 100.0) == 5.0
    assert optim.clip_grad_norm_([a, b], 1.0) == 5.0
    assert a.grad is not None
    assert b.grad is not None
    np.testing.assert_allclose([*a.grad.tolist(), *b.grad.tolist()], [0.6, 0.0, 0.8], rtol=1e-5)
    a.grad[0] = np.inf
    assert optim.clip_grad_norm_([a, b], 1.0) == np.inf
    np.testing.assert_allclose(b.grad.tolist(), [0.8], rtol=1e-5)


def test_norms_accumulate_in_float64() -> None:
    a = ad.zeros(2, requires_grad=True)
    a.grad = ad.full((2,), 3e25)
    assert np.isfinite(optim.grad_norm([a]))


def test_value_clipping() -> None:
    a = ad.zeros(3, requires_grad=True)
    a.grad = ad.tensor([-5.0, 0.5, 5.0])
    optim.clip_grad_value_([a], 1.0)
    assert a.grad.tolist() == [-1.0, 0.5, 1.0]


def test_without_numba_training_gives_the_same_weights() -> None:
    script = (
        "import sys; sys.path.insert(0, 'tests/optim')\n"
        "import numpy as np, learner.autodiff as ad, learner.optim as optim\n"
        "from learner.autodiff import kernels\n"
        "w = ad.tensor((np.arange(50) % 7 - 3).astype(np.float32), requires_grad=True)\n"
        "o = optim.AdamW([w], lr=0.01)\n"
        "for _ in range(5):\n"
        "    o.zero_grad(); (w * w + ad.embedding([1, 1, 2], w.reshape(10, 5)).sum()).sum().backward(); o.step()\n"
        "print(kernels.COMPILED, w.array.tobytes().hex())\n"
    )
    outputs = []
    for switch in ("1", "0"):
        environment = {**os.environ, "LEARNER_NUMBA": switch}
        run = subprocess.run(
            [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
        )
        outputs.append(run.stdout.split())
    assert outputs[1][0] == "False"
    assert outputs[0][1] == outputs[1][1]


@pytest.mark.slow
def test_a_long_run_of_zero_gradients_does_not_slow_down() -> None:
    w = ad.ones(200_000, requires_grad=True)
    optimizer = optim.AdamW([w])
    rng = np.random.default_rng(0)
    w.grad = ad.tensor((1e-18 * rng.standard_normal(200_000)).astype(np.float32))
    optimizer.step()
    w.grad = ad.zeros(200_000)

    def seconds() -> float:
        start = time.process_time()
        for _ in range(30):
            optimizer.step()
        return time.process_time() - start

    first = min(seconds() for _ in range(3))
    for _ in range(600):
        optimizer.step()
    assert min(seconds() for _ in range(3)) < 3.0 * first
