"""Jacobians, Hessians, vector products, custom operations."""

from __future__ import annotations

import numpy as np
import pytest

import learner.autodiff as ad

A = np.random.default_rng(0).standard_normal((4, 3))


def test_the_jacobian_of_a_linear_map_is_its_matrix() -> None:
    x = ad.tensor(np.ones(3))
    np.testing.assert_allclose(ad.jacobian(lambda v: ad.tensor(A) @ v, x).numpy(), A)
    assert ad.jacobian(lambda v: v.reshape(3, 1) * v, x).shape == (3, 3, 3)


def test_the_hessian_of_a_quadratic_form_is_symmetric_and_right() -> None:
    x = ad.tensor(np.array([0.5, -1.0, 2.0]))
    q = A.T @ A

    def form(v: ad.Tensor) -> ad.Tensor:
        return (ad.tensor(A) @ v).square().sum()

    np.testing.assert_allclose(ad.hessian(form, x).numpy(), 2.0 * q, rtol=1e-12)
    direction = np.array([1.0, 2.0, 3.0])
    np.testing.assert_allclose(ad.hessian_vector(form, x, direction).numpy(), 2.0 * q @ direction, rtol=1e-12)


def test_the_hessian_of_a_linear_function_is_zero() -> None:
    x = ad.tensor(np.ones(3))
    assert not ad.hessian_vector(lambda v: v.sum(), x, np.ones(3)).numpy().any()


def test_vjp_can_pull_many_times_and_touches_no_gradient() -> None:
    x, y = ad.tensor(np.ones(3), requires_grad=True), ad.tensor(np.full(3, 2.0))
    out, pull = ad.vjp(lambda a, b: a * b, x, y)
    assert out.tolist() == [2.0, 2.0, 2.0]
    for v in (np.array([1.0, 0.0, 0.0]), np.array([0.0, 5.0, 0.0])):
        gx, gy = pull(v)
        np.testing.assert_array_equal(gx.numpy(), 2.0 * v)
        np.testing.assert_array_equal(gy.numpy(), v)
    assert x.grad is None


def test_third_derivatives() -> None:
    x = ad.tensor(np.array([1.5]), requires_grad=True)
    y = (x**4).sum()
    for expected in (4 * 1.5**3, 12 * 1.5**2, 24 * 1.5, 24.0):
        (y,) = ad.grad(y.sum(), x, create_graph=True)
        np.testing.assert_allclose(y.item(), expected)


def test_a_custom_operation_has_everything_the_built_in_ones_have() -> None:
    cubed = ad.op("test_cubed", lambda x: x * x * x, lambda g, x: 3.0 * g * x * x)
    x = ad.tensor(np.array([0.5, -2.0]), requires_grad=True)
    ad.gradcheck(lambda v: cubed(v), [x], order=2)
    with pytest.raises(ValueError, match="in the table already"):
        ad.op("test_cubed", np.square)


def test_a_wrong_rule_is_caught_in_both_modes_and_both_orders() -> None:
    wrong = ad.op("test_wrong", np.sin, lambda f, g, x: g * f.sin(x))
    x = ad.tensor(np.array([0.5, -2.0]), requires_grad=True)
    for full in (True, False):
        with pytest.raises(AssertionError, match="backward says"):
            ad.gradcheck(lambda v: wrong(v), [x], full=full)
    # its values and first derivatives are right, its second derivatives are not: the rule hides its dependence on x
    hidden = ad.op("test_hidden", np.square, lambda g, x: 2.0 * g * (x.detach() if isinstance(x, ad.Tensor) else x))
    ad.gradcheck(lambda v: hidden(v), [x])
    with pytest.raises(AssertionError, match="second derivative"):
        ad.gradcheck(lambda v: hidden(v), [x], order=2)


def test_gradcheck_refuses_float32() -> None:
    with pytest.raises(TypeError, match="float64"):
        ad.gradcheck(ad.exp, [ad.ones(2, requires_grad=True)])
