"""Folders of runs: the name of a new one, and the runs that a folder holds."""

from __future__ import annotations

import os
from datetime import datetime
from itertools import chain, count
from pathlib import Path

from ..errors import BadInput
from ..suites.contract import path_name


def run_folders(path: Path) -> list[Path]:
    """The folder itself where it is a run, else all runs below it, in order.

    Runs of a grid come suite by suite. In each suite they come in the order of the grid's rows,
    whose number begins the folder's name. Raises BadInput where there is no run.
    """
    if is_run(path):
        return [path]
    if not path.is_dir():
        raise BadInput(f"{path} is no run folder: it does not exist; name another one.")
    found = []
    for parent, folders, _ in os.walk(path):
        runs = sorted(name for name in folders if is_run(Path(parent, name)))
        found += [Path(parent, name) for name in runs]
        # A run holds no other run, but perhaps thousands of files.
        folders[:] = sorted(set(folders) - set(runs))
    if not found:
        raise BadInput(f"{path} holds no run (no run.json in it or below it); name another folder.")
    return found


def is_run(folder: Path) -> bool:
    """Whether a folder is that of a run."""
    return (folder / "run.json").is_file()


def new_folder(suite: str, planner: str) -> Path:
    """The default folder of a new run, named by suite, planner and time.

    A number follows where another run began in the same second.
    """
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
    first = Path("runs") / f"{path_name(suite)}-{Path(planner.partition(':')[0]).stem}-{stamp}"
    folders = (first.with_name(f"{first.name}-{number}") for number in count(2))
    return next(folder for folder in chain([first], folders) if not folder.exists())
