"""Free spots in receptacles, and the receptacle of a position."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np

from ..object_types import LEVELS, ONE_SLOT
from . import visibility
from .world import Array, Thing, ThorScene

_STEP = 0.05  # between candidate spots, m
_GAP = 0.005  # between two things, m
_OVERHANG = 0.02  # by which a thing may exceed its receptacle, m
_CLEAR = 0.02  # allowed overlap of boxes, m
_SLIM = np.array([0.25, 0, 0.25])  # the feet of lamps and plants are slimmer than their boxes
_ABOVE = np.array([0, 0.05, 0])  # things on the top count as inside its space
_BESIDE = np.array([0.1, 0.1, 0.1])  # hanging things nearly touch their rail
_LEVEL_AXES = np.array([True, False, True])
_RAILS = frozenset({"HandTowelHolder", "TowelHolder", "ToiletPaperHanger"})
#: Types that enclose others instead of standing beside them.
_ENCLOSING = frozenset(
    {
        "Bathtub",
        "BathtubBasin",
        "Box",
        "Cabinet",
        "Drawer",
        "Fridge",
        "GarbageCan",
        "LaundryHamper",
        "Microwave",
        "Safe",
        "Sink",
        "SinkBasin",
    }
)


@dataclass
class FreeSpot:
    """A place for a thing.

    center: of its box. across: whether it must be turned by 90 degrees first.
    """

    center: Array
    across: bool = False


def free_spot(
    world: ThorScene, held: str, receptacle: str, near_only: bool, seed: int
) -> FreeSpot | None:
    """A free spot for the held object within a receptacle, or None.

    near_only: only spots within the agent's visibility distance. The spot nearest to the agent is
    taken, or a random one if seed is not 0.
    """
    holder = world.things[receptacle]
    kind = holder["objectType"]
    low, high = world.low(receptacle), world.high(receptacle)
    size = world.high(held) - world.low(held)
    if kind in ONE_SLOT:
        return FreeSpot(_standing((low + high) / 2, _level(low, high, kind, 0), size))
    others = _others(world, held, receptacle)
    camera = world.agent.camera()
    for level in range(len(LEVELS.get(kind, (1.0,)))):
        floor = _level(low, high, kind, level)
        for across in (False, True):
            turned = size[[2, 1, 0]] if across else size
            tried = _centers(low, high, turned, floor, small=holder["pickupable"])
            centers = [
                center
                for center, blocked in zip(tried, _blocked(tried, turned, others), strict=True)
                if not blocked
                and (not near_only or visibility.in_frame(world, center, world.agent))
            ]
            if centers and seed:
                return FreeSpot(random.Random(seed).choice(centers), across)
            if centers:
                nearest = min(centers, key=lambda center: float(((center - camera) ** 2).sum()))
                return FreeSpot(nearest, across)
    return None


def crowded(world: ThorScene, held: Thing, burner: Thing) -> bool:
    """Whether things on a neighbouring burner leave no room on this one."""
    name = burner["objectId"]
    low, high = world.low(name), world.high(name)
    size = world.high(held["objectId"]) - world.low(held["objectId"])
    spot = _standing((low + high) / 2, _level(low, high, "StoveBurner", 0), size)
    others = [
        (world.low(i), world.high(i))
        for other in world.of_type("StoveBurner")
        for i in other["receptacleObjectIds"] or ()
        if other is not burner and i != held["objectId"]
    ]
    # Round things may stand side by side although the corners of their boxes overlap.
    return any(_blocked([spot], size * 0.7, others))


def below(world: ThorScene, held: str, at: Array) -> tuple[Array, list[str]]:
    """Where an object falls to: the centre of its box, and the thing below."""
    size = world.high(held) - world.low(held)
    carried = {held, *world.contents(held)}
    best: tuple[float, str] | None = None
    for name, thing in world.things.items():
        if not thing["receptacle"] or name in carried or thing["pickupable"]:
            continue
        if thing["openable"] and not thing["isOpen"]:
            continue
        low, high = world.low(name), world.high(name)
        if low[0] <= at[0] <= high[0] and low[2] <= at[2] <= high[2]:
            top = _level(low, high, thing["objectType"], 0)
            if top <= at[1] and (best is None or top > best[0]):
                best = (top, name)
    floor, parents = (best[0], [best[1]]) if best else (0.0, [])
    return _standing(at, floor, size), parents


def holders(world: ThorScene, object_id: str) -> list[str]:
    """The receptacle of an object, by the position of its box only.

    The smallest of those that contain it; else the one whose surface is nearest to its bottom. Else
    it is the smallest whose box contains its bottom (tables have shelves, rails stick out).
    """
    low, high = world.low(object_id), world.high(object_id)
    middle, bottom = (low + high) / 2, low[1]
    kind = world.things[object_id]["objectType"]
    carried = {object_id, *world.contents(object_id)}
    size = float(np.prod(high - low))
    inside: list[tuple[float, str]] = []
    on: list[tuple[float, float, str]] = []
    loosely: list[tuple[float, str]] = []
    for name, thing in world.things.items():
        if not thing["receptacle"] or name in carried:
            continue
        a, b = world.low(name), world.high(name)
        place = thing["objectType"]
        volume = float(np.prod(b - a))
        taken = set(thing["receptacleObjectIds"] or ()) - {object_id}
        if place in ONE_SLOT and (taken or kind not in ONE_SLOT[place]):
            continue
        if place in _RAILS and bool(np.all((low < b + _BESIDE) & (high > a - _BESIDE))):
            inside.append((0.0, name))
        if not bool(np.all((a - 0.01 <= middle) & (middle <= b + 0.01), where=_LEVEL_AXES)):
            continue
        if place in _ENCLOSING or thing["pickupable"]:
            if a[1] - 0.05 <= bottom <= b[1] - 0.01 and volume > size:
                inside.append((volume, name))
            continue
        levels = [_level(a, b, place, i) for i in range(len(LEVELS.get(place, (1.0,))))]
        gap = min(abs(bottom - level) for level in levels)
        if gap <= (0.12 if place in LEVELS else 0.08):
            on.append((gap + 0.1 * (place == "Floor"), volume, name))
        elif place not in ("Chair", "Floor") and a[1] - 0.1 <= bottom <= b[1] + 0.1:
            loosely.append((volume, name))
    if inside:
        return [min(inside)[1]]
    if on:
        return [min(on)[2]]
    return [min(loosely)[1]] if loosely else []


def _centers(low: Array, high: Array, size: Array, floor: float, *, small: bool) -> list[Array]:
    """The candidate centres, from the middle outwards along both sides."""
    room = (high - low)[[0, 2]] - size[[0, 2]]
    middle = (low + high) / 2
    if small:
        # A thing that sticks out of a cup is still in it.
        fits = min(size[0], size[2]) <= max(high[0] - low[0], high[2] - low[2])
        return [_standing(middle, floor, size)] if fits else []
    if room.min() < -_OVERHANG:
        return []
    room = np.maximum(room, 0) / 2
    xs, zs = ([s * _STEP for s in range(-int(r / _STEP), int(r / _STEP) + 1)] for r in room)
    return [_standing(middle + np.array([x, 0, z]), floor, size) for x in xs for z in zs]


def _others(world: ThorScene, held: str, receptacle: str) -> list[tuple[Array, Array]]:
    """The boxes of things in the receptacle, or in its space though they belong elsewhere."""
    carried = {held, *world.contents(held), receptacle}
    low, high = world.low(receptacle), world.high(receptacle)
    mine = set(world.things[receptacle]["receptacleObjectIds"] or ())
    boxes = []
    for name, thing in world.things.items():
        if name in carried or not (thing["pickupable"] or name in mine):
            continue
        a, b = world.low(name), world.high(name)
        within = bool(np.all((a < high + _ABOVE) & (b > low)))
        if (name in mine or within) and thing["objectType"] not in ("DiningTable", "CounterTop"):
            foot = 0.0 if thing["pickupable"] else (b - a) * _SLIM
            boxes.append((a + foot, b - foot))
    return boxes


def _blocked(spots: list[Array], size: Array, others: list[tuple[Array, Array]]) -> list[bool]:
    """For each spot, whether a box of that size would overlap one of the others."""
    if not spots or not others:
        return [False] * len(spots)
    middle = np.stack(spots)[:, None]
    a, b = middle - size / 2 + _CLEAR, middle + size / 2 - _CLEAR
    a, b = np.minimum(a, middle), np.maximum(b, middle)
    lows, highs = (np.stack(corners)[None] for corners in zip(*others, strict=True))
    meet = np.all((a < highs) & (b > lows), axis=2)
    return [bool(met) for met in np.any(meet, axis=1)]


def _level(low: Array, high: Array, kind: str, index: int) -> float:
    return float(low[1] + LEVELS.get(kind, (1.0,))[index] * (high[1] - low[1]))


def _standing(at: Array, floor: float, size: Array) -> Array:
    """The centre of a box of that size on a floor."""
    return np.array([at[0], floor + size[1] / 2 + _GAP, at[2]])
