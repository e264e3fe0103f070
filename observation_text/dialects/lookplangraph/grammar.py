"""The action grammar of the dialect `lookplangraph`: functions called on nodes, strictly.

After Onishchenko et al., LookPlanGraph (2025), appendix F: `go_to(n)`, `pick_up(n)`, `put_on(n)`,
`put_inside(n)`, `put_under(n)`, `open(n)`, `close(n)`, `turn_on(n)`, `turn_off(n)`. A put takes the
only held thing; with several, it names one: `put_on(thing, n)`. The verbs of other simulators are
called in the same way; clothes are put on with `wear(n)`.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from functools import partial

from ....scene_graph.node import Relation
from ....skills.actions import HOUSEHOLD_VERBS, Action, Verb, put
from ...dialect import Refusal
from ...names import Names
from ..function_calls import action_of, take_apart, things_of
from . import node_names
from .node_names import NodeName

PUTS = {
    Relation.ON: "put_on",
    Relation.INSIDE: "put_inside",
    Relation.UNDER: "put_under",
}
#: Functions whose name differs from their verb.
_CALLED = {Verb.PUT_ON: "wear"}
FUNCTIONS = {verb: _CALLED.get(verb, str(verb)) for verb in HOUSEHOLD_VERBS - {Verb.PUT}}
_VERBS = {function: verb for verb, function in FUNCTIONS.items()}
_RELATIONS = {function: relation for relation, function in PUTS.items()}
_CALL = re.compile(r"([a-z_]+) ?\(([^()]*)\)", re.ASCII)

# A hidden thing and one that does not exist must read alike: the name is not repeated.
_UNKNOWN_THING = "There is no such node, as far as you know; call nodes by name, such as apple-1."
_NO_CALL = "An action is one function call, such as go_to(kitchen-1), and nothing besides."
_NO_FUNCTION = (
    "There is no such function; call go_to, pick_up, put_on, put_inside, open, close, turn_on or "
    "turn_off."
)
_HOLDS_NONE = "You hold nothing that could be put there; pick it up first."
_HOLDS_SEVERAL = "You hold more than one thing; say which, such as put_on(apple-1, table-1)."


def name(names: Names, node_id: int) -> str:
    """ "coffee_table-1" for the coffee table 1."""
    category, number = names.number(node_id)
    return str(NodeName(node_names.stem(category), number))


def word(names: Names, action: Action) -> str:
    """The call of an action, which parses in any state."""
    arguments = ", ".join(name(names, thing) for thing in action.things)
    return f"{function_of(action)}({arguments})"


def put_held(names: Names, action: Action) -> str:
    """The call that puts the only held thing."""
    assert action.place is not None, "a put has a place"
    return f"{function_of(action)}({name(names, action.place)})"


def parse(text: str, names: Names, perceived: Container[int], held: Sequence[int]) -> Action:
    """Parse a call; letter case and surrounding blanks are ignored. Raises Refusal.

    held: the things in hand.
    """
    function, arguments = take_apart(text, _CALL, _NO_CALL)
    find = partial(_thing, names=names, perceived=perceived)
    if function in _RELATIONS:
        things = things_of(function, arguments, (1, 2), find)
        thing = things[0] if len(things) == 2 else _only(held)
        return put(thing, _RELATIONS[function], things[-1])
    if function not in _VERBS:
        raise Refusal(_NO_FUNCTION)
    return action_of(_VERBS[function], function, arguments, find)


def function_of(action: Action) -> str:
    """The function of an action: "put_inside"."""
    return FUNCTIONS[action.verb] if action.relation is None else PUTS[action.relation]


def _only(held: Sequence[int]) -> int:
    """The only held thing. Raises Refusal."""
    if len(held) == 1:
        return held[0]
    raise Refusal(_HOLDS_SEVERAL if held else _HOLDS_NONE)


def _thing(said: str, names: Names, perceived: Container[int]) -> int:
    read = node_names.read(said)
    if read is not None and str(read) == said:
        node_id = names.find_said(*read, node_names.stem, perceived)
        if node_id is not None:
            return node_id
    raise Refusal(_UNKNOWN_THING)
