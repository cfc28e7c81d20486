"""Making tensors: from data, filled, and at random."""

from __future__ import annotations

from typing import Any

import numpy as np

from learner.autodiff.modes import modes
from learner.autodiff.ops.shaping import sizes
from learner.autodiff.tape import get_default_dtype
from learner.autodiff.tensor import Tensor

float16, float32, float64 = np.dtype(np.float16), np.dtype(np.float32), np.dtype(np.float64)
int32, int64, bool_ = np.dtype(np.int32), np.dtype(np.int64), np.dtype(np.bool_)


def tensor(data: Any, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """A leaf with a copy of `data`: a number, nested lists, an array or a tensor.

    Python floats become the default dtype (float32), Python integers int64; arrays keep their dtype.
    """
    _ask("tensor(...)")
    if isinstance(data, Tensor):
        data = data.array
    elif isinstance(data, list | tuple) and data and isinstance(data[0], Tensor):
        data = [t.array for t in data]
    array = np.array(data, dtype)
    if dtype is None and array.dtype == np.float64 and not isinstance(data, np.ndarray | np.generic):
        array = array.astype(get_default_dtype())
    if array.dtype == object:
        raise ValueError("tensor: the nested lists are ragged or hold something that is not a number")
    return Tensor(array, requires_grad)


def from_numpy(array: Any) -> Tensor:
    """A leaf that shares the array's memory. Writing to the array between forward and backward is not noticed; where
    that can happen use tensor(), which copies."""
    _ask("from_numpy(...)")
    return Tensor(array)


def _ask(what: str) -> None:
    if modes.recorder is not None:
        modes.recorder.outside(what)


def zeros(*size: Any, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    return Tensor(np.zeros(sizes(size), dtype or get_default_dtype()), requires_grad)


def ones(*size: Any, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    return Tensor(np.ones(sizes(size), dtype or get_default_dtype()), requires_grad)


def empty(*size: Any, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """Uninitialised memory, to be written with copy_ or an init function."""
    return Tensor(np.empty(sizes(size), dtype or get_default_dtype()), requires_grad)


def full(size: Any, fill_value: Any, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    return Tensor(np.full(size, fill_value, dtype or get_default_dtype()), requires_grad)


def zeros_like(x: Tensor, dtype: Any = None) -> Tensor:
    return Tensor(np.zeros(x.shape, dtype or x.dtype))


def ones_like(x: Tensor, dtype: Any = None) -> Tensor:
    return Tensor(np.ones(x.shape, dtype or x.dtype))


def full_like(x: Tensor, fill_value: Any, dtype: Any = None) -> Tensor:
    return Tensor(np.full(x.shape, fill_value, dtype or x.dtype))


def arange(*bounds: Any, dtype: Any = None) -> Tensor:
    """Numbers from start (0) up to, not including, stop in steps of 1: arange(stop), arange(start, stop[, step])."""
    array = np.arange(*bounds)
    return Tensor(array.astype(dtype or (get_default_dtype() if array.dtype.kind == "f" else np.int64)))


def linspace(start: float, end: float, steps: int, dtype: Any = None) -> Tensor:
    return Tensor(np.linspace(start, end, steps).astype(dtype or get_default_dtype()))


def eye(n: int, m: int | None = None, dtype: Any = None) -> Tensor:
    return Tensor(np.eye(n, m, dtype=dtype or get_default_dtype()))


# --- at random: every function takes an explicit numpy Generator, and falls back to the one that manual_seed sets

_generator = np.random.default_rng()


def manual_seed(seed: int) -> np.random.Generator:
    """Restart the default generator from `seed` (0 is a seed like any other) and return it."""
    global _generator
    _generator = np.random.default_rng(seed)
    return _generator


def default_generator() -> np.random.Generator:
    """The generator used where none is given."""
    return _generator


def rand(
    *size: Any, generator: np.random.Generator | None = None, dtype: Any = None, requires_grad: bool = False
) -> Tensor:
    """Uniform on [0, 1)."""
    _ask("rand(...)")
    values = (generator or _generator).random(sizes(size))
    return Tensor(values.astype(dtype or get_default_dtype()), requires_grad)


def randn(
    *size: Any, generator: np.random.Generator | None = None, dtype: Any = None, requires_grad: bool = False
) -> Tensor:
    """Standard normal."""
    _ask("randn(...)")
    values = (generator or _generator).standard_normal(sizes(size))
    return Tensor(np.asarray(values, dtype or get_default_dtype()), requires_grad)


def randint(low: int, high: int, size: Any, generator: np.random.Generator | None = None) -> Tensor:
    """Integers (int64) from low up to, not including, high."""
    _ask("randint(...)")
    return Tensor((generator or _generator).integers(low, high, size))


def randperm(n: int, generator: np.random.Generator | None = None) -> Tensor:
    """0..n-1 in random order (int64)."""
    _ask("randperm(...)")
    return Tensor((generator or _generator).permutation(n))
