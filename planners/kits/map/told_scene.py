"""Which nodes of the known graph a prompt tells: those around the agent, or all."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import Affordance, Kind
from .memory_graph import MemoryGraph


@dataclass(frozen=True)
class ToldRoom:
    """A room with the nodes that are told of it, each in the order of ids.

    remembered: objects that a map has there and nobody has seen there since; found: the others.
    """

    room: int
    assets: tuple[int, ...] = ()
    found: tuple[int, ...] = ()
    remembered: tuple[int, ...] = ()


@dataclass(frozen=True)
class ToldScene:
    """What a prompt tells.

    graph: all that is known. here: the room of the agent; None where that is not known. elsewhere:
    single nodes of rooms that are not told. looked_at: the places whose contents were seen.
    missing: objects that were not where they were believed to be, and not found since.
    """

    graph: SceneGraph
    here: int | None
    rooms: tuple[ToldRoom, ...]
    elsewhere: tuple[int, ...]
    looked_at: Collection[int]
    missing: tuple[int, ...] = ()

    @property
    def nodes(self) -> Iterator[int]:
        """Every told node, without the agent; all rooms are told by name."""
        yield from self.graph.room_ids
        for told in self.rooms:
            yield from (*told.assets, *told.found, *told.remembered)
        yield from (*self.elsewhere, *self.missing)

    @cached_property
    def discovered(self) -> frozenset[int]:
        """The told furniture and containers whose contents were seen."""
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
        """The told objects that nobody has seen where the map has them."""
        return frozenset(thing for told in self.rooms for thing in told.remembered)


def local_scene(memory: MemoryGraph, interacted: Collection[int] = ()) -> ToldScene:
    """The present room, and of the others what was found there or interacted with."""
    graph = memory.graph
    here = graph.room_of(graph.agent().id)
    elsewhere = [
        node
        for node in _handled(graph)
        if graph.room_of(node) != here
        and memory.is_located(node)
        and (node in interacted or _is_found(memory, node))
    ]
    rooms = () if here is None else (_told(memory, here),)
    return ToldScene(
        graph, here, rooms, tuple(elsewhere), memory.looked_at, tuple(memory.missing())
    )


def full_scene(memory: MemoryGraph) -> ToldScene:
    """Every room with all that is known to be in it, the present one first."""
    graph = memory.graph
    here = graph.room_of(graph.agent().id)
    rooms = sorted(graph.room_ids, key=lambda room: room != here)
    told = tuple(_told(memory, room) for room in rooms)
    return ToldScene(graph, here, told, (), memory.looked_at, tuple(memory.missing()))


def _told(memory: MemoryGraph, room: int) -> ToldRoom:
    graph = memory.graph
    there = [node for node in _handled(graph) if graph.room_of(node) == room]
    objects = [node for node in there if graph[node].kind is Kind.OBJECT]
    return ToldRoom(
        room,
        tuple(node for node in there if graph[node].kind is Kind.FIXTURE),
        tuple(node for node in objects if not memory.is_prior(node)),
        tuple(node for node in objects if memory.is_prior(node)),
    )


def _is_found(memory: MemoryGraph, node: int) -> bool:
    return memory.graph[node].kind is Kind.OBJECT and not memory.is_prior(node)


def _handled(graph: SceneGraph) -> list[int]:
    """Furniture and objects that are anywhere but in the agent's hands and on its body."""
    me = graph.agent().id
    own = {*graph.held(me), *graph.below(me)}
    return sorted(
        node.id
        for node in graph.nodes()
        if node.kind in (Kind.FIXTURE, Kind.OBJECT) and node.id not in own
    )


def about_scene(scene: ToldScene, names: Mapping[int, str]) -> dict[str, Any]:
    """What a prompt tells as data, with names as in percepts."""
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
        "told_rooms": named(told.room for told in scene.rooms),
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
