"""Einstein summation, for any number of operands, with diagonals, sums and ellipses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from learner.autodiff.ops.indexing import getitem
from learner.autodiff.ops.shaping import as_tensor
from learner.autodiff.table import op
from learner.autodiff.tape import frozen

if TYPE_CHECKING:
    from learner.autodiff.tensor import Tensor

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _contract(*xs: Any, inputs: tuple[str, ...], output: str) -> Any:
    # planning takes 20 us, which only pays where BLAS then has something to do
    return np.einsum(",".join(inputs) + "->" + output, *xs, optimize=sum(x.size for x in xs) > 4096)


def _gradient(
    f: Any, g: Any, xs: Sequence[Any], shapes: Any, need: Sequence[bool], inputs: tuple[str, ...], output: str
) -> list[Any]:
    """Towards one operand: the output's gradient contracted with all the other operands, into that operand's letters.
    A letter that no other operand has was summed over, and its gradient is the same all along it."""
    grads: list[Any] = []
    for i, (letters, shape) in enumerate(zip(inputs, shapes, strict=True)):
        if not need[i]:
            grads.append(None)
            continue
        others = inputs[:i] + inputs[i + 1 :]
        there = "".join(c for c in letters if any(c in other for other in (output, *others)))
        part = f.einsum(g, *xs[:i], *xs[i + 1 :], inputs=(output, *others), output=there)
        if there != letters:
            sizes = dict(zip(there, part.shape, strict=True))
            part = f.reshape(part, shape=tuple(sizes.get(c, 1) for c in letters))
            part = f.expand(part, shape=tuple(sizes.get(c, n) for c, n in zip(letters, shape, strict=True)))
        grads.append(part)
    return grads


def _by_broadcasting(f: Any, *xs: Any, inputs: tuple[str, ...], output: str) -> Any:
    """The same with products and sums alone: every operand spread over all letters, multiplied, summed."""
    rest = "".join(sorted(set("".join(inputs)) - set(output)))
    every = output + rest
    product: Any = 1.0
    for x, letters in zip(xs, inputs, strict=True):
        order = sorted(range(len(letters)), key=lambda i, letters=letters: every.index(letters[i]))  # type: ignore[misc]
        sizes = {c: x.shape[i] for i, c in enumerate(letters)}
        aligned = f.reshape(f.permute(x, dims=tuple(order)), shape=tuple(sizes.get(c, 1) for c in every))
        product = aligned * product
    return f.sum(product, dim=tuple(range(len(output), len(every))), keepdim=False) if rest else product


_einsum = op("einsum", _contract, joint=_gradient, reference=_by_broadcasting)


def einsum(equation: str, *operands: Any) -> Tensor:
    """Sums of products by letters: einsum("bij,bjk->bik", x, y) is a batched matrix product.

    Letters missing from the right are summed; without "->" the letters that occur once remain, in alphabetical order;
    "..." stands for leading axes that broadcast; a letter twice in one operand takes the diagonal.
    """
    tensors = [as_tensor(x) for x in operands]
    left, arrow, right = equation.replace(" ", "").partition("->")
    inputs = left.split(",")
    if len(inputs) != len(tensors):
        raise ValueError(f"einsum: {equation!r} names {len(inputs)} operands, {len(tensors)} were given")
    widths = [x.ndim - len(letters.replace("...", "")) for x, letters in zip(tensors, inputs, strict=True)]
    lead = _LETTERS[: max(widths)]
    for i, (letters, width, x) in enumerate(zip(inputs, widths, tensors, strict=True)):
        if width < 0 or (width and "..." not in letters):
            raise ValueError(f"einsum: operand {i} has shape {x.shape}, {equation!r} gives it the letters {letters!r}")
        inputs[i] = letters.replace("...", lead[len(lead) - width :])
    if not arrow:
        joined = "".join(inputs)
        right = ("..." if lead else "") + "".join(
            c for c in sorted(set(joined)) if joined.count(c) == 1 and c not in lead
        )
    output = right.replace("...", lead)
    if not set(output) <= set("".join(inputs)) or len(set(output)) != len(output):
        raise ValueError(f"einsum: the right side of {equation!r} needs distinct letters that occur on the left")
    for i, letters in enumerate(inputs):
        tensors[i], inputs[i] = _diagonal(tensors[i], letters)
    return _einsum(*tensors, inputs=tuple(inputs), output=output)


def _diagonal(x: Tensor, letters: str) -> tuple[Tensor, str]:
    """The operand with repeated letters merged."""
    for c in letters:
        if letters.count(c) == 2:
            first, second = letters.index(c), letters.rindex(c)
            order = [i for i in range(len(letters)) if i not in (first, second)]
            steps = frozen(np.arange(x.shape[first]))
            x = getitem(x.permute(first, second, *order), (steps, steps))
            letters = c + "".join(letters[i] for i in order)
    return x, letters
