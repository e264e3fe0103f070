"""The suites `grasif`, `grasif_behavior` and `grasif_virtualhome`: GraSIF in the built-in world.

GraSIF (LookPlanGraph, section V) has 29 tasks of SayPlan's office, 177 of BEHAVIOR-1K and 308 of
RobotHow. Its files are the user's to bring (`--data FILE`, see `files`). Without them the suite has
three parts, selected by the paper's rules from the data that there is:

- office: the suite `office`, 29 tasks;
- behavior: the suite `behavior`, whose rule is GraSIF's, 187 activities of bddl 3.6.0;
- virtualhome: RobotHow's programs in virtualhome-eval, see `virtualhome`.

The last two are suites of their own as well.

An episode ends when the planner says that it is done, and has succeeded where the goal holds and no
action was infeasible.
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
from ..contract import LazyTasks, Suite
from ..office import suites as office
from . import files, virtualhome

_RULES = Rules(ends=Ends.PLANNER_DONE, infeasible_fails=True)
_BUDGETS = Budgets(steps=300, decisions=600, planning_s=300.0)
_SUMMARIES = {
    "grasif": "an office, BEHAVIOR-1K and RobotHow",
    "grasif_behavior": "BEHAVIOR-1K",
    "grasif_virtualhome": "RobotHow",
}


def load(data: Path | None = None) -> Suite:
    """The suite, of a GraSIF file where `data` is given. Raises Missing and BadInput."""
    return _selection("grasif") if data is None else _of_file(data)


def load_behavior(data: Path | None = None) -> Suite:
    """The part behavior as a suite of its own. Raises Missing, and BadInput for `data`."""
    return _selection(_without_data("grasif_behavior", data))


def load_virtualhome(data: Path | None = None) -> Suite:
    """The part virtualhome as a suite of its own; raises as `load_behavior`."""
    return _selection(_without_data("grasif_virtualhome", data))


def _without_data(name: str, data: Path | None) -> str:
    if data is not None:
        raise BadInput(f"The suite {name} takes no --data; play files by --suite grasif.")
    return name


@cache
def _selection(name: str) -> Suite:
    skipped: Counter[str] = Counter()
    parts: list[tuple[int, Iterable[Task]]] = []
    sources: set[str] = set()
    if name == "grasif":
        tasks = office.load().tasks
        parts.append((len(tasks), _part("office", tasks)))
        sources.add("office")
    if name != "grasif_virtualhome":
        tasks = behavior.load().tasks
        parts.append((len(tasks), _part("behavior", tasks)))
        sources.add("behavior")
    if name != "grasif_behavior":
        programs = virtualhome.selected(skipped)
        parts.append((len(programs), map(virtualhome.task_of, programs)))
        sources.add("virtualhome-eval")
    return Suite(
        name=name,
        summary="tasks by GraSIF's rules in the built-in world: " + _SUMMARIES[name],
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
