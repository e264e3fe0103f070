"""The suites `office` and `office:real`: instructions for a robot in an office.

docs/suites/office_vh_dynamic_grasif.md describes them. `office` has tasks of SayPlan's families
(Rana et al., 2023, https://arxiv.org/abs/2307.06135). Vague phrases ("somewhere where I can enjoy
it") are explicit here, as in GraSIF. An episode ends when the planner says that it is done. It has
succeeded if the goal holds and no action was infeasible, as in GraSIF's validator.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from ...data_files import read_yaml
from ...scene_graph.goals import (
    And,
    AtLeast,
    Domain,
    EventOccurred,
    Exists,
    Goal,
    HasState,
    Related,
    named_ids,
)
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Relation, State
from ...scene_graph.rules import Budgets, Ends, Rules
from ...scene_graph.task import Task
from ..contract import Family, Suite, suite_name
from .building import one, read

#: The rules of GraSIF's validator.
RULES = Rules(ends=Ends.PLANNER_DONE, infeasible_fails=True)
_BUDGETS = Budgets(steps=300, decisions=600, planning_s=300.0)


def load(variant: str = "") -> Suite:
    """Make a suite of the family."""
    return Suite(
        name=suite_name(FAMILY.name, variant),
        summary=FAMILY.variants[variant],
        tasks=_real_tasks() if variant else _tasks(),
        adapter="symbolic",
        rules=RULES,
        budgets=_BUDGETS,
        sources=frozenset({"office"}),
    )


FAMILY = Family(
    name="office",
    variants={
        "": "29 instructions in an office building of 37 rooms, after SayPlan's families",
        "real": "15 instructions in an office of 7 rooms, with a map of before",
    },
    make=load,
    no_data="its building comes with it",
)


@cache
def _tasks() -> tuple[Task, ...]:
    return tuple(_read("tasks", read("building"), "office:building"))


@cache
def _real_tasks() -> tuple[Task, ...]:
    today, before = read("real"), read("real", before=True)
    tasks = []
    for task in _read("real_tasks", today, "office:real"):
        things = named_ids(task.goal)
        moved = any(i not in before or before.places(i) != today.places(i) for i in things)
        category = "moved" if moved else "as_mapped"
        _, _, name = task.id.partition("/")
        task_id, labels = f"{category}/{name}", {"category": category}
        tasks.append(replace(task, id=task_id, labels=labels, map="office:real?before"))
    return tuple(tasks)


# --- instructions as files have them --------------------------------------------------------------


@dataclass(frozen=True)
class _Condition:
    """A condition of a goal, as the files list it, with things by category."""

    thing: str
    """Category of the thing."""
    onto: str = ""
    """The place that it has to be on."""
    into: str = ""
    """The place that it has to be in."""
    room: str = ""
    """Of the place, or of the thing for a state, where there are several."""
    state: str = ""
    """The state that it has to have."""
    count: int | None = None
    """How many things have to be there; None for the only one."""
    event: str = ""
    """The event that must have happened to the thing."""

    def goal(self, graph: SceneGraph) -> Goal:
        """The goal in a building. Raises ValueError where a category is ambiguous."""
        if self.state:
            return HasState(one(graph, self.thing, self.room), State(self.state))
        relation = Relation.INSIDE if self.into else Relation.ON
        place = one(graph, self.into or self.onto, self.room)
        some = Domain(frozenset({self.thing}))
        there = Related("thing", relation, place)
        if self.count is not None:
            return AtLeast(self.count, "thing", some, there)
        if self.event:
            happened = EventOccurred((self.event,), ("thing",))
            return Exists("thing", some, And((happened, there)))
        return Related(one(graph, self.thing), relation, place)


def _read(name: str, graph: SceneGraph, scene: str) -> Iterator[Task]:
    """The tasks of a file, in its order. graph: of the building."""
    for group, tasks in read_yaml(Path(__file__).with_name(f"{name}.yaml")).items():
        for task in tasks:
            goals = tuple(_Condition(**condition).goal(graph) for condition in task["goal"])
            yield Task(
                id=f"{group}/{task['name']}",
                instruction=task["instruction"],
                goal=goals[0] if len(goals) == 1 else And(goals),
                scene=scene,
                labels={"category": group},
            )
