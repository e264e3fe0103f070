"""The scene loader "wah": the houses of WAH-NL tasks, in the user's own files.

"wah:PATH#12" is the initial graph of the task with id 12 of a JSON file. LoTa-Bench
(https://arxiv.org/abs/2402.08178) and ReAcTree use such files without publishing them: a list of
{"task_id", "task_name", "env_id", "init_room", "init_graph": {"nodes", "edges"}, "task_goal",
"nl_instructions"}. Characters of the graph are replaced by one in the `init_room`, as their
environments do with Unity's `add_character`. Otherwise the graphs are settled like the user's own
(`graph_files`).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ...errors import BadInput, unknown_name
from ...scene_graph.fields import Field
from ...scene_graph.graph import SceneGraph
from ...scene_graph.json_codec import read_json
from ...scene_graph.node import Kind
from .graph_files import settled, with_character
from .graph_import import to_scene_graph
from .ontology import english

#: The fields read from a task; others are ignored.
FIELDS = ("task_id", "task_name", "init_room", "init_graph", "task_goal", "nl_instructions")


def load(reference: str) -> SceneGraph:
    """The scene graph of a house. Raises BadInput naming the file, the task and the field."""
    return to_scene_graph(read(reference), f"wah:{reference}")


@lru_cache(maxsize=8)
def read(reference: str) -> dict[str, Any]:
    """The VirtualHome graph of a house. Shared: must not be modified."""
    path, _, task_id = reference.rpartition("#")
    if not path:
        raise BadInput(
            f"The scene 'wah:{reference}' names no task; give the file and the task's id: "
            f"wah:test.json#12."
        )
    tasks = tasks_of(path)
    if task_id not in tasks:
        raise unknown_name(f"task in {path}", task_id, tasks)
    task = tasks[task_id]
    graph, room = task["init_graph"], task["init_room"]
    # validates the graph, with errors in the terms of the file
    whole = to_scene_graph(graph.value, f"{graph.where}, {graph.path}")
    rooms = {node.id: node.category for node in sorted(whole.nodes(Kind.ROOM), key=lambda n: n.id)}
    inside = next((i for i, name in rooms.items() if name == english(room.text())), None)
    if inside is None:
        raise room.wrong(f"expected one of the rooms: {', '.join(dict.fromkeys(rooms.values()))}")
    agents = {node.id for node in whole.nodes(Kind.AGENT)}
    empty = {
        "nodes": [node for node in graph.value["nodes"] if node["id"] not in agents],
        "edges": [
            edge
            for edge in graph.value["edges"]
            if agents.isdisjoint((edge["from_id"], edge["to_id"]))
        ],
    }
    return settled(with_character(empty, inside)[0], f"{graph.where}, {graph.path}")


@lru_cache(maxsize=4)
def tasks_of(path: str) -> dict[str, dict[str, Field]]:
    """The tasks of a file by id, each as its fields. Raises BadInput.

    The fields name the file and the task in their errors. A file is read once per process.
    """
    document = Field(path, "", read_json(path))
    tasks: dict[str, dict[str, Field]] = {}
    for item in document.items():
        fields = item.entries(FIELDS, None)
        number = fields["task_id"]
        if not isinstance(number.value, int | str) or isinstance(number.value, bool):
            raise number.wrong("expected a whole number or text")
        task_id = str(number.value)
        if task_id in tasks:
            raise number.wrong("expected an id that no earlier task has")
        where = f"{path}, task {task_id}"
        tasks[task_id] = {key: Field(where, key, field.value) for key, field in fields.items()}
    if not tasks:
        raise document.wrong("expected at least one task")
    return tasks
