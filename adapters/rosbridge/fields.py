"""Values in braces in the messages to a robot: "{target.name}" and the like.

    {id}         the id of the order, which no other order has
    {verb}       such as pick_up
    {target.…}   the thing acted on; {place.…} the destination of put and pour:
                 name (as in the scene file or as the robot named it), category, room (its name),
                 x, y, z (in m, the pose or the centre of the box)
    {relation}   on, inside or under, of put
    {speed}      in m/s
    {task}, {scene}   the id of the task and its scene, in `start` alone

A text that is one value alone becomes that value, so that "{target.x}" is a number. Nothing is
evaluated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Kind, Vector
from ...scene_graph.task import Task
from ...skills.actions import OPTIONAL_TARGET, WITH_PLACE, WITHOUT_TARGET, Action, Verb

_VALUE = re.compile(r"\{([A-Za-z0-9_.]+)\}")
_OF_A_THING = ("name", "category", "room", "x", "y", "z")


class NoValue(Exception):
    """A value is not known, such as the position of a thing. thing: its node."""

    def __init__(self, name: str, thing: int | None) -> None:
        super().__init__(f"{{{name}}} is not known")
        self.thing = thing


def values_of(verb: Verb) -> tuple[str, ...]:
    """The names of the values that messages of a verb can have."""
    things = [] if verb in WITHOUT_TARGET | OPTIONAL_TARGET else ["target"]
    things += ["place"] if verb in WITH_PLACE else []
    of_things = [f"{thing}.{value}" for thing in things for value in _OF_A_THING]
    relation = ["relation"] if verb is Verb.PUT else []
    return ("id", "verb", *of_things, *relation, "speed")


def names_in(fields: Any) -> set[str]:
    """The names in braces in a message, at any depth."""
    match fields:
        case str():
            return set(_VALUE.findall(fields))
        case Mapping():
            return {name for value in fields.values() for name in names_in(value)}
        case list():
            return {name for value in fields for name in names_in(value)}
    return set()


#: The names of the values that the message of `start` can have.
OF_START = ("id", "task", "scene")


def filled_start(fields: Any, order: str, task: Task) -> Any:
    """The message of `start` with its values."""
    values = {"id": order, "task": task.id, "scene": task.scene}
    return _replaced(fields, values.__getitem__)


def filled(fields: Any, action: Action, graph: SceneGraph, order: str, speed: float | None) -> Any:
    """A message with its values. Raises NoValue."""

    def value(name: str) -> Any:
        match name:
            case "id":
                return order
            case "verb":
                return str(action.verb)
            case "relation":
                return str(action.relation)
            case "speed":
                return speed
        whose, _, what = name.partition(".")
        thing = action.target if whose == "target" else action.place
        assert thing is not None, "the verb has it: see values_of"
        return _of_thing(graph, thing, what, name)

    return _replaced(fields, value)


def position_of(graph: SceneGraph, thing: int) -> Vector | None:
    """Where a thing is, in m: by its pose, its box or what keeps it; None if unknown."""
    keepers = (place for place in graph.above(thing) if graph[place].kind is not Kind.ROOM)
    for node in (graph[each] for each in (thing, *keepers)):
        if node.pose is not None:
            return node.pose.position
        if node.box is not None:
            return node.box.center
    return None


def _of_thing(graph: SceneGraph, thing: int, what: str, name: str) -> Any:
    node = graph[thing]
    if what == "name":
        return str(node.native_id)
    if what == "category":
        return node.category
    if what == "room":
        room = graph.room_of(thing)
        if room is None:
            raise NoValue(name, thing)
        return str(graph[room].native_id)
    position = position_of(graph, thing)
    if position is None:
        raise NoValue(name, thing)
    return float(position["xyz".index(what)])


def _replaced(fields: Any, value: Any) -> Any:
    match fields:
        case str():
            alone = _VALUE.fullmatch(fields)
            if alone is not None:
                return value(alone[1])
            return _VALUE.sub(lambda found: str(value(found[1])), fields)
        case Mapping():
            return {key: _replaced(each, value) for key, each in fields.items()}
        case list():
            return [_replaced(each, value) for each in fields]
    return fields


def found(message: Any, path: str) -> Any:
    """The value at a path of a message. Raises LookupError where the message has none."""
    for part in path.split("."):
        if isinstance(message, Mapping):
            message = message[part]
        elif isinstance(message, list) and part.isdecimal():
            message = message[int(part)]
        else:
            raise LookupError(path)
    return message


def each_found(message: Any, path: str) -> Iterator[Any]:
    """The items of the list at a path of a message. Raises LookupError where there is none."""
    items = found(message, path)
    if not isinstance(items, list):
        raise LookupError(path)
    yield from items
