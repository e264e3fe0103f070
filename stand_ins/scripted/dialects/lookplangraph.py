"""Scenes of the planner `lookplangraph`, in words or JSON, parsed, with names in words.

"coffee_table-1" is "coffee table 1", as elsewhere in this package.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ....observation_text.dialects.lookplangraph import node_names
from ..household.requirements import Table

_RELATIONS = {
    "inside": "inside",
    "ontop": "on",
    "under": "under",
    "attached to": "attached",
    "inside_of": "inside",
    "ontop_of": "on",
    "attached_to": "attached",
}
_STATES = {"plugged out": "plugged_out"}
_NAME = r"[a-z0-9_]+-\d+"
_HERE = re.compile(rf"^You are in ({_NAME}) and hold (.+?)\.", re.MULTILINE)
_PLACES = re.compile(r"^Places: (.+)\.$", re.MULTILINE)
_MISSING = re.compile(r"^Not found where they were: (.+)\.$", re.MULTILINE)
_TITLE = re.compile(
    rf"^(Assets|Objects discovered|Objects remembered) (?:here|in ({_NAME}))(?:, not confirmed)?:$"
)
_KEPT = re.compile(rf"(inside|ontop|under|attached to) ({_NAME})")
_ENTRY = re.compile(rf"^({_NAME})((?: (?:and )?(?:inside|ontop|under|attached to) {_NAME})*)(.*)$")
_IN_ROOM = re.compile(rf"^({_NAME}): (.+)$")
_OTHER_ROOMS = "In other rooms you know of:"
_DISCOVERED = "discovered"


@dataclass(frozen=True)
class ToldNode:
    """A node. places: pairs of a relation and what keeps it. room: None where nothing tells it."""

    name: str
    is_asset: bool
    places: tuple[tuple[str, str], ...] = ()
    room: str | None = None
    states: tuple[str, ...] = ()
    is_remembered: bool = False
    is_discovered: bool = False


@dataclass(frozen=True)
class GraphScene:
    """A scene as a prompt tells it."""

    rooms: tuple[str, ...] = ()
    here: str | None = None
    held: tuple[str, ...] = ()
    nodes: Mapping[str, ToldNode] = field(default_factory=dict)
    missing: tuple[str, ...] = ()


class NodeWords:
    """Names in words, and as the planner has them."""

    def __init__(self, table: Table) -> None:
        """table: its categories tell how names are written in words."""
        terms = [t for r in table.values() for each in r for t in (each.thing, each.place)]
        known = [kind for term in terms if term is not None for kind in term.categories]
        self._categories = {node_names.stem(kind): kind for kind in known}

    def words(self, name: str) -> str:
        """ "coffee table 1" of "coffee_table-1"."""
        stem, _, number = name.rpartition("-")
        return f"{self._categories.get(stem, stem.replace('_', ' '))} {number}"

    def original(self, words: str) -> str:
        """A name as the planner has it."""
        kind, _, number = words.rpartition(" ")
        return f"{node_names.stem(kind)}-{number}"

    def scene(self, text: str) -> GraphScene:
        """The scene of a text."""
        if text.lstrip().startswith("{"):
            return self._from_json(json.loads(text))
        return self._from_prose(text)

    # --- in words ------------------------------------------------------------------------------

    def _from_prose(self, text: str) -> GraphScene:
        places, here = _PLACES.search(text), _HERE.search(text)
        missing = _MISSING.search(text)
        room = None if here is None else self.words(here[1])
        return GraphScene(
            () if places is None else self._all(places[1]),
            room,
            () if here is None else self._all(here[2]),
            {node.name: node for node in self._nodes(text, room)},
            () if missing is None else self._all(missing[1]),
        )

    def _all(self, names: str) -> tuple[str, ...]:
        return tuple(self.words(name) for name in re.findall(_NAME, names))

    def _nodes(self, text: str, here: str | None) -> Iterator[ToldNode]:
        title, room = "", here
        for line in text.splitlines():
            if line == _OTHER_ROOMS:
                title, room = line, None
            elif found := _TITLE.match(line):
                title, room = found[1], here if found[2] is None else self.words(found[2])
            elif title == _OTHER_ROOMS and (found := _IN_ROOM.match(line)):
                entries = [_ENTRY.match(told) for told in found[2].split("; ")]
                yield from (self._node(e, title, self.words(found[1])) for e in entries if e)
            elif title and (entry := _ENTRY.match(line)):
                yield self._node(entry, title, room)

    def _node(self, entry: re.Match[str], title: str, room: str | None) -> ToldNode:
        states = [word.strip() for word in entry[3].split(",") if word.strip()]
        places = _KEPT.findall(entry[2])
        return ToldNode(
            self.words(entry[1]),
            title == "Assets" or (title == _OTHER_ROOMS and not places),
            tuple((_RELATIONS[how], self.words(place)) for how, place in places),
            room,
            tuple(_STATES.get(state, state) for state in states if state != _DISCOVERED),
            title == "Objects remembered",
            _DISCOVERED in states,
        )

    # --- in JSON -------------------------------------------------------------------------------

    def _from_json(self, data: Any) -> GraphScene:
        layers = data["nodes"]
        agent = layers["agent"]
        holding = agent["holding"]
        held = [] if holding == "nothing" else [holding] if isinstance(holding, str) else holding
        assets = [self._json_node(entry, is_asset=True) for entry in layers["asset"]]
        objects = [self._json_node(entry, is_asset=False) for entry in layers["objects"]]
        own = {self.words(name) for name in held}
        missing = {self.words(e["name"]) for e in layers["objects"] if e.get("missing")}
        away = own | missing
        nodes = {node.name: node for node in (*assets, *objects) if node.name not in away}
        return GraphScene(
            tuple(self.words(room["name"]) for room in layers["rooms"]),
            self.words(agent["location"]),
            tuple(self.words(name) for name in held),
            nodes,
            tuple(sorted(missing)),
        )

    def _json_node(self, entry: Mapping[str, Any], *, is_asset: bool) -> ToldNode:
        places = []
        if entry.get("relation") in _RELATIONS:
            places = [(_RELATIONS[entry["relation"]], self.words(entry["related_to"]))]
        return ToldNode(
            self.words(entry["name"]),
            is_asset,
            tuple(places),
            self.words(entry["room"]) if "room" in entry else None,
            tuple(entry.get("states", ())),
            entry.get("remembered", False),
            entry.get("discovered", False),
        )


def room_of(scene: GraphScene, name: str) -> str | None:
    """The room of a node, which what keeps it may tell."""
    for each in (name, *keepers(scene, name)):
        if each in scene.rooms:
            return each
        node = scene.nodes.get(each)
        if node is not None and node.room is not None:
            return node.room
    return None


def keepers(scene: GraphScene, name: str) -> list[str]:
    """What keeps a node, the nearest first."""
    found = [name]
    for each in found:  # it grows
        node = scene.nodes.get(each)
        found += [place for _, place in (node.places if node else ()) if place not in found]
    return found[1:]


def with_keepers(scene: GraphScene, kinds: Iterable[str]) -> list[ToldNode]:
    """The nodes of some categories, and the remembered objects that keep them."""
    wanted = set(kinds)
    found = dict.fromkeys(name for name in scene.nodes if name.rpartition(" ")[0] in wanted)
    for name in list(found):
        above = [scene.nodes[each] for each in keepers(scene, name) if each in scene.nodes]
        found.update((node.name, None) for node in above if node.is_remembered)
    return [scene.nodes[name] for name in found]
