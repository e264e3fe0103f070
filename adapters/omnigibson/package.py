"""The package bddl with the data of BEHAVIOR-1K.

https://pypi.org/project/bddl/ (MIT, code and data). Only its files are read: its modules need
networkx, nltk and more, which playing does not.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from ... import installed

_BDDL = installed.DataPackage("bddl", "bddl", "activity_definitions")


def missing() -> str | None:
    """One sentence on what is not installed and how to get it, or None."""
    return installed.missing(_BDDL)


@cache
def activities_path() -> Path:
    """The folder of ACTIVITY/problem0.bddl. Raises Missing."""
    return installed.require(_BDDL) / _BDDL.needed


def data_path(name: str) -> Path:
    """A file of the package's generated data. Raises Missing."""
    return installed.file_in(_BDDL, f"generated_data/{name}")
