"""What is on and inside what, by the engine's contacts and the boxes of its regions."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np

from .points import UP, Array, Surfaces

if TYPE_CHECKING:
    from .scene import Scene, Thing

#: A contact supports if its normal is at most 60 degrees from upright.
_UPRIGHT = 0.5
#: How far a thing's centre may be outside of a region's box and still count as in it, in m.
_SLACK = 0.01
#: How high above a flat region a thing's lowest point may be, in m.
_ON_HEIGHT = 0.03


def boxes(scene: Scene, surfaces: Surfaces) -> dict[str, tuple[Array, Array]]:
    """The lowest and highest corners of every thing, in m."""
    found = {}
    for name, thing in scene.things.items():
        if thing.kind == "region":
            found[name] = scene.region_box(thing)
        else:
            points = surfaces.world(scene.data, scene.geoms_of(thing))
            if len(points):
                found[name] = (points.min(0), points.max(0))
            else:
                place = scene.data.xpos[thing.body].copy()
                found[name] = (place, place.copy())
    return found


def supports(scene: Scene, corners: dict[str, tuple[Array, Array]]) -> set[tuple[str, str]]:
    """Pairs of names: what stands on what, by the contacts.

    A thing stands on another that it touches if the contact is nearly level, or if its centre is
    over the other and its lowest point above the other's (a cheese that lies in a bowl).
    """
    found = set()
    data, model = scene.data, scene.model
    for contact in data.contact:
        first = scene.owner_of(model.geom_bodyid[contact.geom1])
        second = scene.owner_of(model.geom_bodyid[contact.geom2])
        if first is None or second is None or first == second or contact.dist > 0.001:
            continue
        upward = float(contact.frame[:3] @ UP)  # from the first to the second
        if upward > _UPRIGHT or _over(corners[second], corners[first]):
            found.add((second, first))
        elif upward < -_UPRIGHT or _over(corners[first], corners[second]):
            found.add((first, second))
    return found


def _over(upper: tuple[Array, Array], lower: tuple[Array, Array]) -> bool:
    """Whether a box's centre is over another box, and its bottom above the other's bottom."""
    centre = (upper[0] + upper[1]) / 2
    return bool(
        np.all(centre[:2] > lower[0][:2])
        and np.all(centre[:2] < lower[1][:2])
        and centre[2] > (lower[0][2] + lower[1][2]) / 2
        and upper[0][2] > lower[0][2]
    )


def relations(
    scene: Scene, corners: dict[str, tuple[Array, Array]], held: str | None
) -> list[list[str]]:
    """The relations [a, word, b] of all things, sorted; what is held has none."""
    found = [
        [thing.name, "attached", thing.parent]
        for thing in scene.things.values()
        if thing.parent is not None
    ]
    standing = supports(scene, corners)
    for thing in scene.things.values():
        if thing.kind != "object" or thing.name == held:
            continue
        for upper, lower in standing:
            if upper == thing.name:
                found.append([upper, "on", lower])
        for region in scene.things.values():
            if region.site is None or region.parent == thing.name:
                continue
            word = _in_region(scene, thing, region, corners, standing)
            if word:
                found.append([thing.name, word, region.name])
    return sorted(found)


def _in_region(
    scene: Scene,
    thing: Thing,
    region: Thing,
    corners: dict[str, tuple[Array, Array]],
    standing: set[tuple[str, str]],
) -> str | None:
    low, high = corners[thing.name]
    centre = (low + high) / 2
    first, last = scene.region_box(region)
    if not (np.all(centre[:2] > first[:2] - _SLACK) and np.all(centre[:2] < last[:2] + _SLACK)):
        return None
    if scene.surface_only(region):
        touches = (thing.name, region.parent) in standing
        return "on" if touches and -0.02 < low[2] - last[2] < _ON_HEIGHT else None
    return "inside" if first[2] - _SLACK < centre[2] < last[2] + _SLACK else None


def things(scene: Scene, corners: dict[str, tuple[Array, Array]]) -> list[dict[str, Any]]:
    """All things as JSON data."""
    return [_thing(scene, thing, corners[thing.name]) for thing in scene.things.values()]


def _thing(scene: Scene, thing: Thing, corners: tuple[Array, Array]) -> dict[str, Any]:
    data = scene.data
    low, high = corners
    if thing.site is not None:
        position = data.site_xpos[thing.site]
        quaternion = np.array([0.0, 0.0, 0.0, 1.0])
    else:
        position = data.xpos[thing.body]
        w, x, y, z = data.xquat[thing.body]
        quaternion = np.array([x, y, z, w])
    flat, hollow = _holds(scene, thing, high - low)
    return {
        "name": thing.name,
        "category": thing.category,
        "kind": thing.kind,
        "parent": thing.parent,
        "position": position.tolist(),
        "quaternion": quaternion.tolist(),
        "box": [low.tolist(), high.tolist()],
        "joint": _joint(scene, thing),
        "surface": flat,
        "container": hollow,
    }


def _holds(scene: Scene, thing: Thing, size: Array) -> tuple[bool, bool]:
    """Whether a thing is a surface, and whether it is a container."""
    if thing.kind == "table":
        return True, False
    if thing.kind == "part":
        return False, True
    if thing.kind == "region":
        flat = scene.surface_only(thing)
        return flat, not flat
    hollow = any(
        each.parent == thing.name and each.kind == "region" and not scene.surface_only(each)
        for each in scene.things.values()
    )
    broad = bool(min(size[:2]) > 0.07 and size[2] < 0.1)  # plates, bowls, pans, trays
    return broad and not hollow and thing.kind == "object", hollow


def _joint(scene: Scene, thing: Thing) -> dict[str, Any] | None:
    if thing.joint is None:
        return None
    shut, wide = scene.opening(thing)
    slides = int(scene.model.jnt_type[thing.joint]) == 2
    kind = "knob" if scene.is_knob(thing) else "slide" if slides else "hinge"
    return {"value": scene.joint_value(thing), "shut": shut, "open": wide, "kind": kind}


def digest(scene: Scene) -> str:
    """A hash of the whole physical state: joints, speeds and the places of the fixtures."""
    summary = hashlib.sha256()
    fixed = scene.model.body_pos, scene.model.body_quat
    for values in (scene.data.qpos, scene.data.qvel, *fixed):
        summary.update(np.ascontiguousarray(values).tobytes())
    return summary.hexdigest()
