"""``backprop``: finds the commands, reads the arguments, runs one, and says in one line what went wrong."""

from __future__ import annotations

import argparse
import functools
import importlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from learner.cli.output import Stopped, use_utf8
from learner.finding import named_modules

THREAD_SETTINGS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "NUMBA_NUM_THREADS")
USAGE_ERROR, INTERRUPTED, BROKEN_PIPE = 2, 130, 141


class Parser(argparse.ArgumentParser):
    """argparse whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and leave with 2."""
        self.exit(USAGE_ERROR, f"{self.prog}: {' '.join(message.split())} (see {self.prog} --help)\n")


@functools.cache
def commands() -> dict[str, tuple[str, str]]:
    """Name → (module, help) of every command, found by reading the files beside this one."""
    return named_modules(Path(__file__).parent, __package__ or "learner.cli")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code (see :mod:`learner.cli`)."""
    use_utf8()
    # One thread each unless somebody chose otherwise: the rules share out cores themselves, and a
    # BLAS thread too many costs hundreds of times what it brings. Read when NumPy is first imported.
    for setting in THREAD_SETTINGS:
        os.environ.setdefault(setting, "1")
    args = sys.argv[1:] if argv is None else list(argv)
    parser = Parser(prog="backprop", description="A card game whose units really learn.",
                    epilog="`backprop COMMAND --help` says more about one command.")
    parser.add_argument("--version", action="store_true", help="print the version and end")
    choices = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands", parser_class=Parser)
    chosen = next((arg for arg in args if not arg.startswith("-")), None)
    module = None
    for name, (module_name, text) in commands().items():
        command = choices.add_parser(name, help=text, description=text[:1].upper() + text[1:] + ".")
        if name == chosen:
            module = importlib.import_module(module_name)
            module.add_arguments(command)
            command.add_argument("--json", action="store_true", help="print one JSON document and nothing else")
    options = parser.parse_args(args)
    if options.version:
        print(version())
        return 0
    if module is None:
        parser.print_help()
        return 0
    try:
        code: int = module.run(options)
        sys.stdout.flush()
        return code
    except Exception as error:
        return _explain(error)
    except KeyboardInterrupt:
        return _complain("stopped", INTERRUPTED)


def version() -> str:
    """The installed version; a checkout that isn't installed has none."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed

    try:
        return installed("backpropagation-game")
    except PackageNotFoundError:
        return "not installed"


def _explain(error: Exception) -> int:
    """Exit code and one line for what a user can mend; anything else is raised again."""
    if isinstance(error, BrokenPipeError):
        # Whoever read our output has left; keep the interpreter from complaining when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    if isinstance(error, Stopped):
        return _complain(str(error), INTERRUPTED)
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        return _complain(f"{where}{error.strerror or error}", USAGE_ERROR)
    from game.errors import GameError

    if isinstance(error, GameError):
        return _complain(str(error), USAGE_ERROR)
    raise error


def _complain(message: str, code: int) -> int:
    print(f"backprop: {' '.join(message.split())}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
