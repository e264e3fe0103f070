"""Whatever is asked of the stand-in, its metadata make sense."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

SCENES = ("FloorPlan10", "FloorPlan3", "FloorPlan219", "FloorPlan308", "FloorPlan424")
PLAIN = (
    "MoveAhead",
    "MoveBack",
    "RotateLeft",
    "RotateRight",
    "LookUp",
    "LookDown",
    "Crouch",
    "Stand",
    "DropHandObject",
)
OF_OBJECTS = (
    "PickupObject",
    "PickupObject",
    "PutObject",
    "PutObject",
    "OpenObject",
    "CloseObject",
    "ToggleObjectOn",
    "ToggleObjectOff",
    "SliceObject",
    "BreakObject",
    "DirtyObject",
    "CleanObject",
    "EmptyLiquidFromObject",
    "DisableObject",
)
SEES_IN = {"Book", "Laptop", "Toilet", "Blinds", "ShowerDoor", "ShowerCurtain", "Kettle"}

#: An action, an object of what is there by its place in the list, whether it is forced.
STEPS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(PLAIN), st.none(), st.booleans()),
        st.tuples(st.sampled_from(OF_OBJECTS), st.integers(0, 10_000), st.booleans()),
    ),
    max_size=25,
)


@given(scene=st.sampled_from(SCENES), steps=STEPS)
@settings(max_examples=30)
def test_after_any_actions_the_metadata_are_consistent(shared, scene, steps):
    shared.controller.reset(scene)
    before = snapshot(shared)
    for action, which, force in steps:
        arguments: dict[str, Any] = {}
        if which is not None:
            things = candidates(shared.metadata["objects"], action)
            if not things:
                continue
            arguments = {"object_id": things[which % len(things)]["objectId"]}
            if action != "DisableObject":
                arguments["forceAction"] = force
        refused = shared(action, **arguments)
        check(shared.metadata)
        after = snapshot(shared)
        assert not refused or after == before, f"{action} was refused ({refused}) but did something"
        before = after


def candidates(things: list[dict[str, Any]], action: str) -> list[dict[str, Any]]:
    """Objects that an action is likely to be able to do something with."""
    flag = {
        "PickupObject": "pickupable",
        "DisableObject": "pickupable",
        "PutObject": "receptacle",
        "OpenObject": "openable",
        "CloseObject": "isOpen",
        "ToggleObjectOn": "toggleable",
        "ToggleObjectOff": "isToggled",
        "SliceObject": "sliceable",
        "BreakObject": "breakable",
        "EmptyLiquidFromObject": "canFillWithLiquid",
    }.get(action, "dirtyable")
    return [thing for thing in things if thing[flag]]


def snapshot(thor: Any) -> tuple[Any, ...]:
    """All that is told, as values."""
    told = thor.step("Pass").metadata
    return repr(told["objects"]), repr(told["agent"]), repr(told["inventoryObjects"])


def check(told: dict[str, Any]) -> None:
    things = {thing["objectId"]: thing for thing in told["objects"]}
    assert len(things) == len(told["objects"])
    held = [inside["objectId"] for inside in told["inventoryObjects"]]
    assert len(held) <= 1
    assert [i for i, thing in things.items() if thing["isPickedUp"]] == held
    for name, thing in things.items():
        parents, children = thing["parentReceptacles"] or [], thing["receptacleObjectIds"] or []
        assert all(name in things[parent]["receptacleObjectIds"] for parent in parents)
        assert all(name in things[child]["parentReceptacles"] for child in children)
        assert len(set(parents)) == len(parents)
        assert len(set(children)) == len(children)
        assert (thing["openness"] > 0) is bool(thing["isOpen"]) or not thing["openable"]
        if name in held:
            assert not parents
        if thing["visible"] and thing["pickupable"] and name not in held:
            shut = [things[p] for p in parents if things[p]["openable"] and not things[p]["isOpen"]]
            assert all(parent["objectType"] in SEES_IN for parent in shut)
        assert not thing["isInteractable"] or thing["visible"]
