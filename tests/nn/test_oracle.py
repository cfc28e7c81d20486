"""Layers equal PyTorch's, given the same state_dict: outputs, input gradients, parameter gradients."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import learner.autodiff as ad
import learner.nn as nn

pytestmark = pytest.mark.oracle
torch = pytest.importorskip("torch", reason="the oracle needs PyTorch")


def _attend(module: Any, x: Any) -> Any:
    """Self-attention; PyTorch's module wants its operand three times and returns weights as well."""
    out = module(x, x, x)
    return out[0] if isinstance(out, tuple) else out


LAYERS: list[tuple[str, Any, Any, tuple[int, ...]]] = [
    ("Linear", lambda n: n.Linear(5, 4), None, (3, 5)),
    ("Linear on sequences", lambda n: n.Linear(5, 4, bias=False), None, (2, 3, 5)),
    ("LayerNorm", lambda n: n.LayerNorm(5), None, (3, 5)),
    ("LayerNorm of two axes", lambda n: n.LayerNorm((3, 5)), None, (2, 3, 5)),
    ("RMSNorm", lambda n: n.RMSNorm(5, eps=1e-6), None, (3, 5)),
    ("BatchNorm1d", lambda n: n.BatchNorm1d(5), None, (4, 5)),
    ("BatchNorm1d on sequences", lambda n: n.BatchNorm1d(3), None, (4, 3, 5)),
    ("BatchNorm2d evaluating", lambda n: n.BatchNorm2d(3).eval(), None, (4, 3, 5, 2)),
    ("Conv1d", lambda n: n.Conv1d(4, 6, 3, padding=1, groups=2), None, (3, 4, 6)),
    ("Conv2d", lambda n: n.Conv2d(4, 6, (3, 2), stride=2), None, (3, 4, 6, 5)),
    ("ConvTranspose1d", lambda n: n.ConvTranspose1d(4, 6, 3, stride=2, padding=1), None, (3, 4, 6)),
    ("ConvTranspose2d", lambda n: n.ConvTranspose2d(4, 6, 3), None, (3, 4, 2, 2)),
    ("MaxPool1d", lambda n: n.MaxPool1d(2), None, (3, 4, 6)),
    ("AvgPool2d", lambda n: n.AvgPool2d(2), None, (3, 4, 6, 6)),
    (
        "Residual-free stack",
        lambda n: n.Sequential(n.Conv1d(4, 6, 3), n.SiLU(), n.Flatten(), n.Linear(24, 2)),
        None,
        (3, 4, 6),
    ),
    ("LSTM", lambda n: n.LSTM(5, 4), lambda m, v: m(v)[0], (7, 3, 5)),
    ("LSTM, last states", lambda n: n.LSTM(5, 4), lambda m, v: m(v)[1][0] * m(v)[1][1], (7, 3, 5)),
    (
        "LSTM, two layers, both ways",
        lambda n: n.LSTM(5, 4, 2, batch_first=True, bidirectional=True),
        lambda m, v: m(v)[0],
        (3, 7, 5),
    ),
    ("GRU", lambda n: n.GRU(5, 4, 2), lambda m, v: m(v)[0], (7, 3, 5)),
    ("GRU, last state", lambda n: n.GRU(5, 4, bidirectional=True), lambda m, v: m(v)[1], (7, 3, 5)),
    ("LSTMCell", lambda n: n.LSTMCell(5, 4), lambda m, v: m(v)[0] + m(v, m(v))[1], (3, 5)),
    ("GRUCell", lambda n: n.GRUCell(5, 4), lambda m, v: m(v, m(v)), (3, 5)),
    ("MultiheadAttention", lambda n: n.MultiheadAttention(8, 2, batch_first=True), _attend, (3, 5, 8)),
    (
        "TransformerBlock",
        lambda n: (
            n.TransformerBlock(8, 2, 16)
            if hasattr(n, "TransformerBlock")
            else n.TransformerEncoderLayer(8, 2, 16, dropout=0.0, activation="gelu", batch_first=True, norm_first=True)
        ),
        None,
        (3, 5, 8),
    ),
    ("MLP", lambda n: n.Sequential(n.Linear(5, 8), n.GELU(), n.Linear(8, 2), n.LogSoftmax(-1)), None, (3, 5)),
]


@pytest.fixture
def double() -> Iterator[None]:
    """Layers in float64, so that differences are mistakes and not rounding."""
    ad.set_default_dtype(np.float64)
    yield
    ad.set_default_dtype(np.float32)


@pytest.mark.parametrize(("name", "build", "call", "shape"), LAYERS, ids=[row[0] for row in LAYERS])
def test_layers(double: None, name: str, build: Any, call: Any, shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    ours, theirs = build(nn), build(torch.nn).double()
    state = {key: rng.standard_normal(value.shape).astype(value.dtype) for key, value in ours.state_dict().items()}
    state = {key: np.abs(v) if key.endswith("_var") else v for key, v in state.items()}
    assert list(state) == list(theirs.state_dict())
    ours.load_state_dict(state)
    theirs.load_state_dict({key: torch.from_numpy(value) for key, value in state.items()})
    array = rng.standard_normal(shape)
    x, z = ad.tensor(array, requires_grad=True), torch.tensor(array, requires_grad=True)
    y, expected = (call or (lambda m, v: m(v)))(ours, x), (call or (lambda m, v: m(v)))(theirs, z)
    np.testing.assert_allclose(y.detach().numpy(), expected.detach().numpy(), rtol=1e-9, atol=1e-10)
    weights = rng.standard_normal(y.shape)
    y.backward(ad.tensor(weights))
    expected.backward(torch.from_numpy(weights))
    assert x.grad is not None
    np.testing.assert_allclose(x.grad.numpy(), z.grad.numpy(), rtol=1e-9, atol=1e-10)
    for (key, buffer), other in zip(ours.named_buffers(), theirs.buffers(), strict=True):
        np.testing.assert_allclose(buffer.numpy(), other.numpy(), rtol=1e-9, atol=1e-10, err_msg=key)
    for (key, p), q in zip(ours.named_parameters(), theirs.parameters(), strict=True):
        assert p.grad is not None
        np.testing.assert_allclose(p.grad.numpy(), q.grad.numpy(), rtol=1e-9, atol=1e-10, err_msg=key)


def test_safetensors_travel_both_ways(tmp_path: Any) -> None:
    save_ours = pytest.importorskip("safetensors.numpy").save_file
    load_ours = pytest.importorskip("safetensors.numpy").load_file
    theirs = pytest.importorskip("safetensors.torch")
    ours, other = nn.TransformerBlock(8, 2), torch.nn.TransformerEncoderLayer(8, 2, 32, batch_first=True)
    save_ours(ours.state_dict(), tmp_path / "ours.safetensors")
    other.load_state_dict(theirs.load_file(tmp_path / "ours.safetensors"))
    fresh = nn.TransformerBlock(8, 2)
    theirs.save_file(other.state_dict(), tmp_path / "theirs.safetensors")
    fresh.load_state_dict(load_ours(tmp_path / "theirs.safetensors"))
    for name, array in ours.state_dict().items():
        np.testing.assert_array_equal(fresh.state_dict()[name], array)
