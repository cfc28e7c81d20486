"""The variables a function depends on, so that a compiled step can notice when one of them changes.

Numbers, strings and booleans are compared by value, everything else by identity. `config.beta` is followed from its
variable through its attributes, and functions of the user's are followed into. Methods and functions of classes and
of this library do not change and are not watched.
"""

from __future__ import annotations

import dis
from collections.abc import Callable
from types import CellType, FunctionType, MethodType, ModuleType
from typing import Any

_ROOTS = {"LOAD_GLOBAL", "LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_NAME"}
_STEPS = {"LOAD_ATTR", "LOAD_METHOD"}
_MISSING = object()
Path = tuple[str, tuple[str, ...]]


class Watch:
    """The outer variables of a function, and what they were at the start."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._places: list[tuple[Any, Any, tuple[str, ...]]] = []
        self._follow(function, 3, set())
        self._then = self._now()

    def same(self) -> bool:
        """Whether every variable still is what it was."""
        return self._now() == self._then

    def _now(self) -> list[Any]:
        return [_look(*place) for place in self._places]

    def _follow(self, function: Any, depth: int, seen: set[Any]) -> None:
        own = None
        if isinstance(function, MethodType):
            own, function = function.__self__, function.__func__
        if not isinstance(function, FunctionType) or function.__code__ in seen:
            return
        seen.add(function.__code__)
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        for root, path in _paths(function.__code__):
            start = own if root == "self" and own is not None else cells.get(root, function.__globals__)
            value = _value(start, root, path)
            if _constant(value):
                continue
            self._places.append((start, root, path))
            if depth and isinstance(value, FunctionType):
                self._follow(value, depth - 1, seen)


def _value(start: Any, root: str, path: tuple[str, ...]) -> Any:
    """What a path leads to: from a cell, a dict of globals, or an object."""
    if type(start) is CellType:
        try:
            value = start.cell_contents
        except ValueError:  # not assigned yet
            return _MISSING
    else:
        value = start.get(root, _MISSING) if type(start) is dict else start
    for name in path:
        value = _attribute(value, name)
    return value


def _attribute(value: Any, name: str) -> Any:
    """An attribute of the object or of its class, without running properties."""
    attributes = getattr(value, "__dict__", None)
    if attributes is not None and name in attributes:
        return attributes[name]
    for kind in type(value).__mro__:
        if name in kind.__dict__:
            found = kind.__dict__[name]
            return found if isinstance(found, int | float | str) else _MISSING
    return _MISSING


def _look(start: Any, root: str, path: tuple[str, ...]) -> Any:
    value = _value(start, root, path)
    return value if isinstance(value, int | float | str) else id(value)


def _constant(value: Any) -> bool:
    """What need not be watched: missing names, modules, and functions and classes of this library or built in."""
    if value is _MISSING or isinstance(value, ModuleType):
        return True
    return isinstance(value, FunctionType | type) and value.__module__.startswith("learner.")


def _paths(code: Any) -> list[Path]:
    """Every (variable, attribute, attribute, ...) that the code loads from outside, or from its `self`."""
    found: dict[Path, None] = {}
    root: str | None = None
    path: tuple[str, ...] = ()
    for instruction in dis.get_instructions(code):
        name = str(instruction.argval)
        if instruction.opname in _ROOTS or (instruction.opname.startswith("LOAD_FAST") and name == "self"):
            root, path = name, ()
        elif instruction.opname in _STEPS and root is not None:
            path = (*path, name)
        else:
            root = None
            continue
        found[root, path] = None
    return list(found)
