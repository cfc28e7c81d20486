"""Finds files that name themselves, commands and lessons, without importing them."""

from __future__ import annotations

import ast
from pathlib import Path


def constants_of(path: Path) -> dict[str, str]:
    """The plain strings that a source file assigns at its top level, without importing it."""
    return {node.targets[0].id: node.value.value for node in ast.parse(path.read_bytes()).body
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
            and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)}


def named_modules(folder: Path, package: str) -> dict[str, tuple[str, str]]:
    """Name → (module, help) of every file of a package's folder that assigns the plain strings NAME and HELP."""
    found = {}
    for path in sorted(folder.glob("*.py")):
        constants = constants_of(path)
        if "NAME" in constants and "HELP" in constants:
            found[constants["NAME"]] = (f"{package}.{path.stem}", constants["HELP"])
    return found
