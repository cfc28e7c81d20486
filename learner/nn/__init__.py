"""Neural network layers under PyTorch's names, shapes, defaults and state_dict keys."""

from learner.nn import init
from learner.nn.activations import ELU, GELU, LeakyReLU, LogSoftmax, ReLU, Sigmoid, SiLU, Softmax, Softplus, Tanh
from learner.nn.attention import Dropout, MultiheadAttention, TransformerBlock
from learner.nn.containers import ModuleList, Residual, Sequential
from learner.nn.conv import (
    AvgPool1d,
    AvgPool2d,
    Conv1d,
    Conv2d,
    ConvTranspose1d,
    ConvTranspose2d,
    MaxPool1d,
    MaxPool2d,
)
from learner.nn.linear import Embedding, Flatten, Identity, Linear
from learner.nn.losses import BCEWithLogitsLoss, CrossEntropyLoss, HuberLoss, MSELoss
from learner.nn.module import Module, Parameter
from learner.nn.normal import BatchNorm1d, BatchNorm2d, LayerNorm, RMSNorm
from learner.nn.recurrent import GRU, LSTM, GRUCell, LSTMCell

__all__ = [
    "ELU",
    "GELU",
    "GRU",
    "LSTM",
    "AvgPool1d",
    "AvgPool2d",
    "BCEWithLogitsLoss",
    "BatchNorm1d",
    "BatchNorm2d",
    "Conv1d",
    "Conv2d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "CrossEntropyLoss",
    "Dropout",
    "Embedding",
    "Flatten",
    "GRUCell",
    "HuberLoss",
    "Identity",
    "LSTMCell",
    "LayerNorm",
    "LeakyReLU",
    "Linear",
    "LogSoftmax",
    "MSELoss",
    "MaxPool1d",
    "MaxPool2d",
    "Module",
    "ModuleList",
    "MultiheadAttention",
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
    "TransformerBlock",
    "init",
]
