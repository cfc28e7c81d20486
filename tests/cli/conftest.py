"""Running commands, in this process or in one of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from learner.cli.main import main

ROOT = Path(__file__).resolve().parents[2]


class Ran(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture(scope="session", autouse=True)
def _compiled_once() -> None:
    """So that no command says that it compiles the rules."""
    from game.engine import compiled

    compiled.prepare()


@pytest.fixture
def backprop(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Runs a command in this process."""

    def run(*args: object) -> Ran:
        capsys.readouterr()
        try:
            code = main([str(arg) for arg in args])
        except SystemExit as leaving:
            code = int(leaving.code or 0)
        out, err = capsys.readouterr()
        return Ran(code, out, err)

    return run


@pytest.fixture
def start() -> Callable[..., subprocess.Popen[str]]:
    """Starts a command in a process of its own, with pipes."""

    def run(*args: object) -> subprocess.Popen[str]:
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        return subprocess.Popen([sys.executable, "-m", "learner.cli.main", *map(str, args)], env=environment,
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                encoding="utf-8")

    return run
