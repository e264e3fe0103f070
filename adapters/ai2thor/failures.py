"""The simulator's error messages as typed failures.

They are matched by substring: versions add the name of an exception before and a trace after. The
accompanying `errorCode` is too vague to use.
"""

from __future__ import annotations

from ...scene_graph.node import Relation
from ...skills.actions import Action
from ...skills.outcomes import Failure, Reason

#: Parts of the simulator's messages with their reasons. The first match counts.
_ABOUT_TARGET: tuple[tuple[str, Reason], ...] = (
    ("is not the objectId on any object in the scene!", Reason.UNKNOWN),
    # Seen from elsewhere, it may be within reach.
    ("Target object not found within the specified visibility", Reason.UNREACHABLE),
    ("Target object is visible but not interactable", Reason.UNREACHABLE),
    ("object is visible but occluded by something", Reason.UNREACHABLE),
    ("No valid Receptacle found", Reason.UNREACHABLE),
    # Picking up.
    ("must have the property CanPickup to be picked up", Reason.NOT_GRASPABLE),
    ("Agent hand has something in it already", Reason.HANDS_FULL),
    ("Must reset Hand to default position", Reason.REFUSED),
    ("Picking up object would cause it to collide and clip", Reason.BLOCKED),
    # Opening.
    ("is not an Openable object", Reason.NOT_OPENABLE),
    ("Target must be OFF to open", Reason.STILL_ON),
    ("openness must be in [0:1]", Reason.NOT_SUPPORTED),
    ("Openable object collided with", Reason.BLOCKED),
    # Switching.
    ("object is not toggleable", Reason.NOT_SWITCHABLE),
    ("can't toggle object on if it's already on", Reason.ALREADY_ON),
    ("can't toggle object off if it's already off", Reason.ALREADY_OFF),
    ("Target must be closed to Toggle On", Reason.STILL_OPEN),
    ("Target is broken and cannot be Toggled On", Reason.UNSUITABLE),
    ("target object is controlled by another sim object", Reason.NOT_SWITCHABLE),
    # Slicing.
    ("target object cannot be sliced if it is in the agent's hand", Reason.HELD),
    ("Does not have the CanBeSliced property", Reason.NOT_SLICEABLE),
    # Letting go.
    ("Can't place an object if Agent isn't holding anything", Reason.NOT_HELD),
    ("Nothing is in the agent's hand to drop", Reason.NOT_HELD),
    ("can't be dropped. It must be clear of all other collision", Reason.BLOCKED),
    # Walking.
    ("Cannot teleport due to hand object collision", Reason.BLOCKED),
    ("is blocking Agent", Reason.BLOCKED),
    ("if agent rotates", Reason.BLOCKED),
    # Setting up a scene.
    ("does not have the CanBreak property", Reason.UNSUITABLE),
    ("is already dirty", Reason.UNSUITABLE),
    ("is already Clean", Reason.UNSUITABLE),
    ("does not have CanBeDirty property", Reason.UNSUITABLE),
    ("does not have dirtyable property", Reason.UNSUITABLE),
    ("Missing Liquid string for FillObject action", Reason.NOT_SUPPORTED),
    ("does not have CanBeFilled property", Reason.UNSUITABLE),
    ("is not a valid Liquid Type", Reason.NOT_SUPPORTED),
    ("is already Filled", Reason.UNSUITABLE),
    ("object already empty", Reason.UNSUITABLE),
    ("object already used up", Reason.UNSUITABLE),
)
_ABOUT_PLACE: tuple[tuple[str, Reason], ...] = (
    ("Target openable Receptacle is CLOSED", Reason.CONTAINER_CLOSED),
    ("is full right now", Reason.FULL),
    ("is not a valid Object Type to be placed in", Reason.UNSUITABLE),
    ("cannot be placed in", Reason.UNSUITABLE),
    ("another object's collision is blocking held object", Reason.NO_FREE_SPOT),
    ("No valid positions to place object found", Reason.NO_FREE_SPOT),
)
_NO_RECEPTACLE = "This target object is NOT a receptacle"


def failure_of(message: str, action: Action) -> Failure:
    """The typed failure of an error message; REFUSED if the message is unknown."""
    place = action.target if action.place is None else action.place
    if _NO_RECEPTACLE in message:
        inside = action.relation is Relation.INSIDE
        return Failure(Reason.NOT_A_CONTAINER if inside else Reason.NOT_A_SURFACE, place)
    for words, reason in _ABOUT_PLACE:
        if words in message:
            return Failure(reason, place)
    for words, reason in _ABOUT_TARGET:
        if words in message:
            about_place = reason is Reason.UNREACHABLE and action.place is not None
            return Failure(reason, place if about_place else action.target)
    return Failure(Reason.REFUSED, action.target)
