"""Other libraries at the same work: legal actions, observation, a random choice, the step, over whole matches.

Each function gives decisions per second, or None where its library isn't installed. Run as a
program, ``python -m learner.bench.games GAME BATCH CORES SECONDS REPEATS`` measures Pgx on CPU,
held to so many cores, and prints the figure: JAX takes the cores that it finds when it starts.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import random
import subprocess
import sys
import warnings
from typing import Any

from learner.bench import Effort, rate

PGX_GAMES = ("leduc_holdem", "backgammon")
PETTINGZOO_GAMES = ("connect_four_v3", "tictactoe_v3", "leduc_holdem_v4")


def gin_rummy(effort: Effort) -> float | None:
    """OpenSpiel's gin_rummy, driven from Python as its users drive it."""
    try:
        import pyspiel
    except ImportError:
        return None
    game, choose = pyspiel.load_game("gin_rummy"), random.Random(effort.seed)

    def play() -> int:
        state, done = game.new_initial_state(), 0
        while not state.is_terminal():
            legal = state.legal_actions()
            if not state.is_chance_node():
                state.observation_tensor(state.current_player())
                done += 1
            state.apply_action(legal[int(choose.random() * len(legal))])
        return done

    return rate(play, effort)


def pettingzoo(name: str, effort: Effort) -> float | None:
    """One of PettingZoo's classic games, one match at a time (leduc_holdem needs rlcard besides)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            env = importlib.import_module(f"pettingzoo.classic.{name}").raw_env()
        except ImportError:
            return None
        choose = random.Random(effort.seed)

        def play() -> int:
            env.reset(seed=choose.getrandbits(31))
            done = 0
            while env.agents:
                observation, _, over, cut, _ = env.last()
                if over or cut:
                    env.step(None)
                    continue
                legal = observation["action_mask"].nonzero()[0]
                env.step(int(legal[int(choose.random() * len(legal))]))
                done += 1
            return done

        return rate(play, effort)


def pgx(name: str, size: int, cores: int, effort: Effort) -> float | None:
    """A game of Pgx on CPU, ``size`` matches at once, in a process of its own."""
    if importlib.util.find_spec("pgx") is None:
        return None
    environment = {**os.environ, "JAX_PLATFORMS": "cpu",
                   "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    done = subprocess.run([sys.executable, "-m", "learner.bench.games", name, str(size), str(cores),
                           str(effort.seconds), str(effort.repeats)],
                          env=environment, capture_output=True, text=True, check=False)
    return float(done.stdout.split()[-1]) if done.returncode == 0 else None


def _pgx_rate(name: str, size: int, effort: Effort) -> float:
    """Random matches of a Pgx game, compiled whole: a scan of steps; ended matches start again."""
    jax: Any = importlib.import_module("jax")
    library: Any = importlib.import_module("pgx")
    auto_reset: Any = importlib.import_module("pgx.experimental.wrappers").auto_reset
    env, steps = library.make(name), max(1, 4096 // size)
    step = jax.vmap(auto_reset(env.step, env.init))

    def one(carry: Any, _: Any) -> Any:
        key, state = carry
        key, choice, chance = jax.random.split(key, 3)
        logits = jax.numpy.where(state.legal_action_mask, 0.0, -1e9)
        actions = jax.random.categorical(choice, logits, axis=-1)
        state = step(state, actions, jax.random.split(chance, size))
        return (key, state), state.observation.sum()  # or the observation would be optimised away

    scan = jax.jit(lambda carry: jax.lax.scan(one, carry, None, length=steps))
    carry = (jax.random.PRNGKey(effort.seed), jax.jit(jax.vmap(env.init))(
        jax.random.split(jax.random.PRNGKey(effort.seed + 1), size)))

    def play() -> int:
        nonlocal carry
        carry, _ = jax.block_until_ready(scan(carry))
        return steps * size

    return rate(play, effort)


if __name__ == "__main__":
    game_name, batch_size, core_count, run_seconds, run_repeats = sys.argv[1:]
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:int(core_count)])
    print(_pgx_rate(game_name, int(batch_size), Effort(int(run_repeats), float(run_seconds))))
