"""Recurrent cells and sequences, in PyTorch's gate order.

LSTM (Hochreiter & Schmidhuber 1997; forget gates of Gers et al. 2000), gates a = x_t W_ih^T + h W_hh^T + b cut in four:

    i, f, o = sigmoid(a_i), sigmoid(a_f), sigmoid(a_o)     g = tanh(a_g)
    c' = f c + i g                                         h' = o tanh(c')

The whole sequence is one fused row: backward walks time in reverse, carrying dh and dc (back-propagation through time).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from learner.autodiff.kernels import lstm_gates, lstm_gates_backward
from learner.autodiff.ops.elementwise import sigmoid, tanh
from learner.autodiff.ops.products import linear
from learner.autodiff.ops.shaping import chunk, stack
from learner.autodiff.table import Array, op

if TYPE_CHECKING:
    from learner.autodiff.tensor import Tensor


def _lstm(projected: Array, w: Array, h: Array, c: Array, out: Any = None) -> tuple[Array, tuple[Array, ...]]:
    """projected: (T, B, 4H), what the inputs add to the gates; w: (4H, H); h, c: (B, H).

    Returns (T + 1, B, H): the T hidden states, then the last cell state. Keeps all gates, cell states and their tanh.
    """
    steps, rows, width = projected.shape[0], *h.shape
    if out is None:
        shapes = (steps + 1, rows, width), projected.shape, (steps + 1, rows, width), (steps, rows, width)
        out = tuple(np.empty(shape, projected.dtype) for shape in shapes)
    out, gates, cells, squashed = out
    cells[0] = c
    transposed = np.ascontiguousarray(w.T)
    for t in range(steps):
        np.matmul(out[t - 1] if t else h, transposed, out=gates[t])
        gates[t] += projected[t]
        lstm_gates(gates[t], cells[t], cells[t + 1])
        np.tanh(cells[t + 1], out=squashed[t])
        np.multiply(gates[t, :, 3 * width :], squashed[t], out=out[t])
    out[steps] = cells[steps]
    return out, (gates, cells, squashed)


def _lstm_backward(
    g: Array, w: Array, h: Array, states: Array, gates: Array, cells: Array, squashed: Array, out: Any = None
) -> tuple[Array, ...]:
    """Gradients of (projected, w, h, c), for g the gradient of _lstm's output."""
    steps, _, width = squashed.shape
    if out is None:
        out = np.empty_like(gates), np.empty_like(w), np.empty_like(h), np.empty_like(h)
    d_gates, dw, dh, dc = out
    dc[...] = g[steps]
    dh[...] = 0
    for t in reversed(range(steps)):
        dh += g[t]
        lstm_gates_backward(gates[t], cells[t], squashed[t], dh, dc, d_gates[t])
        np.matmul(d_gates[t], w, out=dh)
    before = np.concatenate([h[None], states[: steps - 1]]) if steps else h[None][:0]
    np.matmul(d_gates.reshape(-1, 4 * width).T, before.reshape(-1, width), out=dw)
    return d_gates, dw, dh, dc


def _lstm_steps(f: Any, projected: Tensor, w: Tensor, h: Tensor, c: Tensor) -> Tensor:
    """The recurrence out of primitives."""
    states = []
    for t in range(projected.shape[0]):
        h, c = _lstm_step(projected[t] + h @ w.mT, c)
        states.append(h)
    return stack([*states, c])


def _lstm_step(a: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
    i, f, g, o = chunk(a, 4, -1)
    c = sigmoid(f) * c + sigmoid(i) * tanh(g)
    return sigmoid(o) * tanh(c), c


op("lstm_backward", _lstm_backward)
_lstm_row = op(
    "lstm",
    _lstm,
    joint=lambda f, g, y, z, o, aux: f.lstm_backward(g, y, z, o, *aux),
    aux=True,
    reference=_lstm_steps,
)


def lstm_cell(
    x: Tensor, state: tuple[Tensor, Tensor], w_ih: Tensor, w_hh: Tensor, b_ih: Any = None, b_hh: Any = None
) -> tuple[Tensor, Tensor]:
    """One step: x (B, I), state (h, c) of (B, H) each, w_ih (4H, I), w_hh (4H, H) -> (h, c)."""
    h, c = state
    return _lstm_step(linear(x, w_ih, b_ih) + linear(h, w_hh, b_hh), c)


def lstm(
    x: Tensor, state: tuple[Tensor, Tensor], w_ih: Tensor, w_hh: Tensor, b_ih: Any = None, b_hh: Any = None
) -> tuple[Tensor, tuple[Tensor, Tensor]]:
    """All steps of one layer: x (T, B, I), state (h, c) of (B, H) -> (hidden states (T, B, H), (h, c) of the last)."""
    projected = linear(x, w_ih, None if b_ih is None else b_ih + b_hh)
    packed = _lstm_row(projected, w_hh, *state)
    steps = x.shape[0]
    hidden = packed[:steps]
    return hidden, (hidden[-1] if steps else state[0], packed[steps])


def gru_cell(x: Tensor, h: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Any = None, b_hh: Any = None) -> Tensor:
    """One step of a gated recurrent unit (Cho et al. 2014, as in PyTorch): x (B, I), h (B, H), w_ih (3H, I) -> h.

    r, z = sigmoid(x_r + h_r), sigmoid(x_z + h_z); n = tanh(x_n + r h_n); h' = (1 - z) n + z h.
    """
    return _gru_step(linear(x, w_ih, b_ih), linear(h, w_hh, b_hh), h)


def _gru_step(from_x: Tensor, from_h: Tensor, h: Tensor) -> Tensor:
    xr, xz, xn = chunk(from_x, 3, -1)
    hr, hz, hn = chunk(from_h, 3, -1)
    r, z = sigmoid(xr + hr), sigmoid(xz + hz)
    n = tanh(xn + r * hn)
    return n + z * (h - n)


def gru(x: Tensor, h: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Any = None, b_hh: Any = None) -> tuple[Tensor, Tensor]:
    """All steps of one layer: x (T, B, I), h (B, H) -> (hidden states (T, B, H), the last h)."""
    projected = linear(x, w_ih, b_ih)
    states = []
    for t in range(x.shape[0]):
        h = _gru_step(projected[t], linear(h, w_hh, b_hh), h)
        states.append(h)
    return (stack(states) if states else projected[:, :, : h.shape[-1]]), h
