"""Which nodes of the known graph a prompt shows, those around the agent or all, and their text."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ....observation_text.dialects.lookplangraph.node_names import states_of
from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import Affordance, Kind, Relation
from .json_graph import json_graph
from .memory_graph import MemoryGraph
from .names import NodeNames

#: The flag of places whose contents were seen, as by the function `discover_objects`.
_DISCOVERED = "discovered"
#: The words for relations, in prompts and answers.
_RELATION_WORDS = {
    Relation.INSIDE: "inside",
    Relation.ON: "ontop",
    Relation.UNDER: "under",
    Relation.ATTACHED: "attached to",
}


@dataclass(frozen=True)
class ShownRoom:
    """A room with the nodes shown of it, each in the order of ids.

    seen: objects that were seen there. remembered: objects on the map that were not seen there.
    """

    room: int
    assets: tuple[int, ...] = ()
    seen: tuple[int, ...] = ()
    remembered: tuple[int, ...] = ()


@dataclass(frozen=True)
class ShownScene:
    """What a prompt shows."""

    graph: SceneGraph
    """All that is known."""
    here: int | None
    """The agent's room; None where it is unknown."""
    rooms: tuple[ShownRoom, ...]
    """The rooms that are shown."""
    elsewhere: tuple[int, ...]
    """Single nodes of other rooms."""
    looked_at: Collection[int]
    """The places whose contents were seen."""
    missing: tuple[int, ...] = ()
    """Objects that were not at their believed places, and not seen since."""

    @property
    def nodes(self) -> Iterator[int]:
        """Yield every shown node but the agent; all rooms are shown by name."""
        yield from self.graph.room_ids
        for room in self.rooms:
            yield from (*room.assets, *room.seen, *room.remembered)
        yield from (*self.elsewhere, *self.missing)

    @cached_property
    def discovered(self) -> frozenset[int]:
        """The shown furniture, and objects that keep things, whose contents were seen."""
        return frozenset(node for node in self.nodes if self._is_discovered(node))

    def _is_discovered(self, node_id: int) -> bool:
        if node_id not in self.looked_at:
            return False
        node = self.graph[node_id]
        if node.kind is not Kind.OBJECT:
            return node.kind is Kind.FIXTURE  # one that affords nothing may keep things, too
        keeps = {Affordance.SURFACE, Affordance.CONTAINER}
        return not keeps.isdisjoint(node.affordances) or bool(self.graph.contents(node_id))

    @cached_property
    def remembered(self) -> frozenset[int]:
        """The shown objects that were not seen where the map has them."""
        return frozenset(thing for room in self.rooms for thing in room.remembered)


def local_scene(memory: MemoryGraph, interacted: Collection[int] = ()) -> ShownScene:
    """The present room, and from other rooms the objects that were seen or handled."""
    graph = memory.graph
    here = graph.room_of(graph.agent().id)
    elsewhere = [
        node
        for node in _handled(graph)
        if graph.room_of(node) != here
        and memory.is_located(node)
        and (node in interacted or (graph[node].kind is Kind.OBJECT and not memory.is_prior(node)))
    ]
    rooms = () if here is None else (_shown_room(memory, here),)
    return ShownScene(
        graph, here, rooms, tuple(elsewhere), memory.looked_at, tuple(memory.missing())
    )


def full_scene(memory: MemoryGraph) -> ShownScene:
    """Every room with all its known contents, the present one first."""
    graph = memory.graph
    here = graph.room_of(graph.agent().id)
    rooms = sorted(graph.room_ids, key=lambda room: room != here)
    shown = tuple(_shown_room(memory, room) for room in rooms)
    return ShownScene(graph, here, shown, (), memory.looked_at, tuple(memory.missing()))


def _shown_room(memory: MemoryGraph, room: int) -> ShownRoom:
    graph = memory.graph
    there = [node for node in _handled(graph) if graph.room_of(node) == room]
    objects = [node for node in there if graph[node].kind is Kind.OBJECT]
    return ShownRoom(
        room,
        tuple(node for node in there if graph[node].kind is Kind.FIXTURE),
        tuple(node for node in objects if not memory.is_prior(node)),
        tuple(node for node in objects if memory.is_prior(node)),
    )


def _handled(graph: SceneGraph) -> list[int]:
    """Furniture and objects outside the agent's hands and not on its body."""
    me = graph.agent().id
    own = {*graph.held(me), *graph.below(me)}
    return sorted(
        node.id
        for node in graph.nodes()
        if node.kind in (Kind.FIXTURE, Kind.OBJECT) and node.id not in own
    )


def about_scene(scene: ShownScene, names: Mapping[int, str]) -> dict[str, Any]:
    """A shown scene as data, with names as in percepts."""
    graph = scene.graph

    def named(node_ids: Iterable[int]) -> list[str]:
        return [names[node_id] for node_id in node_ids if node_id in names]

    return {
        "nodes": {
            names[node_id]: _about_node(graph, node_id, names)
            for node_id in scene.nodes
            if node_id in names and graph[node_id].kind in (Kind.FIXTURE, Kind.OBJECT)
            if node_id not in scene.missing
        },
        "remembered": named(scene.remembered),
        "discovered": named(scene.discovered),
        "missing": named(scene.missing),
        "told_rooms": named(room.room for room in scene.rooms),
    }


def _about_node(graph: SceneGraph, node_id: int, names: Mapping[int, str]) -> dict[str, Any]:
    node, room = graph[node_id], graph.room_of(node_id)
    kept = [
        (str(how), names[place])
        for how, place in graph.places(node_id)
        if place in names and graph[place].kind in (Kind.FIXTURE, Kind.OBJECT)
    ]
    how, place = kept[0] if kept else (None, None)
    return {
        "room": names.get(room or 0),
        "in": place,
        "how": how,
        "states": sorted(map(str, node.states)),
        "can": sorted(map(str, node.affordances)),
        "fixed": node.kind is Kind.FIXTURE,
    }


def json_scene(scene: ShownScene, names: NodeNames) -> str:
    """A shown scene as JSON text; the keepers of shown nodes are shown, too."""
    graph = scene.graph
    agent = graph.agent().id
    nodes = dict.fromkeys((agent, *graph.held(agent), *scene.nodes))
    kept = dict.fromkeys(place for node in nodes for place in (node, *graph.above(node)))
    flags = {
        "remembered": scene.remembered,  # objects on the map that were not yet seen there
        _DISCOVERED: scene.discovered,
        "missing": scene.missing,  # objects that were not at their last known places
    }
    return json_graph(graph.part(kept), names, flags)


# --- in sentences and lists, as in LookPlanGraph's prompts (paper, Figure 3) ----------------------


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
        (f"Objects seen {where}:", room.seen),
        (f"Objects remembered {where}, not confirmed:", room.remembered),
    ):
        if nodes:
            yield title
            yield from (_line(scene, names, node) for node in _by_name(names, nodes))


def _elsewhere_lines(scene: ShownScene, names: NodeNames) -> Iterator[str]:
    """One line per room: "kitchen-1: fridge-1 (open); cup-1 ontop table-1"."""
    rooms: dict[str, list[str]] = {}
    for node in _by_name(names, scene.elsewhere):
        lines = rooms.setdefault(_room(scene.graph, names, node), [])
        lines.append(_line(scene, names, node))
    for room in sorted(rooms):
        yield f"{room}: {'; '.join(rooms[room])}"


def _line(scene: ShownScene, names: NodeNames, node_id: int) -> str:
    """A node, "cup-1 (dirty) ontop table-2"."""
    graph = scene.graph
    about = [*states_of(graph[node_id]), *[_DISCOVERED] * (node_id in scene.discovered)]
    said = [names.name(node_id), *[f"({', '.join(about)})"] * bool(about)]
    return " ".join([*said, *_place(graph, names, node_id)])


def _place(graph: SceneGraph, names: NodeNames, node_id: int) -> Iterator[str]:
    """Where a node is: at other nodes, or for an object in its room alone."""
    places = [(how, place) for how, place in graph.places(node_id) if how in _RELATION_WORDS]
    nearer = [pair for pair in places if graph[pair[1]].kind in (Kind.FIXTURE, Kind.OBJECT)]
    if not nearer and graph[node_id].kind is Kind.OBJECT:
        nearer = places
    for number, (relation, place) in enumerate(nearer):
        yield f"{'and ' if number else ''}{_RELATION_WORDS[relation]} {names.name(place)}"


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
