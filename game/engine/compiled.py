"""One source, two modes: the rules run compiled by numba, or interpreted where numba is absent.

A rule function is ordinary Python over records (see :mod:`game.engine.records`) whose
annotations give it one explicit signature::

    @rule
    def heal(unit: Unit, amount: int) -> int: ...

``rule`` only registers; :func:`prepare` compiles everything once, in order, with a progress
bar, and keeps the machine code on disk. Why not leave that to numba:

* One signature a function keeps the compile time down: 18 s instead of 48 (each further one compiles again).
* numba's cache looks at a function's own file only, so a changed callee leaves stale code
  behind, and it ignores NUMBA_BOUNDSCHECK. The cache folder here carries a digest of every
  rule source and of every setting that changes code.
* Only entry points are called from Python; a warm start loads those and nothing else.

Set ``BACKPROP_INTERPRETED=1`` to run interpreted although numba is there.
"""

from __future__ import annotations

import hashlib
import os
import sys
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, overload

import numpy as np
import platformdirs

try:
    if os.environ.get("BACKPROP_INTERPRETED", "0") not in ("", "0"):
        raise ImportError("asked to run interpreted")
    import llvmlite
    import numba
    from llvmlite import binding as llvm

    ENABLED = True
except ImportError as absent:
    ENABLED = False
    if "asked" not in str(absent):
        print(f"backpropagation: numba can't be imported ({absent}); the rules run interpreted, "
              "about 300 times slower", file=sys.stderr)

F = TypeVar("F", bound=Callable[..., Any])

# One 8-byte aligned integer type everywhere else: int arguments are int64, record fields int32.
Word = np.uint64
"""The random generator's word, the only field and argument that isn't a signed integer."""

_registered: list[tuple[Any, Callable[..., Any], bool]] = []
_prepared = 0


@overload
def rule(function: F) -> F: ...
@overload
def rule(*, entry: bool) -> Callable[[F], F]: ...
def rule(function: Any = None, *, entry: bool = False) -> Any:
    """Register a rule function for compilation; ``entry=True`` if Python calls it.

    The function must be fully annotated with ``int``, ``float``, ``bool``, ``None``, records, arrays of
    them (``Array[...]``) or :data:`Word`, and may call rule functions defined before it.
    """
    if function is None:
        return lambda f: rule(f) if not entry else _register(f, entry=True)
    return _register(function, entry=entry)


def _register(function: Callable[..., Any], entry: bool) -> Callable[..., Any]:
    if not ENABLED:
        return function
    folder = cache_folder()
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder) if folder else before
    try:
        dispatcher = numba.njit(function, cache=folder is not None, nogil=True, error_model="numpy")
    finally:
        numba.config.CACHE_DIR = before
    _registered.append((dispatcher, function, entry))
    return typing.cast("Callable[..., Any]", dispatcher)


def prepare() -> None:
    """Compile (or load) every registered function once; later calls return at once.

    The first time on a machine this takes about half a minute and shows progress on standard
    error; afterwards the machine code comes from the cache in well under two seconds.
    """
    global _prepared
    import game.bots  # the last of the rule functions; with it all are registered
    import game.engine.batch  # noqa: F401

    if not ENABLED or _prepared == len(_registered):
        return
    todo = _registered[_prepared:]
    folder = cache_folder()
    marker = folder / f"complete-{len(_registered)}" if folder else None
    if marker is not None and marker.exists():
        work = [item for item in todo if item[2]]
        for dispatcher, function, _ in work:
            _compile(dispatcher, function)
    else:
        _compile_all(todo)
        if marker is not None:
            marker.touch()
    _prepared = len(_registered)


def _compile_all(todo: list[tuple[Any, Callable[..., Any], bool]]) -> None:
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    if not console.is_terminal:
        console.print(f"compiling the rules, {len(todo)} functions (once on this machine) ...", highlight=False)
    for dispatcher, function, _ in track(
        todo, "compiling the rules (once on this machine)", console=console, disable=not console.is_terminal,
        transient=True,
    ):
        _compile(dispatcher, function)


def _compile(dispatcher: Any, function: Callable[..., Any]) -> None:
    """One signature and no other: a caller's int32 or literal is converted, not compiled for anew."""
    dispatcher.compile(_signature(function))
    dispatcher.disable_compile()


def _signature(function: Callable[..., Any]) -> Any:
    hints = typing.get_type_hints(function, include_extras=True)
    returns = hints.pop("return", type(None))
    return _numba_type(returns)(*[_numba_type(hint) for hint in hints.values()])


def _numba_type(hint: Any) -> Any:
    """The numba type of an annotation: int, bool, Word, a record class, or Array[kind, ndim]."""
    if hint is int:
        return numba.int64
    if hint is float:
        return numba.float64
    if hint is bool:
        return numba.boolean
    if hint is type(None):
        return numba.none
    if hint is Word:
        return numba.uint64
    if isinstance(hint, type):
        return _element_type(hint)
    if typing.get_origin(hint) is typing.Annotated:
        return hint.__metadata__[0].numba_type()
    raise TypeError(f"no compiled type for the annotation {hint!r}")


class ArrayOf:
    """Annotation detail: a C-contiguous array of records or scalars with ``ndim`` axes."""

    def __init__(self, element: Any, ndim: int, readonly: bool = False) -> None:
        self.element, self.ndim, self.readonly = element, ndim, readonly

    def numba_type(self) -> Any:
        return numba.types.Array(_element_type(self.element), self.ndim, "C", readonly=self.readonly)


def _element_type(element: Any) -> Any:
    return numba.from_dtype(np.dtype(element) if issubclass(element, np.generic) else element.dtype)


def cache_folder() -> Path | None:
    """Where this version's machine code is kept, or None if no folder can be written."""
    global _folder
    if _folder is _UNSET:
        base = os.environ.get("BACKPROP_CACHE_DIR") or platformdirs.user_cache_dir("backpropagation", appauthor=False)
        candidate = Path(base) / "rules" / _digest()
        try:
            candidate.mkdir(parents=True, exist_ok=True)
            _folder = candidate if os.access(candidate, os.W_OK) else None
        except OSError:
            _folder = None
    return typing.cast("Path | None", _folder)


_UNSET: Any = object()
_folder: Any = _UNSET


def _digest() -> str:
    """Changes whenever the machine code could: sources and where they stand, compiler, its settings, processor."""
    digest = hashlib.sha256()
    package = Path(__file__).resolve().parent.parent
    for source in sorted([*(package / "engine").glob("*.py"), *(package / "bots").glob("*.py")]):
        # numba's own index knows a source by its path and time: a copy elsewhere compiles anew, and says so.
        digest.update(f"{source}\0{source.stat().st_mtime_ns}\0".encode() + source.read_bytes())
    settings = (sys.version, numba.__version__, llvmlite.__version__, np.__version__, numba.config.BOUNDSCHECK,
                numba.config.OPT, llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten())
    digest.update(repr(settings).encode())
    return digest.hexdigest()[:20]
