"""Recurrent layers: names, shapes and gate order of PyTorch's LSTM, GRU and their cells."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from learner.autodiff.create import empty, zeros
from learner.autodiff.ops import recurrent
from learner.autodiff.ops.attention import dropout
from learner.autodiff.ops.shaping import cat, flip, stack, transpose
from learner.autodiff.tensor import Tensor
from learner.nn import init
from learner.nn.module import Module, Parameter

Generator = np.random.Generator | None


class _Recurrent(Module):
    """Stacked, optionally bidirectional layers over sequences (T, B, I), or (B, T, I) with batch_first.

    Layer k's weights are weight_ih_lk (gates * H, inputs), weight_hh_lk (gates * H, H), bias_ih_lk, bias_hh_lk, with
    suffix _reverse for the direction that reads the sequence from its end. All start uniform within 1 / sqrt(H).
    """

    gates = 1

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        *,
        dtype: object = None,
        generator: Generator = None,
    ) -> None:
        self.input_size, self.hidden_size, self.num_layers = input_size, hidden_size, num_layers
        self.bias, self.batch_first, self.dropout, self.bidirectional = bias, batch_first, dropout, bidirectional
        self.generator = generator
        wide = self.gates * hidden_size
        for layer in range(num_layers):
            inputs = input_size if layer == 0 else hidden_size * (1 + bidirectional)
            for suffix in self._suffixes(layer):
                setattr(self, f"weight_ih{suffix}", Parameter(empty(wide, inputs, dtype=dtype)))
                setattr(self, f"weight_hh{suffix}", Parameter(empty(wide, hidden_size, dtype=dtype)))
                if bias:
                    setattr(self, f"bias_ih{suffix}", Parameter(empty(wide, dtype=dtype)))
                    setattr(self, f"bias_hh{suffix}", Parameter(empty(wide, dtype=dtype)))
        _uniform(self, hidden_size, generator)

    def _suffixes(self, layer: int) -> list[str]:
        return [f"_l{layer}", f"_l{layer}_reverse"] if self.bidirectional else [f"_l{layer}"]

    def _weights(self, suffix: str) -> list[Any]:
        names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh") if self.bias else ("weight_ih", "weight_hh")
        return [getattr(self, name + suffix) for name in names]

    def _run(self, x: Tensor, states: list[Any]) -> tuple[Tensor, list[Any]]:
        """All layers and directions over x (T, B, I), from one state for each; returns outputs and last states."""
        last: list[Any] = []
        for layer in range(self.num_layers):
            outputs = []
            for direction, suffix in enumerate(self._suffixes(layer)):
                state = states[len(last)]
                out, state = self._layer(flip(x, 0) if direction else x, state, self._weights(suffix))
                outputs.append(flip(out, 0) if direction else out)
                last.append(state)
            x = cat(outputs, -1) if len(outputs) > 1 else outputs[0]
            if layer + 1 < self.num_layers:
                x = dropout(x, self.dropout, self.training, self.generator)
        return x, last

    def _layer(self, x: Tensor, state: Any, weights: list[Any]) -> tuple[Tensor, Any]:
        raise NotImplementedError(f"{type(self).__name__} must say how one layer runs")

    def _zeros(self, x: Tensor) -> Tensor:
        return zeros(self.num_layers * (1 + self.bidirectional), x.shape[1], self.hidden_size, dtype=x.dtype)

    def extra_repr(self) -> str:
        return f"{self.input_size}, {self.hidden_size}, num_layers={self.num_layers}"


class LSTM(_Recurrent):
    """forward(x, (h, c)) -> (outputs (T, B, H * directions), (h, c)); h and c are (layers * directions, B, H)."""

    gates = 4

    def forward(self, x: Tensor, state: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        x = transpose(x, 0, 1) if self.batch_first else x
        h, c = (self._zeros(x), self._zeros(x)) if state is None else state
        out, last = self._run(x, [(h[i], c[i]) for i in range(h.shape[0])])
        states = stack([s[0] for s in last]), stack([s[1] for s in last])
        return transpose(out, 0, 1) if self.batch_first else out, states

    def _layer(self, x: Tensor, state: Any, weights: list[Any]) -> tuple[Tensor, Any]:
        return recurrent.lstm(x, state, *weights)


class GRU(_Recurrent):
    """forward(x, h) -> (outputs (T, B, H * directions), h); h is (layers * directions, B, H)."""

    gates = 3

    def forward(self, x: Tensor, state: Tensor | None = None) -> tuple[Tensor, Tensor]:
        x = transpose(x, 0, 1) if self.batch_first else x
        h = self._zeros(x) if state is None else state
        out, last = self._run(x, [h[i] for i in range(h.shape[0])])
        return transpose(out, 0, 1) if self.batch_first else out, stack(last)

    def _layer(self, x: Tensor, state: Any, weights: list[Any]) -> tuple[Tensor, Any]:
        return recurrent.gru(x, state, *weights)


class _Cell(Module):
    gates = 1

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, *, dtype: object = None, generator: Generator = None
    ) -> None:
        self.input_size, self.hidden_size = input_size, hidden_size
        wide = self.gates * hidden_size
        self.weight_ih = Parameter(empty(wide, input_size, dtype=dtype))
        self.weight_hh = Parameter(empty(wide, hidden_size, dtype=dtype))
        self.bias_ih = Parameter(empty(wide, dtype=dtype)) if bias else None
        self.bias_hh = Parameter(empty(wide, dtype=dtype)) if bias else None
        _uniform(self, hidden_size, generator)

    def _weights(self) -> list[Any]:
        return [self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh]


class LSTMCell(_Cell):
    """forward(x (B, I), (h, c)) -> (h, c), each (B, H)."""

    gates = 4

    def forward(self, x: Tensor, state: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, Tensor]:
        if state is None:
            state = (
                zeros(x.shape[0], self.hidden_size, dtype=x.dtype),
                zeros(x.shape[0], self.hidden_size, dtype=x.dtype),
            )
        return recurrent.lstm_cell(x, state, *self._weights())


class GRUCell(_Cell):
    """forward(x (B, I), h) -> h (B, H)."""

    gates = 3

    def forward(self, x: Tensor, state: Tensor | None = None) -> Tensor:
        h = zeros(x.shape[0], self.hidden_size, dtype=x.dtype) if state is None else state
        return recurrent.gru_cell(x, h, *self._weights())


def _uniform(module: Module, hidden_size: int, generator: Generator) -> None:
    bound = 1.0 / math.sqrt(hidden_size)
    for parameter in module.parameters():
        init.uniform_(parameter, -bound, bound, generator)
