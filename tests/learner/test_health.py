"""NaN, infinite and exploding values stop a run with a diagnosis; what was good is kept, and goes on."""

from __future__ import annotations

import pickle
import shutil

import numpy as np
import pytest

from game.errors import GameError
from learner.agent import NETWORKS
from learner.health import TrainingError, check_weights, first_wrong
from learner.ledger.audit import audit
from learner.rl.season import Season


@pytest.fixture
def run(small_run, tmp_path):
    """Three good rounds, to be spoilt."""
    return shutil.copytree(small_run, tmp_path / "run")


def first_parameter(agent, network):
    return next(iter(agent.networks[network].named_parameters()))


def plant(agent, network, value, where=(1,)):
    """Put a value into the first weight matrix of a network; returns the parameter's name."""
    name, parameter = first_parameter(agent, network)
    parameter.array.reshape(-1)[list(where)] = value
    return name


def files(run):
    return {path.name: path.read_bytes() for path in sorted((run / "checkpoints").iterdir())}


def stopped(season, network, parameter=None):
    """The round ends in one line that names network, parameter, round and the checkpoint kept, and wrote nothing."""
    before, done = files(season.path), season.done
    with pytest.raises(TrainingError) as error:
        season.round()
    text = str(error.value)
    assert error.value.network == network, text
    assert parameter in (None, error.value.parameter), text
    assert "\n" not in text
    for part in (network, error.value.parameter, f"round {done + 1}", f"{done:06d}.safetensors", "--resume",
                 "--learning-rate"):
        assert part in text
    assert files(season.path) == before
    assert isinstance(error.value, GameError)
    return text


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_weight_that_is_no_number(run, network, value):
    with Season.resume(run) as season:
        agent = season.learners[0].agent
        name = plant(agent, network, value, (1, 5))
        place = np.unravel_index(1, first_parameter(agent, network)[1].shape)
        text = stopped(season, network, name)
    assert f"{name}[{', '.join(map(str, place))}] is {value} (and 1 more" in text
    with Season.resume(run) as season:
        assert season.done == 3
        assert np.isfinite(season.round()["agent/value_loss"])
    assert not audit(run).wrong


def test_a_past_self_is_watched_too(run):
    with Season.resume(run) as season:
        plant(season.past[0].agent, "mlp", np.nan)
        assert season.past[0].owner in stopped(season, "mlp")


@pytest.mark.parametrize("network", NETWORKS)
def test_a_weight_spoilt_between_the_matches_and_ppo(run, network, monkeypatch):
    """The loss is NaN: the diagnosis finds the weight, and the weights in memory are those before PPO."""
    with Season.resume(run) as season:
        agent = season.learners[0].agent
        ppo = season._ppo

        def spoil(number, place, learner, collected):
            nonlocal name
            name, parameter = first_parameter(agent, network)
            parameter.array[...] = np.nan
            return ppo(number, place, learner, collected)

        name = ""
        monkeypatch.setattr(season, "_ppo", spoil)
        text = stopped(season, network)
        assert f"the {network} network's {name}[" in text
        assert "the loss is nan" in text
        assert "epoch 1, step 1" in text


@pytest.mark.parametrize("network", NETWORKS)
def test_a_network_whose_values_overflow(run, network, monkeypatch):
    """No weight is wrong, but a forward pass is: the network and its suspect parameter are named all the same."""
    with Season.resume(run) as season:
        ppo = season._ppo

        def spoil(number, place, learner, collected):
            module = learner.agent.networks[network]
            for _, parameter in module.named_parameters():
                parameter.array[...] = np.where(np.arange(parameter.array.size).reshape(parameter.shape) % 2, 1, -1
                                                ) * np.float32(1e38)
            return ppo(number, place, learner, collected)

        monkeypatch.setattr(season, "_ppo", spoil)
        text = stopped(season, network)
        assert "loss" in text
        parameters = dict(season.learners[0].agent.networks[network].named_parameters())
        assert any(f" {name}" in text for name in parameters)


@pytest.mark.parametrize("network", NETWORKS)
def test_a_gradient_that_is_no_number_though_the_loss_is(run, network, monkeypatch):
    from learner.rl import ppo as module

    with Season.resume(run) as season:
        name, parameter = first_parameter(season.learners[0].agent, network)
        real = module.minibatch_loss

        def spoil(*args):
            losses = real(*args)
            parameter.register_hook(lambda g: g * np.float32(np.nan))
            return losses

        monkeypatch.setattr(module, "minibatch_loss", spoil)
        text = stopped(season, network, name)
        assert "a gradient isn't finite" in text


def test_a_loss_that_explodes(run, monkeypatch):
    from learner.rl import ppo as module

    with Season.resume(run) as season:
        make = module.make_batch

        def spoil(parts, rewards, config):
            batch = make(parts, rewards, config)
            batch.returns[:] = 1e6
            return batch

        monkeypatch.setattr("learner.rl.season.make_batch", spoil)
        text = stopped(season, "player")
        assert "value_loss" in text


def test_a_resume_with_another_learning_rate(run):
    with Season.resume(run, learning_rate=1e-4) as season:
        season.round()
    with Season.resume(run) as season:
        assert season.plan.ppo.learning_rate == 1e-4
        rates = {name: {group["lr"] for group in optimizer.param_groups}
                 for name, optimizer in season.learners[0].optimizers.items()}
        assert rates.pop("player") == {1e-4}
        assert all(rate == {1e-4 * season.plan.ppo.model_rate} for rate in rates.values())


def test_what_is_well_passes_and_the_error_travels_between_processes(one_round):
    check_weights(one_round.agents[0], "a", "now")
    assert first_wrong(np.zeros((2, 3))) == ""
    assert first_wrong(np.array([[0.0, 1.0], [np.nan, np.inf]])) == "[1, 0] is nan (and 1 more of 4)"
    error = pickle.loads(pickle.dumps(TrainingError("text", "mlp", "hidden1.weight")))
    assert (str(error), error.network, error.parameter) == ("text", "mlp", "hidden1.weight")
