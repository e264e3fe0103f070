"""The action grammar of the dialect `llm_state`: action to call and back, strictly.

After Chen et al., LLM-State (2023), section III-A and appendix VI-A: `move(a)`, `pickup(a)`,
`placein(a,b)`, `placeon(a,b)`, `open(a)`, `close(a)`, `switchon(a)`, `switchoff(a)`, `wait()`. The
verbs of other simulators are called in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Container
from functools import lru_cache, partial

from ....scene_graph.node import Relation
from ....skills.actions import HOUSEHOLD_VERBS, Action, Verb, put
from ...dialect import Refusal, kinds_of_action
from ...names import Names
from ..function_calls import action_of, take_apart, things_of

#: The calls of the paper's robot.
PAPER_CALLS = (
    "move(a)",
    "pickup(a)",
    "placein(a,b)",
    "placeon(a,b)",
    "open(a)",
    "close(a)",
    "switchon(a)",
    "switchoff(a)",
    "wait()",
)
PAPER_VERBS = frozenset(
    {
        Verb.GO_TO,
        Verb.PICK_UP,
        Verb.PUT,
        Verb.OPEN,
        Verb.CLOSE,
        Verb.TURN_ON,
        Verb.TURN_OFF,
        Verb.WAIT,
    }
)
PUTS = {
    Relation.INSIDE: "placein",
    Relation.ON: "placeon",
    Relation.UNDER: "placeunder",
}
#: Functions whose name differs from their verb.
_CALLED = {
    Verb.GO_TO: "move",
    Verb.TURN_ON: "switchon",
    Verb.TURN_OFF: "switchoff",
    Verb.MOVE: "shift",
}
FUNCTIONS = {
    verb: _CALLED.get(verb, verb.replace("_", "")) for verb in HOUSEHOLD_VERBS - {Verb.PUT}
}
_VERBS = {function: verb for verb, function in FUNCTIONS.items()}
_RELATIONS = {function: relation for relation, function in PUTS.items()}
_CALL = re.compile(r"([a-z]+) ?\(([^()]*)\)")

# A hidden thing and one that does not exist must read alike: the name is not repeated.
_UNKNOWN_THING = "Nothing that was seen so far has this name."
_NO_CALL = "An action is one call, such as move(a), with nothing before or after it."
_NO_ACTION = f"There is no such action. The actions are {', '.join(PAPER_CALLS)}."


def paper_calls(verbs: frozenset[Verb]) -> tuple[str, ...]:
    """The calls of the paper's robot that an adapter with these verbs has."""
    there = {form(action) for action in kinds_of_action(PAPER_VERBS & verbs)}
    return tuple(call for call in PAPER_CALLS if call in there)


def name(names: Names, node_id: int) -> str:
    """ "coffeetable1" for the coffee table 1."""
    category, number = names.number(node_id)
    return f"{stem(category)}{number}"


@lru_cache(maxsize=4096)
def stem(category: str) -> str:
    """The part of a name before its number; it never ends in a digit."""
    letters = "".join(filter(str.isalnum, category)).lower()
    return f"{letters}_" if letters[-1:].isdigit() else letters


def word(names: Names, action: Action) -> str:
    """The call of an action, which parses in any state."""
    arguments = ", ".join(name(names, thing) for thing in action.things)
    return f"{_function(action)}({arguments})"


def form(action: Action) -> str:
    """The call of an action, with letters for its things: "placein(a,b)"."""
    return f"{_function(action)}({','.join('ab'[: len(action.things)])})"


def parse(text: str, names: Names, perceived: Container[int]) -> Action:
    """Parse a call; letter case and surrounding blanks are ignored. Raises Refusal."""
    function, arguments = take_apart(text, _CALL, _NO_CALL)
    find = partial(_thing, names=names, perceived=perceived)
    if function in _RELATIONS:
        thing, place = things_of(function, arguments, (2,), find)
        return put(thing, _RELATIONS[function], place)
    if function not in _VERBS:
        raise Refusal(_NO_ACTION)
    return action_of(_VERBS[function], function, arguments, find)


def _function(action: Action) -> str:
    return FUNCTIONS[action.verb] if action.relation is None else PUTS[action.relation]


def _thing(said: str, names: Names, perceived: Container[int]) -> int:
    beginning = said.rstrip("0123456789")
    digits = said[len(beginning) :]
    if digits and not digits.startswith("0") and len(digits) < 10 and digits.isascii():
        node_id = names.find_said(beginning, int(digits), stem, perceived)
        if node_id is not None:
            return node_id
    raise Refusal(_UNKNOWN_THING)
