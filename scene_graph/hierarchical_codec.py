"""Scene graphs as the hierarchical JSON of the scene-graph planning literature.

Written as in LookPlanGraph (arXiv 2512.21243, appendix C), with the `links` of SayPlan (arXiv
2307.06135, appendix L):

    {"nodes": {"rooms":   [{"name": "kitchen-1"}],
               "asset":   [{"name": "fridge-12", "room": "kitchen-1", "states": ["closed"],
                            "affordances": ["open", "close", "put_inside"], "properties": []}],
               "objects": [{"name": "apple-7", "relation": "inside_of", "related_to": "fridge-12",
                            "states": [], "affordances": ["pick_up"], "properties": []}],
               "agent":   {"name": "agent-3", "location": "kitchen-1", "holding": "nothing"}},
     "links": ["kitchen-1↔fridge-12", "fridge-12↔apple-7", "kitchen-1↔agent-3"]}

The format has one place per node and agents in rooms, but no nearness and no geometry. Additional
keys keep these. On a node: `node_id`, `category`, `native_id`, `pose` and `box`; and `relation`
with `related_to` on an asset or agent that is not directly in its room. At the top: `relations`
that the nodes do not contain. A tool that drops these keys loses ids (nodes get new ones), native
ids (names replace them), geometry, nearness and all places but one. Our own reader loses only the
order.

SayPlan's own form is read too: `room`, `object` and `id` for names, one `state` ("closed",
"inside_of(fridge)", "inside_hand"), `pickup` and `release`, the agent in a list. Ignored are
`links`, which repeat the nodes, SayPlan's `pose` nodes, `attributes`, and `properties` other than
our affordances ("cuts", "sittable" …).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any

from ..errors import BadInput
from .fields import Field
from .graph import SceneGraph
from .json_codec import (
    check_well_formed,
    geometry_from_fields,
    geometry_to_data,
    native_id_from_field,
)
from .node import Affordance, Edge, Kind, Node, Relation, State

#: The key of each layer: as written here, and as others write it.
_LAYERS = (
    (Kind.SCENE, ("scene",)),
    (Kind.ROOM, ("rooms", "room")),
    (Kind.FIXTURE, ("asset", "assets")),
    (Kind.OBJECT, ("objects", "object")),
    (Kind.AGENT, ("agent", "agents")),
)
_SKILLS = {
    Affordance.OPENABLE: ("open", "close"),
    Affordance.SWITCHABLE: ("turn_on", "turn_off"),
    Affordance.PLUGGABLE: ("plug_in", "plug_out"),
    Affordance.GRASPABLE: ("pick_up",),
    Affordance.SURFACE: ("put_on",),
    Affordance.CONTAINER: ("put_inside",),
    Affordance.SLICEABLE: ("slice",),
}
#: Affordances for which the literature has no skill; they are written as properties.
_PROPERTIES = {str(a): a for a in sorted(set(Affordance) - _SKILLS.keys())}
_RELATION_WORDS = {
    Relation.INSIDE: "inside_of",
    Relation.ON: "ontop_of",
    Relation.UNDER: "under",
    Relation.ATTACHED: "attached_to",
    Relation.HOLDS: "inside_hand",
}
_IN_HAND = _RELATION_WORDS[Relation.HOLDS]
_NOTHING = ("", "nothing")  # values of `holding` for empty hands

_RELATIONS = {word: relation for relation, word in _RELATION_WORDS.items()}
_STATES: dict[str, set[State]] = {
    **{str(state): {state} for state in State},
    "clear": {State.CLEAN},
    "free": set(),
}
_AFFORDANCES: dict[str, set[Affordance]] = {
    **{skill: {affordance} for affordance, skills in _SKILLS.items() for skill in skills},
    "pickup": {Affordance.GRASPABLE},
    "release": set(),  # see _affordances
    "put_under": set(),
    "attach": set(),
}

_Entry = Mapping[str, Field]


def to_hierarchy(graph: SceneGraph) -> dict[str, Any]:
    """A graph as hierarchical JSON data, each layer sorted by id."""
    unwritten = set(graph.edges())
    layers: dict[str, Any] = {}
    links = []
    for kind, (key, *_) in _LAYERS:
        layers[key] = []
        for node in sorted(graph.nodes(kind), key=lambda n: n.id):
            entry = {"name": _name(node), **_position(graph, node, unwritten), **_nature(node)}
            parent = entry.get("related_to") or entry.get("room") or entry.get("location")
            if parent is not None:
                links.append(f"{parent}↔{entry['name']}")
            layers[key].append(entry)
    if not layers["scene"]:
        del layers["scene"]
    if len(layers["agent"]) == 1:
        layers["agent"] = layers["agent"][0]
    data: dict[str, Any] = {"nodes": layers, "links": links}
    if unwritten:
        data["relations"] = [
            [_name(graph[source]), str(relation), _name(graph[target])]
            for source, relation, target in sorted(unwritten)
        ]
    return data


def from_hierarchy(data: object, where: str = "the scene graph") -> SceneGraph:
    """The graph of a document from `to_hierarchy` or another tool.

    where: the name of the document in errors. Raises BadInput naming it and the malformed field.
    """
    document = Field(where, "", data).entries(["nodes"], optional=None)
    layers = document["nodes"].entries((), optional=None)
    entries = [
        (kind, item.entries((), optional=None), item)
        for kind, keys in _LAYERS
        for key in keys
        if key in layers
        for item in _items(layers[key])
    ]
    given = {e["node_id"].integer() for _, e, _ in entries if "node_id" in e}
    free = (node_id for node_id in count(1) if node_id not in given)
    graph = SceneGraph()
    names: dict[str, int] = {}
    for kind, entry, item in entries:
        name = _first(entry, "name", "id")
        if name is None:
            raise BadInput(f"In {where}, the field 'name' of {item.path} is missing; add it.")
        if name.text() in names:
            raise name.wrong("expected a name that no other node has")
        node_id = entry["node_id"].integer() if "node_id" in entry else next(free)
        if node_id in graph:
            raise entry["node_id"].wrong("expected an id that no other node has")
        names[name.text()] = node_id
        graph.add_node(_node(node_id, kind, name.text(), entry))
    agents = [node.id for node in graph.nodes(Kind.AGENT)]
    for node_id, (kind, entry, _) in zip(names.values(), entries, strict=True):
        for edge in _edges(node_id, kind, entry, names, agents):
            graph.add_edge(*edge)
    for item in document["relations"].items() if "relations" in document else ():
        source, relation, target = item.items(count=3)
        graph.add_edge(_named(source, names), relation.name_of(Relation), _named(target, names))
    check_well_formed(graph, where)
    return graph


# --- writing -----------------------------------------------------------------------------------


def _name(node: Node) -> str:
    """A node's name, "kitchen_table-12"."""
    words = re.sub(r"\W+", "_", node.category)
    return f"{words}-{node.id}"


def _position(graph: SceneGraph, node: Node, unwritten: set[Edge]) -> dict[str, Any]:
    """The location fields of a node; removes their edges from `unwritten`."""
    if node.kind in (Kind.SCENE, Kind.ROOM):
        return {}
    position: dict[str, Any] = {}
    written: list[Edge] = []
    if node.kind is not Kind.OBJECT:
        room = graph.room_of(node.id)
        key = "room" if node.kind is Kind.FIXTURE else "location"
        position[key] = None if room is None else _name(graph[room])
        if room is not None and graph.has_edge(node.id, Relation.INSIDE, room):
            written = [Edge(node.id, Relation.INSIDE, room)]
    holder = graph.holder(node.id)
    places = graph.places(node.id)
    if holder is not None:
        written = [Edge(holder, Relation.HOLDS, node.id)]
        position |= {"relation": _IN_HAND, "related_to": _name(graph[holder])}
    elif places and not written:
        # a room is the least precise place
        relation, place = min(places, key=lambda p: (graph[p[1]].kind is Kind.ROOM, p[1], p[0]))
        written = [Edge(node.id, relation, place)]
        position |= {"relation": _RELATION_WORDS[relation], "related_to": _name(graph[place])}
    if node.kind is Kind.AGENT:
        held = graph.held(node.id)
        names = [_name(graph[thing]) for thing in sorted(held)]
        position["holding"] = names if len(names) > 1 else names[0] if names else "nothing"
        written += [Edge(node.id, Relation.HOLDS, thing) for thing in held]
    unwritten.difference_update(written)
    return position


def _nature(node: Node) -> dict[str, Any]:
    """The fields of a node that do not depend on its location."""
    states = sorted(map(str, node.states))
    skills = [skill for a in sorted(_SKILLS) if a in node.affordances for skill in _SKILLS[a]]
    properties = [word for word, a in _PROPERTIES.items() if a in node.affordances]
    nature: dict[str, Any] = {}
    if node.kind in (Kind.FIXTURE, Kind.OBJECT) or states or skills or properties:
        nature = {"states": states, "affordances": skills, "properties": properties}
    return {
        **nature,
        "node_id": node.id,
        "category": node.category,
        "native_id": node.native_id,
        **geometry_to_data(node),
    }


# --- reading -----------------------------------------------------------------------------------


def _items(layer: Field) -> list[Field]:
    """The entries of a layer: a list, or a single entry by itself."""
    return [layer] if isinstance(layer.value, dict) else layer.items()


def _first(entry: _Entry, *keys: str) -> Field | None:
    """The first of these fields that is present and not null."""
    return next((entry[k] for k in keys if k in entry and entry[k].value is not None), None)


def _node(node_id: int, kind: Kind, name: str, entry: _Entry) -> Node:
    states, _ = _conditions(entry)
    pose, box = geometry_from_fields(entry)
    return Node(
        node_id,
        entry["category"].text() if "category" in entry else _category(name),
        kind,
        native_id_from_field(entry["native_id"]) if "native_id" in entry else name,
        states,
        _affordances(entry),
        pose,
        box,
    )


def _category(name: str) -> str:
    """The category in a name: "bottle of perfume" in "bottle__of__perfume1"."""
    words = re.sub(r"[-_ ]*\d+$", "", name).replace("_", " ").split()
    return " ".join(words).lower() or name


def _conditions(entry: _Entry) -> tuple[frozenset[State], list[tuple[Relation, Field]]]:
    """The states of an entry, and the (relation, place name) pairs that SayPlan mixes in."""
    state = _first(entry, "state")
    words = entry["states"].items() if "states" in entry else [state] if state else []
    states: set[State] = set()
    placements = []
    for word in words:
        placement = re.fullmatch(r"(\w+)\((.+)\)", word.text())
        if placement is not None and placement[1] in _RELATIONS:
            place = Field(word.where, word.path, placement[2])
            placements.append((_RELATIONS[placement[1]], place))
        elif word.value == _IN_HAND:
            placements.append((Relation.HOLDS, word))
        elif word.value in _STATES:
            states |= _STATES[word.value]
        else:
            raise word.wrong(f"expected one of {', '.join(_STATES)}")
    return frozenset(states), placements


def _affordances(entry: _Entry) -> frozenset[Affordance]:
    skills = entry["affordances"].items() if "affordances" in entry else []
    properties = _first(entry, "properties")
    affordances: set[Affordance] = set()
    for skill in skills:
        if skill.text() not in _AFFORDANCES:
            raise skill.wrong(f"expected one of {', '.join(_AFFORDANCES)}")
        affordances |= _AFFORDANCES[skill.text()]
    if any(skill.value == "release" for skill in skills):
        # SayPlan's agent releases things inside what opens and on everything else
        opens = Affordance.OPENABLE in affordances
        affordances.add(Affordance.CONTAINER if opens else Affordance.SURFACE)
    for word in () if properties is None else properties.items():
        if isinstance(word.value, str) and word.value in _PROPERTIES:
            affordances.add(_PROPERTIES[word.value])
    return frozenset(affordances)


def _edges(
    me: int, kind: Kind, entry: _Entry, names: Mapping[str, int], agents: list[int]
) -> Iterator[Edge]:
    """The relations of an entry."""
    _, placements = _conditions(entry)
    relation = _first(entry, "relation")
    room = _first(entry, "room", "located", "location")
    if relation is not None:
        if relation.text() not in _RELATIONS:
            raise relation.wrong(f"expected one of {', '.join(_RELATIONS)}")
        if "related_to" not in entry:
            raise relation.wrong("expected a field 'related_to' beside it")
        placements.append((_RELATIONS[relation.text()], entry["related_to"]))
    elif room is not None:
        placements.append((Relation.INSIDE, room))
    for how, place in placements:
        if how is not Relation.HOLDS:
            yield Edge(me, how, _named(place, names))
        elif place.value != _IN_HAND:
            yield Edge(_named(place, names), how, me)
        elif len(agents) == 1:
            yield Edge(agents[0], how, me)
        else:
            raise place.wrong("expected a document with one agent, or inside_hand(NAME)")
    holding = _first(entry, "holding")
    if kind is Kind.AGENT and holding is not None and holding.value not in _NOTHING:
        for thing in holding.items() if isinstance(holding.value, list) else [holding]:
            yield Edge(me, Relation.HOLDS, _named(thing, names))


def _named(field: Field, names: Mapping[str, int]) -> int:
    """The id of the node that a field names."""
    node_id = names.get(field.text())
    if node_id is None:
        raise field.wrong("expected the name of a node")
    return node_id
