"""Failure texts and the last receptacle, shared by the wordings of the dialect `reactree`.

Its state is the last receptacle visited: {"receptacle": id, "relation": "on"|"inside"}.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from ....scene_graph.node import Affordance, Kind, Relation
from ....skills.actions import Action, Verb
from ....skills.outcomes import Failure, Reason
from ...dialect import DialectState, with_detail
from ...menu import ShortPut
from ...names import Names
from ...view import HANDLED_KINDS, View, is_free_standing
from . import grammar
from .class_names import named, published

#: Categories without numbers. {thing}: what the failure is about. {target}, {place}: those of the
#: action. {hidden}: which of them cannot be seen. {in}: the preposition of a put. {do}, {done}: the
#: verb and its participle.
_FAILURES = {
    Reason.UNKNOWN: "You have not seen any such thing.",
    Reason.NOT_SEEN: "You have not seen the {thing} yet.",
    Reason.NOT_HERE: "The {thing} is not here.",
    Reason.ENCLOSED: "The {hidden} is inside closed {thing}.",
    Reason.NOT_CLOSE: "The {thing} is not close to you.",
    Reason.HANDS_FULL: "You do not have an empty hand.",
    Reason.HELD: "You already hold the {thing}.",
    Reason.NOT_HELD: "You do not grab the {thing}.",
    Reason.NOT_GRASPABLE: "The {thing} cannot be grabbed.",
    Reason.NOT_OPENABLE: "The {thing} cannot be {done}.",
    Reason.ALREADY_OPEN: "The {thing} is already open.",
    Reason.ALREADY_CLOSED: "The {thing} is already closed.",
    Reason.NOT_SWITCHABLE: "The {thing} does not have a switch.",
    Reason.ALREADY_ON: "The {thing} is already turned on.",
    Reason.ALREADY_OFF: "The {thing} is already turned off.",
    Reason.STILL_ON: "The {thing} is still turned on.",
    Reason.STILL_OPEN: "The {thing} is still open.",
    Reason.NOT_PLUGGABLE: "The {thing} does not have a plug.",
    Reason.ALREADY_PLUGGED_IN: "The {thing} is already plugged in.",
    Reason.ALREADY_PLUGGED_OUT: "The {thing} is already unplugged.",
    Reason.UNPLUGGED: "The {thing} is not plugged in.",
    Reason.NOT_A_SURFACE: "The {target} cannot be put down {in} {thing}.",
    Reason.NOT_A_CONTAINER: "The {target} cannot be put down {in} {thing}.",
    Reason.CONTAINER_CLOSED: "The {thing} is closed.",
    Reason.FULL: "The {thing} is full.",
    Reason.INTO_ITSELF: "The {thing} cannot be {done} {in} itself.",
    Reason.NOT_SLICEABLE: "The {thing} cannot be sliced.",
    Reason.ALREADY_SLICED: "The {thing} is already sliced.",
    Reason.NO_TOOL: "You do not hold anything that cuts.",
    Reason.UNSUITABLE: "You cannot {do} the {thing}.",
    Reason.SEATED: "You are not standing.",
    Reason.NOT_SEATED: "You are neither sitting nor lying.",
    Reason.ALREADY_SITTING: "You are already sitting.",
    Reason.ALREADY_LYING: "You are already lying.",
    Reason.OCCUPIED: "There is no room on the {thing}.",
    Reason.IN_USE: "You are on the {thing}.",
    Reason.ON_BODY: "You have the {thing} with you.",
    Reason.NOT_WORN: "You do not wear the {thing}.",
    Reason.EMPTY_HANDED: "You do not hold anything.",
    Reason.NOT_A_RECIPIENT: "Nothing can be poured into the {thing}.",
    Reason.NOT_IN_SIGHT: "You do not see the {thing} from here.",
    Reason.NOT_FACING: "You are not turned to the {thing}.",
    Reason.NOT_SUPPORTED: "You cannot do that here.",
    Reason.NO_FREE_SPOT: "There is no free spot {in} {place}.",
    Reason.UNREACHABLE: "The {thing} cannot be reached.",
    Reason.BAD_POSE: "That is no pose.",
    Reason.OUT_OF_BOUNDS: "That is out of bounds.",
    Reason.BLOCKED: "Something is in the way.",
    Reason.SLIPPED: "The {thing} slips.",
    Reason.IMMOVABLE: "The {thing} does not move.",
    Reason.MISPLACED: "The {thing} does not stay there.",
    Reason.STOPPED: "You are stopped.",
    Reason.REFUSED: "You try, but nothing happens.",
    Reason.NOT_CONFIRMED: "You try, but it does not work.",
    Reason.TIMEOUT: "You are interrupted.",
    Reason.CRASHED: "You are interrupted.",
    Reason.DENIED: "You are not allowed to do that.",
}
_PARTICIPLES = {
    Verb.OPEN: "opened",
    Verb.CLOSE: "closed",
    Verb.PUT: "put down",
    Verb.POUR: "poured",
}
#: The affordances of receptacles, by priority, and how things are put there.
RECEPTACLES = (
    (Affordance.CONTAINER, str(Relation.INSIDE)),
    (Affordance.SURFACE, str(Relation.ON)),
)
_OBJECT, _PUT = Kind.OBJECT, Verb.PUT


def failure_text(
    names: Names,
    view: View,
    action: Action,
    failure: Failure,
    name: Callable[[int], str] | None = None,
) -> str:
    """The text of a failure. name: of a thing; by default its category."""
    template = _FAILURES[failure.reason]
    if "{" not in template:
        # Some of them are about things that may not be named.
        return with_detail(template, failure)
    thing = failure.thing if failure.thing is not None else action.target
    hidden = next((t for t in action.things if view.get(t) is None), action.target)

    def category(node_id: int | None) -> str:
        if node_id is None:
            return "thing"
        return published(names.number(node_id)[0]) if name is None else name(node_id)

    return template.format_map(
        {
            "thing": category(thing),
            "target": category(action.target),
            "place": category(action.target if action.place is None else action.place),
            "hidden": category(hidden),
            "in": _preposition(action),
            "do": grammar.PHRASES.get(action.verb, "do that with"),
            "done": _PARTICIPLES.get(action.verb, "opened"),
        }
    )


def _preposition(action: Action) -> str:
    if action.relation is not None:
        return grammar.PREPOSITIONS[action.relation]
    return "at" if action.place is None else grammar.INTO


def state_after_walk(view: View, target: int | None, state: DialectState) -> DialectState:
    """The state after walking to a thing, which becomes the last receptacle if it is one."""
    node = None if target is None else view.get(target)
    if node is None or node.kind not in HANDLED_KINDS:
        return state
    if node.kind is _OBJECT and not is_free_standing(view.graph, node.id):
        return state
    for affordance, relation in RECEPTACLES:
        if affordance in node.affordances:
            return {"receptacle": node.id, "relation": relation}
    return state


def receptacle_of(state: DialectState) -> grammar.Receptacle | None:
    """The last receptacle visited, and how things are put there."""
    if "receptacle" not in state:
        return None
    return Relation(state["relation"]), state["receptacle"]


def short_put(names: Names, state: DialectState) -> ShortPut | None:
    """The put at the last receptacle visited, which the text does not name."""
    if "receptacle" not in state:
        return None
    return _short_put(names, state["receptacle"], state["relation"])


@lru_cache(maxsize=1000)  # used by every menu
def _short_put(names: Names, receptacle: int, relation: Relation) -> ShortPut:
    def said(thing: int) -> str:
        return f"{grammar.PHRASES[_PUT]} {named(names, thing)}"

    return ShortPut(receptacle, relation, said)
