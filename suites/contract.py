"""What a suite is: tasks, and how an episode of them runs and ends."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import overload

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


#: What an entry point of the group `peephole.suites` names: makes the suite, from the user's
#: data (`--data`) where the suite takes any. Raises Missing or BadInput.
LoadSuite = Callable[[Path | None], Suite]
