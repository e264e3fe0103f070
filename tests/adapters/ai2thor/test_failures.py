"""Every refusal that the simulator is known to word becomes the failure that it means."""

from __future__ import annotations

import pytest

from peephole.adapters.ai2thor.execution import failure_of
from peephole.scene_graph.node import Relation
from peephole.skills.actions import Action, open_, pick_up, put, turn_on
from peephole.skills.outcomes import Failure, FailureClass, Reason

THING, PLACE = 7, 9
PICK, OPEN, TURN_ON = pick_up(THING), open_(THING), turn_on(THING)
PUT = put(THING, Relation.INSIDE, PLACE)

MESSAGES = [
    ("Apple|1 is not the objectId on any object in the scene!", PICK, Reason.UNKNOWN, THING),
    (
        "Target object not found within the specified visibility.",
        PICK,
        Reason.UNREACHABLE,
        THING,
    ),
    (
        "Target object not found within the specified visibility.",
        PUT,
        Reason.UNREACHABLE,
        PLACE,
    ),
    (
        "Target object is visible but not interactable. It is likely obstructed by some clear "
        "object like glass.",
        PICK,
        Reason.UNREACHABLE,
        THING,
    ),
    ("object is visible but occluded by something: Wall", OPEN, Reason.UNREACHABLE, THING),
    ("Wall must have the property CanPickup to be picked up.", PICK, Reason.NOT_GRASPABLE, THING),
    (
        "Agent hand has something in it already! Can't pick up anything else",
        PICK,
        Reason.HANDS_FULL,
        THING,
    ),
    (
        "Must reset Hand to default position before attempting to Pick Up objects",
        PICK,
        Reason.REFUSED,
        THING,
    ),
    (
        "Picking up object would cause it to collide and clip into something!",
        PICK,
        Reason.BLOCKED,
        THING,
    ),
    ("Can't place an object if Agent isn't holding anything", PUT, Reason.NOT_HELD, THING),
    ("No valid Receptacle found", PUT, Reason.UNREACHABLE, PLACE),
    ("This target object is NOT a receptacle!", PUT, Reason.NOT_A_CONTAINER, PLACE),
    (
        "This target object is NOT a receptacle!",
        put(THING, Relation.ON, PLACE),
        Reason.NOT_A_SURFACE,
        PLACE,
    ),
    (
        "Target openable Receptacle is CLOSED, can't place if target is not open!",
        PUT,
        Reason.CONTAINER_CLOSED,
        PLACE,
    ),
    ("StoveBurner_1 is full right now", PUT, Reason.FULL, PLACE),
    (
        "Apple is not a valid Object Type to be placed in StoveBurner",
        PUT,
        Reason.UNSUITABLE,
        PLACE,
    ),
    (
        "another object's collision is blocking held object from being placed",
        PUT,
        Reason.NO_FREE_SPOT,
        PLACE,
    ),
    ("Book_1 cannot be placed in Fridge_2", PUT, Reason.UNSUITABLE, PLACE),
    ("No valid positions to place object found", PUT, Reason.NO_FREE_SPOT, PLACE),
    ("Wall is not an Openable object", OPEN, Reason.NOT_OPENABLE, THING),
    ("Target must be OFF to open!", OPEN, Reason.STILL_ON, THING),
    ("openness must be in [0:1]", OPEN, Reason.NOT_SUPPORTED, THING),
    ("Openable object collided with Chair_3", OPEN, Reason.BLOCKED, THING),
    ("object is not toggleable.", TURN_ON, Reason.NOT_SWITCHABLE, THING),
    ("can't toggle object on if it's already on!", TURN_ON, Reason.ALREADY_ON, THING),
    ("can't toggle object off if it's already off!", TURN_ON, Reason.ALREADY_OFF, THING),
    ("Target must be closed to Toggle On!", TURN_ON, Reason.STILL_OPEN, THING),
    ("Target is broken and cannot be Toggled On!", TURN_ON, Reason.UNSUITABLE, THING),
    (
        "target object is controlled by another sim object. target object cannot be turned on/off "
        "directly",
        TURN_ON,
        Reason.NOT_SWITCHABLE,
        THING,
    ),
    (
        "target object cannot be sliced if it is in the agent's hand",
        PICK,
        Reason.HELD,
        THING,
    ),
    ("Does not have the CanBeSliced property!", PICK, Reason.NOT_SLICEABLE, THING),
    ("Nothing is in the agent's hand to drop!", PICK, Reason.NOT_HELD, THING),
    (
        "Mug can't be dropped. It must be clear of all other collision first, including the Agent.",
        PICK,
        Reason.BLOCKED,
        THING,
    ),
    ("Cannot teleport due to hand object collision.", PICK, Reason.BLOCKED, THING),
    ("Chair_1 is blocking Agent 0 from moving by (0, 0, 0.25).", PICK, Reason.BLOCKED, THING),
    (
        "a held item: Pan with something if agent rotates Right 90 degrees",
        PICK,
        Reason.BLOCKED,
        THING,
    ),
    ("Cup does not have the CanBreak property!!", PICK, Reason.UNSUITABLE, THING),
    ("Cup is already dirty!", PICK, Reason.UNSUITABLE, THING),
    ("Cup is already Clean!", PICK, Reason.UNSUITABLE, THING),
    ("Cup does not have CanBeDirty property!", PICK, Reason.UNSUITABLE, THING),
    ("Cup does not have dirtyable property!", PICK, Reason.UNSUITABLE, THING),
    ("Missing Liquid string for FillObject action", PICK, Reason.NOT_SUPPORTED, THING),
    ("Cup does not have CanBeFilled property!", PICK, Reason.UNSUITABLE, THING),
    ("milk is not a valid Liquid Type", PICK, Reason.NOT_SUPPORTED, THING),
    ("Cup is already Filled!", PICK, Reason.UNSUITABLE, THING),
    ("object already empty", PICK, Reason.UNSUITABLE, THING),
    ("object already used up!", PICK, Reason.UNSUITABLE, THING),
    ("Something never heard of", PICK, Reason.REFUSED, THING),
    ("", PICK, Reason.REFUSED, THING),
]


@pytest.mark.parametrize(("message", "action", "reason", "thing"), MESSAGES)
def test_a_message_becomes_the_failure_that_it_means(
    message: str, action: Action, reason: Reason, thing: int
) -> None:
    assert failure_of(message, action) == Failure(reason, thing)


@pytest.mark.parametrize(("message", "action", "reason", "thing"), MESSAGES)
def test_the_frame_that_the_engine_puts_around_its_words_changes_nothing(
    message: str, action: Action, reason: Reason, thing: int
) -> None:
    framed = f"InvalidOperationException: {message}\n  at PhysicsRemoteFPSAgentController.Do ()"
    assert failure_of(framed, action).reason is reason


def test_what_another_place_to_stand_may_mend_is_tried_again() -> None:
    retried = {
        message: failure_of(message, action).kind
        for message, action, *_ in MESSAGES
        if failure_of(message, action).kind is not FailureClass.PRECONDITION
    }
    assert FailureClass.INFRASTRUCTURE not in retried.values()
    assert retried["No valid positions to place object found"] is FailureClass.GEOMETRY
    assert retried["Something never heard of"] is FailureClass.TRANSIENT
