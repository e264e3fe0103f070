"""The scene loader "kitchen": a kitchen with its objects, in JSON.

In "kitchen:{"kitchen": "galley", "at": "Rice_Cooker_Surface", "objects": {"kettle_3":
"Pet_Drawer"}}" the agent stands where it reaches the area `at`, and may have something `held`. The
kitchen is one of ours, or a file in the published form. Numbers in objects' names only distinguish
objects of one kind.

Room, places and areas are nodes: places are fixtures in the room, areas fixtures attached to their
place. Areas with a door are containers, all others surfaces.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import NamedTuple

from ...data_files import json_data
from ...errors import BadInput, unknown_name
from ...scene_graph.fields import Field
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Affordance, Edge, Kind, Node, Relation, State
from .layouts import Layout, english, layout_of

_NUMBER = re.compile(r"_\d+$")
_ROOM, _AGENT, _FIRST = 1, 2, 3
_CLOSED_AREA = frozenset({Affordance.CONTAINER, Affordance.OPENABLE})
_OPEN_AREA = frozenset({Affordance.SURFACE})


def scene_of(layout: Layout, objects: Mapping[str, str], at: str, held: str = "") -> str:
    """The scene of a kitchen with objects in its areas."""
    data = {
        "kitchen": layout.name,
        "at": at,
        "held": held,
        "objects": dict(sorted(objects.items())),
    }
    return f"kitchen:{json.dumps(data, separators=(',', ':'))}"


class KitchenScene(NamedTuple):
    """A kitchen, its objects and their areas, where the agent stands, and what it holds."""

    layout: Layout
    objects: Mapping[str, str]
    at: str
    held: str


def load(reference: str) -> SceneGraph:
    """The graph of a reference. Raises BadInput naming what is wrong."""
    return _graph(*read(reference))


def read(reference: str) -> KitchenScene:
    """What a reference says. Raises BadInput naming what is wrong."""
    try:
        data = json_data(reference)
    except ValueError:
        raise BadInput(
            f"The scene 'kitchen:{reference}' is not JSON; give an object with the fields kitchen, "
            f"at and objects."
        ) from None
    fields = Field("the scene", "", data).entries(("kitchen", "at", "objects"), ("held",))
    layout = layout_of(fields["kitchen"].text())
    held = fields["held"].value if "held" in fields else ""
    objects = {name: area.text() for name, area in fields["objects"].entries((), None).items()}
    at = fields["at"].text()
    for area in (at, *objects.values()):
        if area not in layout.areas:
            raise unknown_name(f"area of {layout.name}", area, layout.areas)
    return KitchenScene(layout, objects, at, str(held or ""))


def kind_of(name: str) -> str:
    """The category of an object: its name in words, without the number."""
    return english(_NUMBER.sub("", name))


def ids_of(layout: Layout, objects: Mapping[str, str], held: str = "") -> dict[str, int]:
    """The node ids of the areas and objects of a scene, by name.

    Objects are numbered in the order of their names, which reveals no places.
    """
    places = list(layout.distances)
    names = [*layout.areas, *sorted({*objects, *filter(None, [held])})]
    return {name: _FIRST + len(places) + number for number, name in enumerate(names)}


def _graph(layout: Layout, objects: Mapping[str, str], at: str, held: str) -> SceneGraph:
    places = {name: _FIRST + number for number, name in enumerate(layout.distances)}
    ids = ids_of(layout, objects, held)
    nodes = [
        Node(_ROOM, "kitchen", Kind.ROOM, "kitchen"),
        Node(_AGENT, "robot", Kind.AGENT, "robot"),
        *(Node(number, english(name), Kind.FIXTURE, name) for name, number in places.items()),
    ]
    edges = [Edge(number, Relation.INSIDE, _ROOM) for number in (_AGENT, *places.values())]
    edges.append(Edge(_AGENT, Relation.CLOSE, places[layout.areas[at].place]))
    for area in layout.areas.values():
        states = frozenset({State.CLOSED} if area.closed else ())
        can = _CLOSED_AREA if area.closed else _OPEN_AREA
        name = area.name
        nodes.append(Node(ids[name], english(name), Kind.FIXTURE, name, states, can))
        edges.append(Edge(ids[name], Relation.ATTACHED, places[area.place]))
    graspable = frozenset({Affordance.GRASPABLE})
    for name in sorted({*objects, *filter(None, [held])}):
        nodes.append(Node(ids[name], kind_of(name), Kind.OBJECT, name, affordances=graspable))
        if name == held:
            edges.append(Edge(_AGENT, Relation.HOLDS, ids[name]))
        else:
            area = layout.areas[objects[name]]
            edges.append(Edge(ids[name], relation_at(area.closed), ids[area.name]))
    return SceneGraph(nodes, edges)


def relation_at(closed: bool) -> Relation:
    """The relation of things to an area that is closed at first, or open."""
    return Relation.INSIDE if closed else Relation.ON
