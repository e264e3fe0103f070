"""The suites `behavior` and `behavior:dynamic`: activities of BEHAVIOR-1K (package bddl).

docs/suites/behavior.md says which ones, and describes their scenes. An episode of
`behavior:dynamic` ends when the planner says that it is done. It has succeeded if the goal holds
and no action was infeasible, as in LookPlanGraph's experiment (section VI-B).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from ...adapters.omnigibson import activities, scenes
from ...adapters.omnigibson.bddl_files import Activity, atoms
from ...adapters.omnigibson.goals import STATES, to_goal
from ...scene_graph.rules import Budgets, Ends, Rules
from ...scene_graph.task import Task
from ..contract import Family, LazyTasks, Suite, suite_name
from .wording import instruction

DYNAMIC = 50

_BUDGETS = Budgets(steps=300, decisions=600, planning_s=120.0)


def load(variant: str = "") -> Suite:
    """Make a suite of the family. Raises Missing without bddl's data."""
    names = activities.playable_names()
    dynamic = variant == "dynamic"
    return Suite(
        name=suite_name(FAMILY.name, variant),
        summary=FAMILY.variants[variant],
        tasks=_dynamic(names) if dynamic else _tasks(names),
        adapter="omnigibson",
        rules=Rules(ends=Ends.PLANNER_DONE, infeasible_fails=True) if dynamic else Rules(),
        budgets=_BUDGETS,
        sources=frozenset({"behavior"}),
        skipped={} if dynamic else _skipped(),
    )


FAMILY = Family(
    name="behavior",
    variants={
        "": "BEHAVIOR-1K activities of placing, opening and switching, in multi-room scenes",
        "dynamic": "fifty BEHAVIOR-1K activities with a map, things moved since in half of them",
    },
    make=load,
    no_data="its activities come with bddl",
)


def _skipped() -> dict[str, int]:
    others = len(activities.names()) - len(activities.playable_names())
    return {"init or goal speaks of more than placing, opening and switching": others}


@cache
def _tasks(names: tuple[str, ...]) -> LazyTasks:
    return LazyTasks(len(names), (_task(activities.read(name)) for name in names))


def _task(activity: Activity) -> Task:
    graph = scenes.scene_of(activity)
    ids = scenes.ids_of(graph)
    return Task(
        id=activity.name,
        instruction=instruction(activity, graph, ids),
        goal=to_goal(activity, ids),
        scene=f"behavior:{activity.name}",
        labels={"category": _category(activity)},
    )


def _category(activity: Activity) -> str:
    """ "states" where nothing has to be moved, else by whether the activity names several rooms."""
    if all(atom.predicate in STATES for atom in atoms(activity.goal)):
        return "states"
    rooms = set(scenes.rooms_of(activity).values())
    return "one_room" if len(rooms) < 2 else "several_rooms"


@cache
def _dynamic(names: tuple[str, ...]) -> LazyTasks:
    return LazyTasks(DYNAMIC, _some_moved(names))


def _some_moved(names: tuple[str, ...]) -> Iterator[Task]:
    """Of every fourth activity or so with things to be moved one task, moved in turns."""
    fitting = [task for task in _tasks(names) if task.labels["category"] != "states"]
    for number in range(DYNAMIC):
        task = fitting[number * len(fitting) // DYNAMIC]
        label = "moved" if number % 2 else "as_mapped"
        scene = f"{task.scene}?moved={number}" if number % 2 else task.scene
        yield replace(
            task, id=f"{task.id}/{label}", scene=scene, labels={"category": label}, map=task.scene
        )
