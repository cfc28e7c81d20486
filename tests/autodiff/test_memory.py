"""Checkpointing and 16-bit activations: bit-identical gradients, less memory, guards."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import learner.autodiff as ad
import learner.nn as nn
import learner.optim as optim
from learner.autodiff import precision


def stack(blocks: int, seed: int = 0, dropout: float = 0.0) -> nn.ModuleList:
    rng = np.random.default_rng(seed)
    return nn.ModuleList(nn.TransformerBlock(16, 2, dropout=dropout, generator=rng) for _ in range(blocks))


def run(model: nn.ModuleList, x: ad.Tensor, checkpointed: bool) -> ad.Tensor:
    for block in model:
        x = ad.checkpoint(block, x) if checkpointed else block(x)
    return x.square().mean()


def gradients(checkpointed: bool, dropout: float) -> list[bytes]:
    model = stack(3, dropout=dropout)
    x = ad.tensor(np.random.default_rng(1).standard_normal((4, 5, 16)).astype(np.float32), requires_grad=True)
    loss = run(model, x, checkpointed)
    for parameter in model.parameters():
        assert parameter.grad is None
    loss.backward()
    tensors: list[ad.Tensor] = [x, *model.parameters()]
    tail = model[0].dropout.generator.random(3)  # the generator goes on as if nothing had been drawn twice
    return [loss.detach().numpy().tobytes(), *(t.grad.array.tobytes() for t in tensors if t.grad is not None),
            tail.tobytes()]  # fmt: skip


@pytest.mark.parametrize("dropout", [0.0, 0.3])
def test_checkpointed_gradients_are_the_plain_ones_bit_for_bit(dropout: float) -> None:
    plain, checkpointed = gradients(False, dropout), gradients(True, dropout)
    assert len(plain) == 3 + 3 * 12
    assert plain == checkpointed


def test_a_checkpoint_saves_only_its_input() -> None:
    x = ad.ones(4, 5, 16, requires_grad=True)
    plain = ad.memory(run(stack(6), x, False))["activations"]
    checkpointed = ad.memory(run(stack(6), x, True))["activations"]
    assert checkpointed < 0.15 * plain


def test_outer_results_inside_a_checkpoint_get_their_gradient_once() -> None:
    w = ad.tensor([2.0], requires_grad=True)
    scale = w * w
    x = ad.tensor([3.0], requires_grad=True)
    y = ad.checkpoint(lambda v: v * scale * w, x)
    y.sum().backward()
    assert w.grad is not None
    assert x.grad is not None
    assert (w.grad.item(), x.grad.item()) == (3.0 * 3 * 4.0, 8.0)


def test_an_input_that_the_function_also_closes_over() -> None:
    for second in (False, True):
        x = ad.tensor([3.0], requires_grad=True)
        y = ad.checkpoint(lambda v, x=x: v * v * x, x).sum()
        (g,) = ad.grad(y, x, create_graph=second)
        assert g.item() == 27.0
        if second:
            assert ad.grad(g.sum(), x)[0].item() == 18.0


def test_second_derivatives_pass_through_checkpoints() -> None:
    rng = np.random.default_rng(0)
    w = ad.tensor(rng.standard_normal((3, 3)), requires_grad=True)
    x = ad.tensor(rng.standard_normal((2, 3)), requires_grad=True)
    ad.gradcheck(lambda a, b: ad.checkpoint(lambda v: ad.tanh(v @ b), a), [x, w], order=2)


def test_parameters_changed_between_forward_and_backward_are_noticed() -> None:
    layer = nn.Linear(3, 3)
    loss = ad.checkpoint(layer, ad.ones(2, 3, requires_grad=True)).sum()
    layer.weight.detach().zero_()
    with pytest.raises(RuntimeError, match=r"'checkpoint'.*changed in place"):
        loss.backward()


def test_checkpoints_without_gradients_are_plain_calls() -> None:
    with ad.no_grad():
        assert not ad.checkpoint(nn.Linear(3, 3), ad.ones(2, 3)).requires_grad
    assert not ad.checkpoint(ad.exp, ad.ones(2)).requires_grad
    with pytest.raises(TypeError, match="one tensor, got tuple"):
        ad.checkpoint(lambda v: (v, v), ad.ones(2, requires_grad=True))  # type: ignore[arg-type,return-value]


@pytest.mark.parametrize(("dtype", "bits"), [("float16", 11), ("bfloat16", 8)])
def test_sixteen_bit_activations_halve_memory_and_stay_close(dtype: str, bits: int) -> None:
    if dtype == "bfloat16":
        pytest.importorskip("ml_dtypes", reason="bfloat16 needs ml_dtypes")
    rng = np.random.default_rng(0)
    model = nn.Sequential(*[m for _ in range(4) for m in (nn.Linear(64, 64, generator=rng), nn.Tanh())])
    x = ad.tensor(rng.standard_normal((32, 64)).astype(np.float32))
    results: list[Any] = []
    for packed in (False, True):
        model.zero_grad()
        if packed:
            with ad.saved_as(dtype):
                loss = model(x).square().mean()
        else:
            loss = model(x).square().mean()
        results.append((loss.item(), ad.memory(loss)["activations"]))
        loss.backward()
        results.append([p.grad.array.copy() for p in model.parameters() if p.grad is not None])
    (plain_loss, plain_bytes), plain, (packed_loss, packed_bytes), rounded = results
    assert packed_loss == plain_loss
    assert packed_bytes - x.array.nbytes <= 0.5 * (plain_bytes - x.array.nbytes)
    for a, b in zip(plain, rounded, strict=True):
        assert b.dtype == np.float32
        assert np.abs(a - b).max() <= 2.0 ** (3 - bits) * np.abs(a).max()


def test_unknown_storage_is_refused() -> None:
    with pytest.raises(ValueError, match="'int8'"):
        ad.saved_as("int8")


def test_training_in_mixed_precision_learns() -> None:
    rng = np.random.default_rng(0)
    model = nn.Sequential(nn.Linear(8, 64, generator=rng), nn.Tanh(), nn.Linear(64, 2, generator=rng))
    optimizer, scaler = optim.AdamW(model.parameters(), lr=1e-2), ad.GradScaler(growth_interval=10)
    x = ad.tensor(rng.standard_normal((64, 8)).astype(np.float32))
    y = (x.numpy()[:, 0] > 0).astype(np.int64)
    for _ in range(60):
        optimizer.zero_grad()
        with ad.saved_as("float16"):
            loss = ad.cross_entropy(model(x), y)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        optim.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
    assert loss.item() < 0.1
    assert scaler.get_scale() == 2.0**22


def test_the_loss_scale_backs_off_to_its_floor_and_then_halts() -> None:
    w = ad.ones(2, requires_grad=True)
    optimizer, scaler = optim.SGD([w]), ad.GradScaler(init_scale=8.0, min_scale=2.0, patience=3)

    def step(gradient: float) -> None:
        w.grad = ad.full((2,), gradient)
        scaler.step(optimizer)
        scaler.update()

    for expected in (4.0, 2.0, 2.0, 2.0):
        step(np.nan)
        assert scaler.get_scale() == expected
    with pytest.raises(precision.LossScaleError, match=r"3 steps in a row.*diagnose"):
        step(np.nan)
    assert optimizer.skipped_steps == 5
    assert w.tolist() == [1.0, 1.0]
    again = ad.GradScaler()
    again.load_state_dict(scaler.state_dict())
    assert again.get_scale() == 2.0
    step(2.0)
    np.testing.assert_allclose(w.tolist(), 1.0 - 1e-3 * 1.0)
