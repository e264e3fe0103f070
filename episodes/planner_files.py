"""Planner files that this user has named in a command.

A recording names the file of its planner, and importing a file runs its code. A recording may be
a stranger's, so a file that only the recording names is imported if this user has named it before,
in a run of their own, and it has not changed since. The marks of such files are in the user's cache
folder: their names are digests of path and content.
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
    mark = _mark(planner)
    if mark is not None:
        with suppress(OSError):  # then it has to be named again
            mark.parent.mkdir(parents=True, exist_ok=True)
            mark.touch()


def check_named(recorded: str, run: Path, named: str = "") -> None:
    """Raise BadInput for a planner file that only a recording names.

    recorded: the planner of the recording `run`. named: the planner that this command names.
    """
    if named and absolute_reference(named) == recorded:
        remember(recorded)
    if planner_file(recorded) is None:
        return
    mark = _mark(recorded)
    if mark is None or not mark.exists():
        raise BadInput(
            f"{run} names the planner file {recorded}, and you have run no such file yet, or it "
            f"has changed since. To import it is to run its code: read it first, then name it "
            f"with --planner {recorded}"
        )


def _mark(planner: str) -> Path | None:
    """The mark of a planner file; None for another planner and a file that cannot be read."""
    path = planner_file(planner)
    if path is None:
        return None
    try:
        content = path.read_bytes()
    except OSError:
        return None
    digest = hashlib.sha256(str(path).encode() + b"\0" + content).hexdigest()
    return cache_folder("planner_files") / digest
