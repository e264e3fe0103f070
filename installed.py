"""Packages that are wanted only for their files, which are found without an import.

An import would need their dependencies, which are not installed, and take time.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from .errors import Missing


@dataclass(frozen=True, slots=True)
class DataPackage:
    """A package and its module. needed: a folder that it must have."""

    name: str
    module: str
    needed: str
    install: str


def folder_of(module: str) -> Path | None:
    """The folder of an installed package; None if it is not installed."""
    spec = find_spec(module)
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(next(iter(spec.submodule_search_locations)))


def missing(package: DataPackage) -> str | None:
    """One sentence on what is missing and how to get it, or None."""
    root = folder_of(package.module)
    if root is None:
        return f"The package {package.name} is not installed; get it with: {package.install}"
    if not (root / package.needed).is_dir():
        return (
            f"The package {package.name} has no folder {root / package.needed}; "
            f"reinstall it with: {package.install} --force-reinstall"
        )
    return None


def require(package: DataPackage) -> Path:
    """The folder of a package. Raises Missing."""
    problem, root = missing(package), folder_of(package.module)
    if problem is not None or root is None:
        raise Missing(problem or f"The package {package.name} is not installed.")
    return root


def file_in(package: DataPackage, path: str) -> Path:
    """A file of a package, by its path in it. Raises Missing."""
    file = require(package) / path
    if not file.is_file():
        raise Missing(
            f"The package {package.name} has no file {file}; "
            f"reinstall it with: {package.install} --force-reinstall"
        )
    return file
