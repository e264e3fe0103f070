"""WAH-NL tasks from the user's own JSON files; `adapters/virtualhome/wah_files` says their form.

A goal such as {"inside_plate_dishwasher": 2, "turnOn_dishwasher": 1} is what LoTa-Bench and
ReAcTree check: all of it at one instance of the class that every key ends with.
"""

from __future__ import annotations

import re
from pathlib import Path

from ...adapters.virtualhome.ontology import english
from ...adapters.virtualhome.wah_files import tasks_of
from ...errors import BadInput
from ...scene_graph.fields import Field
from ...scene_graph.goals import And, AtLeast, Domain, Exists, Goal, HasState, Related
from ...scene_graph.node import Relation, State
from ...scene_graph.task import Task

_KEY = re.compile(r"(?:(on|inside)_([^_]+)|turnOn)_([^_]+)")
_RELATIONS = {"on": Relation.ON, "inside": Relation.INSIDE}


def tasks_of_files(data: Path) -> list[Task]:
    """The tasks of a file, or of all .json files of a folder.

    Raises BadInput naming the file, the task and the field.
    """
    paths = sorted(data.glob("*.json")) if data.is_dir() else [data]
    if not paths:
        raise BadInput(f"The folder {data} has no .json file; give one with WAH-NL tasks.")
    tasks: dict[str, Task] = {}
    for path in paths:
        for task_id, fields in tasks_of(str(path)).items():
            name = fields["task_name"].text()
            task = Task(
                id=f"{name}/{task_id}",
                instruction=_instruction(fields["nl_instructions"]),
                goal=_goal(fields["task_goal"]),
                scene=f"wah:{path}#{task_id}",
                labels={"category": name},
            )
            if task.id in tasks:
                raise fields["task_id"].wrong("expected an id that no task of another file has")
            tasks[task.id] = task
    return list(tasks.values())


def _instruction(field: Field) -> str:
    """The first of a task's instructions, which is the one that ReAcTree plays."""
    items = [item.text() for item in field.items()]
    if not items:
        raise field.wrong("expected at least one instruction")
    return " ".join(items[0].split())


def _goal(field: Field) -> Goal:
    target = ""
    parts: list[Goal] = []
    for key, value in field.entries((), None).items():
        asked = _KEY.fullmatch(key)
        if asked is None:
            raise value.wrong("expected a key on_X_Y, inside_X_Y or turnOn_Y with a count")
        relation, thing, place = asked.groups()
        if target and place != target:
            raise value.wrong(f"expected a key that ends with {target}, as the first does")
        target = place
        count = value.integer(1)
        if relation is None:
            parts.append(HasState("place", State.ON))
        else:
            there = Related("thing", _RELATIONS[relation], "place")
            parts.append(AtLeast(count, "thing", Domain(frozenset({english(thing)})), there))
    if not parts:
        raise field.wrong("expected at least one condition")
    return Exists("place", Domain(frozenset({english(target)})), And(tuple(parts)))
