"""The package bddl: where the data of BEHAVIOR-1K lies. It is found without being imported.

https://pypi.org/project/bddl/ (MIT, code and data). Only files of it are read: its own modules take
networkx, nltk and more, and none of them is needed to play.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path

from ...errors import Missing

INSTALL = "pip install --no-deps bddl==3.6.0"

_ACTIVITIES = "activity_definitions"


def missing() -> str | None:
    """One sentence on what is not installed and how to get it, or None."""
    root = _root()
    if root is None:
        return f"The package bddl is not installed; get it with: {INSTALL}"
    if not (root / _ACTIVITIES).is_dir():
        return (
            f"The package bddl has no activities in {root / _ACTIVITIES}; "
            f"get it anew with: {INSTALL} --force-reinstall"
        )
    return None


@cache
def activities_path() -> Path:
    """The folder of ACTIVITY/problem0.bddl. Raises Missing."""
    return _require() / _ACTIVITIES


def data_path(name: str) -> Path:
    """A file of the package's generated data. Raises Missing."""
    path = _require() / "generated_data" / name
    if not path.is_file():
        raise Missing(
            f"The package bddl has no file {path}; get it anew with: {INSTALL} --force-reinstall"
        )
    return path


@cache
def _root() -> Path | None:
    spec = find_spec("bddl")
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(next(iter(spec.submodule_search_locations)))


def _require() -> Path:
    problem = missing()
    if problem is not None:
        raise Missing(problem)
    root = _root()
    assert root is not None
    return root
