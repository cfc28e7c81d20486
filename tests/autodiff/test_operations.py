"""Every check over every case of the table."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import learner.autodiff as ad
from learner.autodiff.fixed import fixed_order
from learner.autodiff.gradcheck import gradcheck

from .cases import CASES, Case

every = pytest.mark.parametrize("case", CASES, ids=str)
elementwise = pytest.mark.parametrize("case", [c for c in CASES if c.elementwise], ids=str)


def arrays_of(case: Case, dtype: Any = np.float64) -> list[Any]:
    rng = np.random.default_rng(7)
    made = [np.asarray(make(rng)) for make in case.inputs]
    return [a.astype(dtype) if a.dtype.kind == "f" else a for a in made]


def leaves(arrays: list[Any]) -> list[ad.Tensor]:
    return [ad.Tensor(a, requires_grad=a.dtype.kind == "f") for a in arrays]


def differentiated(case: Case, tensors: list[ad.Tensor], **options: Any) -> tuple[Any, list[Any]]:
    """(output, gradients of the inputs that have one) under fixed weights on the output."""
    out = case.function(ad, *tensors)
    weights = np.random.default_rng(1).standard_normal(out.shape).astype(out.dtype)
    wanted = [t for t in tensors if t.requires_grad]
    grads = ad.grad(out, wanted, ad.tensor(weights), allow_unused=True, **options)
    return out.detach().numpy(), [None if g is None else g.detach().numpy() for g in grads]


def _close(a: Any, b: Any, **tolerance: float) -> None:
    assert (a is None) == (b is None)
    if a is not None:
        np.testing.assert_allclose(a, b, **tolerance)


@every
def test_gradients_match_finite_differences(case: Case) -> None:
    gradcheck(lambda *xs: case.function(ad, *xs), leaves(arrays_of(case)), order=case.order)


@every
def test_gradients_have_the_shape_and_dtype_of_their_tensors(case: Case) -> None:
    tensors = leaves(arrays_of(case, np.float32))
    out, grads = differentiated(case, tensors)
    assert out.dtype == np.float32
    for tensor, g in zip([t for t in tensors if t.requires_grad], grads, strict=True):
        assert g is None or (g.dtype == np.float32 and g.shape == tensor.shape)


@every
def test_strides_do_not_matter(case: Case) -> None:
    arrays = arrays_of(case)
    plain, plain_grads = differentiated(case, leaves(arrays))
    for restride in (_every_other, _reversed, _fortran):
        out, grads = differentiated(case, leaves([restride(a) for a in arrays]))
        np.testing.assert_allclose(out, plain, rtol=1e-12, atol=1e-14)
        for g, expected in zip(grads, plain_grads, strict=True):
            _close(g, expected, rtol=1e-12, atol=1e-14)


def _every_other(a: Any) -> Any:
    return np.repeat(a, 2, axis=-1)[..., ::2] if a.ndim else a


def _reversed(a: Any) -> Any:
    return np.flip(np.flip(a).copy())


def _fortran(a: Any) -> Any:
    return a.T.copy().T


@every
def test_inputs_are_neither_changed_nor_locked(case: Case) -> None:
    arrays = arrays_of(case)
    before = [a.copy() for a in arrays]
    differentiated(case, leaves(arrays))
    for a, b in zip(arrays, before, strict=True):
        np.testing.assert_array_equal(a, b)
        assert a.flags.writeable


@every
def test_recording_the_backward_pass_does_not_change_it(case: Case) -> None:
    _, plain = differentiated(case, leaves(arrays_of(case)))
    _, recorded = differentiated(case, leaves(arrays_of(case)), create_graph=True)
    for a, b in zip(plain, recorded, strict=True):
        _close(a, b, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("case", [c for c in CASES if c.fixed], ids=str)
def test_fixed_order_computes_the_same(case: Case) -> None:
    plain, plain_grads = differentiated(case, leaves(arrays_of(case)))
    with fixed_order():
        out, grads = differentiated(case, leaves(arrays_of(case)))
    np.testing.assert_allclose(out, plain, rtol=1e-10, atol=1e-12)
    for g, expected in zip(grads, plain_grads, strict=True):
        _close(g, expected, rtol=1e-10, atol=1e-12)


SHAPES = [(), (1,), (4,), (3, 1), (1, 4), (3, 4), (0,), (0, 1), (3, 0), (2, 1, 4), (1, 1, 1)]


@elementwise
def test_zero_dimensional_and_empty_operands(case: Case) -> None:
    shapes = SHAPES if len(case.inputs) == 1 else []
    pairs = [(s,) for s in shapes] + ([] if shapes else list(itertools.product(SHAPES, SHAPES)))
    for chosen in pairs:
        try:
            expected = np.broadcast_shapes(*chosen)
        except ValueError:
            continue
        tensors = leaves([np.full(shape, 0.7 + i) for i, shape in enumerate(chosen)])
        out = case.function(ad, *tensors)
        assert out.shape == expected
        for tensor, g in zip(tensors, ad.grad(out.sum(), tensors, allow_unused=True), strict=True):
            assert g is None or g.shape == tensor.shape


# names that torch has too, with other arguments
FUNCTIONAL = ["huber_loss", "pad", "embedding", "gelu", "layer_norm", "batch_norm", "binary_cross_entropy_with_logits"]


def torch_namespace() -> Any:
    torch = pytest.importorskip("torch", reason="the oracle needs PyTorch")
    names = vars(torch.nn.functional) | {n: getattr(torch, n) for n in dir(torch) if not n.startswith("_")}
    names |= {n: getattr(torch.nn.functional, n) for n in FUNCTIONAL}
    return SimpleNamespace(**names)


@pytest.mark.oracle
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("case", [c for c in CASES if c.oracle], ids=str)
def test_values_and_gradients_equal_pytorch(case: Case, dtype: Any) -> None:
    t = torch_namespace()
    arrays = arrays_of(case, dtype)
    out, grads = differentiated(case, leaves(arrays))
    theirs = [t.from_numpy(a.copy()) for a in arrays]
    wanted = [x.requires_grad_() for x in theirs if x.is_floating_point()]
    expected = (case.torch or case.function)(t, *theirs)
    weights = np.random.default_rng(1).standard_normal(out.shape).astype(out.dtype)
    expected_grads = t.autograd.grad(expected, wanted, t.from_numpy(weights), allow_unused=True)
    close = {"rtol": 1e-9, "atol": 1e-11} if dtype == np.float64 else {"rtol": 2e-5, "atol": 2e-6}
    np.testing.assert_allclose(out, expected.detach().numpy(), **close)
    for g, e in zip(grads, expected_grads, strict=True):
        if e is not None:
            np.testing.assert_allclose(g, e.numpy(), **close)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("shape", "dim"),
    [
        ((40, 3), 0),
        ((5, 7, 33), 1),
        ((5, 7, 33), (0, 1)),
        ((1, 9, 2), (0, 1)),
        ((2, 3, 4, 5), (1, 2)),
        ((0, 4), 0),
        ((3, 0, 4), 1),
        ((6, 5, 1), 1),
    ],
)
def test_sums_over_axes_before_the_last_add_as_numpy_does(shape: Any, dim: Any, dtype: Any) -> None:
    drawn, minus_zeros = np.random.default_rng(4).normal(size=shape).astype(dtype), np.full(shape, -0.0, dtype)
    for x, keepdim in itertools.product((drawn, minus_zeros), (False, True)):
        found = ad.tensor(x).sum(dim, keepdim).numpy()
        wanted = np.add.reduce(x, axis=dim, keepdims=keepdim)
        assert found.shape == wanted.shape
        assert found.tobytes() == wanted.tobytes()
