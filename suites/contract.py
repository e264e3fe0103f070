"""What a suite is: tasks, and how an episode of them runs and ends."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import overload

from ..errors import BadInput
from ..scene_graph.rules import Budgets, Rules
from ..scene_graph.task import Task


class NothingToAsk(AssertionError):
    """A scene has nothing for a kind of task; suites that are generated leave it out."""


class LazyTasks(Sequence[Task]):
    """Tasks that are made as far as they are looked at; how many there are is known at once.

    For suites whose tasks take long to make: listing suites or playing the first few tasks does
    not wait for the rest.
    """

    def __init__(self, number: int, tasks: Iterator[Task]) -> None:
        """tasks: gives at least `number` of them, the same whenever it is begun."""
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
    """So many tasks of every group, the groups in turn: the first tasks are of many groups."""
    turns = zip(*groups, strict=False)
    return LazyTasks(each * len(groups), (task for turn in turns for task in turn))


@dataclass(frozen=True)
class Suite:
    """A set of tasks, in the order in which `--tasks N` takes them.

    sources: data the tasks are made of, in the words of `Prior.sources`, so that no prior that
    counts them is used on them. skipped: why others were left out, with how many. notes: sentences
    on what else of the data is not played as it stands there.
    """

    name: str
    summary: str
    tasks: Sequence[Task]
    adapter: str
    rules: Rules = field(default_factory=Rules)
    budgets: Budgets = field(default_factory=Budgets)
    sources: frozenset[str] = frozenset()
    skipped: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def omissions(self) -> list[str]:
        """What a user is told before tasks are played: what was left out or changed, and why."""
        return omissions_of(self.skipped, self.notes)


def omissions_of(skipped: Mapping[str, int], notes: Iterable[str]) -> list[str]:
    """What a user is told of a suite's omissions, a line each; see `Suite`."""
    return [*(f"left out: {count} ({reason})" for reason, count in skipped.items()), *notes]


#: Between a family's name and that of a variant: `kitchens:hard`.
VARIANT = ":"


@dataclass(frozen=True)
class Family:
    """Suites of one kind, in variants; what an entry point of the group `peephole.suites` names.

    An entry point may also name a function that makes a single suite from the user's data, or from
    None where the user gives none.
    """

    name: str
    """The name of the entry point."""
    variants: Mapping[str, str]
    """A line on each variant; that of "" is the suite that has the family's own name."""
    make: Callable[[str], Suite]
    """Makes a variant without data of the user's. Raises Missing or BadInput."""
    no_data: str = ""
    """Why a variant takes no `--data`, such as "its tasks are generated"."""
    of_data: Callable[[str, Path], Suite] | None = None
    """Makes a variant from the user's data; None where no variant takes any."""

    def load(self, variant: str = "", data: Path | None = None) -> Suite:
        """A variant, from the user's data where it takes any. Raises Missing or BadInput."""
        if data is None:
            return self.make(variant)
        if self.of_data is None:
            raise takes_no_data(suite_name(self.name, variant), self.no_data)
        return self.of_data(variant, data)


def suite_name(family: str, variant: str) -> str:
    """The name of a variant as one gives it after `--suite`."""
    return f"{family}{VARIANT}{variant}" if variant else family


def path_name(suite: str) -> str:
    """A suite's name as part of a path: some file systems allow no colon."""
    return suite.replace(VARIANT, "_")


def takes_no_data(suite: str, reason: str) -> BadInput:
    """An error for `--data` where the suite takes none."""
    return BadInput(f"The suite {suite} takes no --data: {reason}.")
