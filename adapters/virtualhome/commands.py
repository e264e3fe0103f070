"""Actions in VirtualHome's script language, and its simulator's refusals as our failures."""

from __future__ import annotations

import re
from pathlib import Path

from ...data_files import read_yaml
from ...scene_graph.node import Relation
from ...skills.actions import HOUSEHOLD_VERBS, Action, Verb
from ...skills.outcomes import Failure, Reason

#: One line of a script: the command, and the ids of its arguments.
Line = tuple[str, tuple[int, ...]]

_WITHOUT_COMMAND = frozenset({Verb.PUT, Verb.LOOK, Verb.WAIT})
#: The commands that are not spelled like their verbs.
_OTHER_NAMES = {
    Verb.GO_TO: "WALK",
    Verb.PICK_UP: "GRAB",
    Verb.TURN_ON: "SWITCHON",
    Verb.TURN_OFF: "SWITCHOFF",
    Verb.SLICE: "CUT",
    Verb.LIE_DOWN: "LIE",
    Verb.TAKE_OFF: "PUTOFF",
}
_COMMANDS = {
    verb: _OTHER_NAMES.get(verb, verb.replace("_", "").upper())
    for verb in HOUSEHOLD_VERBS - _WITHOUT_COMMAND
}
_PUTS = {Relation.ON: "PUTBACK", Relation.INSIDE: "PUTIN"}

#: The verbs with a line, and those that need none.
VERBS = HOUSEHOLD_VERBS

#: The verb of each command; two of the commands are never written by us.
VERB_OF = {
    **{command: verb for verb, command in _COMMANDS.items()},
    "LOOKAT": Verb.LOOK,
    "RELEASE": Verb.DROP,
}

#: Parts of refusals, their reasons, and the only verb for which they are meant, if any.
_REFUSALS: list[list[str]] = read_yaml(Path(__file__).with_name("refusals.yaml"))
#: Refusals that concern no thing.
_WITHOUT_THING = frozenset(
    {
        Reason.HANDS_FULL,
        Reason.EMPTY_HANDED,
        Reason.NO_TOOL,
        Reason.NOT_SEATED,
        Reason.SEATED,
        Reason.ALREADY_SITTING,
        Reason.ALREADY_LYING,
    }
)


def lines_of(action: Action) -> list[Line] | None:
    """The lines of an action; () if it needs none, None if it has no command.

    The simulator looks only at what the character faces, so looking turns to the thing first.
    """
    match action.verb, action.target, action.relation:
        case Verb.WAIT, _, _:
            return []
        case Verb.LOOK, None, _:
            return []
        case Verb.LOOK, int(thing), _:
            return [("TURNTO", (thing,)), ("LOOKAT", (thing,))]
        case Verb.PUT, _, Relation() as relation:
            return [(_PUTS[relation], action.things)] if relation in _PUTS else None
    command = _COMMANDS.get(action.verb)
    return None if command is None else [(command, action.things)]


def failure_of(action: Action, message: str) -> Failure:
    """The simulator's refusal as a failure, about the thing that it names last."""
    words, _, _ = message.partition(" when executing")
    reasons = (
        Reason(name)
        for text, name, *only in _REFUSALS
        if text in words and (not only or action.verb in only)
    )
    reason = next(reasons, Reason.REFUSED)
    if reason in _WITHOUT_THING:
        return Failure(reason)
    named = [int(number) for number in re.findall(r"\((\d+)\)", words)]
    return Failure(reason, next((i for i in reversed(named) if i in action.things), action.target))
