"""The table of primitives. A row says how an operation computes and how its gradient goes back.

    op("mul", np.multiply, lambda g, y: g * y, lambda g, x: g * x)
    op("exp", np.exp, lambda g, o: g * o)

A row has one gradient rule for each operand (None where no gradient can flow, as into an index). A rule is a formula
over named values; **the names of its parameters say what it reads**, and only what is read is kept for backward:

    g        gradient of the loss with respect to the output     x, y, z   the first, second, third operand
    o        the output                                          xs        all operands
    shapes   the operands' shapes (keeps no array alive)         aux       what the kernel kept for backward
    f        the table itself, as functions: f.sum, f.where      others    the settings of the call: dim, keepdim, ...

Rules never mention broadcasting, dtypes or accumulation: the engine owns those. The values are NumPy arrays in a plain
backward and Tensors in every other reading (double backward, recording for replay, fixed order), so one formula serves
them all; it may use infix operators, `.mT`, `.shape` and the functions of `f`, all of which both kinds of value have.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache, partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from learner.autodiff.tensor import Tensor

Array = npt.NDArray[Any]
Rule = Callable[..., Any]
Kernel = Callable[..., Any]

TABLE: dict[str, Op] = {}
ARRAYS = SimpleNamespace()
"""`f` of a plain backward: the kernels themselves."""

_WORDS = {"x": "xs[0]", "y": "xs[1]", "z": "xs[2]"} | {
    word: word for word in ("f", "g", "xs", "o", "aux", "shapes", "need")
}


class Keeps(NamedTuple):
    """What a call must keep for backward, given which operands want a gradient."""

    operands: tuple[bool, ...]
    all: bool
    """All operands are kept."""
    output: bool
    shapes: bool


class Op:
    """One row of the table, which is also the function that users call: `exp = op("exp", ...)`, then `exp(x)`."""

    run: ClassVar[Callable[..., Any]]
    """Set by tape.py, which imports this module: runs a row on tensors."""

    __slots__ = ("_keeps", "aux", "differentiable", "exact", "fixed", "hint", "joint", "kernel", "lends", "name",
                 "reads", "reference", "rules", "view")  # fmt: skip

    def __init__(
        self,
        name: str,
        kernel: Kernel,
        rules: tuple[Rule | None, ...],
        joint: Rule | None,
        *,
        aux: bool,
        view: bool,
        exact: bool,
        reference: Callable[..., Any] | None,
        fixed: Kernel | None,
        hint: str,
    ) -> None:
        self.name, self.kernel, self.fixed = name, kernel, fixed
        self.aux, self.view, self.exact, self.reference, self.hint = aux, view, exact, reference, hint
        self.reads = [set(inspect.signature(r).parameters) if r else set() for r in ((joint,) if joint else rules)]
        self.rules = tuple(r and _positional(r) for r in rules)
        self.joint = joint and _positional(joint)
        self.differentiable = joint is not None or any(rule is not None for rule in rules)
        # a rule of somebody else's may return a saved array itself, which must then be copied, not added to in place
        self.lends = any(r and not r.__module__.startswith("learner.autodiff.") for r in (joint, *rules))
        self._keeps: dict[tuple[bool, ...], Keeps] = {}

    @property
    def twice_by_reference(self) -> bool:
        """Whether second derivatives go through the reference, because the rules read what only the kernel knows."""
        return self.aux and self.reference is not None

    def keeps(self, need: tuple[bool, ...]) -> Keeps:
        """What the rules of the operands marked in `need` read; worked out once for each pattern."""
        found = self._keeps.get(need)
        if found is None:
            if self.joint is not None:
                read = set(self.reads[0])
            else:
                read = set().union(*(names for names, needed in zip(self.reads, need, strict=False) if needed))
            every = "xs" in read or self.twice_by_reference  # the reference is re-run from the operands
            operands = tuple(every or (i < 3 and "xyz"[i] in read) for i in range(len(need)))
            found = self._keeps[need] = Keeps(operands, all(operands), "o" in read, "shapes" in read)
        return found

    def __call__(self, *operands: Any, **settings: Any) -> Tensor:
        result: Tensor = Op.run(self, *operands, **settings)
        return result

    def __get__(self, tensor: Tensor | None, owner: type | None = None) -> Callable[..., Tensor]:
        """A row named in a class body is a method, as a function there would be: x.exp() is exp(x)."""
        return self if tensor is None else partial(self, tensor)

    def __repr__(self) -> str:
        return f"<op {self.name}>"


def op(
    name: str,
    kernel: Kernel,
    *rules: Rule | None,
    joint: Rule | None = None,
    aux: bool = False,
    view: bool = False,
    exact: bool = False,
    reference: Callable[..., Any] | None = None,
    fixed: Kernel | None = None,
    hint: str = "",
) -> Op:
    """Add a row to the table and return it.

    name: unique; error messages and drawings use it.
    kernel(*arrays, **settings): arrays in, one array out. If it takes `out=`, replay reuses its memory.
    rules: one for each operand, see the module's text.
    joint: instead of rules, one rule that returns the gradients of all operands; it may also read `need`.
    aux: the kernel returns (output, kept), and rules may read `aux`.
    view: the output may share the first operand's memory, and then shares its version counter.
    exact: the output's dtype is what the call asked for; otherwise float64 comes only from float64.
    reference(f, *operands, **settings): for a fused operation, the same result composed of primitives. It is the
        fused kernel's oracle in tests, its path to second derivatives and its form under `fixed_order`.
    fixed: the kernel that stands in under `fixed_order`.
    hint: the remedy that an error about operands names.
    """
    if name in TABLE:
        raise ValueError(f"an operation named {name!r} is in the table already; choose another name")
    row = Op(name, kernel, rules, joint, aux=aux, view=view, exact=exact, reference=reference, fixed=fixed, hint=hint)
    TABLE[name] = row
    setattr(ARRAYS, name, kernel)
    return row


def _positional(rule: Rule) -> Rule:
    """The rule behind one calling convention, picking what it reads by the names of its parameters.

    Written as source once for each rule, as dataclasses write __init__, because a general-purpose picker would cost
    more on small arrays than the arithmetic does.
    """
    arguments = ", ".join(_WORDS.get(name, f"settings[{name!r}]") for name in inspect.signature(rule).parameters)
    source = f"lambda f, g, xs, o, aux, shapes, need, settings: rule({arguments})"
    adapted: Rule = eval(source, {"rule": rule})
    return adapted


def quiet(kernel: Kernel) -> Kernel:
    """The kernel without NumPy's floating-point warnings.

    For operations whose infinities and NaNs are defined results (log 0, 1/0, 0 ** -1), as in PyTorch. `diagnose` finds
    the first operation that makes a NaN.
    """

    def silenced(*arrays: Any, out: Any = None, **settings: Any) -> Any:
        with np.errstate(all="ignore"):
            return kernel(*arrays, out=out, **settings)

    silenced.raw = kernel  # type: ignore[attr-defined]  # a replay silences all its kernels at once
    return silenced


@cache
def takes_out(kernel: Kernel) -> bool:
    """Whether a kernel can write into an array it is given."""
    return isinstance(kernel, np.ufunc) or "out" in inspect.signature(kernel).parameters
