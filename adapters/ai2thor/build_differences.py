"""Differences between the scenes of the installed build and ALFRED's tasks, reported before a run.

ALFRED recorded its tasks with AI2-THOR 2.1.0. Since then an object type was renamed and some
furniture was removed. The scenes are those of the package procthor (`objects`), from the build that
the package ai2thor 5 downloads; no engine is started.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache

from .alfred_files import AlfredTask, TaskType
from .object_types import type_among
from .objects import objects


@dataclass(frozen=True)
class BuildDifferences:
    """The differences between a task's scene here and when it was recorded.

    lacking: types that the task needs and the scene lacks. renamed, dropped: by type, the task's
    object poses whose type has another name here, or is missing here.
    """

    lacking: tuple[str, ...] = ()
    renamed: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)


def build_differences(task: AlfredTask) -> BuildDifferences:
    """Compare a task with its scene in this build. Raises Missing without the package procthor."""
    there, placeable = _types_in(task.start.floor_plan)
    renamed: Counter[str] = Counter()
    dropped: Counter[str] = Counter()
    for pose in task.start.object_poses:
        wanted = pose_type(str(pose["objectName"]))
        present = type_among(wanted, placeable)
        if present is None:
            dropped[wanted] += 1
        elif present != wanted:
            renamed[wanted] += 1
    lacking = tuple(asked for asked in _asked(task) if type_among(asked, there) is None)
    return BuildDifferences(lacking, renamed, dropped)


def pose_type(object_name: str) -> str:
    """The type of an object's name: "Mug" from "Mug_1b2c3d4e"."""
    return object_name.split("_")[0]


def _asked(task: AlfredTask) -> list[str]:
    """The types that a task needs."""
    where = task.toggle if task.kind is TaskType.LIGHT else task.parent
    stacked = [task.movable] if task.kind is TaskType.MOVABLE else []
    return [task.target, where, *stacked]


@lru_cache(maxsize=128)
def _types_in(scene: str) -> tuple[frozenset[str], frozenset[str]]:
    """The types of a scene, and of its objects that can be placed."""
    things = objects(scene)
    placeable = {o["objectType"] for o in things if o["pickupable"] or o["moveable"]}
    return frozenset(o["objectType"] for o in things), frozenset(placeable)
