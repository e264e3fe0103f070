"""The scene loader "arranged": a VirtualHome scene with things put elsewhere and things added.

"arranged:house:12;88 in 40;food_apple on 31;27 is on" is the scene house:12 with thing 88 inside
40, a new apple on 31 and the lamp 27 lit. Places are those of the original scene. New things get
ids after the highest one, in the order given; their classes are those of the generated houses.
States are set last, so that they apply to new things too. A thing that "is fixed" cannot be picked
up.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from ...errors import BadInput, unknown_name
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Affordance, Kind
from .graph_files import edge_to
from .graph_import import to_scene_graph
from .houses.rules import CLASSES, new_node

_NEVER_ADDED = ("Rooms", "Characters")
_RELATIONS = {"in": "INSIDE", "on": "ON"}
_SUPPORTS = {"in": Affordance.CONTAINER, "on": Affordance.SURFACE}
_CLASSES = [name for name, (category, _) in CLASSES.items() if category not in _NEVER_ADDED]
_PLACEMENT = re.compile(r"(?:(\d+)|([a-z_]+)) (in|on) (\d+)", re.ASCII)
_SETTING = re.compile(r"(\d+) is ([a-z ]+)", re.ASCII)
#: For each state that can be set: the property that a node needs, the state, and its opposite.
_STATES = {
    "open": ("CAN_OPEN", "OPEN", "CLOSED"),
    "closed": ("CAN_OPEN", "CLOSED", "OPEN"),
    "on": ("HAS_SWITCH", "ON", "OFF"),
    "off": ("HAS_SWITCH", "OFF", "ON"),
    "plugged in": ("HAS_PLUG", "PLUGGED_IN", "PLUGGED_OUT"),
    "plugged out": ("HAS_PLUG", "PLUGGED_OUT", "PLUGGED_IN"),
}
_FIXED = "fixed"
_GRABBABLE = "GRABBABLE"


class Placement(NamedTuple):
    """A thing (an id, or the class of a new one) "in" or "on" a place."""

    thing: int | str
    preposition: str
    place: int

    def __str__(self) -> str:
        return f"{self.thing} {self.preposition} {self.place}"


class Setting(NamedTuple):
    """A state for a thing: one of `_STATES`, or fixed."""

    thing: int
    state: str

    def __str__(self) -> str:
        return f"{self.thing} is {self.state}"


Change = Placement | Setting


def scene_of(base: str, changes: Sequence[Change]) -> str:
    """The reference of an arranged scene, such as "arranged:house:12;88 in 40"."""
    return "arranged:" + ";".join([base, *map(str, changes)])


def parse(reference: str) -> tuple[str, list[Change]]:
    """The base scene and the changes of a reference. Raises BadInput."""
    base, *changes = reference.split(";")
    return base, [_change(change.strip(), base) for change in changes]


def _change(text: str, base: str) -> Change:
    setting = _SETTING.fullmatch(text)
    if setting is not None:
        number, state = setting.groups()
        if state not in _STATES and state != _FIXED:
            raise unknown_name("state of a thing", state, [*_STATES, _FIXED])
        return Setting(int(number), state)
    placement = _PLACEMENT.fullmatch(text)
    if placement is None:
        raise BadInput(
            f"In the scene 'arranged:{base};…', '{text}' is malformed; give a placement "
            f"or a state: 88 in 40, food_apple on 31, or 27 is open."
        )
    number, class_name, preposition, place = placement.groups()
    if class_name is not None and class_name not in _CLASSES:
        raise unknown_name("class of things and furniture", class_name, _CLASSES)
    return Placement(class_name or int(number), preposition, int(place))


def arrange(graph: Mapping[str, Any], changes: Sequence[Change], where: str) -> dict[str, Any]:
    """A copy of a VirtualHome graph with things placed and set.

    As in the RobotHow graphs, a thing is also inside its room and close to everything that keeps
    it. The evolving graph derives reach from closeness. where: the scene, for errors. Raises
    BadInput.
    """
    before = to_scene_graph(graph, where)
    placements = [change for change in changes if isinstance(change, Placement)]
    moved = {p.thing for p in placements if isinstance(p.thing, int)}
    nodes = [_lifted(node) if node["id"] in moved else node for node in graph["nodes"]]
    edges = [e for e in graph["edges"] if moved.isdisjoint((e["from_id"], e["to_id"]))]
    free = max(node["id"] for node in nodes) + 1
    put: list[int] = []
    for placement in placements:
        _check(before, placement, moved, put, where)
        if isinstance(placement.thing, str):
            nodes.append(new_node(free, placement.thing))
            thing, free = free, free + 1
        else:
            thing = placement.thing
            put.append(thing)
        edges += _edges(before, thing, placement)
    for change in changes:
        if isinstance(change, Setting):
            nodes = _set(nodes, change, where)
    return {"nodes": nodes, "edges": edges}


def _set(
    nodes: Sequence[Mapping[str, Any]], setting: Setting, where: str
) -> list[Mapping[str, Any]]:
    """The nodes, with one of them in a state."""
    known = next((node for node in nodes if node["id"] == setting.thing), None)
    if known is None:
        raise BadInput(f"In {where}, '{setting}' cannot be: there is no {setting.thing}.")
    needed, state, opposite = _STATES.get(setting.state, (_GRABBABLE, "", ""))
    if needed not in known["properties"]:
        raise BadInput(
            f"In {where}, '{setting}' cannot be: the {known['class_name']} {setting.thing} "
            f"lacks the property {needed}."
        )
    if setting.state == _FIXED:
        new = {**known, "properties": [p for p in known["properties"] if p != _GRABBABLE]}
    else:
        kept = [s for s in known["states"] if s not in (state, opposite)]
        new = {**known, "states": [*kept, state]}
    return [new if node is known else node for node in nodes]


def _lifted(node: Mapping[str, Any]) -> dict[str, Any]:
    """A node without the geometry of its old place."""
    gone = {key: None for key in ("obj_transform", "bounding_box") if key in node}
    return {**node, **gone}


def _edges(before: SceneGraph, thing: int, placement: Placement) -> list[dict[str, Any]]:
    place = placement.place
    keepers = [i for i in (place, *before.above(place)) if before[i].kind is not Kind.ROOM]
    room = before.room_of(place)
    edges = [edge_to(thing, _RELATIONS[placement.preposition], place)]
    if room is not None and room != place:
        edges.append(edge_to(thing, "INSIDE", room))
    for keeper in keepers:
        edges += [edge_to(thing, "CLOSE", keeper), edge_to(keeper, "CLOSE", thing)]
    return edges


def _check(
    before: SceneGraph,
    placement: Placement,
    moved: Collection[int | str],
    put: Collection[int],
    where: str,
) -> None:
    """Refuse placements that are impossible by hand, and things that would lose their contents."""
    thing, preposition, place = placement
    reason = ""
    node = before.get(place)
    if node is None:
        reason = f"there is no {place}"
    elif place in moved:
        reason = f"{place} is moved itself"
    elif _SUPPORTS[preposition] not in node.affordances and not (
        preposition == "in" and node.kind is Kind.ROOM
    ):
        reason = f"nothing can be {preposition} the {node.category} {place}"
    elif thing in put:
        reason = f"{thing} was put elsewhere before"
    elif isinstance(thing, int):
        asked = before.get(thing)
        if asked is None:
            reason = f"there is no {thing}"
        elif Affordance.GRASPABLE not in asked.affordances:
            reason = f"the {asked.category} {thing} cannot be carried"
        elif before.contents(thing):
            reason = f"the {asked.category} {thing} holds other things"
    if reason:
        raise BadInput(f"In {where}, '{placement}' cannot be: {reason}.")
