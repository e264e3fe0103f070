"""The suite `room`: the tasks of a room file, for a person in the room and for rules."""

from __future__ import annotations

from pathlib import Path

from ...adapters.operator.room_file import RoomFile, read_room
from ...adapters.operator.room_scene import MAP, TASK, RoomScene, map_scene, task_scene
from ...errors import BadInput
from ...scene_graph.rules import Budgets, Rules
from ...scene_graph.task import Task
from ..contract import Family, Suite

_DECISIONS_PER_STEP = 2


def load(variant: str, data: Path) -> Suite:
    """The tasks of a room file. Raises BadInput with one sentence on the first mistake."""
    path = data.absolute()
    for sign in (TASK, MAP[0]):
        if sign in str(path):
            raise BadInput(
                f"The path {path} has a '{sign}', which the names of its scenes use; rename it."
            )
    room = read_room(path)
    scene = RoomScene(room)
    return Suite(
        name=FAMILY.name,
        summary=FAMILY.variants[""],
        tasks=tuple(_tasks(room, scene, path)),
        adapter="operator",
        rules=Rules(ends=room.ends),
        budgets=_budgets(room.steps),
    )


def _without_data(variant: str) -> Suite:
    raise BadInput(
        "The suite room plays a room file; give it with --data FILE, and make one with "
        "`peephole operator new FILE`."
    )


FAMILY = Family(
    name="room",
    variants={"": "the tasks of a room file, for a person in the room or for rules"},
    make=_without_data,
    of_data=load,
)


def _tasks(room: RoomFile, scene: RoomScene, path: Path) -> list[Task]:
    return [
        Task(
            id=task.name,
            instruction=task.instruction,
            goal=scene.goal(task),
            scene=task_scene(path, task.name),
            labels={"category": task.category} if task.category else {},
            map=map_scene(path),
            budgets=_budgets(task.steps or room.steps),
        )
        for task in room.tasks
    ]


def _budgets(steps: int) -> Budgets:
    return Budgets(steps=steps, decisions=_DECISIONS_PER_STEP * steps)
