"""GraSIF's JSON files, from the user: a list of tasks with two graphs each.

    [{"name": "assembling_gift_baskets-0", "task": "Place one candle …",
      "init": {"nodes": {"rooms": […], "asset": […], "objects": […], "agent": {…}}},
      "goal": {"nodes": {…}}}, …]

`init` and `goal` are the hierarchical JSON of LookPlanGraph's appendix C, see
`scene_graph/hierarchical_codec.py`. The scene loader "grasif" reads one of them:
"grasif:PATH#NAME".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from ...data_files import json_data, read_text
from ...errors import BadInput, unknown_name
from ...scene_graph.fields import Field
from ...scene_graph.graph import SceneGraph
from ...scene_graph.hierarchical_codec import from_hierarchy
from ...scene_graph.node import Edge, Kind
from ...scene_graph.task import Task
from .goals import goal_between

_FIELDS = ("name", "task", "init", "goal")


def load_scene(reference: str) -> SceneGraph:
    """The start graph of a task of a file. Raises BadInput."""
    path, _, name = reference.rpartition("#")
    entries = _read(path or reference)
    if name not in entries:
        raise unknown_name(f"task in {path}", name, list(entries))
    return _graph(entries[name]["init"])


def tasks_of_file(path: Path, skipped: Counter[str]) -> Iterator[Task]:
    """The tasks of a file. Counts in `skipped` the tasks that are left out, by reason.

    Raises BadInput with file, task and field.
    """
    for name, entry in _read(str(path)).items():
        before = _graph(entry["init"])
        after = _graph(entry["goal"], before)
        goal = goal_between(before, after)
        if goal is None:
            skipped["the goal graph asks for no change"] += 1
            continue
        yield Task(
            id=f"{path.stem}/{name}",
            instruction=" ".join(entry["task"].text().split()),
            goal=goal,
            scene=f"grasif:{path}#{name}",
            labels={"category": path.stem},
        )


@lru_cache(maxsize=2)
def _read(path: str) -> Mapping[str, Mapping[str, Field]]:
    """The tasks of a file by name."""
    try:
        data = json_data(read_text(Path(path)))
    except OSError as error:
        raise BadInput(
            f"The file {path} cannot be read ({error.strerror}); give another --data."
        ) from error
    except ValueError as error:
        raise BadInput(f"The file {path} is not JSON ({error}); give a file of GraSIF.") from error
    entries: dict[str, Mapping[str, Field]] = {}
    for item in Field(path, "", data).items():
        entry = item.entries(_FIELDS, optional=None)
        name = entry["name"].text()
        if name in entries:
            raise entry["name"].wrong("expected a name that no other task has")
        entries[name] = entry
    return entries


def _graph(field: Field, before: SceneGraph | None = None) -> SceneGraph:
    """The graph of a field. before: a graph whose ids it takes, by name."""
    where = f"{field.where}, {field.path}"
    graph = from_hierarchy(field.value, where)
    if len(list(graph.nodes(Kind.AGENT))) != 1:
        raise BadInput(f"In {where}, there is not exactly one agent; correct the nodes.")
    return graph if before is None else _with_ids_of(before, graph, where)


def _with_ids_of(before: SceneGraph, after: SceneGraph, where: str) -> SceneGraph:
    """A graph with the ids of another one, by name."""
    names = {node.native_id: node.id for node in before.nodes()}
    ids = {}
    for node in after.nodes():
        if node.native_id not in names:
            raise BadInput(
                f"In {where}, '{node.native_id}' is not a node of 'init'; correct the name."
            )
        ids[node.id] = names[node.native_id]
    nodes = [replace(node, id=ids[node.id]) for node in after.nodes()]
    edges = [Edge(ids[edge.source], edge.relation, ids[edge.target]) for edge in after.edges()]
    return SceneGraph(nodes, edges)
