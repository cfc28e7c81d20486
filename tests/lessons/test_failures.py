"""Each way to fail fails, and what is said to help helps; and where it shouldn't, the experiment sees a difference."""

from __future__ import annotations

import numpy as np
import pytest

import learner.autodiff as ad
from learner.byhand import ReLU
from learner.lessons.failing import broken, dead, depth, exploding, mask, minima, rates, shallow, softmax
from learner.lessons.lesson import find_lesson


@pytest.fixture(autouse=True)
def _overflow_is_meant():
    with np.errstate(all="ignore"):
        yield


def test_steps_are_parts():
    module = find_lesson("FAILURES")
    assert len(module.PARTS) == module.STEPS


@pytest.mark.parametrize("seed", range(3))
def test_gradients_through_depth(seed):
    def left(activation, initial, wiring):
        return depth.flow(activation, initial, wiring, seed).norms[0]

    assert left("sigmoid", "Xavier", "plain") < 1e-12
    assert left("ReLU", "small", "plain") < 1e-25
    assert left("ReLU", "large", "plain") > 1e15
    assert 0.1 < left("ReLU", "He", "plain") < 10
    assert left("ReLU", "Xavier", "plain") < 1e-3 < left("tanh", "Xavier", "plain")
    assert left("ReLU", "small", "normalised") == pytest.approx(left("ReLU", "large", "normalised"), rel=0.05)
    assert 0.5 < left("sigmoid", "He", "residual") < 5


def test_a_shallow_network_loses_less():
    deep, shallow_ = (depth.flow("sigmoid", "Xavier", "plain", 0, layers).norms for layers in (30, 3))
    assert len(deep) == 30
    assert shallow_[0] > 1e10 * deep[0]


def test_relus_die_and_only_a_slope_revives_them():
    killed, low = dead.prevented(0)[:2]
    assert killed.dead_after > killed.dead_before + 0.3
    assert low.dead_after < 0.1
    assert low.loss < killed.loss / 2
    relu, leaky, gelu = dead.revived(0)
    assert relu.dead_after == relu.dead_before  # a layer of it is dead as a whole, so no gradient comes back
    assert leaky.loss < relu.loss
    assert gelu.loss < relu.loss / 2


def test_dead_share_counts_units_that_are_off_for_all():
    net = dead.Net("ReLU", False, np.random.default_rng(0))
    x, _ = dead.examples(0)
    with ad.no_grad():
        net.layers[0].weight.fill_(0.0)
        net.layers[0].bias.fill_(-1.0)
        net.layers[1].bias.fill_(1e3)
        net.layers[2].bias.fill_(1e6)
    assert dead.dead_share(net, x) == pytest.approx(1 / 3)


def test_gradients_through_time():
    flows = {gain: exploding.through_time(gain, 0) for gain in exploding.GAINS}
    assert flows[0.8][0] < 1e-4
    assert flows[2.0][0] > 1e2
    assert all(flow[-1] == pytest.approx(1.0) for flow in flows.values())


def test_clipping_saves_the_recurrent_network():
    free, clipped = exploding.train(None, 0), exploding.train(1.0, 0)
    assert free.losses[0] == clipped.losses[0]
    assert np.mean(clipped.losses[-20:]) < 0.5 * clipped.losses[0]
    assert not np.mean(free.losses[-20:]) < free.losses[0]


def test_the_limit_of_the_rate_is_two_over_the_curvature():
    losses = rates.quadratic((0.95, 1.05), 1)
    assert losses[0.95][-1] < losses[0.95][0]
    assert losses[1.05][-1] > losses[1.05][0]


def test_deeper_networks_bear_less():
    cells = rates.grid(0)
    assert rates.highest(cells, 16, 1.2) < rates.highest(cells, 1, 1.2)
    assert rates.highest(cells, 1, 0.0) == 0.0


def test_two_layers_tell_spirals_apart_that_one_does_not():
    one, two = shallow.fit("1 × 60", 0), shallow.fit("2 × 14", 0)
    assert two.parameters < one.parameters
    assert one.right < 0.8
    assert two.right > 0.98


@pytest.mark.parametrize("folds", [1, 3, 7])
def test_each_fold_doubles_the_sawtooth(folds):
    assert shallow.sawtooth(folds) == (6 * folds, 2**folds)


def test_xor_has_starts_that_end_badly():
    ends = np.array(minima.losses(2, 12, 0))
    assert (ends < minima.SOLVED).any()
    assert (ends > 0.1).any()


def test_every_broken_path_is_named():
    words = {told.fault: told.words for told in [*broken.diagnosed(0), *broken.raised(0)]}
    assert "nothing connects it to the loss" in words["detach"]
    assert "nothing connects it to the loss" in words["argmax"]
    assert "exactly zero" in words["floor"]
    assert "dead" in words["dead ReLUs"]
    assert "saturated" in words["saturated tanh"]
    assert "exploding" in words["scaled up"]
    assert "vanishing" in words["scaled down"]
    assert "one direction" in words["inputs of one sign"]
    assert "changed in place since" in words["a weight changed in place between forward and backward"]
    assert "a second time" in words["backward twice"]
    assert all(len(said) > 20 for said in words.values())


def test_a_sound_network_has_nothing_named(monkeypatch):
    monkeypatch.setattr(broken, "JOINS", {"sound": ad.tanh})
    assert [told.words for told in broken.diagnosed(0)] == ["nothing"]


def test_straight_through_estimators_train_the_first_layer():
    ends = broken.mended(0)
    assert ends["argmax"][0] == ends["threshold z > 0"][0] == 0.0
    assert ends["argmax, straight through"][0] > 0
    assert ends["argmax, straight through"][1] < ends["argmax"][1] / 2
    assert ends["threshold, straight through"][1] < ends["threshold z > 0"][1] / 2


def test_only_the_fused_loss_survives_large_logits():
    for name in softmax.LOSSES:
        small = softmax.outcome(name, 1.0, 0)
        assert small.finite == 1.0
        assert small.error < 1e-7
    assert not np.isfinite(softmax.outcome("written out", 1000.0, 0).value)
    assert softmax.outcome("softmax, then log", 1000.0, 0).finite < 1.0
    fused = softmax.outcome("fused", 10000.0, 0)
    assert np.isfinite(fused.value)
    assert fused.error < 1e-7


def test_diagnose_names_the_operation_that_made_the_first_nan():
    assert "the first NaN was made by 'div'" in softmax.first_nan(0, 100.0)
    assert "NaN" not in softmax.first_nan(0, 1.0)


def test_a_gradient_check_sees_the_forgotten_mask():
    right, wrong = mask.mismatches(ReLU, 0), mask.mismatches(mask.Forgetful, 0)
    assert max(right) < 1e-6
    assert min(wrong[:2]) > 0.1
    assert wrong[2] < 1e-6
    assert mask.train(mask.Forgetful, 0, 200)[-1] > 1.5 * mask.train(ReLU, 0, 200)[-1]
