"""Suites: tasks, and the rules and budgets of their episodes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import overload

from ..errors import BadInput, each_name
from ..scene_graph.rules import Budgets, Rules
from ..scene_graph.task import Task


class NothingToAsk(AssertionError):
    """A scene has nothing for a kind of task, so a generated suite leaves the scene out."""


class LazyTasks(Sequence[Task]):
    """Tasks that are made when they are needed; their number is known from the start.

    For suites whose tasks take long to make: listing suites or playing the first few tasks does
    not wait for the rest.
    """

    def __init__(self, number: int, tasks: Iterator[Task]) -> None:
        """tasks: at least `number` tasks, always the same."""
        self._number = number
        self._tasks = tasks
        self._made: list[Task] = []

    def __len__(self) -> int:
        return self._number

    @overload
    def __getitem__(self, index: int) -> Task: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Task, ...]: ...

    def __getitem__(self, index: int | slice) -> Task | tuple[Task, ...]:
        places = range(self._number)[index]
        if isinstance(places, int):
            self._make(places + 1)
            return self._made[places]
        self._make(max(places, default=-1) + 1)
        return tuple(self._made[place] for place in places)

    def _make(self, number: int) -> None:
        self._made += islice(self._tasks, max(0, number - len(self._made)))
        if len(self._made) < number:
            raise RuntimeError(f"only {len(self._made)} of {self._number} tasks could be made")


def in_turns(groups: Sequence[Iterable[Task]], each: int) -> LazyTasks:
    """The first `each` tasks of every group, the groups in turn."""
    turns = zip(*groups, strict=False)
    return LazyTasks(each * len(groups), (task for turn in turns for task in turn))


@dataclass(frozen=True)
class Suite:
    """A set of tasks."""

    name: str
    """The name after `--suite`."""
    summary: str
    """A line on what the tasks are."""
    tasks: Sequence[Task]
    """The tasks, in the order of `--tasks N`."""
    adapter: str
    """Name of the default adapter."""
    rules: Rules = field(default_factory=Rules)
    """Rules of an episode, unless a task has its own."""
    budgets: Budgets = field(default_factory=Budgets)
    """Limits of an episode, unless a task has its own."""
    sources: frozenset[str] = frozenset()
    """Data of the tasks, in terms of `Prior.sources`. A prior that counts them is not used here."""
    skipped: dict[str, int] = field(default_factory=dict)
    """Number of tasks that are left out, by reason."""
    notes: tuple[str, ...] = ()
    """Sentences on other differences from the data."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "sources", frozenset(each_name(self.sources)))
        object.__setattr__(self, "notes", each_name(self.notes))

    @property
    def omissions(self) -> list[str]:
        """Lines for the user: which tasks were left out or changed, and why."""
        return omissions_of(self.skipped, self.notes)


def omissions_of(skipped: Mapping[str, int], notes: Iterable[str]) -> list[str]:
    """Lines on omissions; see `Suite`."""
    return [*(f"left out: {count} ({reason})" for reason, count in skipped.items()), *notes]


#: The sign between the names of a family and a variant: `kitchens:hard`.
VARIANT = ":"


@dataclass(frozen=True)
class Family:
    """Suites of one kind in variants, as an entry point of the group `peephole.suites` names them.

    An entry point may also name a function. It makes a single suite, from the user's data or, where
    there is none, from None.
    """

    name: str
    """The name of the entry point."""
    variants: Mapping[str, str]
    """A summary of each variant. "" is the suite that has the family's own name."""
    make: Callable[[str], Suite]
    """Make a variant without data of the user. Raises Missing or BadInput."""
    no_data: str = ""
    """Why a variant takes no `--data`, such as "its tasks are generated"."""
    of_data: Callable[[str, Path], Suite] | None = None
    """Make a variant from the user's data; None where no variant takes data."""

    def load(self, variant: str = "", data: Path | None = None) -> Suite:
        """Make a variant, from the user's data where there is some. Raises Missing or BadInput."""
        if data is None:
            return self.make(variant)
        if self.of_data is None:
            raise takes_no_data(suite_name(self.name, variant), self.no_data)
        return self.of_data(variant, data)


def suite_name(family: str, variant: str) -> str:
    """The name of a variant, as `--suite` takes it."""
    return f"{family}{VARIANT}{variant}" if variant else family


def path_name(suite: str) -> str:
    """A suite's name as part of a path, without the colon, which some file systems forbid."""
    return suite.replace(VARIANT, "_")


def takes_no_data(suite: str, reason: str) -> BadInput:
    """An error for `--data` with a suite that takes none."""
    return BadInput(f"The suite {suite} takes no --data, because {reason}; leave --data out.")
