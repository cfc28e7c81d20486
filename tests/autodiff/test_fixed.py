"""Fixed order: the same bits compiled and interpreted, alone and in a batch; accurate functions of our own."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import learner.autodiff as ad
import learner.nn as nn
from learner.autodiff import fixed

RNG = np.random.default_rng(3)
SHAPES: list[Any] = [((1, 7), (7, 5)), ((4, 33), (33, 17)), ((3, 2, 9), (9, 4)), ((2, 1, 5, 8), (3, 8, 2))]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shapes", SHAPES)
def test_products_have_the_same_bits_compiled_and_interpreted(shapes: Any, dtype: Any) -> None:
    a, b = (RNG.standard_normal(shape).astype(dtype) for shape in shapes)
    compiled, interpreted = fixed.matmul(a, b), fixed.matmul(a, b, interpreted=True)
    assert compiled.dtype == dtype
    assert compiled.tobytes() == interpreted.tobytes()
    np.testing.assert_allclose(compiled, a @ b, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", ["exp", "tanh", "sigmoid", "erf"])
def test_own_functions_have_the_same_bits_compiled_and_interpreted(name: str) -> None:
    compiled = getattr(fixed, f"{name}64")
    interpreted = getattr(compiled, "py_func", compiled)
    for scale in (1e-3, 0.3, 5.0, 900.0):
        x = np.concatenate([RNG.normal(0, scale, 999), [0.0, -0.0, np.inf, -np.inf, 0.1, 0.46875]])
        with np.errstate(all="ignore"):
            assert compiled(x).tobytes() == interpreted(x).tobytes()
        assert np.isnan(compiled(np.array([np.nan])))


@pytest.mark.parametrize(("name", "others"), [("_horner", [fixed._EXP]), ("_erf_near_zero", []), ("_erfc_far", [0.25])])
def test_what_they_are_made_of_has_the_same_bits_compiled_and_interpreted(name: str, others: list[Any]) -> None:
    function = getattr(fixed, name)
    x = RNG.uniform(0.01, 6.0, 999)
    given = [x * other if isinstance(other, float) else other for other in others]
    assert function(x, *given).tobytes() == getattr(function, "py_func", function)(x, *given).tobytes()


def test_sums_have_the_same_bits_compiled_and_interpreted() -> None:
    for shape in [(1, 1), (3, 1), (1, 1000), (7, 33), (0, 4), (4, 0)]:
        rows = RNG.normal(0, 1, shape) * 10.0 ** RNG.integers(-8, 8, shape)
        assert fixed.sum_rows(rows).tobytes() == fixed.sum_rows_numpy(rows).tobytes()


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [("exp", -700, 700), ("exp", -1, 1), ("log", 1e-300, 1e300), ("log", 0.5, 2.0),
     ("tanh", -30, 30), ("tanh", -0.2, 0.2), ("sigmoid", -40, 40), ("expm1", -30, 30), ("expm1", -1e-3, 1e-3),
     ("log1p", -0.9, 10), ("log1p", -1e-4, 1e-4)],
)  # fmt: skip
def test_own_functions_are_accurate(name: str, low: float, high: float) -> None:
    x = np.concatenate([np.linspace(low, high, 20_001), RNG.uniform(low, high, 20_000)])
    reference: Callable[[Any], Any] = {"sigmoid": lambda v: 1.0 / (1.0 + np.exp(-v))}.get(name) or getattr(np, name)
    np.testing.assert_allclose(getattr(fixed, f"{name}64")(x), reference(x), rtol=2e-15, atol=1e-300)


def test_own_functions_at_the_edges() -> None:
    x = np.array([-np.inf, np.inf, np.nan, 0.0, -0.0, 1e4, -1e4])
    np.testing.assert_array_equal(fixed.exp64(x), [0.0, np.inf, np.nan, 1.0, 1.0, np.inf, 0.0])
    np.testing.assert_array_equal(fixed.tanh64(x), [-1.0, 1.0, np.nan, 0.0, -0.0, 1.0, -1.0])
    np.testing.assert_array_equal(fixed.log64(np.array([0.0, -1.0, np.inf, np.nan])), [-np.inf, np.nan, np.inf, np.nan])


def network(seed: int) -> nn.Module:
    rng = np.random.default_rng(seed)
    return nn.Sequential(
        nn.Linear(20, 33, generator=rng), nn.Tanh(), nn.LayerNorm(33), nn.Linear(33, 17, generator=rng), nn.GELU(),
        nn.Linear(17, 5, generator=rng), nn.Softmax(),
    )  # fmt: skip


def test_a_row_of_a_batch_equals_that_row_alone() -> None:
    model, x = network(0), ad.tensor(RNG.standard_normal((9, 20)).astype(np.float32))
    with ad.no_grad(), ad.fixed_order():
        batch = model(x).numpy()
        for i in range(9):
            assert model(x[i : i + 1]).numpy().tobytes() == batch[i : i + 1].tobytes()


def gradient_digest(model: nn.Module, x: np.ndarray[Any, Any]) -> str:
    model.zero_grad()
    with ad.fixed_order():
        prediction = model(ad.tensor(x)).mean()
        (0.5 * (prediction - 2.0) ** 2).backward()
    digest = hashlib.sha256()
    for p in model.parameters():
        assert p.grad is not None
        digest.update(p.grad.array.tobytes())
    return digest.hexdigest()


def test_one_row_gradients_have_the_same_bits_with_and_without_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    x = RNG.standard_normal((1, 20)).astype(np.float32)
    compiled = gradient_digest(network(1), x)
    assert compiled == gradient_digest(network(1), x)
    monkeypatch.setattr(fixed, "_product_loop", None)
    assert gradient_digest(network(1), x) == compiled


def test_these_bits_are_those_of_every_x86_64_machine() -> None:
    """A golden digest: inputs and weights from integers, so that no random generator's version matters."""
    model = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 2), nn.Sigmoid())
    for k, p in enumerate(model.parameters()):
        values = (np.arange(p.array.size) * 37 + 11 * k) % 101 - 50
        p.detach().copy_((values / np.float32(64)).reshape(p.shape).astype(np.float32))
    x = ((np.arange(6) * 29) % 31 - 15).astype(np.float32)[None] / np.float32(16)
    assert gradient_digest(model, x) == GOLDEN


GOLDEN = "5fa0091f25fcc9d8c9558ea94b1fdfedcc5ec04411ff74bcee1121c14461a022"


def test_operations_without_a_fixed_kernel_are_refused() -> None:
    with ad.fixed_order(), pytest.raises(ValueError, match="sin has no fixed-order kernel"):
        ad.sin(ad.zeros(2))
    assert ad.sin(ad.zeros(2)).tolist() == [0.0, 0.0]
