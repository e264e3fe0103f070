"""The actions of the hand: pick up, put, drop, throw."""

from __future__ import annotations

import math

import numpy as np

from ..object_types import MUST_BE_OPEN, ONE_SLOT, PLACES_ANYWHERE, allowed
from . import effects, motion, placement, visibility
from .world import ActionRefused, Array, Thing, ThorScene

NOT_SEEN = "Target object not found within the specified visibility."
NO_PLACE = "No valid positions to place object found"


def target(world: ThorScene, object_id: object, force: bool) -> Thing:
    """The object of an action. Raises ActionRefused if it is unknown or out of sight."""
    thing = world.thing(object_id)
    if not force and thing["objectId"] not in visibility.visible(world):
        raise ActionRefused(NOT_SEEN, "ObjectNotVisible")
    return thing


def pick_up(world: ThorScene, object_id: object, force: bool) -> None:
    if world.held is not None:
        raise ActionRefused(
            "Agent hand has something in it already! Can't pick up anything else", "InventoryFull"
        )
    thing = target(world, object_id, force)
    if not thing["pickupable"]:
        raise ActionRefused(
            f"{thing['objectId']} must have the property CanPickup to be picked up.",
            "ObjectNotPickupable",
        )
    name = thing["objectId"]
    world.held = name
    if not force and motion.bumps_into(world, world.agent) is not None:
        world.held = None
        raise ActionRefused("Picking up object would cause it to collide and clip into something!")
    world.straighten(name)
    thing["isPickedUp"] = True
    thing["isMoving"] = False
    world.leave(name)
    # The contents belong only to the held object now, not to the table below.
    for child in world.contents(name):
        inside = world.things[child]["parentReceptacles"] or []
        kept = [p for p in inside if p == name or p in world.contents(name)]
        world.enter(child, kept)
    world.follow()


def put(world: ThorScene, receptacle_id: object, force: bool, seed: int) -> None:
    """Place the held object. The checks have AI2-THOR's order."""
    if world.held is None:
        raise ActionRefused(
            "Can't place an object if Agent isn't holding anything", "ObjectNotInInventory"
        )
    held = world.things[world.held]
    holder = target(world, receptacle_id, force)
    kind, name = str(holder["objectType"]), str(holder["name"])
    if holder["objectId"] == world.held or not holder["receptacle"]:
        raise ActionRefused("This target object is NOT a receptacle!")
    if kind in MUST_BE_OPEN and holder["openable"] and not holder["isOpen"]:
        raise ActionRefused(
            "Target openable Receptacle is CLOSED, can't place if target is not open!",
            "ReceptacleNotOpen",
        )
    if kind in ONE_SLOT:
        _check_slot(world, held, holder)
    if not force and not allowed(held["objectType"], kind):
        raise ActionRefused(
            f"{held['name']} cannot be placed in {name}", "ObjectNotAllowedInReceptacle"
        )
    near_only = not force and kind not in PLACES_ANYWHERE and kind not in ONE_SLOT
    spot = placement.free_spot(world, held["objectId"], holder["objectId"], near_only, seed)
    if spot is None:
        raise ActionRefused(NO_PLACE)
    if spot.across:
        world.turn(held["objectId"], 90.0)
    release(world, spot.center, [holder["objectId"]])


def drop(world: ThorScene, force: bool, throw: float = 0.0) -> None:
    """Let go of the held object: it lands on what is below the hand, or further on by a throw."""
    held = world.in_hand()
    middle = world.hand()
    if not force and motion.bumps_into(world, world.agent) is not None:
        raise ActionRefused(
            f"{held['objectId']} can't be dropped. It must be clear of all other collision first, "
            "including the Agent."
        )
    yaw = math.radians(world.agent.yaw)
    x, z = middle[0] + throw * math.sin(yaw), middle[2] + throw * math.cos(yaw)
    while throw > 0 and not motion.reachable(world, x, z):
        throw -= 0.25
        x, z = middle[0] + throw * math.sin(yaw), middle[2] + throw * math.cos(yaw)
    spot, parents = placement.below(world, held["objectId"], np.array([x, middle[1], z]))
    fell = float(middle[1] - spot[1])
    release(world, spot, parents)
    if throw > 0 and fell > 0.5 and held["breakable"]:
        effects.break_(world, held)


def release(world: ThorScene, center: Array, parents: list[str]) -> None:
    """Leave the held object at a place, with its box around a centre."""
    held = world.in_hand()
    name = str(held["objectId"])
    world.held = None
    held["isPickedUp"] = False
    world.shift(name, center - world.center(name))
    world.enter(name, parents)
    effects.settle(world)


def _check_slot(world: ThorScene, held: Thing, holder: Thing) -> None:
    if holder["receptacleObjectIds"]:
        raise ActionRefused(f"{holder['name']} is full right now", "ReceptacleFull")
    if held["objectType"] not in ONE_SLOT[holder["objectType"]]:
        raise ActionRefused(
            f"{held['name']} is not a valid Object Type to be placed in {holder['name']}",
            "ObjectNotAllowedInReceptacle",
        )
    if holder["objectType"] == "StoveBurner" and placement.crowded(world, held, holder):
        raise ActionRefused("another object's collision is blocking held object from being placed")
