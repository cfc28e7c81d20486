"""Module: parameters and submodules are attributes; the state_dict has PyTorch's keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Self

import numpy as np

from learner.autodiff.table import Array
from learner.autodiff.tape import switches
from learner.autodiff.tensor import Tensor


class Parameter(Tensor):
    """A leaf that requires a gradient and that Module counts among its parameters."""

    __slots__ = ()

    def __init__(self, data: Any, requires_grad: bool = True) -> None:
        super().__init__(data.array if isinstance(data, Tensor) else data, requires_grad)


class Module:
    """A function with parameters. Subclasses assign Parameters and Modules to attributes and define `forward`.

    There is nothing to call before the first assignment: parameters and submodules are found among the attributes.
    """

    training: bool = True
    """Whether dropout drops and batch normalisation measures; `no_grad` has no say in it."""
    _buffer_names: tuple[str, ...] = ()
    forward: Callable[..., Any]

    def __setattr__(self, name: str, value: Any) -> None:
        if name in vars(self) and (isinstance(value, Tensor | Module) or vars(self)[name] is not value):
            switches[0] += 1  # a replayed step may have been recorded with what was here before
        super().__setattr__(name, value)

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        return self.forward(*inputs, **options)

    def register_buffer(self, name: str, value: Tensor) -> None:
        """A tensor that belongs to the state but is not trained (running statistics)."""
        self._buffer_names = (*self._buffer_names, name)
        setattr(self, name, value)

    # --- what it is made of

    def named_children(self) -> Iterator[tuple[str, Module]]:
        return ((name, value) for name, value in vars(self).items() if isinstance(value, Module))

    def children(self) -> Iterator[Module]:
        return (module for _, module in self.named_children())

    def named_modules(self, prefix: str = "") -> Iterator[tuple[str, Module]]:
        """This module (named by the prefix) and all below it, parents first."""
        yield prefix, self
        for name, child in self.named_children():
            yield from child.named_modules(f"{prefix}.{name}" if prefix else name)

    def modules(self) -> Iterator[Module]:
        return (module for _, module in self.named_modules())

    def _own(self) -> Iterator[tuple[str, Tensor]]:
        """This module's own parameters, then its buffers."""
        yield from ((name, value) for name, value in vars(self).items() if isinstance(value, Parameter))
        yield from ((name, getattr(self, name)) for name in self._buffer_names)

    def _named_state(self) -> Iterator[tuple[str, Tensor]]:
        for prefix, module in self.named_modules():
            for name, tensor in module._own():
                yield (f"{prefix}.{name}" if prefix else name), tensor

    def named_parameters(self) -> Iterator[tuple[str, Parameter]]:
        """Every parameter once, under the first of its names."""
        seen: set[int] = set()
        for name, tensor in self._named_state():
            if isinstance(tensor, Parameter) and id(tensor) not in seen:
                seen.add(id(tensor))
                yield name, tensor

    def parameters(self) -> Iterator[Parameter]:
        return (parameter for _, parameter in self.named_parameters())

    def named_buffers(self) -> Iterator[tuple[str, Tensor]]:
        return ((name, tensor) for name, tensor in self._named_state() if not isinstance(tensor, Parameter))

    # --- switches

    def train(self, mode: bool = True) -> Self:
        """Training behaviour, here and in all submodules."""
        switches[0] += 1
        for module in self.modules():
            module.training = mode
        return self

    def eval(self) -> Self:
        """Evaluation behaviour, here and in all submodules."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Freeze (False) or unfreeze all parameters."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self) -> None:
        """Forget all gradients."""
        for parameter in self.parameters():
            parameter.grad = None

    def apply(self, function: Callable[[Module], Any]) -> Self:
        """Call function(module) on all submodules and on this one, children first."""
        for child in self.children():
            child.apply(function)
        function(self)
        return self

    # --- state

    def state_dict(self) -> dict[str, Array]:
        """Copies of all parameters and buffers, by name. Copies: training on does not change a saved state."""
        return {name: tensor.array.copy() for name, tensor in self._named_state()}

    def load_state_dict(self, state: Mapping[str, Any], strict: bool = True) -> None:
        """Overwrite parameters and buffers, in place, with arrays or tensors of the same names and shapes.

        strict: every name must be matched both ways; otherwise only the names in common are loaded. Shapes must always
        be equal - nothing is broadcast. Raises ValueError that lists everything wrong, and then nothing is changed.
        """
        own = dict(self._named_state())
        given = {name: np.asarray(value.array if isinstance(value, Tensor) else value) for name, value in state.items()}
        wrong = []
        if strict:
            wrong += [f"missing: {name} {own[name].shape}" for name in own if name not in given]
            wrong += [f"unexpected: {name} {given[name].shape}" for name in given if name not in own]
        wrong += [
            f"misshapen: {name} is {own[name].shape} here and {given[name].shape} in the state"
            for name in own
            if name in given and own[name].shape != given[name].shape
        ]
        if wrong:
            raise ValueError(
                f"the state does not fit {type(self).__name__}; nothing was loaded:\n  " + "\n  ".join(wrong)
            )
        for name in own:
            if name in given:
                own[name].detach().copy_(given[name])

    def extra_repr(self) -> str:
        """What the module's line in repr says between the parentheses."""
        return ""

    def __repr__(self) -> str:
        children = [f"({name}): {child!r}".replace("\n", "\n  ") for name, child in self.named_children()]
        if not children:
            return f"{type(self).__name__}({self.extra_repr()})"
        return "\n  ".join([f"{type(self).__name__}(", *children]) + "\n)"
