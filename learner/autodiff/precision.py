"""Mixed precision that saves memory: saved activations in 16 bits, weights and arithmetic in float32, scaled losses.

    with saved_as("bfloat16"):
        loss = criterion(model(x), y)
    scaler.scale(loss).backward()

Between forward and backward the activations are what fills memory; stored in 16 bits they need half. Everything is
still computed in float32, with float32 master weights: on a CPU without 16-bit arithmetic this saves memory and costs
the conversions' time. bfloat16 (needs the ml_dtypes package) keeps float32's range with 8 bits of precision; float16
has 11 bits, and range only from 6e-8 to 65,504, which is what the scaling of losses is for.
"""

from __future__ import annotations

import importlib
import weakref
from typing import Any

import numpy as np

from learner.autodiff.modes import Switch, modes
from learner.autodiff.table import Array
from learner.autodiff.tape import Leaf, Node, Packed
from learner.autodiff.tensor import Tensor


def half_dtype(name: str) -> Any:
    """The dtype float16 or bfloat16. Raises ImportError that names ml_dtypes where bfloat16 needs it."""
    if name == "float16":
        return np.dtype(np.float16)
    if name != "bfloat16":
        raise ValueError(f"saved activations can be 'float16' or 'bfloat16', not {name!r}")
    try:
        return np.dtype(importlib.import_module("ml_dtypes").bfloat16)
    except ImportError:
        raise ImportError("bfloat16 needs the package ml_dtypes: pip install ml_dtypes, or use 'float16'") from None


class Packing:
    """Turns float32 activations into 16-bit ones; an array saved by several operations is packed once."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype
        self._packed: dict[int, tuple[weakref.ref[Any], weakref.ref[Packed]]] = {}

    def pack_node(self, node: Node) -> None:
        """Pack what a node has saved, but for leaves and constants."""
        pairs = zip(node.xs, node.parents, strict=True)
        node.xs = tuple([x if p is None or p.op is None else self.pack(x) for x, p in pairs])
        node.out = self.pack(node.out)
        node.packed = True

    def pack(self, array: Any) -> Any:
        if not isinstance(array, np.ndarray) or array.dtype != np.float32 or array.size < 64:
            return array
        whole, packed = self._packed.get(id(array), (None, None))
        known = packed() if packed is not None and whole is not None and whole() is array else None
        if known is None:
            with np.errstate(over="ignore"):
                known = Packed(array.astype(self.dtype), array.dtype)
            key = id(array)
            self._packed[key] = (weakref.ref(array, lambda _: self._packed.pop(key, None)), weakref.ref(known))
        return known


def saved_as(dtype: str) -> Switch:
    """Inside, results of operations that backward will read are kept in `dtype` ("float16" or "bfloat16").

    Leaves (parameters, inputs) are kept as they are: they exist anyhow.
    """
    return Switch("packing", Packing(half_dtype(dtype)))


class LossScaleError(RuntimeError):
    """Losses overflow even at the smallest scale: training has diverged."""


class GradScaler:
    """Dynamic loss scaling, under torch.amp.GradScaler's names, with a floor and an end.

    scale(loss) multiplies the loss, step(optimizer) divides the gradients and steps unless one is not finite, update()
    halves the scale after a step that was skipped and doubles it after growth_interval good ones. The scale never falls
    below min_scale or rises above max_scale; patience skipped steps in a row at the floor raise LossScaleError.
    """

    def __init__(
        self,
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        min_scale: float = 1.0,
        max_scale: float = 2.0**24,
        patience: int = 10,
    ) -> None:
        if not 0.0 < min_scale <= init_scale <= max_scale:
            raise ValueError(
                f"need 0 < min_scale <= init_scale <= max_scale, got {min_scale}, {init_scale}, {max_scale}"
            )
        self.growth_factor, self.backoff_factor, self.growth_interval = growth_factor, backoff_factor, growth_interval
        self.min_scale, self.max_scale, self.patience = min_scale, max_scale, patience
        self._scale, self._good, self._stuck = init_scale, 0, 0
        self._skipped = False
        self._unscaled: set[int] = set()

    def get_scale(self) -> float:
        return self._scale

    def scale(self, loss: Tensor) -> Tensor:
        """The loss to call backward on."""
        if modes.recorder is not None:
            modes.recorder.refuse("the loss scale changes from step to step")
        return loss * self._scale

    def unscale_(self, optimizer: Any) -> None:
        """Divide the optimizer's gradients by the scale, once between two updates; call before clipping."""
        if id(optimizer) in self._unscaled:
            return
        self._unscaled.add(id(optimizer))
        for group in optimizer.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    p.grad = Tensor(p.grad.array * p.dtype.type(1.0 / self._scale))

    def step(self, optimizer: Any) -> None:
        """optimizer.step() with the unscaled gradients; the optimizer skips it where they are not finite."""
        self.unscale_(optimizer)
        before = optimizer.skipped_steps
        optimizer.step()
        self._skipped = self._skipped or optimizer.skipped_steps > before

    def update(self) -> None:
        """Adapt the scale to how the steps since the last update went."""
        self._unscaled.clear()
        if not self._skipped:
            self._good, self._stuck = self._good + 1, 0
            if self._good >= self.growth_interval:
                self._good, self._scale = 0, min(self._scale * self.growth_factor, self.max_scale)
            return
        self._skipped, self._good = False, 0
        self._stuck = self._stuck + 1 if self._scale == self.min_scale else 0
        if self._stuck >= self.patience:
            raise LossScaleError(
                f"{self._stuck} steps in a row had gradients that are not finite at the smallest loss scale "
                f"{self.min_scale}: the loss itself is at fault; find the first NaN with diagnose(model, loss)"
            )
        self._scale = max(self._scale * self.backoff_factor, self.min_scale)

    def state_dict(self) -> dict[str, Any]:
        return {"scale": self._scale, "good": self._good, "stuck": self._stuck}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self._scale, self._good, self._stuck = float(state["scale"]), int(state["good"]), int(state["stuck"])


def memory(loss: Tensor) -> dict[str, int]:
    """Bytes that the graph under a loss holds: {"activations": saved results, "parameters": leaves with a gradient}.

    An array saved several times counts once; views count with the memory they keep alive.
    """
    arrays: dict[int, int] = {}
    leaves: dict[int, int] = {}
    seen: set[Node] = set()
    stack = [loss.node]
    while stack:
        node = stack.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        stack.extend(node.parents)
        if isinstance(node, Leaf):
            leaves[node.id] = int(np.prod(node.shape)) * np.dtype(node.dtype).itemsize
            continue
        for saved, parent in [*zip(node.xs, node.parents, strict=False), (node.out, None)]:
            if not isinstance(parent, Leaf):
                _count(saved, arrays)
        for kept in node.aux if isinstance(node.aux, tuple) else (node.aux,):
            _count(kept, arrays)
    return {"activations": sum(arrays.values()), "parameters": sum(leaves.values())}


def _count(saved: Any, arrays: dict[int, int]) -> None:
    array: Array | None = saved.array if isinstance(saved, Packed) else saved if isinstance(saved, np.ndarray) else None
    while array is not None and isinstance(array.base, np.ndarray):
        array = array.base
    if array is not None:
        arrays[id(array)] = array.nbytes
