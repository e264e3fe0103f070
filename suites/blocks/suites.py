"""The family `blocks`: an arm and blocks of unknown weight, after LLM-POP (Sun et al., 2023).

docs/suites/blocks.md describes the variants. In `blocks:real` the arm is that of the hardware
experiments of section 5.3: gripper poses have Euler angles, in another frame than block poses. An
episode fails when a pose leaves the safety box or the arm collides.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from ...scene_graph.rules import Budgets, Ends, Rules
from ...scene_graph.task import Task
from ..contract import Family, LazyTasks, Suite, suite_name, takes_no_data
from .generated import TASKS, asked_for, generated
from .tasks import tasks_of

#: Standard deviation of a sample of the wrist's force along each axis, in N. A reading at rest is
#: the mean of 10 samples minus that of an empty hand, so its deviation is 0.51 N.
FORCE_NOISE = 1.14


def load(variant: str = "") -> Suite:
    """Make a suite of the family."""
    return _suite(variant, _tasks(variant))


def load_file(variant: str, file: Path) -> Suite:
    """Make the generated tasks of the user's file. Raises BadInput."""
    if variant != "generated":
        raise takes_no_data(suite_name(FAMILY.name, variant), "its scenes are generated")
    return _suite(variant, asked_for(file))


def _tasks(variant: str) -> LazyTasks:
    match variant:
        case "generated":
            return generated(TASKS)
        case "more":
            return tasks_of("more")
        case "offset":
            return tasks_of("offset", ";grasp_offset=0.01")
        case "noisy":
            return tasks_of("paper", f";force_noise={FORCE_NOISE}")
        case "real":
            tasks = tasks_of("paper")
            return LazyTasks(len(tasks), _with_real_arm(tasks))
        case _:
            return tasks_of("paper")


def _with_real_arm(tasks: LazyTasks) -> Iterator[Task]:
    return (replace(task, scene=f"{task.scene};arm=real") for task in tasks)


def _suite(variant: str, tasks: LazyTasks) -> Suite:
    return Suite(
        name=suite_name(FAMILY.name, variant),
        summary=FAMILY.variants[variant],
        tasks=tasks,
        adapter="mujoco",
        rules=Rules(ends=Ends.PLANNER_DONE),
        budgets=Budgets(steps=40, decisions=120),
    )


FAMILY = Family(
    name="blocks",
    variants={
        "": "the six tasks of LLM-POP: weigh, try to move, stack",
        "generated": "drawn by LLM-POP's rules to learn from, each task checked",
        "more": "sort, line up and hold blocks; three of them",
        "noisy": "the six tasks of blocks with a noisy sensor of force at the wrist",
        "offset": "stack exactly, with blocks that are grasped 1 cm beside their middle",
        "real": "the tasks of blocks with Euler angles, a safety box and a protective stop",
    },
    make=load,
    of_data=load_file,
)
