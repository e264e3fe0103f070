"""The lists of names in an observation of `llm_state`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import POSTURES, Affordance, Kind, Node, Relation
from ...names import Names
from ...view import HANDLED_KINDS, View
from .grammar import name

#: The lists of things, with the letter of each in `Seen.lists`.
OBJECTS, CONTAINERS, SURFACES = "Object List", "Container List", "Surface List"
_LETTERS = {OBJECTS: "o", CONTAINERS: "c", SURFACES: "s"}
ROOMS, HOLDING, CLOSE, ROOM = "Room List", "Current Holding", "You are close to", "Current Room"
WEARING, POSTURE = "Current Wearing", "Current Posture"

_HANDLED = frozenset({Affordance.GRASPABLE, Affordance.SWITCHABLE})
_WORDS = {Relation.INSIDE: "IN", Relation.ON: "ON", Relation.UNDER: "UNDER"}
_INSIDE, _ROOM = Relation.INSIDE, Kind.ROOM


class Seen(NamedTuple):
    """Where a thing was last seen, as JSON data.

    relation: a word. place: None if none was seen. lists: the letters of the lists with the thing.
    """

    relation: str
    place: int | None
    lists: str


Memory = Mapping[int, Seen]


def to_data(memory: Memory) -> list[Any]:
    return [[thing, *seen] for thing, seen in memory.items()]


def from_data(rows: Iterable[Any]) -> dict[int, Seen]:
    """The memory from the data of `to_data`."""
    return {thing: Seen(*seen) for thing, *seen in rows}


def updated(memory: Memory, names: Names, view: View) -> dict[int, Seen]:
    """The memory with the content of a view.

    Things that are no longer where they were last seen are forgotten, and so are things with the
    agent.
    """
    graph = view.graph
    mine = set(graph.below(graph.agent().id)) | set(view.held())
    visible = {
        node.id: _seen(graph, node, lists)
        for node in graph.nodes()
        if node.kind in HANDLED_KINDS and node.id not in mine and (lists := _lists_of(node))
    }
    kept = {
        thing: visible.pop(thing, seen)
        for thing, seen in memory.items()
        if thing not in mine and (thing in visible or not _is_gone(view, seen))
    }
    new = sorted(visible, key=names.number)
    return {**kept, **{thing: visible[thing] for thing in new}}


def observation(memory: Memory, names: Names, view: View) -> str:
    """The observation: everything seen so far, in lists, and the agent's situation."""
    graph = view.graph
    me = graph.agent()
    room = graph.room_of(me.id)
    held, worn = view.held(), view.worn()
    close = [thing for thing in view.within_reach() if thing not in held]
    posture = next(iter(me.states & POSTURES), None)

    def plain(things: Iterable[int]) -> str:
        return _listed(name(names, thing) for thing in things)

    lines = [f"{title}: {_placed(memory, letter, names)}" for title, letter in _LETTERS.items()]
    lines += [
        f"{ROOMS}: {plain(sorted((node.id for node in graph.nodes(_ROOM)), key=names.number))}",
        f"{HOLDING}: {plain(held)}",
        f"{CLOSE}: {plain(sorted(close, key=names.number))}",
        f"{ROOM}: {'unknown' if room is None else name(names, room)}",
    ]
    if worn:
        lines.append(f"{WEARING}: {plain(worn)}")
    if posture is not None:
        lines.append(f"{POSTURE}: {posture}")
    return "\n".join(lines)


def without_things(observation: str) -> str:
    """An observation without the lists of things: the rooms and the agent's situation."""
    titles = tuple(f"{title}:" for title in _LETTERS)
    return "\n".join(line for line in observation.splitlines() if not line.startswith(titles))


def _lists_of(node: Node) -> str:
    """The letters of the lists with a thing; "" for a thing that affords nothing."""
    can = node.affordances
    if not can and node.kind is Kind.FIXTURE:
        return ""
    places = "c" * (Affordance.CONTAINER in can) + "s" * (Affordance.SURFACE in can)
    is_object = not places or node.kind is Kind.OBJECT or not _HANDLED.isdisjoint(can)
    return "o" * is_object + places


def _seen(graph: SceneGraph, node: Node, lists: str) -> Seen:
    """Where a thing is: in, on or under another thing, else in the room."""
    places = [(relation, place) for relation, place in graph.places(node.id) if relation in _WORDS]
    things = [each for each in places if graph[each[1]].kind in HANDLED_KINDS]
    for relation, place in things or places:
        return Seen(_WORDS[relation], place, lists)
    room = graph.room_of(node.id)
    return Seen(_WORDS[_INSIDE], room, lists)


def _is_gone(view: View, seen: Seen) -> bool:
    """Whether a thing is no longer where it was, since it would be in view there."""
    return seen.place is None or view.covered.get(seen.place, False)


def _placed(memory: Memory, letter: str, names: Names) -> str:
    return _listed(
        name(names, thing)
        if seen.place is None
        else f"{name(names, thing)} {seen.relation} {name(names, seen.place)}"
        for thing, seen in memory.items()
        if letter in seen.lists
    )


def _listed(items: Iterable[str]) -> str:
    return f"[{', '.join(map(_quoted, items))}]"


_quoted: Callable[[str], str] = "'{}'".format
