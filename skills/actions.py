"""Actions as typed values, and their plain-data form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from ..errors import BadInput
from ..scene_graph.node import Relation


class Verb(StrEnum):
    """What an agent can do."""

    GO_TO = "go_to"
    PICK_UP = "pick_up"
    PUT = "put"
    OPEN = "open"
    CLOSE = "close"
    TURN_ON = "turn_on"
    TURN_OFF = "turn_off"
    PLUG_IN = "plug_in"
    PLUG_OUT = "plug_out"
    SLICE = "slice"
    LOOK = "look"
    WAIT = "wait"


#: Verbs that act on nothing.
WITHOUT_TARGET = frozenset({Verb.WAIT})
#: Verbs that may act on nothing.
OPTIONAL_TARGET = frozenset({Verb.LOOK})
#: How a thing can be put.
PUT_RELATIONS = (Relation.ON, Relation.INSIDE, Relation.UNDER)


@dataclass(frozen=True, slots=True)
class Action:
    """One primitive action.

    target: the node acted on. relation and place: for `put` only, where to.
    Use the functions below, which give each verb its arguments.
    """

    verb: Verb
    target: int | None = None
    relation: Relation | None = None
    place: int | None = None

    @property
    def things(self) -> tuple[int, ...]:
        """The nodes concerned, in the order of the arguments."""
        if self.target is None:
            return ()
        return (self.target,) if self.place is None else (self.target, self.place)


def go_to(place: int) -> Action:
    return Action(Verb.GO_TO, place)


def pick_up(thing: int) -> Action:
    return Action(Verb.PICK_UP, thing)


def put(thing: int, relation: Relation, place: int) -> Action:
    return Action(Verb.PUT, thing, relation, place)


def open_(thing: int) -> Action:
    return Action(Verb.OPEN, thing)


def close(thing: int) -> Action:
    return Action(Verb.CLOSE, thing)


def turn_on(thing: int) -> Action:
    return Action(Verb.TURN_ON, thing)


def turn_off(thing: int) -> Action:
    return Action(Verb.TURN_OFF, thing)


def plug_in(thing: int) -> Action:
    return Action(Verb.PLUG_IN, thing)


def plug_out(thing: int) -> Action:
    return Action(Verb.PLUG_OUT, thing)


def slice_(thing: int) -> Action:
    return Action(Verb.SLICE, thing)


def look(thing: int | None = None) -> Action:
    """Look around, or at one thing; it changes nothing."""
    return Action(Verb.LOOK, thing)


def wait() -> Action:
    return Action(Verb.WAIT)


def to_data(action: Action) -> dict[str, Any]:
    """An action as JSON data, absent fields left out."""
    data: dict[str, Any] = {"verb": str(action.verb)}
    if action.target is not None:
        data["target"] = action.target
    if action.relation is not None:
        data["relation"] = str(action.relation)
    if action.place is not None:
        data["place"] = action.place
    return data


def from_data(data: Mapping[str, Any]) -> Action:
    """The action of `to_data`. Raises BadInput naming the field that is wrong."""
    try:
        verb = Verb(data.get("verb", ""))
    except ValueError:
        raise BadInput(
            f"An action's 'verb' is {data.get('verb')!r}; expected one of {', '.join(Verb)}."
        ) from None
    ids: dict[str, int | None] = {}
    for field in ("target", "place"):
        value = data.get(field)
        if value is not None and (not isinstance(value, int) or isinstance(value, bool)):
            raise BadInput(
                f"The '{field}' of {verb} is {value!r}; expected a node id (an integer)."
            )
        ids[field] = value
    relation = data.get("relation")
    if verb is Verb.PUT:
        if relation not in PUT_RELATIONS:
            raise BadInput(
                f"The 'relation' of put is {relation!r}; expected {' or '.join(PUT_RELATIONS)}."
            )
        if ids["place"] is None:
            raise BadInput("The action put has no 'place'; expected a node id.")
    if ids["target"] is None and verb not in WITHOUT_TARGET | OPTIONAL_TARGET:
        raise BadInput(f"The action {verb} has no 'target'; expected a node id.")
    if verb is not Verb.PUT and (relation is not None or ids["place"] is not None):
        raise BadInput(f"The action {verb} takes no 'relation' and no 'place'.")
    if verb in WITHOUT_TARGET and ids["target"] is not None:
        raise BadInput(f"The action {verb} takes no 'target'.")
    return Action(verb, ids["target"], Relation(relation) if relation else None, ids["place"])
