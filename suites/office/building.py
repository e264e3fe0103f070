"""The scene loader "office": buildings from files.

"office:building" is `building.yaml` and "office:real" is `real.yaml`; the files describe their own
format. "office:real?before" is the same building when it was mapped: things under `before` were
elsewhere or not there yet.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from ...data_files import read_yaml
from ...errors import BadInput
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Affordance, Kind, Node, Relation, State

#: All buildings.
BUILDINGS = ("building", "real")
_BEFORE = "before"
_KEEPS = {"top": Relation.ON, "in": Relation.INSIDE}
_ABSENT = "absent"


def load(reference: str) -> SceneGraph:
    """The scene graph of a building. Raises BadInput for another reference."""
    name, _, option = reference.partition("?")
    if name not in BUILDINGS or option not in ("", _BEFORE):
        offer = " or ".join(f"office:{each}" for each in BUILDINGS)
        raise BadInput(
            f"There is no scene 'office:{reference}'; give {offer}, with or without ?{_BEFORE}."
        )
    return read(name, before=option == _BEFORE).copy()


@lru_cache(maxsize=4)
def read(name: str, *, before: bool = False) -> SceneGraph:
    """The graph of a building. Do not change it, since it is shared. before: as it was mapped."""
    path = Path(__file__).with_name(f"{name}.yaml")
    plan = read_yaml(path)
    graph = _Builder(plan["kinds"]).build(plan["rooms"], plan["agent"])
    for thing, place in plan.get(_BEFORE, {}).items() if before else ():
        _put_back(graph, one(graph, thing), place)
    return graph


def one(graph: SceneGraph, category: str, room: str = "") -> int:
    """The only thing of a category, or the only one in a room. Raises ValueError for several.

    room: a category; "meeting room 2" is the second of several.
    """
    found = [
        node.id
        for node in graph.nodes()
        if node.category == category and (not room or _room_name(graph, node.id) == room)
    ]
    if len(found) != 1:
        raise ValueError(f"{len(found)} of '{category}' in '{room or 'the building'}'")
    return found[0]


def _room_name(graph: SceneGraph, thing: int) -> str:
    room = graph.room_of(thing)
    if room is None or room == thing:
        return ""
    alike = sorted(n.id for n in graph.nodes(Kind.ROOM) if n.category == graph[room].category)
    number = f" {alike.index(room) + 1}" if len(alike) > 1 else ""
    return graph[room].category + number


def _put_back(graph: SceneGraph, thing: int, place: str) -> None:
    """Put a thing where it was. place: "top desk in toms office", or absent."""
    if place == _ABSENT:
        graph.remove_node(thing)
        return
    how, _, where = place.partition(" ")
    category, _, room = where.partition(" in ")
    graph.detach(thing)
    graph.add_edge(thing, _KEEPS[how], one(graph, category, room))


class _Builder:
    """Makes nodes and edges: first rooms, then their furniture, then the agent."""

    def __init__(self, kinds: Mapping[str, str]) -> None:
        self._kinds = kinds
        self._graph = SceneGraph()
        self._number: Counter[str] = Counter()

    def build(self, rooms: Mapping[str, Any], agent_in: str) -> SceneGraph:
        named = list(_rooms(rooms))
        ids = [self._add(name, Kind.ROOM) for name, _ in named]
        for room, (_, furniture) in zip(ids, named, strict=True):
            for item in furniture:
                self._place(item, Kind.FIXTURE, Relation.INSIDE, room)
        agent = self._add("agent", Kind.AGENT)
        self._graph.add_edge(agent, Relation.INSIDE, one(self._graph, agent_in))
        return self._graph

    def _place(self, item: Any, kind: Kind, relation: Relation, place: int) -> None:
        """Add a piece of furniture or a thing, with everything on and in it."""
        name, content = next(iter(item.items())) if isinstance(item, dict) else (item, {})
        category, _, state = name.partition(", ")
        node = self._add(category, kind, state)
        self._graph.add_edge(node, relation, place)
        for how, things in content.items():
            for thing in things:
                self._place(thing, Kind.OBJECT, _KEEPS[how], node)

    def _add(self, category: str, kind: Kind, state: str = "") -> int:
        self._number[category] += 1
        number = sum(self._number.values())
        words = self._kinds.get(category, "graspable" if kind is Kind.OBJECT else "").split()
        node = Node(
            number,
            category,
            kind,
            f"{category} {self._number[category]}",
            frozenset(State(word) for word in words if word in _STATES),
            frozenset(Affordance(word) for word in words if word not in _STATES),
        )
        self._graph.add_node(node)
        if state:
            self._graph.set_state(number, State(state))
        return number


_STATES = frozenset(map(str, State))


def _rooms(rooms: Mapping[str, Any]) -> Iterator[tuple[str, Sequence[Any]]]:
    """Each room with its furniture. A category with several lists stands for several rooms."""
    for name, furniture in rooms.items():
        if isinstance(furniture[0], list):
            yield from ((name, each) for each in furniture)
        else:
            yield name, furniture
