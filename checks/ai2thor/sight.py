"""What AI2-THOR reports as visible, and as in reach."""

from __future__ import annotations

import math
from dataclasses import replace

from ...adapters.ai2thor.adapter import SIGHT_M
from ...adapters.ai2thor.navigation import AgentPose, nearest_points
from ..assumption import CannotTell, Topic, expect
from .room import CONCEPTS, Room, assume, some

#: Positions are those of centres; a thing is nearer by half its width.
_WIDTH_M = 0.3
_SMALL = ("Apple", "Potato", "Bread", "Egg", "Mug")


@assume(
    Topic.VISIBILITY,
    "Nothing is visible from farther than the visibilityDistance of 1.5 m.",
    source=f"{CONCEPTS}; adapters/ai2thor/adapter.py, SIGHT_M",
)
def sight_ends(room: Room) -> str:
    points = room.points()
    seen, far = 0, []
    for point in points[:: max(1, len(points) // 6)]:
        for yaw in (0.0, 90.0, 180.0, 270.0):
            if not room.stand(AgentPose(point["x"], point["y"], point["z"], yaw, 30.0)).success:
                continue
            for raw in room.things:
                if raw["visible"] and raw["pickupable"]:
                    seen += 1
                    at = raw["position"]
                    away = math.hypot(at["x"] - point["x"], at["z"] - point["z"])
                    far += [f"{raw['objectId']} at {away:.2f} m"] * (away > SIGHT_M + _WIDTH_M)
    if not seen:
        raise CannotTell("nothing was visible from some 24 poses")
    return expect(not far, f"{seen} times a thing was visible; too far: {some(far)}")


@assume(
    Topic.VISIBILITY,
    "A thing behind the agent's back is not visible.",
    source=f"{CONCEPTS}; Visibility.CAMERA of the adapter",
)
def behind_the_back(room: Room) -> str:
    thing = room.one(*_SMALL)
    room.come_to(thing)
    here = room.world.pose()
    turned = replace(here, rotation=(here.rotation + 180) % 360, horizon=0.0)
    room.must(room.stand(turned), "turn round")
    return expect(not room.thing(thing)["visible"], _sight(room, thing))


@assume(
    Topic.VISIBILITY,
    "What may be used is visible.",
    source="adapters/ai2thor/world.py, in_sight, asks for both",
)
def used_is_visible(room: Room) -> str:
    room.come_to(room.one(*_SMALL))
    usable = [raw for raw in room.things if raw.get("isInteractable")]
    if not usable:
        raise CannotTell("no object is reported as one that may be used")
    odd = [raw["objectId"] for raw in usable if not raw["visible"]]
    return expect(not odd, f"{len(usable)} objects may be used; not visible: {some(odd)}")


@assume(
    Topic.VISIBILITY,
    "A thing in a closed fridge is not visible.",
    source=f"{CONCEPTS}; nothing hidden may reach a planner",
)
def closed_fridge_hides(room: Room) -> str:
    thing = room.one("Apple", "Egg", "Lettuce")
    room.store(thing, room.one("Fridge"))
    return expect(not room.thing(thing)["visible"], _sight(room, thing))


@assume(
    Topic.VISIBILITY,
    "A thing in a closed microwave cannot be used, even if the door is of glass.",
    source=f"{CONCEPTS}; adapters/ai2thor/world.py, in_sight",
)
def closed_microwave_bars(room: Room) -> str:
    thing = room.one("Potato", "Egg", "Apple")
    room.store(thing, room.one("Microwave"))
    return expect(not room.in_sight(thing), _sight(room, thing))


@assume(
    Topic.VISIBILITY,
    "A thing in an open fridge is in sight from one of the poses listed for it.",
    source="adapters/ai2thor/approach.py looks over what was opened",
)
def open_fridge_shows(room: Room) -> str:
    fridge, thing = room.one("Fridge"), room.one("Apple", "Egg", "Lettuce")
    room.store(thing, fridge)
    room.open(fridge)
    listed = room.poses(thing, nearest_points(room.thing(thing), room.points()))
    shown = any(room.stand(pose).success and room.in_sight(thing) for pose in listed[:20])
    return expect(shown, f"{len(listed)} poses are listed; at the last, {_sight(room, thing)}")


def _sight(room: Room, object_id: str) -> str:
    """In words, whether a thing is in sight."""
    raw = room.thing(object_id)
    usable = raw.get("isInteractable", "not reported")
    return f"{object_id} has visible {raw['visible']}, isInteractable {usable}"
