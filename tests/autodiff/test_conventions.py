"""What happens at singular points, pinned: kinks, ties, zeros, infinities, the branch not taken."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import learner.autodiff as ad


def slope(function: Callable[[ad.Tensor], ad.Tensor], *at: float) -> list[float]:
    x = ad.tensor(list(at), requires_grad=True)
    function(x).sum().backward()
    assert x.grad is not None
    return x.grad.tolist()


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (ad.relu, 0.0),
        (ad.abs, 0.0),
        (ad.sqrt, np.inf),
        (ad.norm, 0.0),
        (lambda x: x**0, 0.0),
        (lambda x: x**1, 1.0),
        (lambda x: x**2, 0.0),
        (lambda x: ad.pow(x, ad.tensor([0.0])), 0.0),
        (lambda x: ad.leaky_relu(x, 0.125), 0.125),
        (ad.hard_threshold, 1.0),
        (lambda x: ad.clip(x, 0.0, 1.0), 1.0),
        (lambda x: ad.clip(x, -1.0, 0.0), 1.0),
        (lambda x: x.std(0, correction=0), np.nan),
    ],
)
def test_slopes_at_zero(function: Callable[[ad.Tensor], ad.Tensor], expected: float) -> None:
    np.testing.assert_equal(slope(function, 0.0), [expected])


def test_zero_to_the_zero_is_one() -> None:
    assert (ad.zeros(1) ** 0).item() == (ad.zeros(1) ** ad.zeros(1)).item() == 1.0


@pytest.mark.parametrize("function", [ad.amax, ad.amin, lambda x: x.max(), lambda x: x.max(0).values])
def test_ties_share_a_gradient_that_sums_to_one(function: Callable[[ad.Tensor], ad.Tensor]) -> None:
    assert slope(function, 2.0, 2.0, 2.0, 2.0) == [0.25] * 4


@pytest.mark.parametrize("function", [ad.maximum, ad.minimum])
def test_ties_of_two_operands_share_half_and_half(function: Callable[..., ad.Tensor]) -> None:
    a, b = ad.ones(1, requires_grad=True), ad.ones(1, requires_grad=True)
    function(a, b).sum().backward()
    assert a.grad is not None
    assert b.grad is not None
    assert (a.grad.item(), b.grad.item()) == (0.5, 0.5)


def test_where_lets_no_nan_out_of_the_branch_not_taken() -> None:
    assert slope(lambda x: ad.where(x > 0.0, x, 0.0).sqrt() * 0.0 + ad.where(x > 0.0, x, 1.0).log(), 0.0, 1.0)[1] == 1.0
    x = ad.tensor([0.0, 2.0], requires_grad=True)
    safe = ad.where(x > 0.0, x, 1.0)
    ad.where(x > 0.0, ad.log(safe), 0.0).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [0.0, 0.5]


@pytest.mark.parametrize("size", [1e4, 1e8, 3e38])
def test_log_softmax_and_cross_entropy_take_huge_logits(size: float) -> None:
    logits = ad.tensor([[size, -size, 0.0], [-size, -size, -size]], requires_grad=True)
    target = ad.tensor([1, 2])
    for loss in (ad.cross_entropy(logits, target), -ad.log_softmax(logits, 1)[0, 0], ad.softmax(logits, 1).sum()):
        logits.grad = None
        loss.backward()
        assert logits.grad is not None
        assert np.isfinite(logits.grad.numpy()).all()
    assert np.isfinite(ad.log_softmax(logits, 1).detach().numpy()).all() or size > 1e38


def test_masked_out_logits_may_be_minus_infinity() -> None:
    logits = ad.tensor([[0.0, -np.inf, 1.0]], requires_grad=True)
    ad.cross_entropy(logits, ad.tensor([0])).backward()
    assert logits.grad is not None
    assert logits.grad.numpy()[0, 1] == 0.0
    assert np.isfinite(logits.grad.numpy()).all()
    assert ad.softmax(logits, 1).detach().numpy()[0, 1] == 0.0


def test_logsumexp_of_nothing_possible() -> None:
    x = ad.tensor([[-np.inf, -np.inf], [0.0, 0.0]])
    np.testing.assert_allclose(ad.logsumexp(x, 1).numpy(), [-np.inf, np.log(2.0)], rtol=1e-6)


def test_layer_norm_of_a_constant_row_is_finite() -> None:
    x = ad.full((2, 4), 3.0, requires_grad=True)
    (ad.layer_norm(x, (4,)) * ad.tensor([1.0, 2.0, 3.0, 4.0])).sum().backward()
    assert x.grad is not None
    assert np.isfinite(x.grad.numpy()).all()


def test_layer_norm_of_large_numbers_keeps_its_variance() -> None:
    x = ad.tensor([[1e4, 1e4 + 1.0, 1e4 + 2.0, 1e4 + 3.0]])
    np.testing.assert_allclose(ad.layer_norm(x, (4,)).numpy(), [[-1.34164, -0.44721, 0.44721, 1.34164]], rtol=1e-4)


def test_entropy_over_one_legal_entry_is_zero_with_zero_gradient() -> None:
    logits = ad.tensor([[0.3, -0.2, 5.0]], requires_grad=True)
    legal = np.array([[True, False, False]])
    masked = ad.where(legal, logits, -1e9)
    log_p = ad.log_softmax(masked, 1)
    entropy = -ad.where(legal, log_p.exp() * log_p, 0.0).sum(1)
    entropy.sum().backward()
    assert entropy.item() == 0.0
    assert logits.grad is not None
    assert logits.grad.tolist() == [[0.0, 0.0, 0.0]]


def test_sigmoid_softplus_and_gelu_at_the_extremes() -> None:
    x = ad.tensor([-1e4, -100.0, 0.0, 100.0, 1e4], requires_grad=True)
    for function in (ad.sigmoid, ad.softplus, ad.gelu, ad.silu, ad.tanh, ad.logsigmoid, ad.elu):
        x.grad = None
        y = function(x)
        y.sum().backward()
        assert np.isfinite(y.detach().numpy()).all()
        assert x.grad is not None
        assert np.isfinite(x.grad.numpy()).all()


def test_hard_threshold_passes_gradients_straight_through_near_zero() -> None:
    x = [-1.5, -1.0, -0.2, 0.0, 0.3, 1.0, 1.5]
    assert ad.hard_threshold(ad.tensor(x)).tolist() == [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0]
    assert slope(ad.hard_threshold, *x) == [0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0]


def test_means_of_nothing_are_nan_and_sums_zero() -> None:
    x = ad.zeros(0, 3, requires_grad=True)
    assert np.isnan(x.mean().item())
    assert x.sum().item() == 0.0
    x.sum().backward()
    assert x.grad is not None
    assert x.grad.shape == (0, 3)
