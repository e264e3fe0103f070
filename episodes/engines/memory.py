"""The memory of a process with its children, such as simulators."""

from __future__ import annotations

import os
from pathlib import Path

from .contract import Bounds

_PAGE = os.sysconf("SC_PAGE_SIZE")


def resident_mb(pid: int | str = "self") -> float:
    """Megabytes that a process and its descendants hold; 0 where the system does not say."""
    here = Path("/proc", str(pid))
    try:
        pages = int((here / "statm").read_text().split()[1])
        children = [
            child
            for thread in (here / "task").iterdir()
            for child in (thread / "children").read_text().split()
        ]
    except (OSError, IndexError, ValueError):  # it has just ended, or there is no /proc
        return 0.0
    return pages * _PAGE / 2**20 + sum(map(resident_mb, children))


class Growth:
    """Decides when a worker is replaced."""

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds
        self._episodes = 0
        self._first_mb = 0.0

    def is_due(self) -> bool:
        """Whether a new worker should take over; called once after every episode."""
        self._episodes += 1
        now_mb = resident_mb()
        if self._episodes == 1:
            self._first_mb = now_mb
        grown = now_mb - self._first_mb > self._bounds.grown_mb
        return grown or self._episodes >= self._bounds.episodes
