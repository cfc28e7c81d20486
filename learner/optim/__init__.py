"""Optimizers under PyTorch's names, over flat buffers."""

from learner.optim.algorithms import SGD, Adam, AdamW, RMSProp
from learner.optim.clip import clip_grad_norm_, clip_grad_value_, grad_norm
from learner.optim.optimizer import Optimizer

__all__ = ["SGD", "Adam", "AdamW", "Optimizer", "RMSProp", "clip_grad_norm_", "clip_grad_value_", "grad_norm"]
