"""ALFRED's tasks, in the user's own files.

Two forms of https://github.com/askforalfred/alfred are read:

- `traj_data.json` as ALFRED publishes it, one per trial;
- JSON lines (`.jsonl`, `.jsonl.gz`) with one task each and the same fields: "task_id", "task_type",
  "scene" and "pddl_params" as published. "instructions" lists the annotators' goal sentences
  (`turk_annotations.anns[].task_desc` in the published form).

A folder is searched for all files of both forms. Other fields are ignored. Coordinates are in m and
degrees; "" or nothing is no name.
"""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import Any

from ...data_files import json_data, lines_of
from ...errors import BadInput, unknown_name
from ...scene_graph.fields import Field
from ...scene_graph.json_codec import read_json
from .initial_state import InitialState, floor_plan_number
from .object_types import pose_type, type_among
from .objects import objects

PUBLISHED = "traj_data.json"


class TaskType(StrEnum):
    """The seven types of tasks (Shridhar et al., ALFRED, 2020, section 3)."""

    LIGHT = "look_at_obj_in_light"
    SIMPLE = "pick_and_place_simple"
    MOVABLE = "pick_and_place_with_movable_recep"
    CLEAN = "pick_clean_then_place_in_recep"
    COOL = "pick_cool_then_place_in_recep"
    HEAT = "pick_heat_then_place_in_recep"
    TWO = "pick_two_obj_and_place"


@dataclass(frozen=True)
class AlfredTask:
    """One trial. Types are object types, "CounterTop"; "" if its kind has none."""

    file: str
    """The file with the task."""
    trial: str
    """Its name."""
    kind: TaskType
    """One of ALFRED's seven types of tasks."""
    instructions: tuple[str, ...]
    """In the published order, so that an index is the `repeat_idx` of the published splits."""
    target: str
    """The type asked for."""
    parent: str
    """The type of the destination."""
    movable: str
    """The type of the movable receptacle."""
    toggle: str
    """The type of the lamp."""
    sliced: bool
    """Whether a slice of the target is asked for."""
    start: InitialState
    """The initial state of the scene."""

    @property
    def name(self) -> str:
        """The task of the published splits: "pick_two_obj_and_place-CD-None-Safe-308/trial_…"."""
        target = f"{self.target}Sliced" if self.sliced else self.target
        where = self.parent or self.toggle
        scene = floor_plan_number(self.start.floor_plan)
        return f"{self.kind}-{target}-{self.movable or 'None'}-{where}-{scene}/{self.trial}"


def initial_state_in(reference: str) -> InitialState:
    """The start of "FILE#TASK_ID". Raises BadInput naming the file, the task and the field."""
    path, _, trial = reference.rpartition("#")
    if not path:
        raise BadInput(
            f"The scene 'alfred:{reference}' names no task; give the file and the task's id: "
            f"alfred:tasks.jsonl#trial_T20190907_102952_001375."
        )
    tasks = tasks_of(path)
    if trial not in tasks:
        raise unknown_name(f"task in {path}", trial, tasks)
    return tasks[trial].start


def files_of(data: Path) -> list[Path]:
    """The task files at a path: the file itself, or all in the folder at any depth.

    Raises BadInput if a folder has none.
    """
    if not data.exists():
        raise BadInput(f"There is no file or folder {data}; give one with ALFRED tasks.")
    if not data.is_dir():
        return [data]
    files = sorted(path for path in data.rglob("*") if _is_task_file(path))
    if not files:
        raise BadInput(
            f"The folder {data} has no {PUBLISHED} and no .jsonl; give one with ALFRED tasks."
        )
    return files


def _is_task_file(path: Path) -> bool:
    return path.name == PUBLISHED or path.name.endswith((".jsonl", ".jsonl.gz"))


@lru_cache(maxsize=16)
def tasks_of(path: str) -> dict[str, AlfredTask]:
    """The tasks of a file by id. Raises BadInput. A file is read once per process."""
    tasks: dict[str, AlfredTask] = {}
    for document in _documents(path):
        task = _task(path, document)
        if task.trial in tasks:
            raise BadInput(
                f"In {document.where}, an earlier task has the task_id {task.trial} too; "
                f"give every task its own id."
            )
        tasks[task.trial] = task
    if not tasks:
        raise BadInput(f"The file {path} has no task; expected at least one line of JSON.")
    return tasks


def _documents(path: str) -> Iterator[Field]:
    """Each task of a file, with its location for errors."""
    if not path.endswith((".jsonl", ".jsonl.gz")):
        yield Field(path, "", read_json(path))
        return
    for number, line in enumerate(_lines(path), start=1):
        if line.strip():
            where = f"{path}, line {number}"
            try:
                yield Field(where, "", json_data(line))
            except ValueError as error:
                raise BadInput(
                    f"{where} is not JSON ({error}); expected one task a line."
                ) from error


def _lines(path: str) -> list[str]:
    try:
        raw = Path(path).read_bytes()
        text = (gzip.decompress(raw) if path.endswith(".gz") else raw).decode("utf-8-sig")
        return lines_of(text)
    except FileNotFoundError:
        raise BadInput(f"There is no file {path}; give one with ALFRED's tasks.") from None
    except (OSError, EOFError, ValueError) as error:
        raise BadInput(f"{path} cannot be read ({error}); give JSON lines or their .gz.") from error


def _task(path: str, document: Field) -> AlfredTask:
    fields = document.entries(("task_id", "task_type", "scene", "pddl_params"), None)
    kind = fields["task_type"].name_of(TaskType)
    asked = fields["pddl_params"].entries(
        ("object_target", "parent_target", "mrecep_target", "toggle_target", "object_sliced"), None
    )
    light = kind is TaskType.LIGHT
    return AlfredTask(
        file=path,
        trial=fields["task_id"].text(),
        kind=kind,
        instructions=tuple(_instructions(document, fields)),
        target=asked["object_target"].text(),
        parent=_type_name(asked["parent_target"], needed=not light),
        movable=_type_name(asked["mrecep_target"], needed=kind is TaskType.MOVABLE),
        toggle=_type_name(asked["toggle_target"], needed=light),
        sliced=_flag(asked["object_sliced"]),
        start=_start(fields["scene"]),
    )


def _instructions(document: Field, fields: dict[str, Field]) -> Iterator[str]:
    if "instructions" in fields:
        sentences = fields["instructions"].items()
    elif "turk_annotations" in fields:
        annotations = fields["turk_annotations"].entries(("anns",), None)["anns"]
        sentences = [
            item.entries(("task_desc",), None)["task_desc"] for item in annotations.items()
        ]
    else:
        raise BadInput(
            f"In {document.where}, the field 'turk_annotations' is missing "
            f"('instructions' in JSON lines); add it."
        )
    if not sentences:
        raise (fields.get("instructions") or fields["turk_annotations"]).wrong(
            "expected at least one instruction"
        )
    for sentence in sentences:
        yield " ".join(sentence.text().split())


def _type_name(field: Field, *, needed: bool) -> str:
    """An object type; "" if the task's kind has none, whatever the field contains."""
    if needed:
        return field.text()
    return field.value if isinstance(field.value, str) else ""


def _flag(field: Field) -> bool:
    if not isinstance(field.value, bool):
        raise field.wrong("expected true or false")
    return field.value


def _start(scene: Field) -> InitialState:
    fields = scene.entries(("floor_plan", "object_poses", "object_toggles", "init_action"), None)
    if floor_plan_number(fields["floor_plan"].text()) is None:
        raise fields["floor_plan"].wrong("expected one of the 120 floor plans, FloorPlan10")
    dirty = fields.get("dirty_and_empty")
    return InitialState(
        floor_plan=fields["floor_plan"].text(),
        object_poses=tuple(map(_pose, fields["object_poses"].items())),
        object_toggles=tuple(map(_toggle, fields["object_toggles"].items())),
        dirty_and_empty=dirty is not None and _flag(dirty),
        init_action=_numbers(fields["init_action"], ("x", "y", "z", "rotation", "horizon")),
    )


def _pose(field: Field) -> dict[str, Any]:
    fields = field.entries(("objectName", "position", "rotation"), None)
    return {
        "objectName": fields["objectName"].text(),
        "position": _numbers(fields["position"], ("x", "y", "z")),
        "rotation": _numbers(fields["rotation"], ("x", "y", "z")),
    }


def _toggle(field: Field) -> dict[str, Any]:
    fields = field.entries(("objectType", "isOn"), None)
    return {"objectType": fields["objectType"].text(), "isOn": _flag(fields["isOn"])}


def _numbers(field: Field, names: tuple[str, ...]) -> dict[str, float]:
    fields = field.entries(names, None)
    return {name: fields[name].number() for name in names}


# --- the installed build -------------------------------------------------------------------------


@dataclass(frozen=True)
class BuildDifferences:
    """The differences between a task's scene in the installed build and when it was recorded.

    ALFRED recorded its tasks with AI2-THOR 2.1.0. Since then an object type was renamed and some
    furniture was removed. The scenes here are those of the package procthor (`objects`), from the
    build that the package ai2thor 5 downloads; no engine is started.

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
