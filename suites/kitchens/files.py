"""Kitchen tasks in Tru-POMDP's published JSON format: read and write files.

A document has `placement`, a list of {"area", "placed_object"}; `robot` with its `location`, an
area, and `object_in_hand`; and `task` with `description` and `goal_set`, a list of goals. Each goal
is a list of {"target_area", "placed_object"} that must all hold. The kitchen is the one that has
all the document's areas. A folder may have kitchens of its own, in the published format.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...adapters.kitchens.layouts import Layout, is_layout, layout_of, layouts, read_layout
from ...adapters.kitchens.scenes import ids_of, relation_at, scene_of
from ...data_files import json_data
from ...errors import BadInput, unknown_name
from ...scene_graph.fields import Field
from ...scene_graph.goals import Related
from ...scene_graph.placement_goals import Placements, alternatives, short_form
from ...scene_graph.task import Task
from .drawn_suites import LEVELS, Level, budgets_of, rules_of

_ENDINGS = (".json", ".json.gz")


def tasks_of_files(data: Path) -> list[Task]:
    """The tasks of a file, or of all .json and .json.gz files under a folder.

    Raises BadInput with the file and the error.
    """
    paths = [data]
    if data.is_dir():
        paths = sorted(path for path in data.rglob("*") if path.name.endswith(_ENDINGS))
    read = {path: _read(path) for path in paths}
    kitchens = _with_ours(read_layout(path) for path in paths if is_layout(read[path]))
    documents = {path: value for path, value in read.items() if not is_layout(value)}
    if not documents:
        raise BadInput(
            f"There is no task in {data}; give a .json file with placement, robot and task, or a "
            f"folder with such files."
        )
    root = data if data.is_dir() else data.parent
    return [
        task_of(value, str(path), str(path.relative_to(root)).split(".json")[0], kitchens)
        for path, value in documents.items()
    ]


def task_of(value: Any, where: str, task_id: str, kitchens: Sequence[Layout]) -> Task:
    """The task of a document. where: its place, for errors. Raises BadInput."""
    fields = Field(where, "", value).entries(("placement", "robot", "task"), None)
    asked = fields["task"].entries(("goal_set",), None)
    robot = fields["robot"].entries(("location",), ("name", "object_in_hand"))
    words = asked.get("description") or asked.get("instruction")
    if words is None:
        raise BadInput(f"In {where}, the field 'description' of task is missing; add it.")
    at = robot["location"]
    objects, areas = _placement(fields["placement"])
    goals = [_goal(goal) for goal in asked["goal_set"].items()]
    layout = _kitchen([*areas, at, *(area for goal in goals for area in goal.values())], kitchens)
    hand = robot.get("object_in_hand")
    held = hand.text() if hand is not None and hand.value else ""
    if held in objects:
        assert hand is not None
        raise hand.wrong("expected an object that lies in no area")
    if not goals:
        raise asked["goal_set"].wrong("expected at least one goal")
    found = [_placements(goal, objects, held, layout) for goal in goals]
    _check_start(found, objects, layout, held, where)
    level = _level(task_id, max(len(goal) for goal in goals))
    return Task(
        id=task_id,
        instruction=" ".join(words.text().split()),
        goal=short_form(found),
        scene=scene_of(layout, objects, at.text(), held),
        labels={
            "category": "rearrangement",
            "level": level.name,
            "kitchen": Path(layout.name).stem,
            "scene": f"kitchen {layout.name}",
        },
        budgets=budgets_of(level),
        rules=rules_of(layout),
    )


def document_of(task: Task) -> dict[str, Any]:
    """A kitchen task in the published format. Raises BadInput for a task of another kind."""
    loader, _, reference = task.scene.partition(":")
    goals = alternatives(task.goal)
    if loader != "kitchen" or goals is None:
        raise BadInput(f"The task {task.id} is not a kitchen task; choose a suite of kitchens.")
    scene = json.loads(reference)
    ids = ids_of(layout_of(scene["kitchen"]), scene["objects"], scene["held"])
    names = {number: name for name, number in ids.items()}
    return {
        "placement": [
            {"area": area, "placed_object": name} for name, area in scene["objects"].items()
        ],
        "robot": {"name": "robot", "location": scene["at"], "object_in_hand": scene["held"]},
        "task": {
            "description": task.instruction,
            "goal_set": [[_placement_data(each, names) for each in goal] for goal in goals],
        },
    }


def write_task(task: Task, path: Path) -> None:
    """Write a task in the published format. Raises BadInput for a task of another kind."""
    text = json.dumps(document_of(task), indent=2, ensure_ascii=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{text}\n", encoding="utf-8")


def _placement_data(placement: Related, names: Mapping[int, str]) -> dict[str, str]:
    source, target = placement.source, placement.target
    assert isinstance(source, int), "alternatives name things"
    assert isinstance(target, int), "alternatives name places"
    return {"target_area": names[target], "placed_object": names[source]}


# --- the parts of a document ---------------------------------------------------------------------


def _read(path: Path) -> Any:
    try:
        raw = path.read_bytes()
        text = gzip.decompress(raw) if path.name.endswith(".gz") else raw
        return json_data(text)
    except OSError as error:
        raise BadInput(
            f"The file {path} cannot be read ({error.strerror or error}); give another --data."
        ) from error
    except (ValueError, EOFError) as error:
        raise BadInput(f"The file {path} is not JSON ({error}); correct it.") from error


def _with_ours(given: Iterable[Layout]) -> list[Layout]:
    """Our kitchens, and those of the user that differ from ours."""
    known = [(layout.areas, layout.distances) for layout in layouts()]
    return [*layouts(), *(each for each in given if (each.areas, each.distances) not in known)]


def _placement(field: Field) -> tuple[dict[str, str], list[Field]]:
    """The area of each object, and the fields that name areas."""
    objects: dict[str, str] = {}
    areas = []
    for item in field.items():
        entry = item.entries(("area", "placed_object"))
        name = entry["placed_object"]
        if name.text() in objects:
            raise name.wrong("expected an object that was not placed before")
        objects[name.text()] = entry["area"].text()
        areas.append(entry["area"])
    return objects, areas


def _goal(field: Field) -> dict[Field, Field]:
    """The objects of a goal with their areas."""
    entries = [item.entries(("target_area", "placed_object")) for item in field.items()]
    if not entries:
        raise field.wrong("expected at least one object with its area")
    names = [entry["placed_object"].text() for entry in entries]
    for entry, name in zip(entries, names, strict=True):
        if names.count(name) > 1:
            raise entry["placed_object"].wrong("expected each object once in a goal")
    return {entry["placed_object"]: entry["target_area"] for entry in entries}


def _kitchen(areas: Sequence[Field], kitchens: Sequence[Layout]) -> Layout:
    """The kitchen that has all of some areas."""
    for layout in reversed(kitchens):  # the user's kitchens come first
        if all(area.text() in layout.areas for area in areas):
            return layout
    best = max(kitchens, key=lambda each: sum(area.text() in each.areas for area in areas))
    wrong = next(area for area in areas if area.text() not in best.areas)
    near = unknown_name("area", wrong.text(), best.areas)
    raise wrong.wrong(
        f"expected an area of {best.title}, the kitchen with most of the others. {near}"
    )


def _placements(
    goal: Mapping[Field, Field], objects: Mapping[str, str], held: str, layout: Layout
) -> Placements:
    ids = ids_of(layout, objects, held)
    for name in goal:
        if name.text() not in objects and name.text() != held:
            raise name.wrong("expected an object that the placement has")
    return tuple(
        Related(ids[name.text()], relation_at(layout.areas[area.text()].closed), ids[area.text()])
        for name, area in goal.items()
    )


def _check_start(
    goals: Sequence[Placements],
    objects: Mapping[str, str],
    layout: Layout,
    held: str,
    where: str,
) -> None:
    """Raise BadInput where a goal holds at the start."""
    ids = ids_of(layout, objects, held)
    placed = {(ids[name], ids[area]) for name, area in objects.items()}
    for number, goal in enumerate(goals):
        if all((each.source, each.target) in placed for each in goal):
            raise BadInput(
                f"In {where}, task.goal_set[{number}] holds before anything is done; move one of "
                f"its objects in the placement."
            )


def _level(task_id: str, things: int) -> Level:
    """The level in a file's name, or else the one with this number of objects."""
    for level in LEVELS:
        if level.name in task_id:
            return level
    return next((level for level in LEVELS if things <= max(level.needs)), LEVELS[-1])
