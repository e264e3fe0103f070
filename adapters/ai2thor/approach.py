"""Moving to where a thing is in sight, and looking at everything that a place keeps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ...scene_graph.node import Kind
from ...skills.dynamics import stands_at
from ...skills.outcomes import Failure, RawResult, Reason
from .graph import AGENT
from .navigation import AgentPose, nearest_points, pose_facing, ranked
from .world import ThorWorld

#: The number of variations of a try, each from other poses.
VARIATIONS = 3
#: The most teleports to come to a thing, to look at one thing, and to look a place over.
_TELEPORTS_TO, _TELEPORTS_AT, _TELEPORTS_OVER = 3, 2, 16


def come_near(world: ThorWorld, thing: int, variation: int) -> RawResult:
    """Get a thing in sight: from here, or else, and on later tries, from elsewhere.

    After a move the agent is at the thing's place only.
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
    """Turn to a thing on the spot: whether that was possible, and the engine's message.

    A held thing may block the turn; later tries look down less, then straight ahead.
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
    """Stand where a thing is in sight; every variation tries other poses.

    If no pose works, the agent returns to its old pose and has seen nothing on the way.
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
    """The poses to try for a thing: turned to it, then those that the engine suggests.

    count: of each sort.
    """
    raw = world.raw(thing)
    if raw is None:
        return
    height = world.camera_height()
    points = nearest_points(raw, world.reachable())
    listed = ranked(raw, [pose_facing(raw, point, height) for point in points], height)
    yield from listed[variation::VARIATIONS][:count]
    listed = ranked(raw, world.interactable_poses(raw["objectId"], points), height)
    yield from listed[variation::VARIATIONS][:count]


def look_over(world: ThorWorld, things: Iterable[int]) -> bool:
    """Look for some things from wherever they may be visible. Whether that took any steps.

    The result is that of looking from every point and angle, in fewer steps.
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
    """Look for some things, and return to the old pose."""
    here = world.pose()
    if look_over(world, things):
        go_back(world, here)


def go_back(world: ThorWorld, pose: AgentPose) -> bool:
    """Return the agent to a pose; if that fails, it is at nothing any more."""
    if world.pose() == pose or world.take_pose(pose).success:
        return True
    world.leave()
    return False


def kept(world: ThorWorld, places: Iterable[int]) -> list[int]:
    """All movable things at some places."""
    truth = world.graph()
    things = (thing for place in places for thing in (place, *truth.below(place)))
    return [thing for thing in dict.fromkeys(things) if is_movable(world, thing)]


def is_movable(world: ThorWorld, thing: int) -> bool:
    """Whether a thing can be picked up."""
    return world.graph()[thing].kind is Kind.OBJECT
