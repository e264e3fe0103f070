"""Actions in VirtualHome's script language, and its simulator's refusals as our failures."""

from __future__ import annotations

import re

from ...scene_graph.node import Relation
from ...skills.actions import Action, Verb
from ...skills.outcomes import Failure, Reason

#: One line of a script: the command, and the ids of its arguments.
Line = tuple[str, tuple[int, ...]]

_COMMANDS = {
    Verb.GO_TO: "WALK",
    Verb.PICK_UP: "GRAB",
    Verb.OPEN: "OPEN",
    Verb.CLOSE: "CLOSE",
    Verb.TURN_ON: "SWITCHON",
    Verb.TURN_OFF: "SWITCHOFF",
    Verb.PLUG_IN: "PLUGIN",
    Verb.PLUG_OUT: "PLUGOUT",
    Verb.SLICE: "CUT",
    Verb.DROP: "DROP",
    Verb.POUR: "POUR",
    Verb.SIT: "SIT",
    Verb.LIE_DOWN: "LIE",
    Verb.STAND_UP: "STANDUP",
    Verb.SLEEP: "SLEEP",
    Verb.WAKE_UP: "WAKEUP",
    Verb.PUT_ON: "PUTON",
    Verb.TAKE_OFF: "PUTOFF",
    Verb.EAT: "EAT",
    Verb.DRINK: "DRINK",
    Verb.READ: "READ",
    Verb.WASH: "WASH",
    Verb.RINSE: "RINSE",
    Verb.SCRUB: "SCRUB",
    Verb.WIPE: "WIPE",
    Verb.TOUCH: "TOUCH",
    Verb.TYPE: "TYPE",
    Verb.SQUEEZE: "SQUEEZE",
    Verb.PUSH: "PUSH",
    Verb.PULL: "PULL",
    Verb.MOVE: "MOVE",
    Verb.TURN_TO: "TURNTO",
    Verb.POINT_AT: "POINTAT",
    Verb.WATCH: "WATCH",
    Verb.GREET: "GREET",
}
_PUTS = {Relation.ON: "PUTBACK", Relation.INSIDE: "PUTIN"}

#: The verbs with a line, and those that need none.
VERBS = frozenset(_COMMANDS) | {Verb.PUT, Verb.LOOK, Verb.WAIT}

#: The verb of each command; two of the commands are never written by us.
VERB_OF = {
    **{command: verb for verb, command in _COMMANDS.items()},
    "LOOKAT": Verb.LOOK,
    "RELEASE": Verb.DROP,
}

#: The kinds of refusals; the first match counts. Some have another meaning for certain verbs.
#: "Not close" occurs only for things that our model considers in reach.
_REFUSALS: tuple[tuple[str, Reason, frozenset[Verb] | None], ...] = (
    ("is not close to", Reason.UNREACHABLE, None),
    ("is inside other closed thing", Reason.ENCLOSED, None),
    ("does not have a free hand", Reason.HANDS_FULL, None),
    ("does not hold anything", Reason.EMPTY_HANDED, None),
    ("already grabbed", Reason.HELD, None),
    ("is not grabbable", Reason.NOT_GRASPABLE, None),
    ("is not holding a knife", Reason.NO_TOOL, None),
    ("is not holding", Reason.NOT_HELD, None),
    ("is not open or is not openable", Reason.CONTAINER_CLOSED, None),
    ("can not be opened", Reason.NOT_OPENABLE, None),
    ("is still on", Reason.STILL_ON, None),
    ("does not have a switch", Reason.NOT_SWITCHABLE, None),
    ("is unplugged", Reason.UNPLUGGED, None),
    ("does not have a plug", Reason.NOT_PLUGGABLE, None),
    ("is not cuttable", Reason.NOT_SLICEABLE, None),
    ("is not eatable", Reason.NOT_SLICEABLE, frozenset({Verb.SLICE})),
    ("is not lying or sitting", Reason.NOT_SEATED, None),
    ("is not sitting", Reason.NOT_SEATED, None),
    ("is not facing", Reason.NOT_FACING, None),
    ("does not face", Reason.NOT_FACING, None),
    ("is not node room", Reason.NOT_IN_SIGHT, None),
    ("is sitting", Reason.ALREADY_SITTING, frozenset({Verb.SIT})),
    ("is sitting", Reason.SEATED, None),
    ("is lying", Reason.ALREADY_LYING, None),
    ("Too many things on", Reason.OCCUPIED, None),
    ("is not recipient", Reason.NOT_A_RECIPIENT, None),
    ("is not on", Reason.NOT_WORN, frozenset({Verb.TAKE_OFF})),
    ("is not closed", Reason.ALREADY_OPEN, None),
    ("is not open", Reason.ALREADY_CLOSED, None),
    ("is not off", Reason.ALREADY_ON, None),
    ("is not on", Reason.ALREADY_OFF, None),
    ("is not plugged_out", Reason.ALREADY_PLUGGED_IN, None),
    ("is not plugged_in", Reason.ALREADY_PLUGGED_OUT, None),
    ("cannot be found", Reason.UNKNOWN, None),
    ("is not person", Reason.UNSUITABLE, None),
    ("is not clothes", Reason.UNSUITABLE, None),
    ("does not have switch", Reason.UNSUITABLE, None),
    ("able", Reason.UNSUITABLE, None),  # not sittable, not lookable, not eatable …
)
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
    reason = next(
        (
            reason
            for text, reason, verbs in _REFUSALS
            if text in words and (verbs is None or action.verb in verbs)
        ),
        Reason.REFUSED,
    )
    if reason in _WITHOUT_THING:
        return Failure(reason)
    named = [int(number) for number in re.findall(r"\((\d+)\)", words)]
    return Failure(reason, next((i for i in reversed(named) if i in action.things), action.target))
