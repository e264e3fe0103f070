"""Which nodes of the known graph a prompt shows: those around the agent, or all."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import Affordance, Kind
from .memory_graph import MemoryGraph


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
        """The shown furniture and containers whose contents were seen."""
        return frozenset(node for node in self.nodes if self._is_discovered(node))

    def _is_discovered(self, node_id: int) -> bool:
        node = self.graph[node_id]
        if node.kind is Kind.FIXTURE:
            keeps = not node.affordances.isdisjoint({Affordance.SURFACE, Affordance.CONTAINER})
        else:
            keeps = node.kind is Kind.OBJECT and Affordance.CONTAINER in node.affordances
        return keeps and node_id in self.looked_at

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
