"""Replay: bit for bit what the step as written does, and never a wrong number."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import learner.autodiff as ad
import learner.nn as nn
import learner.optim as optim


class Recurrent(nn.Module):
    def __init__(self, generator: np.random.Generator) -> None:
        self.lstm = nn.LSTM(6, 8, generator=generator)
        self.head = nn.Linear(8, 3, generator=generator)

    def forward(self, x: ad.Tensor) -> ad.Tensor:
        out: ad.Tensor = self.head(self.lstm(x.reshape(-1, 4, 6).transpose(0, 1))[0][-1])
        return out


class Attending(nn.Module):
    def __init__(self, generator: np.random.Generator) -> None:
        self.block = nn.TransformerBlock(6, 2, dropout=0.2, generator=generator)
        self.head = nn.Linear(24, 3, generator=generator)

    def forward(self, x: ad.Tensor) -> ad.Tensor:
        out: ad.Tensor = self.head(self.block(x.reshape(-1, 4, 6), is_causal=True).flatten(1))
        return out


MODELS: dict[str, Callable[[np.random.Generator], nn.Module]] = {
    "mlp": lambda g: nn.Sequential(nn.Linear(24, 16, generator=g), nn.ReLU(), nn.Linear(16, 3, generator=g)),
    "dropout": lambda g: nn.Sequential(
        nn.Linear(24, 16, generator=g), nn.GELU(), nn.Dropout(0.4, generator=np.random.default_rng(9)),
        nn.Linear(16, 3, generator=g)),
    "batch norm": lambda g: nn.Sequential(nn.Linear(24, 16, generator=g), nn.BatchNorm1d(16), nn.Tanh(),
                                          nn.Linear(16, 3, generator=g)),
    "layer norm": lambda g: nn.Sequential(nn.Linear(24, 16, generator=g), nn.LayerNorm(16), nn.SiLU(),
                                          nn.Linear(16, 3, generator=g)),
    "recurrent": Recurrent,
    "attention": Attending,
}  # fmt: skip


def train(name: str, steps: int, compiled: bool) -> tuple[list[Any], Any]:
    rng = np.random.default_rng(0)
    model = MODELS[name](rng)
    optimizer = optim.AdamW(model.parameters(), lr=0.01)
    schedule = optim.CosineAnnealingLR(optimizer, 20)

    def step(x: ad.Tensor, y: ad.Tensor) -> dict[str, ad.Tensor]:
        logits = model(x)
        loss = ad.cross_entropy(logits, y)
        optimizer.zero_grad()
        loss.backward()
        optim.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()
        return {"loss": loss, "logits": logits}

    run: Any = ad.compile(step) if compiled else step
    history: list[Any] = []
    for i in range(steps):
        x = rng.standard_normal((8 if i % 7 else 5, 24)).astype(np.float32)
        result = run(ad.tensor(x), ad.tensor(rng.integers(0, 3, len(x))))
        schedule.step()
        history += [result["loss"].detach().numpy().tobytes(), result["logits"].detach().numpy().tobytes()]
    return history + [a.tobytes() for a in model.state_dict().values()], run


@pytest.mark.parametrize("name", MODELS)
def test_replayed_training_equals_training_as_written_bit_for_bit(name: str) -> None:
    history, step = train(name, 30, True)
    assert step.reason is None
    assert step.replays > 15
    assert history == train(name, 30, False)[0]


W = ad.tensor([1.0, 2.0], requires_grad=True)


def run_twice_and_more(step: Callable[..., Any], *arguments: Any) -> tuple[Any, str | None]:
    compiled = ad.compile(step)
    with pytest.warns(ad.ReplayWarning) as caught:
        compiled(*arguments)
    compiled(*arguments)
    assert compiled.reason is not None
    assert compiled.reason in str(caught[0].message)
    return compiled, compiled.reason


def grad_of(loss: ad.Tensor) -> ad.Tensor:
    W.grad = None
    loss.backward()
    return loss


OUTSIDE = np.array([3.0, 4.0], np.float32)
FOOTGUNS: list[tuple[str, Callable[[ad.Tensor], Any], str]] = [
    ("item", lambda x: x * (W * x).sum().item(), r"item\(\) shows Python a value"),
    ("branch", lambda x: W * x if (W * x).sum() > 0 else W, "bool"),
    ("float", lambda x: x * float(W.sum()), r"item\(\)"),
    ("numpy", lambda x: (W * x).detach().numpy().sum() * x, r"numpy\(\)"),
    ("outer array", lambda x: (W * x * OUTSIDE).sum(), "an array inside the step would be frozen"),
    ("new tensor", lambda x: (W * x * ad.tensor([1.0, 2.0])).sum(), r"tensor\(\.\.\.\).*argument"),
    ("random tensor", lambda x: (W * x * ad.rand(2)).sum(), r"rand\(\.\.\.\)"),
    ("from_numpy", lambda x: (W * x * ad.from_numpy(OUTSIDE)).sum(), "from_numpy"),
    ("mask", lambda x: x[x > 0].sum(), "boolean mask"),
    ("in place", lambda x: ad.zeros(2).add_(x), "add_ changes a tensor in place"),
    ("accumulation", lambda x: (W * x).sum().backward(), r"add up from step to step.*zero_grad"),
    ("loss scale", lambda x: SCALER.scale((W * x).sum()), "loss scale"),
]
SCALER = ad.GradScaler()


@pytest.mark.parametrize(("name", "step", "reason"), FOOTGUNS, ids=[f[0] for f in FOOTGUNS])
def test_what_cannot_be_replayed_runs_as_written(name: str, step: Any, reason: str) -> None:
    W.grad = ad.zeros(2)
    _, said = run_twice_and_more(step, ad.tensor([0.5, -0.25]))
    with pytest.raises(AssertionError, match=reason):
        raise AssertionError(said)


@pytest.mark.parametrize("name", ["mlp", "layer norm", "recurrent", "attention"])
def test_a_step_in_fixed_order_is_replayed_in_fixed_order(name: str) -> None:
    rng = np.random.default_rng(2)
    model = MODELS[name](rng).eval()
    parameters = list(model.parameters())

    def step(x: ad.Tensor, y: ad.Tensor) -> list[ad.Tensor]:
        with ad.fixed_order():
            loss = -ad.log_softmax(model(x), 1).gather(1, y).mean()
            return [loss, *ad.grad(loss, parameters)]

    compiled = ad.compile(step)
    for _ in range(6):
        x, y = rng.normal(size=(9, 24)).astype(np.float32), rng.integers(0, 3, (9, 1))
        found, wanted = compiled(x, y), step(ad.tensor(x), ad.tensor(y))
        assert [t.array.tobytes() for t in found] == [t.array.tobytes() for t in wanted]
    assert compiled.reason is None
    assert compiled.replays >= 3


def test_a_number_that_changes_from_call_to_call_is_noticed() -> None:
    counter = iter(range(100))

    def step(x: ad.Tensor) -> ad.Tensor:
        return x * float(next(counter))

    compiled = ad.compile(step)
    with pytest.warns(ad.ReplayWarning, match="'mul' was called with"):
        results = [compiled(ad.ones(1)).item() for _ in range(6)]
    assert results == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]


def test_variables_of_the_step_may_change() -> None:
    config, factor = SimpleNamespace(beta=2.0, deep=SimpleNamespace(gamma=1.0)), 3.0

    def step(x: ad.Tensor) -> ad.Tensor:
        return x * config.beta * config.deep.gamma * factor

    compiled = ad.compile(step)
    x = ad.ones(1)
    assert [compiled(x).item() for _ in range(5)] == [6.0] * 5
    config.beta = 5.0
    assert [compiled(x).item() for _ in range(5)] == [15.0] * 5
    factor = 1.0
    config.deep.gamma = 2.0
    assert [compiled(x).item() for _ in range(5)] == [10.0] * 5
    assert compiled.reason is None
    assert compiled.replays == 9


def test_shapes_dtypes_and_constants_choose_the_program() -> None:
    compiled = ad.compile(lambda x, scale: x * scale)
    for _ in range(4):
        for shape in ((2,), (3,)):
            for scale in (1.0, 2.0):
                assert compiled(ad.ones(shape), scale).tolist() == [scale] * shape[0]
    assert compiled.recordings == 8
    with pytest.raises(TypeError, match="not list"):
        compiled([1.0], 2.0)


def test_train_and_eval_freezing_and_new_values_are_noticed() -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.5))
    compiled = ad.compile(lambda x: model(x))
    x = ad.ones(50, 2)
    for _ in range(4):
        compiled(x)
    model.eval()
    expected = model(x).detach().numpy()
    for _ in range(4):
        np.testing.assert_array_equal(compiled(x).numpy(), expected)
    model.load_state_dict({"0.weight": np.zeros((2, 2), np.float32), "0.bias": np.full(2, 7.0, np.float32)})
    assert compiled(x).numpy().min() == 7.0
    model[0].bias = nn.Parameter(ad.full((2,), 8.0))
    assert compiled(x).numpy().min() == 8.0
    assert compiled.reason is None


def test_dropout_masks_are_drawn_anew() -> None:
    compiled = ad.compile(lambda x: ad.dropout(x, 0.5))
    masks = {tuple(compiled(ad.ones(64)).tolist()) for _ in range(8)}
    assert len(masks) == 8
    assert compiled.replays > 0


def test_results_are_copies_and_arguments_are_not_touched() -> None:
    compiled = ad.compile(lambda x: x + 1.0)
    arguments = [ad.full((1,), float(i)) for i in range(6)]
    results = [compiled(a) for a in arguments]
    assert [r.item() for r in results] == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    assert [a.item() for a in arguments] == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]


def test_gradients_are_there_after_a_replay() -> None:
    w = ad.tensor([1.0, 2.0], requires_grad=True)

    def step(x: ad.Tensor) -> None:
        w.grad = None
        (w * x).sum().backward()

    compiled = ad.compile(step)
    for i in range(6):
        compiled(ad.full((2,), float(i)))
        assert w.grad is not None
        assert w.grad.tolist() == [float(i)] * 2
    assert compiled.replays == 3


def test_a_skipped_step_is_skipped_in_a_replay_too() -> None:
    w = ad.tensor([1.0], requires_grad=True)
    optimizer = optim.AdamW([w])

    def step(x: ad.Tensor) -> None:
        optimizer.zero_grad()
        (w * x).sum().backward()
        optimizer.step()

    compiled = ad.compile(step)
    for value in (1.0, 1.0, 1.0, np.nan, 1.0):
        compiled(ad.tensor([value]))
    assert compiled.reason is None
    assert optimizer.skipped_steps == 1
    assert np.isfinite(w.item())


def test_kernels_that_leave_their_fast_path_still_fill_the_replays_arrays() -> None:
    rng = np.random.default_rng(0)
    w = ad.tensor(rng.standard_normal((4, 3)), requires_grad=True)

    def step(x: ad.Tensor, y: ad.Tensor) -> ad.Tensor:
        w.grad = None
        hidden = ad.gelu((x @ w).mT)  # float64 and not contiguous: no compiled loop takes this
        loss = (
            ad.cross_entropy(hidden.mT, y) + ad.softmax(hidden, -1).square().sum() + ad.layer_norm(hidden, (5,)).std()
        )
        loss.backward()
        return loss

    compiled = ad.compile(step)
    for _ in range(6):
        x, y = ad.tensor(rng.standard_normal((5, 4))), ad.tensor(rng.integers(0, 3, 5))
        found = compiled(x, y).item(), w.grad.array.copy()
        expected = step(x, y).item(), w.grad.array.copy()
        assert found[0] == expected[0]
        np.testing.assert_array_equal(found[1], expected[1])
    assert compiled.replays == 3


def test_integer_operands_are_converted_in_replays_as_well() -> None:
    compiled = ad.compile(lambda x, n: x * n + n / 3)
    for i in range(5):
        result = compiled(ad.tensor([0.1, 0.7]), ad.tensor([i, i + 1]))
        expected = ad.tensor([0.1, 0.7]) * ad.tensor([i, i + 1]) + ad.tensor([i, i + 1]) / 3
        assert result.numpy().tobytes() == expected.numpy().tobytes()
    assert compiled.replays == 3
