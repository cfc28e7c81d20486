"""Checkpointing: forget what a part of the graph saved, and compute it again when backward gets there.

    y = checkpoint(block, x)

Memory falls to one block's worth at a time, for one more forward pass. Dropout masks are drawn again from the very
states that they were first drawn from, so gradients equal the plain ones bit for bit, and no generator is disturbed.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from learner.autodiff.engine import gradients_at
from learner.autodiff.modes import Switch, modes
from learner.autodiff.ops.elementwise import clone
from learner.autodiff.table import Op, op
from learner.autodiff.tape import Leaf, Node, next_id
from learner.autodiff.tensor import Tensor


class Draws:
    """Remembers from which generator states random masks were drawn, to draw the same again."""

    def __init__(self) -> None:
        self._states: list[tuple[np.random.Generator, Any]] = []
        self._next: int | None = None

    def again(self) -> Draws:
        """From now on hand out the remembered states, in order."""
        self._next = 0
        return self

    def generator(self, generator: np.random.Generator) -> np.random.Generator:
        """The generator to draw from: the one given, noted down, or when repeating a twin in its state of then."""
        if modes.recorder is not None:
            modes.recorder.refuse("a checkpoint draws random numbers, whose states a replay could not repeat")
        if self._next is None:
            self._states.append((generator, copy.deepcopy(generator.bit_generator.state)))
            return generator
        original, state = self._states[self._next]
        self._next += 1
        twin = np.random.Generator(type(original.bit_generator)())
        twin.bit_generator.state = state
        return twin


def checkpoint(function: Callable[..., Tensor], *inputs: Tensor) -> Tensor:
    """function(*inputs), saving only the inputs; everything inside is computed again during backward.

    function may use any parameters and outer tensors, which get their gradients as usual; it must return one tensor and
    do the same when called again. Parameters must not change between forward and backward; the version guard sees it.
    """
    if not modes.grad:
        return function(*inputs)
    first, draws = next_id(), Draws()
    apart = [_apart(x) for x in inputs]
    with Switch("draws", draws):
        inside = function(*apart)
    if not isinstance(inside, Tensor):
        raise TypeError(
            f"checkpoint: the function must return one tensor, got {type(inside).__name__}; cat or stack them"
        )
    outer = _outer_nodes(inside.node, first, {x.node for x in apart if x.node is not None})
    parents = (*(x.node for x in inputs), *outer)
    if inside.node is None or not any(parent is not None for parent in parents):
        return inside
    node = Node(_row, parents, inside.shape, inside.dtype)
    node.xs = tuple(x.array for x in inputs)
    watched = [x.cell for x in inputs] + [n.cell for n in outer if isinstance(n, Leaf)]
    node.versions = tuple((cell, cell[0]) for cell in watched if cell is not None)
    node.out, node.aux, node.shapes = None, None, ()
    node.settings = {"function": function, "draws": draws, "outer": outer}
    return Tensor._at(inside.array, node)


def _apart(x: Tensor) -> Tensor:
    """The same values as a leaf of a graph of its own."""
    return Tensor(x.array, requires_grad=True) if x.requires_grad else x


def _outer_nodes(root: Node | None, first: int, inputs: set[Node]) -> tuple[Node, ...]:
    """The nodes older than the checkpoint that the function reached by itself: parameters and outer results."""
    outer: list[Node] = []
    seen, stack = set(inputs), [root]
    while stack:
        node = stack.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if node.id < first:
            outer.append(node)
        else:
            stack.extend(node.parents)
    return tuple(sorted(outer, key=lambda n: n.id))


def _run_again(
    g: Any, xs: Any, need: list[bool], function: Callable[..., Tensor], draws: Draws, outer: tuple[Node, ...]
) -> list[Any]:
    """The gradients towards the inputs and the outer nodes, through a graph made afresh."""
    twice = modes.grad  # the backward pass is being recorded for second derivatives
    with Switch("grad", True), Switch("draws", draws.again()):
        again = [_once_more(x, needed, twice) for x, needed in zip(xs, need, strict=False)]
        result = function(*again)
    nodes = [x.node for x in again]
    wanted = [n for n, needed in zip((*nodes, *outer), need, strict=True) if needed and n is not None]
    found = gradients_at(result, g, set(wanted))
    return [None if n is None else found.get(n) for n in (*nodes, *outer)]


def _once_more(x: Any, needed: bool, twice: bool) -> Tensor:
    """A saved input for the second run: at a node of its own, which may hang on to the outer graph."""
    if twice:
        return clone(x)
    return Tensor(x.array if isinstance(x, Tensor) else x, requires_grad=needed)


def _never(*arrays: Any, **settings: Any) -> Any:
    raise AssertionError("a checkpoint's node is made by checkpoint(), not by running a kernel")


_row: Op = op("checkpoint", _never, joint=_run_again)
