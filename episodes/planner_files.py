"""Planner files that this user has named in a command.

A recording names the file of its planner, and importing a file runs its code. A recording may be
a stranger's. So a file that only the recording names is imported if this user has named it before,
for a run of their own. The marks of such files are in the user's cache folder: their names are
digests of the paths.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from pathlib import Path

from ..data_files import cache_folder
from ..errors import BadInput
from ..planners.registry import absolute_reference, planner_file


def remember(planner: str) -> None:
    """Mark the file of a planner that the user has named. planner: a reference."""
    file = planner_file(planner)
    if file is not None:
        with suppress(OSError):  # then it has to be named again
            mark = _mark(file)
            mark.parent.mkdir(parents=True, exist_ok=True)
            mark.touch()


def check_named(recorded: str, run: Path, named: str = "") -> None:
    """Raise BadInput for a planner file that only a recording names.

    recorded: the planner of the recording `run`. named: the planner that this command names.
    """
    if named and absolute_reference(named) == recorded:
        remember(recorded)
        return
    file = planner_file(recorded)
    if file is not None and not _mark(file).exists():
        raise BadInput(
            f"{run} names a planner file that you have not run before, and to import it is to run "
            f"its code; read it first, then name it: --planner {recorded}"
        )


def _mark(file: Path) -> Path:
    return cache_folder("planner_files") / hashlib.sha256(str(file).encode()).hexdigest()
