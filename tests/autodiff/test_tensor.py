"""Tensors: creation, dtypes, operators, conversion, indexing errors, in-place methods."""

from __future__ import annotations

import copy
import operator

import numpy as np
import pytest

import learner.autodiff as ad


def test_default_dtypes_are_pytorchs() -> None:
    assert ad.tensor([1.0, 2.0]).dtype == np.float32
    assert ad.tensor([1, 2]).dtype == np.int64
    assert ad.tensor([True]).dtype == np.bool_
    assert ad.tensor(np.zeros(2)).dtype == np.float64
    assert ad.tensor(2.5).shape == ()
    assert ad.zeros(2, 3).dtype == ad.ones((2, 3)).dtype == ad.randn(2).dtype == np.float32
    assert ad.randint(0, 3, (4,)).dtype == np.int64


def test_tensor_copies_and_from_numpy_shares() -> None:
    a = np.zeros(2, np.float32)
    copied, shared = ad.tensor(a), ad.from_numpy(a)
    a[0] = 1.0
    assert (copied[0].item(), shared[0].item()) == (0.0, 1.0)


OPERATORS = [operator.add, operator.sub, operator.mul, operator.truediv, operator.pow, operator.floordiv, operator.mod]
COMPARISONS = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]


@pytest.mark.parametrize("function", OPERATORS + COMPARISONS)
def test_operators_and_their_reflections(function: object) -> None:
    x = np.array([1.5, 2.0, 3.0], np.float32)
    for other in (2, 2.5, np.array([0.5, 2.0, 4.0], np.float32), np.float64(2.5), np.int64(2)):
        for left, right in ((ad.tensor(x), other), (other, ad.tensor(x))):
            if function in (operator.floordiv, operator.mod) and left is other:
                continue
            result = function(left, right)  # type: ignore[operator]
            assert isinstance(result, ad.Tensor)
            plain = function(*(t.numpy() if isinstance(t, ad.Tensor) else t for t in (left, right)))  # type: ignore[operator]
            assert result.dtype == (np.bool_ if function in COMPARISONS else np.float32)
            np.testing.assert_allclose(result.numpy(), plain, rtol=1e-6)


def test_matmul_is_reflected() -> None:
    a = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.testing.assert_array_equal((a @ ad.tensor(a.T)).numpy(), a @ a.T)


def test_integers_compute_in_the_default_dtype_not_float64() -> None:
    n = ad.tensor([1, 2, 3])
    x = ad.tensor([1.0, 2.0, 3.0])
    for result in (
        n / 2,
        n * 0.5,
        n.exp(),
        n.mean(),
        n * x,
        x + n,
        ad.where(x > 1.0, x, 0),
        ad.where(x > 1.0, 2.0, 3.0),
    ):
        assert result.dtype == np.float32, result
    assert (n * 2).dtype == (n // 2).dtype == n.sum().dtype == np.int64


def test_float16_and_float64_meet_float32_as_in_pytorch() -> None:
    half, single, double = (ad.ones(2, dtype=d, requires_grad=True) for d in (np.float16, np.float32, np.float64))
    (half * single).sum().backward()
    (single * double).sum().backward()
    for t in (half, single, double):
        assert t.grad is not None
        assert t.grad.dtype == t.dtype


def test_leaving_the_tape_is_explicit() -> None:
    x = ad.tensor([1.0], requires_grad=True)
    with pytest.raises(RuntimeError, match=r"detach\(\)\.numpy\(\)"):
        x.numpy()
    view = x.detach().numpy()
    assert not view.flags.writeable
    assert x.item() == 1.0
    assert float(x) == 1.0
    assert np.asarray(x.detach()).dtype == np.float32
    with pytest.raises(ValueError, match=r"item\(\) needs a tensor of one element.*\(2,\)"):
        ad.zeros(2).item()
    with pytest.raises(ValueError, match="ambiguous"):
        bool(ad.zeros(2))
    with pytest.raises(TypeError, match="0-d"):
        len(ad.zeros(()))


def test_iteration_and_unpacking() -> None:
    a, b = ad.tensor([[1.0], [2.0]])
    assert (a.item(), b.item()) == (1.0, 2.0)


def test_in_place_methods() -> None:
    x = ad.zeros(3)
    x.fill_(2.0).add_(1.0).mul_(ad.tensor([1.0, 2.0, 3.0]))
    x[1] = 0.0
    assert x.tolist() == [3.0, 0.0, 9.0]
    x.add_(ad.ones(3), alpha=2)
    x.copy_(5)
    assert x.tolist() == [5.0, 5.0, 5.0]
    with pytest.raises(TypeError):
        ad.tensor([1, 2]).copy_([0.5, 0.5])


def test_clones_off_the_tape_can_be_written_to() -> None:
    x = ad.tensor([1.0], requires_grad=True)
    free = (x * 2.0).detach().clone()
    free.add_(1.0)
    assert free.item() == 3.0
    assert (x * 2.0).clone().requires_grad


def test_deep_copies_are_leaves_of_their_own() -> None:
    x = ad.tensor([1.0], requires_grad=True)
    y = copy.deepcopy(x)
    (y * 2.0).sum().backward()
    assert x.grad is None
    assert y.grad is not None
    with pytest.raises(RuntimeError, match="detach"):
        copy.deepcopy(x * 2.0)


def test_requires_grad_can_be_switched_on_leaves_only() -> None:
    x = ad.tensor([1.0])
    assert not (x * 2.0).requires_grad
    x.requires_grad = True
    y = x * 2.0
    with pytest.raises(RuntimeError, match="result of 'mul'"):
        y.requires_grad_(False)
    x.requires_grad_(False)
    assert not (x * 2.0).requires_grad


def test_the_seed_makes_everything_repeatable() -> None:
    draws = []
    for _ in range(2):
        ad.manual_seed(0)
        draws.append(
            (ad.randn(3).tolist(), ad.rand(3).tolist(), ad.randint(0, 9, (5,)).tolist(), ad.randperm(5).tolist())
        )
    assert draws[0] == draws[1]
    own = [ad.randn(3, generator=np.random.default_rng(5)).tolist() for _ in range(2)]
    assert own[0] == own[1]


def test_reprs_are_readable() -> None:
    x = ad.tensor([1.0, 2.5], requires_grad=True)
    assert repr(x) == "tensor([1. , 2.5], requires_grad=True)"
    assert repr(x * 2.0) == "tensor([2., 5.], grad_fn=<mul>)"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ad.zeros(3)[0.5], "neither integer nor boolean"),
        (lambda: ad.zeros(3)[5], r"slice\(float32 \(3,\)"),
        (lambda: ad.zeros(3)[[5]], "getitem"),
        (lambda: ad.gather(ad.zeros(2, 3), 1, ad.zeros(2, 3)), "must be integer"),
        (lambda: ad.topk(ad.zeros(3), 4), "k = 4"),
        (lambda: ad.split(ad.zeros(5), [2, 2]), "sum to 4"),
        (lambda: ad.narrow(ad.zeros(5), 0, 3, 4), "outside"),
        (lambda: ad.cat([]), "at least one"),
        (lambda: ad.cat([ad.zeros(2, 2), ad.zeros(2, 3)], 0), r"cat\(.*equal except along dim"),
        (lambda: ad.zeros(3).reshape(2, -1), r"reshape\(float32 \(3,\)"),
        (lambda: ad.mse_loss(ad.zeros(3, 1), ad.zeros(3)), "differ in shape"),
        (lambda: ad.cross_entropy(ad.zeros(2, 3), ad.tensor([0, 3])), "target 3 is outside the classes 0..2"),
        (lambda: ad.cross_entropy(ad.zeros(2, 3), ad.tensor([0, -1])), "target -1 is outside"),
        (lambda: ad.cross_entropy(ad.zeros(2, 3), ad.tensor([0])), "need targets of shape"),
        (lambda: ad.clip(ad.zeros(2)), "at least one bound"),
        (lambda: ad.layer_norm(ad.zeros(2, 3), (4,)), "normalized_shape"),
        (lambda: ad.tensor([[1.0], [1.0, 2.0]]), "inhomogeneous|ragged"),
    ],
)
def test_errors(call: object, message: str) -> None:
    with pytest.raises((ValueError, IndexError), match=message):
        call()  # type: ignore[operator]
