"""Opening, switching, and changing the states of things.

Functions of `actions.ACTIONS` have the signatures of their actions.
"""

from __future__ import annotations

import numpy as np

from . import effects, visibility
from .manipulation import target
from .world import SEE_THROUGH, ActionRefused, Array, Thing, ThorScene, corners_between

#: The type and number of slices by type.
SLICES = {
    "Apple": ("AppleSliced", 8),
    "Bread": ("BreadSliced", 8),
    "Egg": ("EggCracked", 1),
    "Lettuce": ("LettuceSliced", 7),
    "Potato": ("PotatoSliced", 8),
    "Tomato": ("TomatoSliced", 7),
}
LIQUIDS = frozenset({"water", "coffee", "wine"})
#: The least distance of the agent from things that open outwards, in m: by type, and by default.
_SWINGS = {"Fridge": 0.45, "Cabinet": 0.3, "Drawer": 0.3, "Microwave": 0.3}
_SWING = 0.22


# --- opening and switching -----------------------------------------------------------------------


def open_(
    world: ThorScene, object_id: str, openness: float = 1.0, force_action: bool = False
) -> None:
    """Open a thing partly; 0 closes it. An open thing may be opened again."""
    if not 0 <= openness <= 1:
        raise ActionRefused(f"openness must be in [0:1], it is {openness}")
    thing = target(world, object_id, force_action)
    name = thing["objectId"]
    if not thing["openable"]:
        raise ActionRefused(f"{name} is not an Openable object")
    if thing["toggleable"] and thing["isToggled"] and thing["objectType"] == "Microwave":
        raise ActionRefused("Target must be OFF to open!")
    swings = thing["objectType"] not in SEE_THROUGH and not thing["pickupable"]
    agent = world.agent
    too_near = visibility.horizontal_distance(world, name, agent.x, agent.z) < _SWINGS.get(
        thing["objectType"], _SWING
    )
    if swings and openness > thing["openness"] and too_near and not force_action:
        raise ActionRefused("Openable object collided with FPSController")
    thing["openness"] = float(openness)
    thing["isOpen"] = openness > 0
    world.changed += 1
    effects.settle(world)


def close(world: ThorScene, object_id: str, force_action: bool = False) -> None:
    open_(world, object_id, 0.0, force_action)


def toggle(world: ThorScene, object_id: object, on: bool, force: bool) -> None:
    thing = target(world, object_id, force)
    name = thing["objectId"]
    if any(name in (other["controlledObjects"] or ()) for other in world.things.values()):
        raise ActionRefused(
            "target object is controlled by another sim object. "
            "target object cannot be turned on/off directly"
        )
    if not thing["toggleable"]:
        raise ActionRefused(f"{name} object is not toggleable.")
    if thing["isToggled"] is on:
        word = "on" if on else "off"
        raise ActionRefused(f"can't toggle object {word} if it's already {word}!")
    if on and thing["isBroken"]:
        raise ActionRefused("Target is broken and cannot be Toggled On!")
    if on and thing["objectType"] == "Microwave" and thing["isOpen"]:
        raise ActionRefused("Target must be closed to Toggle On!")
    effects.switch(world, thing, on)


# --- changing ------------------------------------------------------------------------------------


def slice_(world: ThorScene, object_id: str, force_action: bool = False) -> None:
    """Replace a thing by its slices, side by side in its place."""
    thing = target(world, object_id, force_action)
    name = thing["objectId"]
    if name == world.held:
        raise ActionRefused("target object cannot be sliced if it is in the agent's hand")
    if not thing["sliceable"] or thing["objectType"] not in SLICES:
        raise ActionRefused(f"{name} Does not have the CanBeSliced property!")
    kind, count = SLICES[thing["objectType"]]
    low, high = world.low(name), world.high(name)
    parents = list(thing["parentReceptacles"] or ())
    along = int(np.argmax((high - low)[[0, 2]])) * 2  # 0 is x, 2 is z
    width = (high - low)[along] / count
    world.remove(name)
    for number in range(1, count + 1):
        a, b = low.copy(), high.copy()
        a[along] = low[along] + (number - 1) * width
        b[along] = a[along] + width
        piece = _piece(thing, f"{name}|{kind}_{number}", kind, number, (a + b) / 2)
        world.add(piece, corners_between(a, b))
        world.enter(piece["objectId"], parents)
    effects.settle(world)


def _piece(whole: Thing, name: str, kind: str, number: int, at: Array) -> Thing:
    cookable = whole["cookable"] or kind == "BreadSliced"
    return {
        **whole,
        "objectId": name,
        "objectType": kind,
        "name": f"{whole['name']}_{kind}_{number}",
        "assetId": "",
        "position": dict(zip("xyz", map(float, at), strict=True)),
        "rotation": dict(whole["rotation"]),
        "sliceable": False,
        "isSliced": False,
        "breakable": False,
        "isBroken": False,
        "cookable": cookable,
        "isCooked": cookable and whole["isCooked"],
        "pickupable": kind != "EggCracked",
        "mass": whole["mass"] / 8,
        "parentReceptacles": None,
        "receptacleObjectIds": None,
    }


def break_(world: ThorScene, object_id: str, force_action: bool = False) -> None:
    thing = target(world, object_id, force_action)
    if not thing["breakable"]:
        raise ActionRefused(f"{thing['objectId']} does not have the CanBreak property!!")
    if thing["isBroken"]:
        raise ActionRefused(f"{thing['objectId']} is already broken!")
    if thing["objectType"] in world.unbreakable:
        raise ActionRefused(f"{thing['objectId']} is set to unbreakable and cannot be broken!")
    effects.break_(world, thing)


def set_dirty(world: ThorScene, object_id: object, dirty: bool, force: bool) -> None:
    thing = target(world, object_id, force)
    name = thing["objectId"]
    if not thing["dirtyable"]:
        raise ActionRefused(
            f"{name} does not have {'CanBeDirty' if dirty else 'dirtyable'} property!"
        )
    if thing["isDirty"] is dirty:
        raise ActionRefused(f"{name} is already {'dirty' if dirty else 'Clean'}!")
    thing["isDirty"] = dirty
    effects.settle(world)


def cook(world: ThorScene, object_id: str, force_action: bool = False) -> None:
    thing = target(world, object_id, force_action)
    if not thing["cookable"]:
        raise ActionRefused(f"{thing['objectId']} does not have CanBeCooked property!")
    if thing["isCooked"]:
        raise ActionRefused(f"{thing['objectId']} is already Cooked!")
    thing["isCooked"] = True


def use_up(world: ThorScene, object_id: str, force_action: bool = False) -> None:
    thing = target(world, object_id, force_action)
    if not thing["canBeUsedUp"]:
        raise ActionRefused(f"{thing['objectId']} does not have CanBeUsedUp property!")
    if thing["isUsedUp"]:
        raise ActionRefused("object already used up!")
    thing["isUsedUp"] = True


def fill(
    world: ThorScene, object_id: str, fill_liquid: str | None = None, force_action: bool = False
) -> None:
    thing = target(world, object_id, force_action)
    name = thing["objectId"]
    if not fill_liquid:
        raise ActionRefused("Missing Liquid string for FillObject action")
    if not thing["canFillWithLiquid"]:
        raise ActionRefused(f"{name} does not have CanBeFilled property!")
    if fill_liquid not in LIQUIDS:
        raise ActionRefused(f"{fill_liquid} is not a valid Liquid Type")
    if thing["isFilledWithLiquid"]:
        raise ActionRefused(f"{name} is already Filled!")
    effects.fill(thing, fill_liquid)


def empty(world: ThorScene, object_id: str, force_action: bool = False) -> None:
    thing = target(world, object_id, force_action)
    if not thing["canFillWithLiquid"]:
        raise ActionRefused(f"{thing['objectId']} does not have CanBeFilled property!")
    if not thing["isFilledWithLiquid"]:
        raise ActionRefused("object already empty")
    effects.empty(thing)
