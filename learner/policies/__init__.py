"""Policy networks: one for the player, one for each family of Models."""

from __future__ import annotations

from learner.policies.convnet import ConvnetPolicy
from learner.policies.mlp import MLPPolicy
from learner.policies.model import ModelPolicy
from learner.policies.perceptron import PerceptronPolicy
from learner.policies.player import PlayerPolicy
from learner.policies.recurrent import RecurrentPolicy
from learner.policies.transformer import TransformerPolicy

FAMILY_POLICIES: dict[str, type[PerceptronPolicy | MLPPolicy | ConvnetPolicy | RecurrentPolicy | TransformerPolicy]] = {
    "perceptron": PerceptronPolicy,
    "mlp": MLPPolicy,
    "convnet": ConvnetPolicy,
    "recurrent": RecurrentPolicy,
    "transformer": TransformerPolicy,
}

__all__ = ["FAMILY_POLICIES", "ModelPolicy", "PlayerPolicy"]
