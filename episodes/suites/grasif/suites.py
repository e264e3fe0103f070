"""The suite `grasif`: tasks that are told by two scene graphs, in the built-in world.

GraSIF (LookPlanGraph, section V) has 29 tasks of SayPlan's office, 177 of BEHAVIOR-1K and 308 of
RobotHow. Its files are the user's to bring (`--data FILE`, see `files`). Without them the suite has
three parts, selected by the paper's rules from the data that there is:

- office: the suite `office`, 29 tasks;
- behavior: the suite `behavior`, whose rule is GraSIF's, 187 activities of bddl 3.6.0;
- virtualhome: RobotHow's programs in virtualhome-eval, see `virtualhome`.

An episode ends when the planner says that it is done, and has succeeded where the goal holds and no
action was infeasible.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain
from pathlib import Path

from ....errors import BadInput
from ....scene_graph.rules import Budgets, Ends, Rules
from ....scene_graph.task import Task
from ..behavior import suites as behavior
from ..contract import LazyTasks, Suite
from ..office import suites as office
from . import files, virtualhome

_RULES = Rules(ends=Ends.PLANNER_DONE, infeasible_fails=True)
_BUDGETS = Budgets(steps=300, decisions=600, planning_s=300.0)


def load(data: Path | None = None) -> Suite:
    """The suite, of a GraSIF file where `data` is given. Raises Missing and BadInput."""
    return _selection() if data is None else _of_file(data)


@cache
def _selection() -> Suite:
    skipped: Counter[str] = Counter()
    programs = virtualhome.selected(skipped)
    offices, activities = office.load().tasks, behavior.load().tasks
    parts = chain(
        _part("office", offices),
        _part("behavior", activities),
        map(virtualhome.task_of, programs),
    )
    number = len(offices) + len(activities) + len(programs)
    return Suite(
        name="grasif",
        summary="tasks by GraSIF's rules: an office, BEHAVIOR-1K and RobotHow, in one world",
        tasks=LazyTasks(number, parts),
        adapter="symbolic",
        rules=_RULES,
        budgets=_BUDGETS,
        sources=frozenset({"office", "behavior", "virtualhome-eval"}),
        skipped=dict(skipped.most_common()),
    )


def _of_file(path: Path) -> Suite:
    skipped: Counter[str] = Counter()
    tasks = tuple(files.tasks_of_file(path, skipped))
    if not tasks:
        raise BadInput(f"The file {path} has no task that asks for a change; give one of GraSIF's.")
    return Suite(
        name="grasif",
        summary="the tasks of a GraSIF file",
        tasks=tasks,
        adapter="symbolic",
        rules=_RULES,
        budgets=_BUDGETS,
        skipped=dict(skipped),
    )


def _part(name: str, tasks: Sequence[Task]) -> Iterator[Task]:
    """Tasks of another suite as a part of this one."""
    for task in tasks:
        labels = {"category": name}
        yield replace(task, id=f"{name}/{task.id.replace('/', '-')}", labels=labels)
