"""What layers do beyond equalling PyTorch's: dropout, running statistics, refusals, the fused LSTM's reference."""

from __future__ import annotations

import numpy as np
import pytest

import learner.autodiff as ad
import learner.nn as nn


def test_dropout_follows_train_and_eval_not_no_grad() -> None:
    layer, x = nn.Dropout(0.25, generator=np.random.default_rng(0)), ad.ones(100, 100, requires_grad=True)
    with ad.no_grad():
        kept = layer(x).numpy()
    assert set(np.unique(kept)) == {np.float32(0.0), np.float32(1.0 / 0.75)}
    assert abs((kept == 0.0).mean() - 0.25) < 0.02
    assert layer.eval()(x) is x


def test_dropout_sends_gradients_where_values_went() -> None:
    x = ad.ones(1000, requires_grad=True)
    y = ad.dropout(x, 0.5, generator=np.random.default_rng(0))
    y.sum().backward()
    assert x.grad is not None
    np.testing.assert_array_equal(x.grad.numpy(), y.detach().numpy())


def test_dropout_is_repeatable_and_refuses_what_is_no_probability() -> None:
    masks = [ad.dropout(ad.ones(50), 0.5, generator=np.random.default_rng(3)).tolist() for _ in range(2)]
    assert masks[0] == masks[1]
    assert not ad.dropout(ad.ones(5), 1.0).numpy().any()
    with pytest.raises(ValueError, match=r"\[0, 1\], got 1.5"):
        nn.Dropout(1.5)


def test_batch_norm_measures_in_training_only() -> None:
    layer, x = nn.BatchNorm1d(3), ad.randn(50, 3, generator=np.random.default_rng(0)) * 4.0 + 2.0
    with ad.no_grad():
        for _ in range(100):
            layer(x)
    assert layer.running_mean is not None
    np.testing.assert_allclose(layer.running_mean.numpy(), x.numpy().mean(0), rtol=1e-3)
    before = layer.state_dict()
    layer.eval()(x)
    for name, array in layer.state_dict().items():
        np.testing.assert_array_equal(array, before[name])
    assert before["num_batches_tracked"] == 100
    with pytest.raises(ValueError, match="no variance"):
        layer.train()(x[:1])
    with pytest.raises(ValueError, match=r"BatchNorm1d\(3\) cannot take shape \(5, 4\)"):
        layer(ad.zeros(5, 4))


def test_an_lstm_over_no_steps_returns_its_state() -> None:
    layer = nn.LSTM(2, 3)
    h = ad.ones(1, 4, 3)
    out, (last, cell) = layer(ad.zeros(0, 4, 2), (h, h * 2.0))
    assert out.shape == (0, 4, 3)
    np.testing.assert_array_equal(last.detach().numpy(), h.numpy())
    np.testing.assert_array_equal(cell.detach().numpy(), 2.0 * h.numpy())


def test_an_lstm_step_by_step_equals_the_sequence() -> None:
    layer, cell = nn.LSTM(2, 3), nn.LSTMCell(2, 3)
    cell.load_state_dict({name.removesuffix("_l0"): array for name, array in layer.state_dict().items()})
    x = ad.randn(5, 4, 2, generator=np.random.default_rng(0))
    out, _ = layer(x)
    state = None
    for t in range(5):
        state = cell(x[t], state)
        np.testing.assert_allclose(state[0].detach().numpy(), out[t].detach().numpy(), rtol=1e-5, atol=1e-6)


def test_attention_that_may_look_at_nothing_is_finite() -> None:
    x = ad.randn(1, 3, 4, generator=np.random.default_rng(0))
    x.requires_grad_()
    out = ad.scaled_dot_product_attention(x, x, x, attn_mask=np.zeros((3, 3), bool))
    out.sum().backward()
    np.testing.assert_allclose(out.detach().numpy(), np.broadcast_to(x.detach().numpy().mean(1), (1, 3, 4)), rtol=1e-5)
    assert x.grad is not None
    assert np.isfinite(x.grad.numpy()).all()


def test_causal_attention_does_not_see_the_future() -> None:
    block, rng = nn.TransformerBlock(8, 2), np.random.default_rng(0)
    x = rng.standard_normal((1, 5, 8)).astype(np.float32)
    y = x.copy()
    y[0, 3:] += 1.0
    a, b = (block(ad.tensor(v), is_causal=True).detach().numpy() for v in (x, y))
    np.testing.assert_allclose(a[0, :3], b[0, :3], rtol=1e-5, atol=1e-6)
    assert not np.allclose(a[0, 3:], b[0, 3:])


def test_attention_over_other_positions() -> None:
    layer = nn.MultiheadAttention(8, 2)
    query, memory = ad.randn(2, 3, 8), ad.randn(2, 5, 8)
    assert layer(query, memory).shape == (2, 3, 8)
    np.testing.assert_allclose(
        layer(query, query).detach().numpy(), layer(query).detach().numpy(), rtol=1e-5, atol=1e-6
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: nn.Conv1d(3, 4, 3, groups=2), "groups=2 must divide"),
        (lambda: nn.Conv1d(3, 4, 3)(ad.zeros(2, 5, 9)), "x has 5 channels"),
        (lambda: nn.Conv1d(3, 4, 3)(ad.zeros(2, 3, 2)), "do not fit"),
        (lambda: nn.Conv2d(3, 4, 3)(ad.zeros(2, 3, 9)), "axes of space"),
        (lambda: nn.MultiheadAttention(7, 2), "must divide"),
        (lambda: nn.TransformerBlock(8, 2, activation="x"), "'gelu' or 'relu'"),
        (lambda: ad.einsum("ij,jk->ik", ad.zeros(2, 2)), "2 operands, 1"),
        (lambda: ad.einsum("ij->ijj", ad.zeros(2, 2)), "distinct letters"),
        (lambda: ad.einsum("ij->i", ad.zeros(2, 2, 2)), r"operand 0 has shape \(2, 2, 2\)"),
        (lambda: nn.Linear(3, 4)(ad.zeros(2, 5)), r"linear\(.*in_features"),
    ],
)
def test_refusals(call: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()  # type: ignore[operator]
