"""Optimizers and learning-rate schedules under PyTorch's names, over flat buffers."""

from learner.optim.algorithms import SGD, Adam, AdamW, RMSProp
from learner.optim.clip import clip_grad_norm_, clip_grad_value_, grad_norm
from learner.optim.optimizer import Optimizer
from learner.optim.schedules import (
    CosineAnnealingLR,
    LambdaLR,
    LinearLR,
    LRScheduler,
    OneCycleLR,
    SequentialLR,
    StepLR,
)

__all__ = [
    "SGD",
    "Adam",
    "AdamW",
    "CosineAnnealingLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "OneCycleLR",
    "Optimizer",
    "RMSProp",
    "SequentialLR",
    "StepLR",
    "clip_grad_norm_",
    "clip_grad_value_",
    "grad_norm",
]
