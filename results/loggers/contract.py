"""What a logger is: a plugin of the group `peephole.loggers` that tells a tracker about a run.

The recording stays the only source of results; a logger tells another program of them. It gets each
episode when it has ended, and figures, tables, plots and films at the end. It never gets a prompt,
a reply or the state of a simulator.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class LoggedRun:
    """What a logger is told of a run when it starts or continues."""

    key: str
    """The same when the run is continued, and for no other run; letters and digits."""
    name: str
    """The planner with its options and models, and the suite."""
    suite: str
    """Name of the suite."""
    settings: Mapping[str, str | int | float | bool]
    """Settings of the run and what it was made with, flat."""
    tags: Sequence[str]
    """Words to find it by, such as the planner's name and "stand-in model"."""
    folder: Path
    """Of the recording."""


@dataclass(frozen=True)
class Table:
    """A table. rows: of plain values, in the order of the columns."""

    name: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str | int | float | bool | None]]


class RunLogger(ABC):
    """Tells one tracker about one run. place: where to, as after `--log NAME=`; "" by default."""

    def __init__(self, place: str = "") -> None:
        self.place = place

    @classmethod
    def missing(cls) -> str | None:
        """One sentence on what is not installed and how to install it, or None."""
        return None

    @abstractmethod
    def begin(self, run: LoggedRun) -> str:
        """Start the run's log, or continue it; where it is, for the user to read.

        Raises BadInput or Missing where the tracker cannot be reached.
        """

    @abstractmethod
    def episode(self, number: int, values: Mapping[str, float]) -> None:
        """Log an episode that has ended. number: of ended episodes, from 1.

        When a run is continued, earlier episodes are given again, with the same numbers.
        """

    @abstractmethod
    def figures(self, values: Mapping[str, float]) -> None:
        """Log the figures of the whole run, with NAME_low and NAME_high for intervals."""

    @abstractmethod
    def table(self, table: Table) -> None:
        """Log a table."""

    @abstractmethod
    def picture(self, name: str, path: Path) -> None:
        """Log a PNG file."""

    @abstractmethod
    def film(self, name: str, path: Path) -> None:
        """Log an MP4 file."""

    @abstractmethod
    def end(self, *, finished: bool) -> None:
        """Close the log. finished: whether all episodes have ended."""
