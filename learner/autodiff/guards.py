"""The variables a function depends on, so that a compiled step can notice when one of them changes.

Numbers, strings and booleans are compared by value, everything else by identity; `config.beta` is followed from its
variable through its attributes, and functions of the user's are followed into.
"""

from __future__ import annotations

import dis
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any

_ROOTS = {"LOAD_GLOBAL", "LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_NAME"}
_STEPS = {"LOAD_ATTR", "LOAD_METHOD"}
_paths_of: dict[Any, list[tuple[str, tuple[str, ...]]]] = {}


def variables(function: Callable[..., Any], depth: int = 3) -> tuple[Any, ...]:
    """The present values of a function's outer variables and of the attributes it reads from them."""
    found: list[Any] = []
    _collect(function, depth, found, set())
    return tuple(found)


def _collect(function: Any, depth: int, found: list[Any], seen: set[int]) -> None:
    if isinstance(function, MethodType):
        found.append(id(function.__self__))
        scope: dict[str, Any] = {"self": function.__self__}
        function = function.__func__
    else:
        scope = {}
    if not isinstance(function, FunctionType) or id(function) in seen:
        return
    seen.add(id(function))
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    for root, path in _paths(function.__code__):
        if root in scope:
            value = scope[root]
        elif root in cells:
            value = _content(cells[root])
        else:
            value = function.__globals__.get(root)
        for name in path:
            value = vars(value).get(name) if hasattr(value, "__dict__") else None
        found.append(value if isinstance(value, int | float | str | bool) or value is None else id(value))
        if depth and isinstance(value, FunctionType) and not str(value.__module__).startswith("learner."):
            _collect(value, depth - 1, found, seen)


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not assigned yet
        return None


def _paths(code: Any) -> list[tuple[str, tuple[str, ...]]]:
    """Every (variable, attribute, attribute, ...) that the code loads from outside, or from its first argument."""
    known = _paths_of.get(code)
    if known is None:
        known = []
        first = code.co_varnames[:1]
        root, path = None, ()  # type: tuple[str | None, tuple[str, ...]]
        for instruction in dis.get_instructions(code):
            name = str(instruction.argval)
            if instruction.opname in _ROOTS or (
                instruction.opname.startswith("LOAD_FAST") and (name,) == first == ("self",)
            ):
                root, path = name, ()
            elif instruction.opname in _STEPS and root is not None:
                path = (*path, name)
            else:
                root = None
                continue
            known.append((root, path))
        _paths_of[code] = known
    return known
