"""Policy networks: one for the player, one for each family of Models."""

from __future__ import annotations

from learner.policies.mlp import MLPPolicy
from learner.policies.model import ModelPolicy
from learner.policies.perceptron import PerceptronPolicy
from learner.policies.player import PlayerPolicy

FAMILY_POLICIES: dict[str, type[PerceptronPolicy] | type[MLPPolicy]] = {
    "perceptron": PerceptronPolicy,
    "mlp": MLPPolicy,
    # These three share the mlp's architecture (not its weights) until they get their own.
    "convnet": MLPPolicy,
    "recurrent": MLPPolicy,
    "transformer": MLPPolicy,
}

__all__ = ["FAMILY_POLICIES", "ModelPolicy", "PlayerPolicy"]
