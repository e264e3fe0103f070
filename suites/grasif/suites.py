"""The suites `grasif`, `grasif:behavior` and `grasif:virtualhome`: GraSIF in the built-in world.

GraSIF is a dataset of LookPlanGraph (section V). The user gives its files (`--data FILE`, see
`files`). Without them the suite has three parts, selected by the paper's rules: the suites `office`
and `behavior`, and RobotHow's programs (`virtualhome`). An episode ends when the planner says that
it is done. It has succeeded if the goal holds and no action was infeasible.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain
from pathlib import Path

from ...errors import BadInput
from ...scene_graph.rules import Budgets, Ends, Rules
from ...scene_graph.task import Task
from ..behavior import suites as behavior
from ..contract import Family, LazyTasks, Suite, suite_name, takes_no_data
from ..office import suites as office
from . import files, virtualhome

_RULES = Rules(ends=Ends.PLANNER_DONE, infeasible_fails=True)
_BUDGETS = Budgets(steps=300, decisions=600, planning_s=300.0)


@cache
def load(variant: str = "") -> Suite:
    """Make a suite of the family. Raises Missing without the packages of its data."""
    skipped: Counter[str] = Counter()
    parts: list[tuple[int, Iterable[Task]]] = []
    sources: set[str] = set()
    if not variant:
        tasks = office.load().tasks
        parts.append((len(tasks), _part("office", tasks)))
        sources.add("office")
    if variant != "virtualhome":
        tasks = behavior.load().tasks
        parts.append((len(tasks), _part("behavior", tasks)))
        sources.add("behavior")
    if variant != "behavior":
        programs = virtualhome.selected(skipped)
        parts.append((len(programs), map(virtualhome.task_of, programs)))
        sources.add("virtualhome-eval")
    return Suite(
        name=suite_name(FAMILY.name, variant),
        summary=FAMILY.variants[variant],
        tasks=LazyTasks(
            sum(number for number, _ in parts),
            chain.from_iterable(tasks for _, tasks in parts),
        ),
        adapter="symbolic",
        rules=_RULES,
        budgets=_BUDGETS,
        sources=frozenset(sources),
        skipped=dict(skipped.most_common()),
    )


def load_file(variant: str, path: Path) -> Suite:
    """Make the suite of a GraSIF file. Raises BadInput."""
    if variant:
        raise takes_no_data(suite_name(FAMILY.name, variant), "play files by --suite grasif")
    skipped: Counter[str] = Counter()
    tasks = tuple(files.tasks_of_file(path, skipped))
    if not tasks:
        raise BadInput(f"The file {path} has no task that changes anything; give a file of GraSIF.")
    return Suite(
        name="grasif",
        summary="the tasks of a GraSIF file",
        tasks=tasks,
        adapter="symbolic",
        rules=_RULES,
        budgets=_BUDGETS,
        skipped=dict(skipped),
    )


_SUMMARY = "tasks by GraSIF's rules in the built-in world: "
FAMILY = Family(
    name="grasif",
    variants={
        "": f"{_SUMMARY}an office, BEHAVIOR-1K and RobotHow",
        "behavior": f"{_SUMMARY}BEHAVIOR-1K",
        "virtualhome": f"{_SUMMARY}RobotHow",
    },
    make=load,
    of_data=load_file,
)


def _part(name: str, tasks: Sequence[Task]) -> Iterator[Task]:
    """The tasks of another suite as a part of this one."""
    for task in tasks:
        labels = {"category": name}
        yield replace(task, id=f"{name}/{task.id.replace('/', '-')}", labels=labels)
