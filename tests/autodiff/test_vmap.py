"""vmap and per-sample gradients equal a loop over the examples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import learner.autodiff as ad
import learner.nn as nn

from .cases import CASES, Case

RNG = np.random.default_rng(0)
UNSUPPORTED = {"einsum diagonal", "einsum trace", "index_select"}


def examples(case: Case) -> list[Any]:
    """Three examples of each input; integer inputs too."""
    rng = np.random.default_rng(11)
    return [np.stack([np.asarray(make(rng)) for _ in range(3)]) for make in case.inputs]


def applicable(case: Case) -> bool:
    data_dependent = "mask" in case.name and "masked" not in case.name
    folded = "conv_transpose" in case.name or case.name in ("slice and array", "array, None and slice")
    return not (data_dependent or folded or case.name in UNSUPPORTED or "batch_norm" in case.name)


@pytest.mark.parametrize("case", [c for c in CASES if applicable(c)], ids=str)
def test_vmap_equals_a_loop(case: Case) -> None:
    batches = examples(case)
    together = ad.vmap(lambda *xs: case.function(ad, *xs), *batches)
    one_by_one = [case.function(ad, *(ad.tensor(b[i]) for b in batches)) for i in range(3)]
    np.testing.assert_allclose(together.numpy(), np.stack([o.numpy() for o in one_by_one]), rtol=1e-10, atol=1e-12)


class Tokens(nn.Module):
    def __init__(self) -> None:
        self.table = nn.Embedding(7, 4)
        self.head = nn.Linear(12, 3)

    def forward(self, index: ad.Tensor) -> ad.Tensor:
        out: ad.Tensor = self.head(self.table(index).flatten(1))
        return out


MODELS: list[tuple[str, Callable[[], nn.Module], Callable[[], Any]]] = [
    ("mlp", lambda: nn.Sequential(nn.Linear(6, 5), nn.Tanh(), nn.Linear(5, 3)), lambda: RNG.standard_normal((4, 6))),
    ("layer norm", lambda: nn.Sequential(nn.Linear(6, 5), nn.LayerNorm(5), nn.GELU(), nn.Linear(5, 3)),
     lambda: RNG.standard_normal((4, 6))),
    ("conv", lambda: nn.Sequential(nn.Conv1d(2, 4, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(24, 3)),
     lambda: RNG.standard_normal((4, 2, 6))),
    ("embedding", Tokens, lambda: RNG.integers(0, 7, (4, 3))),
    ("transformer", lambda: nn.Sequential(nn.TransformerBlock(4, 2), nn.Flatten(), nn.Linear(12, 3)),
     lambda: RNG.standard_normal((4, 3, 4))),
]  # fmt: skip


@pytest.mark.parametrize(("name", "build", "data"), MODELS, ids=[m[0] for m in MODELS])
def test_per_sample_gradients_equal_a_loop(name: str, build: Any, data: Any) -> None:
    model, x, y = build(), data(), RNG.integers(0, 3, 4)
    x = x.astype(np.float32) if x.dtype.kind == "f" else x

    def loss(m: nn.Module, inputs: ad.Tensor, target: ad.Tensor) -> ad.Tensor:
        return ad.cross_entropy(m(inputs), target)

    before = model.state_dict()
    found = ad.per_sample_gradients(model, loss, x, y)
    norms = ad.per_sample_norms(model, loss, x, y)
    for i in range(4):
        model.zero_grad()
        loss(model, ad.tensor(x[i : i + 1]), ad.tensor(y[i : i + 1])).backward()
        total = 0.0
        for key, p in model.named_parameters():
            assert p.grad is not None
            np.testing.assert_allclose(found[key][i], p.grad.numpy(), rtol=1e-4, atol=1e-6, err_msg=key)
            total += float(np.sum(p.grad.numpy().astype(np.float64) ** 2))
        np.testing.assert_allclose(norms[i], np.sqrt(total), rtol=1e-5)
    for key, array in model.state_dict().items():
        np.testing.assert_array_equal(array, before[key])
    assert all(isinstance(p, nn.Parameter) for p in model.parameters())


def test_what_is_the_same_for_all_examples_is_not_repeated_by_the_caller() -> None:
    x, w = RNG.standard_normal((3, 4)), RNG.standard_normal((4, 2))
    out = ad.vmap(lambda a, b: a @ b, x, w, in_dims=(True, False))
    np.testing.assert_allclose(out.numpy(), x @ w)


def test_one_index_for_all_examples() -> None:
    x = RNG.standard_normal((3, 4, 5))
    out = ad.vmap(lambda a: ad.index_select(a, 1, [0, 0, 3]), x)
    np.testing.assert_array_equal(out.numpy(), x[:, :, [0, 0, 3]])


def test_what_has_no_batching_rule_is_refused() -> None:
    with pytest.raises(NotImplementedError, match="must come first"):
        ad.vmap(lambda a, i: a[:, i], np.ones((3, 4, 5)), np.zeros((3, 2), int))
    with pytest.raises(NotImplementedError, match="'fold' has no batching rule"):
        ad.vmap(lambda a, w: ad.conv_transpose1d(a, w), np.ones((3, 1, 2, 5)), np.ones((3, 2, 2, 3)))


def test_python_cannot_look_at_one_example() -> None:
    with pytest.raises(RuntimeError, match="there is a value for every example"):
        ad.vmap(lambda a: a if a.sum() > 0 else -a, np.ones((3, 2)))
