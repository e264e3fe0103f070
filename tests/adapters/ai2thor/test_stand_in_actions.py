"""What the stand-in does and refuses, through the real Controller."""

from __future__ import annotations

import copy
from collections.abc import Callable

import pytest

NOT_SEEN = "Target object not found within the specified visibility."

#: Error text, the action, the type of its object, and what is done before it.
Refusal = tuple[str, str, str, tuple[tuple[str, str], ...]]
REFUSALS: list[Refusal] = [
    ("must have the property CanPickup to be picked up.", "PickupObject", "Fridge", ()),
    (
        "Agent hand has something in it already! Can't pick up anything else",
        "PickupObject",
        "Apple",
        (("hold", "Potato"),),
    ),
    ("Can't place an object if Agent isn't holding anything", "PutObject", "CounterTop", ()),
    ("This target object is NOT a receptacle!", "PutObject", "Bread", (("hold", "Apple"),)),
    (
        "Target openable Receptacle is CLOSED, can't place if target is not open!",
        "PutObject",
        "Fridge",
        (("hold", "Apple"),),
    ),
    (
        " cannot be placed in ",
        "PutObject",
        "SinkBasin",
        (("hold", "SaltShaker"),),
    ),
    (
        " is not a valid Object Type to be placed in ",
        "PutObject",
        "CoffeeMachine",
        (("hold", "Apple"),),
    ),
    ("is not an Openable object", "OpenObject", "Apple", ()),
    ("Target must be OFF to open!", "OpenObject", "Microwave", (("ToggleObjectOn", "Microwave"),)),
    ("object is not toggleable.", "ToggleObjectOn", "Apple", ()),
    ("can't toggle object off if it's already off!", "ToggleObjectOff", "Toaster", ()),
    (
        "can't toggle object on if it's already on!",
        "ToggleObjectOn",
        "Toaster",
        (("ToggleObjectOn", "Toaster"),),
    ),
    (
        "Target must be closed to Toggle On!",
        "ToggleObjectOn",
        "Microwave",
        (("OpenObject", "Microwave"),),
    ),
    ("target object is controlled by another sim object.", "ToggleObjectOn", "StoveBurner", ()),
    (
        "target object cannot be sliced if it is in the agent's hand",
        "SliceObject",
        "Apple",
        (("hold", "Apple"),),
    ),
    ("Does not have the CanBeSliced property!", "SliceObject", "Plate", ()),
    ("does not have the CanBreak property!!", "BreakObject", "Apple", ()),
    ("is already Clean!", "CleanObject", "Plate", ()),
    ("is already dirty!", "DirtyObject", "Plate", (("DirtyObject", "Plate"),)),
    ("does not have CanBeDirty property!", "DirtyObject", "Apple", ()),
    ("does not have dirtyable property!", "CleanObject", "Apple", ()),
    ("Missing Liquid string for FillObject action", "FillObjectWithLiquid", "Mug", ()),
    ("object already empty", "EmptyLiquidFromObject", "Mug", ()),
    ("Nothing is in the agent's hand to drop!", "DropHandObject", "", ()),
    (NOT_SEEN, "PickupObject", "Egg", ()),
]


@pytest.mark.parametrize(("text", "action", "object_type", "before"), REFUSALS)
def test_a_refusal_says_what_unity_says_and_changes_nothing(
    kitchen, text, action, object_type, before
):
    for what, kind in before:
        if what == "hold":
            kitchen.hold(kind)
        else:
            assert kitchen(what, kitchen.first(kind), forceAction=True) == ""
    target = kitchen.first(object_type) if object_type else None
    if target is not None and text != NOT_SEEN:
        kitchen.approach(target)
    kitchen("Pass")
    state = copy.deepcopy(kitchen.metadata["objects"])
    assert text in kitchen(action, target)
    assert kitchen.metadata["objects"] == state


@pytest.mark.parametrize(
    ("call", "text"),
    [
        ({"action": "PickupObject", "objectId": "Apple|9|9|9"}, "is not the objectId on any"),
        ({"action": "PutObject"}, "Can't place an object if Agent isn't holding anything"),
        ({"action": "LookUp", "degrees": 100}, "can't look up beyond 30 degrees above"),
        ({"action": "LookDown", "degrees": 100}, "can't look down beyond 60 degrees below"),
        ({"action": "Stand"}, "Already standing"),
        ({"action": "Teleport", "position": {"x": 50.0}}, "collides with the agent"),
        ({"action": "Teleport", "position": {"y": 3.0}}, "vertical component"),
        ({"action": "Teleport", "horizon": 61}, "Each horizon must be in [-30:60]"),
        ({"action": "MoveAhead", "moveMagnitude": 20}, "is blocking Agent 0 from moving by ("),
    ],
)
def test_calls_that_cannot_be_done_say_why(kitchen, call, text):
    before = kitchen.metadata["agent"]
    assert text in kitchen(**call)
    assert kitchen.metadata["agent"] == before


def test_fillings_are_checked(kitchen):
    mug = kitchen.first("Mug")
    fill = {"object_id": mug, "forceAction": True}
    assert "is not a valid Liquid Type" in kitchen("FillObjectWithLiquid", fillLiquid="oil", **fill)
    assert kitchen("FillObjectWithLiquid", fillLiquid="wine", **fill) == ""
    assert "is already Filled!" in kitchen("FillObjectWithLiquid", fillLiquid="wine", **fill)
    assert kitchen("EmptyLiquidFromObject", **fill) == ""
    assert kitchen.thing(mug)["fillLiquid"] is None
    apple = kitchen.first("Apple")
    assert "CanBeFilled" in kitchen(
        "FillObjectWithLiquid", apple, fillLiquid="water", forceAction=True
    )
    fridge = kitchen.first("Fridge")
    assert "openness must be in [0:1]" in kitchen("OpenObject", fridge, openness=1.5)


def test_an_object_is_carried_to_another_place(kitchen):
    apple, plate = kitchen.first("Apple"), kitchen.first("Plate")
    kitchen.approach(apple)
    table = kitchen.thing(apple)["parentReceptacles"]
    assert kitchen("PickupObject", apple) == ""
    assert kitchen.held == [apple]
    assert kitchen.thing(apple)["isPickedUp"]
    assert not kitchen.thing(apple)["parentReceptacles"]
    assert all(apple not in kitchen.thing(i)["receptacleObjectIds"] for i in table)
    kitchen.approach(plate)
    assert kitchen.thing(apple)["distance"] < 1.0
    assert kitchen("PutObject", plate) == ""
    assert kitchen.held == []
    assert kitchen.thing(apple)["parentReceptacles"] == [plate]
    assert kitchen.thing(plate)["receptacleObjectIds"] == [apple]
    # The plate is carried with what is on it.
    before = kitchen.thing(apple)["position"]
    assert kitchen("PickupObject", plate) == ""
    kitchen.approach(kitchen.first("Fridge"))
    assert kitchen.thing(apple)["position"] != before
    assert kitchen.thing(apple)["parentReceptacles"] == [plate]


def test_what_is_in_a_closed_fridge_is_not_visible(kitchen):
    fridge = kitchen.first("Fridge")
    inside = [i for i in kitchen.thing(fridge)["receptacleObjectIds"] if not i.startswith("Floor")]
    kitchen.approach(fridge)
    assert inside
    assert not any(kitchen.thing(i)["visible"] for i in inside)
    assert all(kitchen("PickupObject", i) == NOT_SEEN for i in inside)
    hidden = kitchen.step("GetInteractablePoses", objectId=inside[0]).metadata["actionReturn"]
    assert hidden == []
    assert kitchen("OpenObject", fridge) == ""
    kitchen.approach(inside[0])
    assert kitchen("PickupObject", inside[0]) == ""
    assert kitchen("CloseObject", fridge) == ""
    assert kitchen.thing(fridge)["openness"] == 0
    assert kitchen.thing(inside[0])["visible"]


def test_things_far_away_or_behind_are_not_visible(kitchen):
    apple = kitchen.first("Apple")
    kitchen.approach(apple)
    for _ in range(2):
        assert kitchen("RotateRight") == ""
    assert not kitchen.thing(apple)["visible"]
    points = kitchen.step("GetReachablePositions").metadata["actionReturn"]
    at = kitchen.thing(apple)["position"]
    far = [p for p in points if (p["x"] - at["x"]) ** 2 + (p["z"] - at["z"]) ** 2 > 2.5**2]
    assert far
    for point in far[::25]:
        for yaw in (0, 90, 180, 270):
            assert kitchen("Teleport", position=point, rotation=yaw, horizon=30) == ""
            assert not kitchen.thing(apple)["visible"]


def test_a_sliced_apple_leaves_slices_where_it_was(kitchen):
    apple = kitchen.first("Apple")
    kitchen.approach(apple)
    table = kitchen.thing(apple)["parentReceptacles"]
    assert kitchen("SliceObject", apple) == ""
    assert not kitchen.of_type("Apple")
    slices = kitchen.of_type("AppleSliced")
    assert [s["objectId"] for s in slices[:2]] == [
        f"{apple}|AppleSliced_1",
        f"{apple}|AppleSliced_2",
    ]
    assert all(s["parentReceptacles"] == table for s in slices)
    assert set(kitchen.thing(table[0])["receptacleObjectIds"]) >= {s["objectId"] for s in slices}
    assert kitchen("PickupObject", slices[0]["objectId"]) == ""


Prepare = Callable[..., None]


def put_into(thor, object_type: str, receptacle_type: str) -> str:
    """Bring the first object of a type into a receptacle; its id."""
    thing, place = thor.hold(object_type), thor.first(receptacle_type)
    thor.approach(place)
    if thor.thing(place)["openable"]:
        assert thor("OpenObject", place) == ""
    assert thor("PutObject", place, forceAction=True) == ""
    if thor.thing(place)["openable"]:
        assert thor("CloseObject", place) == ""
    return thing


def test_a_microwave_heats_and_a_fridge_cools(kitchen):
    potato = put_into(kitchen, "Potato", "Microwave")
    assert kitchen.thing(potato)["temperature"] == "RoomTemp"
    microwave = kitchen.first("Microwave")
    assert kitchen("ToggleObjectOn", microwave) == ""
    assert kitchen.thing(potato)["temperature"] == "Hot"
    assert kitchen.thing(potato)["isCooked"]
    assert kitchen("ToggleObjectOff", microwave) == ""
    assert kitchen("OpenObject", microwave) == ""
    put_into(kitchen, "Potato", "Fridge")
    assert kitchen.thing(potato)["temperature"] == "Cold"


def test_a_faucet_cleans_and_fills_what_is_in_its_basin(kitchen):
    mug = kitchen.first("Mug")
    assert kitchen("DirtyObject", mug, forceAction=True) == ""
    plate = kitchen.first("Plate")
    assert kitchen("DirtyObject", plate, forceAction=True) == ""
    assert kitchen.thing(mug)["parentReceptacles"] == [kitchen.first("SinkBasin")]
    faucet = kitchen.first("Faucet")
    kitchen.approach(faucet)
    assert kitchen("ToggleObjectOn", faucet) == ""
    assert not kitchen.thing(mug)["isDirty"]
    assert kitchen.thing(mug)["fillLiquid"] == "water"
    assert kitchen.thing(plate)["isDirty"]


def test_a_stove_is_turned_on_by_its_knob_and_heats_what_is_on_it(kitchen):
    (pan,) = [p for p in kitchen.of_type("Pan") if p["parentReceptacles"]]
    burner = pan["parentReceptacles"][0]
    knob = next(k for k in kitchen.of_type("StoveKnob") if k["controlledObjects"] == [burner])
    assert kitchen("ToggleObjectOn", knob["objectId"], forceAction=True) == ""
    assert kitchen.thing(burner)["isToggled"]
    assert kitchen.thing(pan["objectId"])["temperature"] == "Hot"


def test_one_slot_is_full_after_one(kitchen):
    mug = put_into(kitchen, "Mug", "CoffeeMachine")
    machine = kitchen.first("CoffeeMachine")
    assert kitchen("ToggleObjectOn", machine) == ""
    assert kitchen.thing(mug)["fillLiquid"] == "coffee"
    kitchen.hold("Cup")
    assert " is full right now" in kitchen("PutObject", machine)


def test_a_plate_has_room_for_one(kitchen):
    plate = kitchen.first("Plate")
    put_into(kitchen, "Apple", "Plate")
    kitchen.hold("Potato")
    assert kitchen("PutObject", plate) == "No valid positions to place object found"
    assert kitchen.held == [kitchen.first("Potato")]


def test_a_place_that_is_not_seen_can_be_forced(kitchen):
    apple, counter = kitchen.hold("Apple"), kitchen.first("Fridge")
    assert kitchen("OpenObject", counter, forceAction=True) == ""
    kitchen("RotateLeft")
    assert kitchen("PutObject", counter) == NOT_SEEN
    assert kitchen("PutObject", counter, forceAction=True) == ""
    assert kitchen.thing(apple)["parentReceptacles"] == [counter]


def test_a_large_thing_on_a_burner_leaves_no_room_on_the_next(shared):
    shared.controller.reset("FloorPlan4")
    (pan,) = shared.of_type("Pan")
    said = set()
    for burner in shared.of_type("StoveBurner"):
        shared("PickupObject", pan["objectId"], forceAction=True)
        said.add(shared("PutObject", burner["objectId"], forceAction=True))
    assert "another object's collision is blocking held object from being placed" in said


def test_a_held_object_and_doors_need_room(shared):
    """Some places are too near to the fridge to open it, or to turn to it with something in the
    hand; an attempt that fails leaves the agent and the door as they were."""
    shared.controller.reset("FloorPlan7")
    fridge = shared.first("Fridge")
    at = shared.thing(fridge)["position"]
    points = shared.step("GetReachablePositions").metadata["actionReturn"]
    near = [p for p in points if (p["x"] - at["x"]) ** 2 + (p["z"] - at["z"]) ** 2 < 1.2]
    shared.hold("Pan")
    teleports, opened = set(), set()
    for point in near:
        for yaw in (0, 90, 180, 270):
            before = shared.metadata["agent"]
            said = shared("Teleport", position=point, rotation=yaw, horizon=0)
            teleports.add(said)
            assert not said or shared.metadata["agent"] == before
            said = shared("OpenObject", fridge)
            opened.add(said.split(" with ")[0])
            assert shared.thing(fridge)["isOpen"] is not bool(said)
            if not said:
                assert shared("CloseObject", fridge) == ""
    assert teleports == {"", "Cannot teleport due to hand object collision."}
    assert opened == {"", NOT_SEEN, "Openable object collided"}


def test_broken_things_cannot_be_turned_on(shared):
    shared.controller.reset("FloorPlan308")
    laptop = shared.first("Laptop")
    if shared.thing(laptop)["isToggled"]:
        assert shared("ToggleObjectOff", laptop, forceAction=True) == ""
    assert shared("BreakObject", laptop, forceAction=True) == ""
    assert "Target is broken and cannot be Toggled On!" in shared(
        "ToggleObjectOn", laptop, forceAction=True
    )


def test_dropped_and_thrown_things_land_somewhere(kitchen):
    for action, arguments in (("DropHandObject", {}), ("ThrowObject", {"moveMagnitude": 100.0})):
        apple = kitchen.hold("Apple")
        assert kitchen(action, forceAction=True, **arguments) == ""
        assert kitchen.held == []
        assert kitchen.thing(apple)["parentReceptacles"]
    mug = kitchen.first("Mug")
    assert kitchen("BreakObject", mug, forceAction=True) == ""
    assert kitchen.thing(mug)["isBroken"]
    assert kitchen("MakeObjectsOfTypeUnbreakable", objectType="Plate") == ""
    assert "unbreakable" in kitchen("BreakObject", kitchen.first("Plate"), forceAction=True)


def test_an_object_is_picked_up_by_its_place_in_the_picture(kitchen):
    kitchen.approach(kitchen.first("Apple"))
    found = set()
    for x in range(1, 10):
        for y in range(1, 10):
            if kitchen("PickupObject", x=x / 10, y=y / 10) == "":
                found |= set(kitchen.held)
                assert kitchen("DropHandObject", forceAction=True) == ""
    assert found
    kitchen.hold("Egg")
    assert "No valid Receptacle found" in kitchen("PutObject", x=0.5, y=0.0)


# --- arranging a scene ---------------------------------------------------------------------------


def poses_now(thor) -> list[dict[str, object]]:
    return [
        {"objectName": o["name"], "position": o["position"], "rotation": o["rotation"]}
        for o in thor.metadata["objects"]
        if o["pickupable"] or o["moveable"]
    ]


def test_objects_set_where_they_are_stay_where_they_are(kitchen):
    """Ids are made from places again; a few things had moved after they got theirs."""
    before = {o["name"]: o for o in kitchen.metadata["objects"]}
    assert kitchen("SetObjectPoses", objectPoses=poses_now(kitchen)) == ""
    after = {o["name"]: o for o in kitchen.metadata["objects"]}
    assert set(after) == set(before)
    assert sum(after[n]["objectId"] == before[n]["objectId"] for n in after) >= len(after) - 3
    placed = [n for n in before if before[n]["parentReceptacles"] and before[n]["pickupable"]]
    kept = [
        name
        for name in placed
        if set(after[name]["parentReceptacles"] or ()) & set(before[name]["parentReceptacles"])
    ]
    assert len(kept) > 0.9 * len(placed)


def test_set_poses_move_copy_rename_and_take_away(kitchen):
    poses = poses_now(kitchen)
    apple = kitchen.of_type("Apple")[0]
    poses = [p for p in poses if not str(p["objectName"]).startswith(("Egg_", "Apple_"))]
    spots = [{"x": -1.0, "y": 0.96, "z": -1.0}, {"x": -1.0, "y": 0.96, "z": 0.0}]
    level = {"x": 0.0, "y": 0.0, "z": 0.0}
    poses += [{"objectName": apple["name"], "position": s, "rotation": level} for s in spots]
    assert kitchen("SetObjectPoses", objectPoses=poses, placeStationary=True) == ""
    assert not kitchen.of_type("Egg")
    ids = {o["objectId"] for o in kitchen.of_type("Apple")}
    assert ids == {"Apple|-01.00|+00.96|-01.00", "Apple|-01.00|+00.96|+00.00"}
    for object_id in ids:
        (place,) = kitchen.thing(object_id)["parentReceptacles"]
        assert place.startswith("CounterTop")
        assert object_id in kitchen.thing(place)["receptacleObjectIds"]
    assert kitchen.of_type("Microwave")


def test_what_can_be_pushed_and_has_no_pose_is_gone_but_for_alfreds_version(kitchen, start_thor):
    alfred = start_thor("--convention 2.1")
    for thor, left in ((kitchen, 0), (alfred, 1)):
        carried = [p for p in poses_now(thor) if not str(p["objectName"]).startswith("Microwave")]
        assert thor("SetObjectPoses", objectPoses=carried) == ""
        assert len(thor.of_type("Microwave")) == left


def test_states_are_set_for_all_of_a_type(kitchen):
    states = {"objectType": "Cabinet", "stateChange": "openable", "isOpen": True}
    assert kitchen("SetObjectStates", SetObjectStates=states) == ""
    assert all(o["isOpen"] for o in kitchen.of_type("Cabinet"))
    toggles = [{"objectType": "LightSwitch", "isOn": False}]
    assert kitchen("SetObjectToggles", objectToggles=toggles) == ""
    assert not any(o["isToggled"] for o in kitchen.of_type("LightSwitch"))
    assert "not a valid stateChange" in kitchen(
        "SetObjectStates", SetObjectStates={"stateChange": "x"}
    )
