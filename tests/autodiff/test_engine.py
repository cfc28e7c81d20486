"""The engine: accumulation, memory, depth, guards, and what its errors say."""

from __future__ import annotations

import gc
import itertools
import weakref

import numpy as np
import pytest

import learner.autodiff as ad


def leaf(*values: float) -> ad.Tensor:
    return ad.tensor(list(values), requires_grad=True)


def test_the_example_of_the_readme() -> None:
    x = ad.tensor([1.0, 2.0], requires_grad=True)
    (x**2).sum().backward()
    assert x.grad is not None
    np.testing.assert_array_equal(x.grad.numpy(), [2.0, 4.0])


def test_gradients_add_up_over_calls_and_over_paths() -> None:
    x = leaf(3.0)
    (x * x + x).sum().backward()
    (2.0 * x).sum().backward()
    assert x.grad is not None
    assert x.grad.item() == 7.0 + 2.0


def test_a_second_backward_needs_the_graph_retained() -> None:
    x = leaf(3.0)
    loss = (x * x).sum()
    loss.backward(retain_graph=True)
    loss.backward()
    assert x.grad is not None
    assert x.grad.item() == 12.0
    with pytest.raises(RuntimeError, match=r"'sum'.*a second time.*retain_graph=True"):
        loss.backward()


def test_intermediate_gradients_do_not_survive_a_pass() -> None:
    x = leaf(3.0)
    y = x * 2.0
    z = y * y
    z.sum().backward(retain_graph=True)
    z.sum().backward()
    assert y.grad is None
    assert x.grad is not None
    assert x.grad.item() == 2 * 24.0


def test_many_arrivals_at_one_node() -> None:
    x = leaf(1.0, 2.0)
    y = x * 1.0
    total = y
    for _ in range(6):
        total = total + y
    g = ad.tensor([1.0, 10.0])
    total.backward(g)
    assert x.grad is not None
    np.testing.assert_array_equal(x.grad.numpy(), [7.0, 70.0])
    np.testing.assert_array_equal(g.numpy(), [1.0, 10.0])


def test_no_two_gradients_share_memory() -> None:
    a, b, c = leaf(1.0, 2.0), leaf(3.0, 4.0), leaf(5.0, 6.0)
    seed = ad.tensor([1.0, 1.0])
    ((a + b).reshape(2, 1).reshape(2) + c).backward(seed)
    arrays = [a.grad.array, b.grad.array, c.grad.array, seed.array]  # type: ignore[union-attr]
    for one, other in itertools.combinations(arrays, 2):
        assert not np.shares_memory(one, other)


def test_accumulating_into_one_gradient_leaves_others_alone() -> None:
    a, b = leaf(1.0), leaf(1.0)
    (a + b).sum().backward()
    (a * 5.0).sum().backward()
    assert a.grad is not None
    assert b.grad is not None
    assert (a.grad.item(), b.grad.item()) == (6.0, 1.0)


@pytest.mark.parametrize("length", [200_000])
def test_deep_chains_need_no_recursion(length: int) -> None:
    x = leaf(1.0)
    y = x
    for _ in range(length):
        y = y + 1.0
    y.sum().backward()
    assert x.grad is not None
    assert x.grad.item() == 1.0
    z = x
    for _ in range(length):
        z = z + 1.0
    del z  # freeing a deep graph that backward never walked must not recurse either


def test_graphs_die_without_the_collector() -> None:
    gc.collect()
    gc.disable()
    try:
        x = leaf(1.0, 2.0)
        y = (x * x).exp()
        loss = y.sum()
        watched = [weakref.ref(y.node), weakref.ref(loss.node), weakref.ref(loss)]
        loss.backward()
        (g,) = ad.grad((x * x).sum(), x, create_graph=True)
        watched.append(weakref.ref(g.node))
        del y, loss, g
        assert [w() for w in watched] == [None] * 4
    finally:
        gc.enable()


def test_backward_releases_saved_arrays_as_it_goes() -> None:
    x = leaf(1.0, 2.0)
    y = x.exp()
    saved = weakref.ref(y.array)
    z = y * y
    del y
    assert saved() is not None
    z.sum().backward()
    assert saved() is None


def test_changing_an_operand_in_place_is_noticed() -> None:
    w, x = leaf(1.0, 2.0), leaf(3.0, 4.0)
    loss = (w * x).sum()
    with ad.no_grad():
        w.mul_(2.0)
    with pytest.raises(RuntimeError, match=r"'mul'.*version 0.*version 1.*clone"):
        loss.backward()


def test_changing_an_operand_that_no_rule_reads_is_harmless() -> None:
    w = leaf(1.0, 2.0)
    loss = (w + 1.0).sum()
    with ad.no_grad():
        w.zero_()
    loss.backward()
    assert w.grad is not None


def test_views_share_the_version_of_their_memory() -> None:
    w, x = leaf(1.0, 2.0), leaf(3.0)
    loss = (w[:1] * x).sum()
    with ad.no_grad():
        w.copy_([5.0, 6.0])
    with pytest.raises(RuntimeError, match="changed in place"):
        loss.backward()


def test_results_are_read_only_for_good() -> None:
    y = leaf(1.0) * 2.0
    assert not y.array.flags.writeable
    with pytest.raises(RuntimeError, match=r"add_ on the result of an operation.*clone"), ad.no_grad():
        y.add_(1.0)
    with pytest.raises(RuntimeError, match="no_grad"):
        leaf(1.0).add_(1.0)


def test_an_array_operand_may_change_after_the_call() -> None:
    w, x = leaf(1.0, 2.0), np.array([3.0, 4.0], np.float32)
    loss = (w * x).sum()
    x[:] = 0.0
    loss.backward()
    assert w.grad is not None
    np.testing.assert_array_equal(w.grad.numpy(), [3.0, 4.0])


def test_hooks_see_and_may_replace_a_gradient() -> None:
    x = leaf(1.0, 2.0)
    y = x * 2.0
    seen = []
    remove = y.register_hook(lambda g: seen.append(g.tolist()))
    y.register_hook(lambda g: g * 10.0)
    y.sum().backward()
    remove()
    assert seen == [[1.0, 1.0]]
    assert x.grad is not None
    assert x.grad.tolist() == [20.0, 20.0]


def test_a_hook_of_another_shape_is_refused() -> None:
    x = leaf(1.0, 2.0)
    x.register_hook(lambda g: g.sum())
    with pytest.raises(ValueError, match=r"hook.*\(\).*\(2,\)"):
        x.sum().backward()


def test_retain_grad_keeps_an_intermediate_gradient() -> None:
    x = leaf(1.0, 2.0)
    y = x * x
    y.retain_grad()
    (y * 3.0).sum().backward()
    assert y.grad is not None
    assert y.grad.tolist() == [3.0, 3.0]


def test_grad_returns_and_touches_nothing() -> None:
    a, b = leaf(2.0), leaf(3.0)
    y = a * b
    ga, gy = ad.grad((y * y).sum(), [a, y])
    assert (ga.item(), gy.item()) == (36.0, 12.0)
    assert a.grad is None
    assert b.grad is None
    with pytest.raises(RuntimeError, match="does not depend on input 0"):
        ad.grad((a * 1.0).sum(), [b])
    assert ad.grad((a * 1.0).sum(), [b], allow_unused=True) == (None,)


def test_grad_to_an_input_that_is_not_a_leaf_stops_there() -> None:
    x = leaf(2.0)
    y = x * x
    (g,) = ad.grad((y * y).sum(), [y])
    assert g.item() == 8.0
    y.sum().backward()  # the part below y was not walked, so nothing of it was freed
    assert x.grad is not None


def test_backward_keeps_create_graph_gradients_differentiable() -> None:
    x = leaf(2.0)
    (x**3).sum().backward(create_graph=True)
    assert x.grad is not None
    (second,) = ad.grad(x.grad.sum(), x)
    assert second.item() == 12.0


def test_no_grad_and_detach() -> None:
    x = leaf(2.0)
    with ad.no_grad():
        y = x * x
    assert not y.requires_grad
    assert ad.is_grad_enabled.__call__() is not False
    assert not (x * x).detach().requires_grad

    @ad.no_grad()
    def f() -> ad.Tensor:
        with ad.enable_grad():
            assert (x * x).requires_grad
        return x * x

    assert not f().requires_grad
    assert (x * x.detach()).requires_grad


def test_errors_name_the_operation_the_shapes_and_the_remedy() -> None:
    with pytest.raises(ValueError, match=r"matmul\(float32 \(2, 3\), float32 \(2, 3\)\).*transpose one with \.mT"):
        ad.zeros(2, 3) @ ad.zeros(2, 3)
    with pytest.raises(ValueError, match=r"add\(float32 \(2,\), float32 \(3,\)\).*broadcast"):
        ad.zeros(2) + ad.zeros(3)
    with pytest.raises(RuntimeError, match=r"\(2,\) needs a gradient of that shape.*\.mean\(\)"):
        leaf(1.0, 2.0).backward()
    with pytest.raises(RuntimeError, match=r"does not require a gradient.*requires_grad_"):
        ad.zeros(()).backward()
    with pytest.raises(TypeError, match="int64"):
        ad.tensor([1, 2], requires_grad=True)
    with pytest.raises(TypeError, match=r"'str'.*tensor\(\.\.\.\)"):
        leaf(1.0) + "1"
    with pytest.raises(ValueError, match=r"gradient has shape \(3,\), the tensor \(2,\)"):
        (leaf(1.0, 2.0) * 1.0).backward(ad.zeros(3))


def test_a_gradient_of_an_unused_leaf_stays_none() -> None:
    a, b = leaf(1.0), leaf(1.0)
    (a * 2.0).sum().backward()
    assert b.grad is None


def test_frozen_operands_get_no_gradient_and_cost_no_rule() -> None:
    called = []
    probe = ad.op(
        "probe_two", np.multiply, lambda g, y: called.append("x") or g * y, lambda g, x: called.append("y") or g
    )
    probe(leaf(1.0), ad.tensor([2.0])).sum().backward()
    assert called == ["x"]


def test_a_rule_that_returns_what_was_saved_does_not_lend_it_out() -> None:
    lend = ad.op("test_lend", lambda x, y: np.asarray((x * y).sum()), lambda y: y, lambda x: x)
    x, y = leaf(1.0, 2.0), leaf(3.0, 4.0)
    loss = lend(x, y)
    loss.backward(retain_graph=True)
    loss.backward()
    (x * 10.0).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [16.0, 18.0]
    assert y.tolist() == [3.0, 4.0]
    assert not np.shares_memory(x.grad.array, y.array)


def test_a_joint_rule_may_return_one_array_twice() -> None:
    both = ad.op("test_both", np.add, joint=lambda g: [2.0 * g] * 2)
    x, y = leaf(1.0), leaf(1.0)
    both(x, y).sum().backward()
    (x * 5.0).sum().backward()
    assert x.grad is not None
    assert y.grad is not None
    assert (x.grad.item(), y.grad.item()) == (7.0, 2.0)
