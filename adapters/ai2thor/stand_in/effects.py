"""The effects of running devices: heat, cold, water, breaking.

Effects last after the source is gone: nothing cools down or gets dirty.
"""

from __future__ import annotations

from .world import Thing, ThorScene

_WASHES = {"Faucet": ("SinkBasin", "Sink"), "ShowerHead": ("BathtubBasin", "Bathtub")}
_COOKERS = frozenset({"Microwave", "StoveBurner", "Toaster"})


def settle(world: ThorScene) -> None:
    """Apply every source to its present contents."""
    for source in world.of_type("Fridge"):
        for thing in _reached(world, source):
            thing["temperature"] = "Cold"
    for source in world.of_type("Microwave", "StoveBurner", "Toaster", "CoffeeMachine"):
        if source["isToggled"]:
            for thing in _reached(world, source):
                _heat(thing, cook=source["objectType"] in _COOKERS)
                if source["objectType"] == "CoffeeMachine" and thing["canFillWithLiquid"]:
                    fill(thing, "coffee")
    for source in world.of_type(*_WASHES):
        if source["isToggled"]:
            basin = nearest_basin(world, source)
            for thing in _reached(world, basin) if basin else ():
                if thing["dirtyable"]:
                    thing["isDirty"] = False
                if thing["canFillWithLiquid"] and not thing["isFilledWithLiquid"]:
                    fill(thing, "water")


def nearest_basin(world: ThorScene, source: Thing) -> Thing | None:
    """The basin under a faucet or shower head; None if the scene has none."""
    basins = world.of_type(_WASHES[source["objectType"]][0]) or world.of_type(
        *_WASHES[source["objectType"]]
    )
    at = world.center(source["objectId"])[[0, 2]]
    return min(
        basins,
        key=lambda basin: float(((world.center(basin["objectId"])[[0, 2]] - at) ** 2).sum()),
        default=None,
    )


def fill(thing: Thing, liquid: str) -> None:
    thing["isFilledWithLiquid"], thing["fillLiquid"] = True, liquid
    thing["temperature"] = "Hot" if liquid == "coffee" else thing["temperature"]


def empty(thing: Thing) -> None:
    thing["isFilledWithLiquid"], thing["fillLiquid"] = False, None


def break_(world: ThorScene, thing: Thing) -> None:
    """Break a thing, unless its type is unbreakable. Its contents stay in place."""
    if thing["objectType"] in world.unbreakable or thing["isBroken"]:
        return
    thing["isBroken"] = True
    thing["isToggled"] = False
    if thing["isFilledWithLiquid"]:
        empty(thing)


def switch(world: ThorScene, thing: Thing, on: bool) -> None:
    """Turn a thing on or off, with the things that it controls."""
    thing["isToggled"] = on
    for controlled in thing["controlledObjects"] or ():
        if controlled in world.things:
            world.things[controlled]["isToggled"] = on
    settle(world)


def _reached(world: ThorScene, source: Thing) -> list[Thing]:
    return [world.things[i] for i in world.contents(source["objectId"])]


def _heat(thing: Thing, *, cook: bool) -> None:
    thing["temperature"] = "Hot"
    if cook and thing["cookable"]:
        thing["isCooked"] = True
