"""Setting up a scene: poses and states, adding and removing objects."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from . import effects, placement
from .world import ActionRefused, Array, Thing, ThorScene

#: For SetObjectStates: by stateChange, the fields for the state and for whether it is possible.
_STATES = {
    "toggleable": ("toggleable", "isToggled"),
    "openable": ("openable", "isOpen"),
    "dirtyable": ("dirtyable", "isDirty"),
    "canFillWithLiquid": ("canFillWithLiquid", "isFilledWithLiquid"),
    "cookable": ("cookable", "isCooked"),
    "breakable": ("breakable", "isBroken"),
    "sliceable": ("sliceable", "isSliced"),
    "canBeUsedUp": ("canBeUsedUp", "isUsedUp"),
}


def set_object_poses(world: ThorScene, poses: list[dict[str, Any]], only_pickupable: bool) -> None:
    """Move, copy and remove objects, then rename every object after its place.

    A repeated name makes a copy. Movable things that are not named are removed, including those
    that can only be pushed (a microwave, a chair), unless only_pickupable, as in 2.1.
    """
    by_name = {
        thing["name"]: thing
        for thing in world.things.values()
        if thing["pickupable"] or thing["moveable"]
    }
    wanted = [
        (pose.get("objectName"), _vector(pose, "position"), _vector(pose, "rotation"))
        for pose in poses
    ]
    for name, _, _ in wanted:
        if name not in by_name:
            raise ActionRefused(f"No Pickupable or Moveable object of name {name} found in scene.")
    placed: dict[str, int] = {}
    moved: list[Thing] = []
    for index, (name, position, rotation) in enumerate(wanted):
        thing = by_name[str(name)]
        placed[thing["name"]] = placed.get(thing["name"], 0) + 1
        if placed[thing["name"]] > 1:
            thing = _copy(world, thing, index)
        world.set_pose(thing["objectId"], position, rotation)
        moved.append(thing)
    if world.held is not None:
        world.things[world.held]["isPickedUp"] = False
        world.held = None
    for name, thing in by_name.items():
        if name not in placed and (thing["pickupable"] or not only_pickupable):
            world.remove(thing["objectId"])
    for thing in moved:
        if thing["pickupable"]:
            world.enter(thing["objectId"], placement.holders(world, thing["objectId"]))
    _untangle(world)
    world.rename()
    effects.settle(world)


def set_object_toggles(world: ThorScene, object_toggles: list[dict[str, Any]]) -> None:
    """ALFRED's action: switch all objects of a type on or off."""
    for wanted in object_toggles:
        if not isinstance(wanted.get("objectType"), str) or "isOn" not in wanted:
            raise ActionRefused(
                "action: SetObjectToggles has an invalid argument: objectToggles, each of which "
                f"has to have objectType and isOn, not {wanted}",
                "InvalidArgument",
            )
    for wanted in object_toggles:
        for thing in world.of_type(wanted["objectType"]):
            if thing["toggleable"] and thing["isToggled"] is not bool(wanted["isOn"]):
                effects.switch(world, thing, bool(wanted["isOn"]))


def set_object_states(world: ThorScene, set_object_states: dict[str, Any]) -> None:
    """Set all objects of a type, or all that can change so: {objectType, stateChange, isOn …}."""
    change = set_object_states.get("stateChange")
    if change not in _STATES:
        raise ActionRefused(f"{change} is not a valid stateChange.")
    can, flag = _STATES[change]
    wanted = next(
        (v for k, v in set_object_states.items() if k.startswith("is") and v is not None), None
    )
    if not isinstance(wanted, bool):
        raise ActionRefused(f"SetObjectStates needs {flag} or isOn as true or false.")
    for thing in list(world.things.values()):
        if thing[can] and set_object_states.get("objectType") in (None, thing["objectType"]):
            if flag == "isToggled":
                effects.switch(world, thing, wanted)
                continue
            thing[flag] = wanted
            if flag == "isOpen":
                thing["openness"] = float(wanted)
    world.changed += 1
    effects.settle(world)


def set_all_objects(world: ThorScene, state_change: str, force_action: bool = False) -> None:
    """ALFRED's action: make everything dirty or filled with water; without force, empty.

    Raises ActionRefused for any change but CanBeDirty and CanBeFilled.
    """
    if state_change not in ("CanBeDirty", "CanBeFilled"):
        raise ActionRefused(f"{state_change} is not a valid StateChange.")
    for thing in world.things.values():
        if state_change == "CanBeDirty" and thing["dirtyable"]:
            thing["isDirty"] = force_action
        if state_change == "CanBeFilled" and thing["canFillWithLiquid"]:
            if force_action:
                effects.fill(thing, "water")
            else:
                effects.empty(thing)
    effects.settle(world)


def disable(world: ThorScene, object_id: str) -> None:
    """Remove an object from the scene."""
    world.remove(world.thing(object_id)["objectId"])


def _copy(world: ThorScene, original: Thing, index: int) -> Thing:
    thing = copy.deepcopy(original)
    thing["objectId"] += f"_copy_{index}"
    thing["name"] += f"_copy_{index}"
    thing["parentReceptacles"] = None
    thing["receptacleObjectIds"] = None if thing["receptacleObjectIds"] is None else []
    world.add(thing, world.corners[original["objectId"]].copy())
    return thing


def _untangle(world: ThorScene) -> None:
    """Separate objects that contain each other by the boxes, at any depth."""
    for thing in list(world.pickupables()):
        name = thing["objectId"]
        if name in _above(world, name):
            world.enter(name, [])


def _above(world: ThorScene, object_id: str) -> set[str]:
    parents: set[str] = set()
    queue = [object_id]
    while queue:
        for parent in world.things[queue.pop()]["parentReceptacles"] or ():
            if parent not in parents and world.things[parent]["pickupable"]:
                parents.add(parent)
                queue.append(parent)
    return parents


def _vector(pose: dict[str, Any], key: str) -> Array:
    try:
        return np.array([float(pose[key][axis]) for axis in "xyz"])
    except (KeyError, TypeError, ValueError):
        raise ActionRefused(
            f"action: SetObjectPoses has an invalid argument: objectPoses, where {key} has to be "
            f"a vector of x, y and z and is {pose.get(key)}",
            "InvalidArgument",
        ) from None
