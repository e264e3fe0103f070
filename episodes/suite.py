"""What a suite is: tasks, and how an episode of them runs and ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from ..planners.contract import Budgets
from ..scene_graph.task import Task


class Ends(StrEnum):
    """When an episode ends before its budgets are used up."""

    GOAL_REACHED = "goal_reached"
    PLANNER_DONE = "planner_done"  # scored when the planner says that it is done


@dataclass(frozen=True)
class Suite:
    """A set of tasks.

    sources: data the tasks are made of, in the words of `Prior.sources`, so that no prior that
    counts them is used on them. skipped: why others were left out, with how many.
    """

    name: str
    summary: str
    tasks: tuple[Task, ...]
    adapter: str
    ends: Ends = Ends.GOAL_REACHED
    budgets: Budgets = field(default_factory=Budgets)
    sources: frozenset[str] = frozenset()
    skipped: dict[str, int] = field(default_factory=dict)


#: What an entry point of the group `peephole.suites` names: makes the suite, from the user's
#: data (`--data`) where the suite takes any. Raises Missing or BadInput.
LoadSuite = Callable[[Path | None], Suite]
