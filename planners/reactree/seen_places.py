"""What the agents of a tree have seen so far, for the first message of the next one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ... import plugins
from ...observation_text.dialect import Dialect
from ...observation_text.view import HANDLED_KINDS, View, innermost_place
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Affordance, Kind, Node, Relation
from ..contract import Percept
from ..kits.memory.working import name_of

_KEEPING = frozenset({Affordance.SURFACE, Affordance.CONTAINER})
_WORDS = {Relation.ON: "on", Relation.INSIDE: "in", Relation.UNDER: "under"}


class SeenPlaces:
    """The places that were looked into, what they kept then, and the rooms not entered yet."""

    def __init__(self, dialect: str) -> None:
        """dialect: of the episode, for names."""
        loaded = plugins.load("dialect", dialect)
        assert isinstance(loaded, Dialect), f"{dialect} is no dialect"
        self._dialect = loaded
        self._percept: Percept | None = None
        self._rooms: dict[int, int] = {}  # by place
        self._kept: dict[int, tuple[Relation, int]] = {}  # the place of each thing
        self._whole: set[int] = set()  # the furniture that was seen completely
        self._entered: set[int] = set()

    def update(self, percept: Percept) -> None:
        """Record what is perceived now."""
        last, self._percept = self._percept, percept
        if last is not None and percept.view is last.view:  # a thought shows nothing new
            return
        view = percept.view
        graph, held = view.graph, set(view.held())
        room = graph.room_of(graph.agent().id)
        if room is not None:
            self._entered.add(room)
        whole = set(_places_seen(view))
        for thing, (_, place) in [*self._kept.items()]:
            if place in whole or thing in held:
                del self._kept[thing]
        for node in graph.nodes(Kind.OBJECT):
            where = innermost_place(graph, node.id)
            if where is not None and _is_kept(graph, *where) and node.id not in held:
                self._kept[node.id] = where
        self._whole |= whole
        for place in {*whole, *(place for _, place in self._kept.values())}:
            around = graph.room_of(place) if place in graph else None
            if around is not None:
                self._rooms[place] = around

    def text(self) -> str:
        """What is known and out of sight, room by room; "" for nothing."""
        if self._percept is None:
            return ""
        graph, covered = self._percept.view.graph, self._percept.view.covered
        things: dict[tuple[int, Relation], list[int]] = {}
        for thing, (relation, place) in self._kept.items():
            if thing not in graph:
                things.setdefault((place, relation), []).append(thing)
        filled = {place for _, place in self._kept.values()}
        parts: dict[int, list[str]] = {room: [] for room in self._rooms.values()}
        empty: dict[int, list[int]] = {room: [] for room in parts}
        for place, room in self._rooms.items():
            if place in covered:
                continue
            if place not in filled and place in self._whole:
                empty[room].append(place)
            for relation, word in _WORDS.items():
                if (place, relation) in things:
                    kept = self._listed(things[place, relation])
                    parts[room].append(f"{kept} {word} {self._listed([place])}")
        for room, places in empty.items():
            if places:
                parts[room].append(f"nothing in or on {self._listed(places)}")
        texts = [
            f"Seen before in {self._listed([room])}: {'; '.join(seen)}."
            for room, seen in parts.items()
            if seen
        ]
        left = [room.id for room in graph.nodes(Kind.ROOM) if room.id not in self._entered]
        if len(left) > len(self._entered):
            texts.append(f"Entered so far: {self._listed(self._entered)}.")
        elif left:
            texts.append(f"Not entered yet: {self._listed(left)}.")
        return " ".join(texts)

    def _listed(self, things: Iterable[int]) -> str:
        assert self._percept is not None
        names = self._percept.names
        named = sorted(name_of(names[thing]) for thing in things)
        return ", ".join(map(self._dialect.called, named))


def _places_seen(view: View) -> Iterator[int]:
    """The furniture whose contents are seen completely."""
    for place, completely in view.covered.items():
        node = view.get(place)
        if completely and node is not None and _keeps(node):
            yield place


def _keeps(node: Node) -> bool:
    return node.kind is Kind.FIXTURE and not _KEEPING.isdisjoint(node.affordances)


def _is_kept(graph: SceneGraph, relation: Relation, place: int) -> bool:
    return relation in _WORDS and graph[place].kind in HANDLED_KINDS
