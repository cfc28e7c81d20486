"""Neural network layers under PyTorch's names, shapes, defaults and state_dict keys."""

from learner.nn import init
from learner.nn.activations import ELU, GELU, LeakyReLU, LogSoftmax, ReLU, Sigmoid, SiLU, Softmax, Softplus, Tanh
from learner.nn.containers import ModuleList, Residual, Sequential
from learner.nn.linear import Embedding, Flatten, Identity, Linear
from learner.nn.losses import BCEWithLogitsLoss, CrossEntropyLoss, HuberLoss, MSELoss
from learner.nn.module import Module, Parameter
from learner.nn.normal import LayerNorm, RMSNorm

__all__ = [
    "ELU",
    "GELU",
    "BCEWithLogitsLoss",
    "CrossEntropyLoss",
    "Embedding",
    "Flatten",
    "HuberLoss",
    "Identity",
    "LayerNorm",
    "LeakyReLU",
    "Linear",
    "LogSoftmax",
    "MSELoss",
    "Module",
    "ModuleList",
    "Parameter",
    "RMSNorm",
    "ReLU",
    "Residual",
    "Sequential",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Softplus",
    "Tanh",
    "init",
]
