"""Layers equal PyTorch's, given the same state_dict: outputs, input gradients, parameter gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import learner.autodiff as ad
import learner.nn as nn

pytestmark = pytest.mark.oracle
torch = pytest.importorskip("torch", reason="the oracle needs PyTorch")

LAYERS: list[tuple[str, Any, Any, tuple[int, ...]]] = [
    ("Linear", lambda n: n.Linear(5, 4), None, (3, 5)),
    ("Linear on sequences", lambda n: n.Linear(5, 4, bias=False), None, (2, 3, 5)),
    ("LayerNorm", lambda n: n.LayerNorm(5), None, (3, 5)),
    ("LayerNorm of two axes", lambda n: n.LayerNorm((3, 5)), None, (2, 3, 5)),
    ("RMSNorm", lambda n: n.RMSNorm(5, eps=1e-6), None, (3, 5)),
    ("MLP", lambda n: n.Sequential(n.Linear(5, 8), n.GELU(), n.Linear(8, 2), n.LogSoftmax(-1)), None, (3, 5)),
]


@pytest.mark.parametrize(("name", "build", "call", "shape"), LAYERS, ids=[row[0] for row in LAYERS])
def test_layers(name: str, build: Any, call: Any, shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    ours, theirs = build(nn), build(torch.nn)
    state = {key: rng.standard_normal(value.shape).astype(np.float32) for key, value in ours.state_dict().items()}
    assert list(state) == list(theirs.state_dict())
    ours.load_state_dict(state)
    theirs.load_state_dict({key: torch.from_numpy(value) for key, value in state.items()})
    array = rng.standard_normal(shape).astype(np.float32)
    x, z = ad.tensor(array, requires_grad=True), torch.tensor(array, requires_grad=True)
    y, expected = (call or (lambda m, v: m(v)))(ours, x), (call or (lambda m, v: m(v)))(theirs, z)
    np.testing.assert_allclose(y.detach().numpy(), expected.detach().numpy(), rtol=1e-5, atol=1e-6)
    weights = rng.standard_normal(y.shape).astype(np.float32)
    y.backward(ad.tensor(weights))
    expected.backward(torch.from_numpy(weights))
    assert x.grad is not None
    np.testing.assert_allclose(x.grad.numpy(), z.grad.numpy(), rtol=1e-4, atol=1e-5)
    for (key, p), q in zip(ours.named_parameters(), theirs.parameters(), strict=True):
        assert p.grad is not None
        np.testing.assert_allclose(p.grad.numpy(), q.grad.numpy(), rtol=1e-4, atol=1e-5, err_msg=key)
