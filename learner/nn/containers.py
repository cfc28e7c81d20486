"""Modules made of modules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from learner.nn.module import Module


class ModuleList(Module):
    """A list of modules, named 0, 1, 2, ..."""

    def __init__(self, modules: Iterable[Module] = ()) -> None:
        self._count = 0
        for module in modules:
            self.append(module)

    def append(self, module: Module) -> None:
        setattr(self, str(self._count), module)
        self._count += 1

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Any]:
        return (getattr(self, str(i)) for i in range(self._count))

    def __getitem__(self, index: int) -> Any:
        if not -self._count <= index < self._count:
            raise IndexError(f"index {index} in a {type(self).__name__} of {self._count} modules")
        return getattr(self, str(index % self._count))


class Sequential(ModuleList):
    """Modules applied one after the other."""

    def __init__(self, *modules: Module) -> None:
        super().__init__(modules)

    def forward(self, x: Any) -> Any:
        for module in self:
            x = module(x)
        return x


class Residual(Module):
    """x + module(x): a path on which gradients pass unchanged (He et al. 2015)."""

    def __init__(self, module: Module) -> None:
        self.module = module

    def forward(self, x: Any) -> Any:
        return x + self.module(x)
