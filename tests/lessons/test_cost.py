"""Counts and gradients of the cost experiments are right; times only where they differ by orders of magnitude."""

from __future__ import annotations

import pytest

from learner.lessons.costing import checkpoints, memo, memory, prices, ratios
from learner.lessons.lesson import find_lesson


def test_steps_are_parts():
    module = find_lesson("COST")
    assert len(module.PARTS) == module.STEPS


def test_all_parameters_are_measured_where_there_is_time_for_it():
    whole = prices.price(30, 0)
    assert whole.measured == whole.parameters == 2 * 30 + 30 + 30 * 30 + 30 + 30 + 1
    assert whole.worst < 1e-6
    assert whole.differences == whole.sampled
    assert whole.differences > 20 * whole.backward


def test_a_sample_is_scaled():
    part = prices.price(98, 0, budget=0.02)
    assert 100 <= part.measured < part.parameters
    assert part.worst < 1e-6
    assert part.differences == pytest.approx(part.sampled * part.parameters / part.measured)


def test_the_arithmetic_of_a_large_model():
    passes, months = prices.passes(27e9, 1e-3)
    assert passes == 54e9
    assert months == pytest.approx(54e6 / 86400 / 30.4375)
    assert 20 < months < 21


def test_growth_is_a_power():
    made = [prices.Price(n, n, 1.0, 3e-6 * n, 2e-9 * n**2, 0.0) for n in (100, 10_000, 100_000, 1_000_000)]
    assert prices.growth(made, lambda p: p.backward) == pytest.approx(1.0)
    assert prices.growth(made, lambda p: p.differences) == pytest.approx(2.0)


@pytest.mark.parametrize("depth", [1, 5, 11])
def test_paths_double_and_values_do_not(depth):
    paths, kept = memo.without_memory(depth), memo.with_memory(depth)
    assert paths.multiplications == 2 ** (depth + 1) - 2
    assert kept.multiplications == 2 * depth
    assert paths.slope == pytest.approx(kept.slope) == pytest.approx(memo.by_autodiff(depth))


@pytest.mark.parametrize("kind", ratios.KINDS)
def test_every_layer_has_both_passes(kind):
    forward, backward, ratio = ratios.ratio(kind, 0, rounds=1)
    assert forward > 0
    assert ratio == pytest.approx(backward / forward)


@pytest.mark.parametrize("network", memory.NETWORKS)
def test_activations_grow_with_the_batch_and_parameters_do_not(network):
    (one, same), (four, parameters), (seven, _) = (memory.kept(network, batch, 0) for batch in (1, 4, 7))
    assert same == parameters
    assert seven - four == four - one > 0
    assert memory.kept(network, 4, 0, half=True)[0] < 0.7 * four


def test_the_batch_where_activations_meet_parameters():
    batch = round(memory.crossing("perceptron 300–256–256–238", 0))
    kept, parameters = memory.kept("perceptron 300–256–256–238", batch, 0)
    assert kept == pytest.approx(parameters, rel=0.02)


def test_checkpoints_trade_memory_and_change_no_bit():
    steps = {step.length: step for step in checkpoints.measure(0, rounds=1)}
    assert len({step.gradients for step in steps.values()}) == 1
    assert len(steps[0].gradients) > 100_000
    assert steps[1].peak < steps[3].peak < steps[6].peak < steps[12].peak
    assert steps[12].peak > 0.95 * steps[0].peak  # all of it is there when the one segment is computed again
    assert steps[1].peak < 0.35 * steps[0].peak
