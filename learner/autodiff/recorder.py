"""Listening to every kernel call: the base of replay, of the tape debugger and of the search for the first NaN."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from learner.autodiff.modes import Switch, modes
from learner.autodiff.table import Op

if TYPE_CHECKING:
    from learner.autodiff.tape import Node
    from learner.autodiff.tensor import Tensor


class Recorder:
    """Hears of everything that happens to tensors while `modes.recorder` is set to it. Does nothing by itself."""

    def ran(
        self, op: Op, operands: tuple[Any, ...], arrays: list[Any], settings: dict[str, Any], result: Any, aux: Any
    ) -> None:
        """A row ran. operands: as given; arrays: their values; result: a tensor, or a tuple of them."""

    def narrowed(self) -> None:
        """The row about to be reported ran on operands converted from integers to the default dtype."""

    def outside(self, what: str) -> None:
        """Values came in that no argument and no operation accounts for."""

    def seen(self, how: str) -> None:
        """Python looked at a value, and may act on it."""

    def changed(self, how: str) -> None:
        """A tensor was written to in place."""

    def refuse(self, reason: str) -> None:
        """What is happening cannot be repeated without Python."""

    def call(self, function: Callable[[], Any]) -> None:
        """A function with an effect on arrays ran that can simply be called again."""

    def gradient(self, node: Node, g: Tensor, before: Tensor | None) -> Tensor:
        """A leaf received gradient g on top of `before`; returns the tensor to keep as its `.grad`."""
        return g


def effect(function: Callable[[], Any]) -> Any:
    """Run a function that changes arrays in place from values it reads from arrays; replays call it again."""
    recorder = modes.recorder
    if recorder is None:
        return function()
    with Switch("recorder", None):
        result = function()
    recorder.call(function)
    return result
