"""The known scene in sentences and lists, as in LookPlanGraph's prompts (paper, Figure 3).

It lists the places; where the agent is and what it holds; the assets of the present room; objects
discovered there, and remembered ones; relevant nodes of other rooms. The wording is Peephole's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ....observation_text.dialects.lookplangraph.node_names import states_of
from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import Kind, Relation
from .json_graph import DISCOVERED
from .names import NodeNames
from .shown_scene import ShownRoom, ShownScene

#: The words for relations, in prompts and answers.
RELATION_WORDS = {
    Relation.INSIDE: "inside",
    Relation.ON: "ontop",
    Relation.UNDER: "under",
    Relation.ATTACHED: "attached to",
}


def prose(scene: ShownScene, names: NodeNames) -> str:
    """The scene as text."""
    return "\n".join(_lines(scene, names))


def _lines(scene: ShownScene, names: NodeNames) -> Iterator[str]:
    graph = scene.graph
    agent = graph.agent()
    yield f"Places: {_list(names, graph.room_ids)}."
    where = "somewhere" if scene.here is None else f"in {names.name(scene.here)}"
    posture = "".join(f" You are {state}." for state in sorted(agent.states))
    yield f"You are {where} and hold {_list(names, graph.held(agent.id))}.{posture}"
    for room in scene.rooms:
        yield from _room_lines(scene, room, names)
    if scene.elsewhere:
        yield "In other rooms you know of:"
        yield from _elsewhere_lines(scene, names)
    if scene.missing:
        yield f"Not found where they were: {_list(names, scene.missing)}."


def _room_lines(scene: ShownScene, room: ShownRoom, names: NodeNames) -> Iterator[str]:
    where = "here" if room.room == scene.here else f"in {names.name(room.room)}"
    for title, nodes in (
        (f"Assets {where}:", room.assets),
        (f"Objects discovered {where}:", room.seen),
        (f"Objects remembered {where}, not confirmed:", room.remembered),
    ):
        if nodes:
            yield title
            yield from (_line(scene, names, node) for node in _by_name(names, nodes))


def _elsewhere_lines(scene: ShownScene, names: NodeNames) -> Iterator[str]:
    """One line per room: "kitchen-1: fridge-1, open; cup-1 ontop table-1"."""
    rooms: dict[str, list[str]] = {}
    for node in _by_name(names, scene.elsewhere):
        lines = rooms.setdefault(_room(scene.graph, names, node), [])
        lines.append(_line(scene, names, node))
    for room in sorted(rooms):
        yield f"{room}: {'; '.join(rooms[room])}"


def _line(scene: ShownScene, names: NodeNames, node_id: int) -> str:
    """A node, "cup-1 ontop table-2, dirty"."""
    graph = scene.graph
    parts = [" ".join([names.name(node_id), *_place(graph, names, node_id)])]
    parts += states_of(graph[node_id])
    if node_id in scene.discovered:
        parts.append(DISCOVERED)
    return ", ".join(parts)


def _place(graph: SceneGraph, names: NodeNames, node_id: int) -> Iterator[str]:
    """Where a node is: at other nodes, or for an object in its room alone."""
    places = [(how, place) for how, place in graph.places(node_id) if how in RELATION_WORDS]
    nearer = [pair for pair in places if graph[pair[1]].kind in (Kind.FIXTURE, Kind.OBJECT)]
    if not nearer and graph[node_id].kind is Kind.OBJECT:
        nearer = places
    for number, (relation, place) in enumerate(nearer):
        yield f"{'and ' if number else ''}{RELATION_WORDS[relation]} {names.name(place)}"


def _room(graph: SceneGraph, names: NodeNames, node_id: int) -> str:
    room = graph.room_of(node_id)
    return "an unknown place" if room is None else names.name(room)


def _by_name(names: NodeNames, nodes: Iterable[int]) -> list[int]:
    return sorted(nodes, key=lambda node: _key(names.name(node)))


def _key(name: str) -> tuple[str, int]:
    stem, _, number = name.rpartition("-")
    return stem, int(number)


def _list(names: NodeNames, nodes: Iterable[int]) -> str:
    return ", ".join(names.name(node) for node in _by_name(names, nodes)) or "nothing"
