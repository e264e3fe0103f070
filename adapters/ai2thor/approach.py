"""Moving to where a thing is in sight, and looking for all that a place keeps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ...scene_graph.node import Kind
from ...skills.dynamics import stands_at
from ...skills.outcomes import Failure, RawResult, Reason
from .graph import AGENT
from .navigation import AgentPose, nearest_points, pose_facing, poses_facing, ranked
from .world import ThorWorld

#: How many variations of a try there are, each from other poses.
VARIATIONS = 3
#: Teleports for one try to come to a thing; for a look at one thing; for looking a place over.
_TELEPORTS_TO, _TELEPORTS_AT, _TELEPORTS_OVER = 3, 2, 16


def come_near(world: ThorWorld, thing: int, variation: int) -> RawResult:
    """Have a thing in sight: stay where it is so, or else, and on later tries, go elsewhere.

    Who goes elsewhere is then at the thing's place, and no longer at others.
    """
    if variation == 0 and world.in_sight(thing):
        return RawResult()
    if thing in world.graph().held(AGENT):
        return RawResult()
    arrived = stand_at(world, thing, variation)
    if arrived.failure is None:
        world.move_on(stands_at(world.graph(), thing))
    return arrived


def turn_to(world: ThorWorld, thing: int, variation: int) -> tuple[bool, str]:
    """Turn to a thing where the agent stands: whether that was possible, and the engine's words.

    What is held may be in the way; later tries look down less, then straight ahead.
    """
    raw = world.raw(thing)
    if raw is None:
        return False, ""
    here = world.pose()
    facing = pose_facing(raw, {"x": here.x, "y": here.y, "z": here.z}, world.camera_height())
    horizons = (facing.horizon, facing.horizon / 2, 0.0)
    answer = world.take_pose(replace(facing, horizon=horizons[variation % VARIATIONS]))
    return answer.success, answer.message


def stand_at(world: ThorWorld, thing: int, variation: int) -> RawResult:
    """Stand somewhere with a thing in sight; every variation tries other poses.

    Where none will do, the agent is back where it was, and has seen nothing on the way.
    """
    here, seen, message = world.pose(), world.seen, ""
    for pose in _poses(world, thing, variation, _TELEPORTS_TO):
        answer = world.take_pose(pose)
        if answer.success and world.in_sight(thing):
            return RawResult()
        message = answer.message or message
    if go_back(world, here):
        world.seen = seen
    return RawResult(Failure(Reason.UNREACHABLE, thing), message)


def _poses(world: ThorWorld, thing: int, variation: int, count: int) -> Iterator[AgentPose]:
    """The poses to try for a thing: turned to it, and if that does not do as the engine says.

    count: how many of either sort.
    """
    raw = world.raw(thing)
    if raw is None:
        return
    height = world.camera_height()
    points = nearest_points(raw, world.reachable())
    listed = ranked(raw, poses_facing(raw, points, height), height)
    yield from listed[variation::VARIATIONS][:count]
    listed = ranked(raw, world.interactable_poses(raw["objectId"], points), height)
    yield from listed[variation::VARIATIONS][:count]


def look_over(world: ThorWorld, things: Iterable[int]) -> bool:
    """Look for some things from wherever they may be seen. Whether that took any steps.

    It comes to what a look from every point and angle would show, with fewer of them.
    """
    left = _TELEPORTS_OVER
    for thing in things:
        name = world.native_id(thing)
        if name in world.seen or world.graph().closed_around(thing) is not None:
            continue
        for pose in _poses(world, thing, 0, _TELEPORTS_AT):
            if left == 0:
                return True
            left -= 1
            if world.take_pose(pose).success and name in world.seen:
                break
    return left < _TELEPORTS_OVER


def look_over_from_here(world: ThorWorld, things: Iterable[int]) -> None:
    """Look for some things, and come back to where the agent stands."""
    here = world.pose()
    if look_over(world, things):
        go_back(world, here)


def go_back(world: ThorWorld, pose: AgentPose) -> bool:
    """Bring the agent back to where it stood; if that fails, it is at nothing any more."""
    if world.pose() == pose or world.take_pose(pose).success:
        return True
    world.leave()
    return False


def kept(world: ThorWorld, places: Iterable[int]) -> list[int]:
    """All movable things that some places keep."""
    truth = world.graph()
    found = (thing for place in places for thing in (place, *truth.below(place)))
    return [thing for thing in dict.fromkeys(found) if is_movable(world, thing)]


def is_movable(world: ThorWorld, thing: int) -> bool:
    """Whether a thing can be picked up."""
    return world.graph()[thing].kind is Kind.OBJECT
