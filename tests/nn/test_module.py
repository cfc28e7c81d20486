"""Modules: what they are made of, their state, their switches, their initial weights."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import learner.autodiff as ad
import learner.nn as nn


def mlp(seed: int = 0) -> nn.Sequential:
    rng = np.random.default_rng(seed)
    return nn.Sequential(nn.Linear(4, 5, generator=rng), nn.ReLU(), nn.Linear(5, 3, generator=rng))


def test_names_and_order_are_pytorchs() -> None:
    assert list(mlp().state_dict()) == ["0.weight", "0.bias", "2.weight", "2.bias"]
    assert [name for name, _ in mlp().named_modules()] == ["", "0", "1", "2"]

    class Net(nn.Module):
        def __init__(self) -> None:
            self.body = mlp()
            self.scale = nn.Parameter(ad.ones(1))
            self.register_buffer("count", ad.zeros(1))

        def forward(self, x: ad.Tensor) -> ad.Tensor:
            out: ad.Tensor = self.body(x) * self.scale
            return out

    net = Net()
    assert list(net.state_dict())[:2] == ["scale", "count"]
    assert [name for name, _ in net.named_parameters()][:2] == ["scale", "body.0.weight"]
    assert net(ad.zeros(2, 4)).shape == (2, 3)


def test_a_shared_parameter_is_listed_once_and_saved_under_both_names() -> None:
    model = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3))
    model[1].weight = model[0].weight
    assert len(list(model.parameters())) == 3
    assert len(model.state_dict()) == 4


def test_saved_states_do_not_follow_the_model() -> None:
    model = mlp()
    state = model.state_dict()
    model[0].weight.detach().zero_()
    assert state["0.weight"].any()
    other = mlp(1)
    other.load_state_dict(state)
    np.testing.assert_array_equal(other[0].weight.array, state["0.weight"])


def test_loading_reports_everything_wrong_at_once_and_changes_nothing() -> None:
    model = mlp()
    before = model.state_dict()
    state = {**mlp(1).state_dict(), "2.bias": np.zeros(1, np.float32), "extra": np.zeros(2)}
    del state["0.bias"]
    with pytest.raises(ValueError, match="nothing was loaded") as caught:
        model.load_state_dict(state)
    for part in ("missing: 0.bias (5,)", "unexpected: extra (2,)", "misshapen: 2.bias is (3,) here and (1,)"):
        assert part in str(caught.value)
    for name, array in model.state_dict().items():
        np.testing.assert_array_equal(array, before[name])


def test_loading_loosely_still_refuses_to_broadcast() -> None:
    model = mlp()
    model.load_state_dict({"0.bias": np.ones(5, np.float32)}, strict=False)
    assert model[0].bias.tolist() == [1.0] * 5
    with pytest.raises(ValueError, match="misshapen"):
        model.load_state_dict({"0.bias": np.ones(1, np.float32)}, strict=False)


def test_loading_between_forward_and_backward_is_noticed() -> None:
    model = mlp()
    loss = model(ad.ones(2, 4)).sum()
    model.load_state_dict(mlp(1).state_dict())
    with pytest.raises(RuntimeError, match="changed in place"):
        loss.backward()


def test_train_and_eval_reach_every_module() -> None:
    model = nn.Sequential(mlp(), nn.Residual(nn.Linear(3, 3)))
    assert all(m.training for m in model.modules())
    model.eval()
    assert not any(m.training for m in model.modules())
    assert model.train() is model
    assert all(m.training for m in model.modules())


def test_freezing() -> None:
    model = mlp()
    model[0].requires_grad_(False)
    model(ad.ones(1, 4)).sum().backward()
    assert model[0].weight.grad is None
    assert model[2].weight.grad is not None
    model.zero_grad()
    assert model[2].weight.grad is None


def test_deep_copies_are_independent() -> None:
    model = mlp()
    other = copy.deepcopy(model)
    other[0].weight.detach().zero_()
    assert model[0].weight.array.any()
    assert isinstance(other[0].weight, nn.Parameter)


def test_weights_follow_from_the_generator() -> None:
    a, b, c = mlp(0).state_dict(), mlp(0).state_dict(), mlp(1).state_dict()
    assert all(np.array_equal(a[name], b[name]) for name in a)
    assert not np.array_equal(a["0.weight"], c["0.weight"])


def test_apply_visits_children_first() -> None:
    seen: list[nn.Module] = []
    model = mlp()
    model.apply(seen.append)
    assert seen == [*model.children(), model]


def test_repr_shows_the_tree() -> None:
    assert repr(mlp()).splitlines()[1] == "  (0): Linear(in_features=4, out_features=5, bias=True)"


@pytest.mark.parametrize(
    ("init", "deviation"),
    [
        (nn.init.xavier_uniform_, np.sqrt(2 / 300)),
        (nn.init.xavier_normal_, np.sqrt(2 / 300)),
        (lambda w, generator: nn.init.kaiming_uniform_(w, nonlinearity="relu", generator=generator), np.sqrt(2 / 100)),
        (lambda w, generator: nn.init.kaiming_normal_(w, mode="fan_out", nonlinearity="relu", generator=generator),
         np.sqrt(2 / 200)),
        (lambda w, generator: nn.init.linear_(w, None, generator), np.sqrt(1 / 300)),
    ],
)  # fmt: skip
def test_initial_deviations(init: object, deviation: float) -> None:
    w = ad.empty(200, 100)
    init(w, generator=np.random.default_rng(0))  # type: ignore[operator]
    assert abs(w.numpy().std() / deviation - 1.0) < 0.02
    assert abs(w.numpy().mean()) < 0.01


@pytest.mark.parametrize("shape", [(5, 8), (8, 5), (6, 2, 3)])
def test_orthogonal_rows_or_columns(shape: tuple[int, ...]) -> None:
    w = nn.init.orthogonal_(ad.empty(*shape, dtype=np.float64), gain=2.0, generator=np.random.default_rng(0)).numpy()
    flat = w.reshape(shape[0], -1)
    gram = flat @ flat.T if flat.shape[0] <= flat.shape[1] else flat.T @ flat
    np.testing.assert_allclose(gram, 4.0 * np.eye(len(gram)), atol=1e-12)


def test_unknown_gains_and_flat_fans_are_refused() -> None:
    with pytest.raises(ValueError, match=r"'cube'.*relu"):
        nn.init.calculate_gain("cube")
    with pytest.raises(ValueError, match="two axes"):
        nn.init.xavier_normal_(ad.empty(3))


def test_containers() -> None:
    layers = nn.ModuleList([nn.Linear(2, 2)])
    layers.append(nn.Tanh())
    assert len(layers) == 2
    assert isinstance(layers[-1], nn.Tanh)
    with pytest.raises(IndexError, match="index 2"):
        layers[2]
    x = ad.randn(3, 2)
    np.testing.assert_allclose(nn.Residual(nn.Identity())(x).numpy(), 2.0 * x.numpy())
    assert nn.Flatten()(ad.zeros(2, 3, 4)).shape == (2, 12)
