"""The package bddl: where the data of BEHAVIOR-1K lies.

https://pypi.org/project/bddl/ (MIT, code and data). Only files of it are read: its own modules take
networkx, nltk and more, and none of them is needed to play.
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
