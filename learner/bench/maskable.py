"""sb3-contrib's MaskablePPO on this game's Gymnasium environment, for comparison where it is installed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from game.engine.observe import OBSERVATION_SIZE
from game.engine.records import ACTIONS
from learner.bench.peers import threads
from learner.rl.ppo import Config

ENVS = 16
"""Environments side by side in one process, with PPO's settings as ours; with their own defaults it is one."""


@dataclass(frozen=True)
class Peer:
    """A training of theirs: ``learn()`` makes one round and says how many decisions it learned from."""

    learn: Callable[[], int]
    parameters: int
    opponent: str


def build(parameters: int, config: Config | None, seed: int) -> Peer | None:
    """Their training with a policy of about ``parameters``; None where they aren't installed.

    PPO's settings are those of ``config``, or their own defaults.

    What would slow them is left out: the opponent decides at random and isn't learned from, updates
    of the card are scripted, and no Model has a network of its own.
    """
    try:
        import torch
        from sb3_contrib import MaskablePPO
        from stable_baselines3.common.vec_env import DummyVecEnv

        from game.envs.gymnasium import MatchEnv
        from game.updates import ScriptedUpdates
    except ImportError:
        return None
    torch.set_num_threads(threads())
    width = _width(parameters)
    envs = ENVS if config else 1
    settings: dict[str, Any] = {} if config is None else {
        "n_steps": config.minibatch_size // envs, "batch_size": config.minibatch_size,
        "n_epochs": config.update_epochs, "learning_rate": config.learning_rate, "gae_lambda": config.gae_lambda,
        "clip_range": config.clip_coef, "ent_coef": config.ent_coef, "vf_coef": config.vf_coef,
        "max_grad_norm": config.max_grad_norm, "gamma": 1.0}
    model: Any = MaskablePPO(
        "MlpPolicy", DummyVecEnv([lambda: MatchEnv("random", updates=ScriptedUpdates()) for _ in range(envs)]),
        policy_kwargs={"net_arch": [width, width]}, seed=seed, device="cpu", **settings)

    def learn() -> int:
        before = int(model.num_timesteps)
        model.learn(envs * model.n_steps, reset_num_timesteps=False)
        return int(model.num_timesteps) - before

    return Peer(learn, sum(p.numel() for p in model.policy.parameters()), "random")


def _width(parameters: int) -> int:
    """Width of two hidden layers, for the policy and for the value each, that makes about so many parameters."""
    def size(h: int) -> int:
        return 2 * (OBSERVATION_SIZE * h + h + h * h + h) + (h + 1) * (ACTIONS + 1)

    return min(range(8, 1024), key=lambda h: abs(size(h) - parameters))
