"""The failure texts of the dialect `lookplangraph`."""

from __future__ import annotations

from collections.abc import Callable

from ....skills.actions import Action
from ....skills.outcomes import Failure, Reason
from ...dialect import with_detail
from . import grammar

#: {thing}: what the failure is about. {place}: that of the action. {hidden}: which of its things is
#: out of sight. {call}: the function that was called.
_FAILURES = {
    Reason.UNKNOWN: "There is no such node, as far as you know.",
    Reason.NOT_SEEN: "{thing} was not seen yet.",
    Reason.NOT_HERE: "{thing} is not here.",
    Reason.ENCLOSED: "{hidden} is inside {thing}, which is closed.",
    Reason.NOT_CLOSE: "{thing} is too far away; go there first.",
    Reason.HANDS_FULL: "Your hands are full.",
    Reason.HELD: "You hold {thing} already.",
    Reason.NOT_HELD: "You do not hold {thing}.",
    Reason.NOT_GRASPABLE: "{thing} cannot be picked up.",
    Reason.NOT_OPENABLE: "{thing} has no door or lid.",
    Reason.ALREADY_OPEN: "{thing} is open already.",
    Reason.ALREADY_CLOSED: "{thing} is closed already.",
    Reason.NOT_SWITCHABLE: "{thing} has no switch.",
    Reason.ALREADY_ON: "{thing} is on already.",
    Reason.ALREADY_OFF: "{thing} is off already.",
    Reason.STILL_ON: "{thing} is still on.",
    Reason.STILL_OPEN: "{thing} is still open.",
    Reason.NOT_PLUGGABLE: "{thing} has no plug.",
    Reason.ALREADY_PLUGGED_IN: "{thing} is plugged in already.",
    Reason.ALREADY_PLUGGED_OUT: "{thing} is unplugged already.",
    Reason.UNPLUGGED: "{thing} is not plugged in.",
    Reason.NOT_A_SURFACE: "Nothing can be put on {thing}.",
    Reason.NOT_A_CONTAINER: "Nothing can be put inside {thing}.",
    Reason.CONTAINER_CLOSED: "{thing} is closed.",
    Reason.FULL: "{thing} has no room left.",
    Reason.INTO_ITSELF: "{thing} cannot be put into itself.",
    Reason.NOT_SLICEABLE: "{thing} cannot be sliced.",
    Reason.ALREADY_SLICED: "{thing} is sliced already.",
    Reason.NO_TOOL: "You hold nothing that cuts.",
    Reason.UNSUITABLE: "{call} does not suit {thing}.",
    Reason.SEATED: "You have to stand up first.",
    Reason.NOT_SEATED: "You are standing already.",
    Reason.ALREADY_SITTING: "You are sitting already.",
    Reason.ALREADY_LYING: "You are lying already.",
    Reason.OCCUPIED: "{thing} has no free seat.",
    Reason.IN_USE: "You are on {thing} yourself.",
    Reason.ON_BODY: "{thing} is on a body.",
    Reason.NOT_WORN: "You do not wear {thing}.",
    Reason.EMPTY_HANDED: "You hold nothing.",
    Reason.NOT_A_RECIPIENT: "Nothing can be poured into {thing}.",
    Reason.NOT_IN_SIGHT: "{thing} is out of sight.",
    Reason.NOT_FACING: "You are not turned to {thing}.",
    Reason.NOT_SUPPORTED: "You cannot do that here.",
    Reason.NO_FREE_SPOT: "There is no free spot at {place}.",
    Reason.UNREACHABLE: "{thing} cannot be reached.",
    Reason.BAD_POSE: "That is no pose.",
    Reason.OUT_OF_BOUNDS: "That is out of bounds.",
    Reason.BLOCKED: "Something is in the way.",
    Reason.SLIPPED: "{thing} slipped.",
    Reason.IMMOVABLE: "{thing} does not move.",
    Reason.MISPLACED: "{thing} did not stay there.",
    Reason.STOPPED: "You were stopped.",
    Reason.REFUSED: "It did not work.",
    Reason.NOT_CONFIRMED: "It did not work.",
    Reason.TIMEOUT: "You were interrupted.",
    Reason.CRASHED: "You were interrupted.",
    Reason.DENIED: "You are not allowed to do that.",
}


def failure_text(
    name: Callable[[int], str], hidden: int | None, action: Action, failure: Failure
) -> str:
    """The text of a failure. name: of a node. hidden: the thing out of sight, if any."""
    template = _FAILURES[failure.reason]
    if "{" not in template:
        # Some of them are about things that may not be named.
        return with_detail(template, failure)

    def named(node_id: int | None) -> str:
        return "it" if node_id is None else name(node_id)

    thing = failure.thing if failure.thing is not None else action.target
    text = template.format(
        thing=named(thing),
        place=named(action.target if action.place is None else action.place),
        hidden=named(action.target if hidden is None else hidden),
        call=grammar.function_of(action),
    )
    return with_detail(text[0].upper() + text[1:] if thing is None else text, failure)
