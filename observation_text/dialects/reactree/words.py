"""Furniture, failures and the last receptacle, shared by the wordings of the dialect `reactree`.

Its state is the last receptacle visited: {"receptacle": id, "relation": "on"|"inside"}.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from pathlib import Path

from ....data_files import read_yaml
from ....scene_graph.node import Affordance, Kind, Node, Relation
from ....skills.actions import Action, Verb
from ....skills.outcomes import Failure, Reason
from ...dialect import DialectState, failure_template, with_detail
from ...menu import ShortPut
from ...names import Names
from ...view import HANDLED_KINDS, View, is_free_standing
from . import grammar
from .grammar import named, published

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
_KEEPING = frozenset({Affordance.SURFACE, Affordance.CONTAINER})
#: Receptacles of AI2-THOR left out of its first text.
_THOR_UNLISTED = frozenset({"chair", "stool"})


@cache
def _unlisted() -> frozenset[str]:
    """The kinds of things that a room's text leaves out. They still appear in the menu."""
    return frozenset(read_yaml(Path(__file__).with_name("unlisted.yaml")))


def is_listed(node: Node) -> bool:
    """Whether a room's text names a thing seen from afar.

    Kinds that only RobotHow's houses have (lights, a couch, a cupboard) are listed, since no other
    text would mention them.
    """
    return node.category not in _unlisted()


def is_listed_in_thor(node: Node) -> bool:
    """The same for AI2-THOR: receptacles that cannot be carried, except single seats."""
    if node.kind is not Kind.FIXTURE or node.category in _THOR_UNLISTED:
        return False
    return not _KEEPING.isdisjoint(node.affordances)


def is_stuck(view: View, failure: Failure) -> bool:
    """Whether a thing of a kind that one carries cannot be taken off its place."""
    node = None if failure.thing is None else view.get(failure.thing)
    stays = failure.reason is Reason.NOT_GRASPABLE
    return stays and node is not None and node.kind is Kind.OBJECT


def failure_text(
    names: Names,
    view: View,
    action: Action,
    failure: Failure,
    name: Callable[[int], str] | None = None,
) -> str:
    """The text of a failure. name: of a thing; by default its category."""
    template = failure_template("reactree", failure)
    assert template is not None, "every reason has a text"
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
