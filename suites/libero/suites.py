"""The suites `libero:VARIANT`: LIBERO's five, LIBERO-PRO's perturbations of four of them, and
`libero:household` with tasks of our own on LIBERO's models.

A task's id is its number in the suite and the number of a stored start, such as 3/0. Start 0 of all
tasks comes first, then start 1: the first ten tasks of a suite of ten are one start of each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...adapters.libero.connection import CatalogueTask
from ...adapters.libero.goals import goal_of
from ...adapters.libero.scenes import LOADER, SceneOfTask
from ...scene_graph.rules import Budgets
from ...scene_graph.task import Task
from ..contract import Family, LazyTasks, Suite, suite_name
from .catalogue import household_tasks, tasks_of

#: A task takes one to four actions; the rest is for tries that fail.
BUDGETS = Budgets(steps=30, decisions=60)
#: A task of ours takes six to twelve, and as many again to look into every drawer.
HOUSEHOLD_BUDGETS = Budgets(steps=60, decisions=120)
HOUSEHOLD = "household"
_FIVE = {
    "spatial": "LIBERO-Spatial: one bowl of two, told apart by where it is, onto a plate",
    "object": "LIBERO-Object: one of many groceries into a basket",
    "goal": "LIBERO-Goal: ten goals at one table with a cabinet, a stove and a rack",
    "90": "LIBERO-90: ninety tasks in kitchens, living rooms and studies",
    "10": "LIBERO-10: ten tasks with two goals each",
}
#: Perturbations of LIBERO-PRO, with the suites that the package has them for.
_PERTURBED = {
    "lan": ("in other words", ("spatial", "object", "goal", "10")),
    "object": ("with things that look different", ("spatial", "object", "goal", "10")),
    "swap": ("with things that have changed places", ("spatial", "object", "goal", "10")),
    "task": ("with another goal", ("spatial", "object", "goal", "10")),
    "with_mug": ("with a mug more", ("spatial", "object", "goal", "10")),
    "with_yellow_book": ("with a book more", ("spatial", "object", "goal")),
    "with_milk": ("with a milk more", ("spatial", "goal")),
}
#: Perturbations whose tasks come in the order of the suite that they change.
_MATCHED = ("lan", "object", "swap", "task")
_CHANGED = {f"{suite}_{name}": suite for name in _MATCHED for suite in _PERTURBED[name][1]}
VARIANTS = {
    **_FIVE,
    HOUSEHOLD: "tasks of our own on LIBERO's models: six or more actions, with hidden things",
    **{
        f"{suite}_{name}": f"libero:{suite} {words} (LIBERO-PRO)"
        for name, (words, suites) in _PERTURBED.items()
        for suite in suites
    },
}


def load(variant: str) -> Suite:
    """Make a suite. Raises Missing without LIBERO."""
    engine_name = f"{LOADER}_{variant}"
    if variant == HOUSEHOLD:
        tasks = household_tasks(engine_name)
    else:
        tasks = tasks_of(
            engine_name, (f"{LOADER}_{each}" for each in VARIANTS if each != HOUSEHOLD)
        )
    return Suite(
        name=suite_name(FAMILY.name, variant),
        summary=VARIANTS[variant],
        tasks=LazyTasks(sum(task.starts for task in tasks), _tasks(variant, tasks)),
        adapter="libero",
        budgets=HOUSEHOLD_BUDGETS if variant == HOUSEHOLD else BUDGETS,
        sources=frozenset({"libero"}),
    )


FAMILY = Family(
    name="libero",
    variants=VARIANTS,
    make=load,
    no_data="its tasks come with LIBERO",
)


def _tasks(variant: str, tasks: Sequence[CatalogueTask]) -> Iterator[Task]:
    """Start 0 of all tasks, then start 1, and so on."""
    for start in range(max((task.starts for task in tasks), default=0)):
        for task in tasks:
            if start < task.starts:
                yield _task(variant, task, start)


def _task(variant: str, task: CatalogueTask, start: int) -> Task:
    scene = SceneOfTask(f"{LOADER}_{variant}", task.index, start)
    original = scene._replace(suite=f"{LOADER}_{_CHANGED.get(variant, variant)}")
    predicates = sorted({each.predicate for each in task.goal})
    return Task(
        id=f"{task.index}/{start}",
        instruction=task.instruction,
        goal=goal_of(task.goal, scene.salt),
        scene=f"{LOADER}:{scene.reference}",
        labels={
            "category": "+".join(predicates),
            "scene": f"{scene.suite}/{task.index}",
            "matched": original.reference,
        },
    )
