"""How AI2-THOR's agent stands, turns and looks: frames, angles, poses."""

from __future__ import annotations

from ...adapters.ai2thor.adapter import GRID_M
from ...adapters.ai2thor.navigation import (
    CAMERA_M,
    HORIZON_MAX,
    HORIZON_MIN,
    AgentPose,
    nearest_points,
    pose_facing,
    ranked,
)
from ..assumption import CannotTell, Topic, expect
from .room import CONCEPTS, METADATA, Room, assume, said, some

_NAVIGATION = "adapters/ai2thor/navigation.py"
#: How exactly a pose is taken, in m and degrees.
_M, _DEGREES = 0.01, 0.1
#: How many of many poses and points are tried.
_POSES, _POINTS = 8, 16


@assume(
    Topic.SPACE,
    "The agent can be teleported to every point of GetReachablePositions.",
    source="adapters/ai2thor/approach.py teleports to such points only",
)
def points_free(room: Room) -> str:
    points = room.points()
    bad = []
    for point in points[:: max(1, len(points) // _POINTS)]:
        answer = room.stand(_at(point, 0.0, 0.0))
        if not answer.success:
            bad.append(f"({point['x']:g}, {point['z']:g}), {said(answer)}")
    return expect(not bad, f"{len(points)} points; the agent could not stand at: {some(bad)}")


@assume(
    Topic.SPACE,
    "TeleportFull takes any yaw and horizon, and brings the agent just there.",
    source="adapters/ai2thor/navigation.py turns the agent to things by tenths of a degree",
)
def teleport_exact(room: Room) -> str:
    wanted = _at(_point(room), 37.3, 12.4)
    answer = room.stand(wanted)
    expect(answer.success, said(answer))
    now = room.world.pose()
    near = max(abs(now.x - wanted.x), abs(now.y - wanted.y), abs(now.z - wanted.z)) <= _M
    turned = max(abs(_angle(now.rotation - 37.3)), abs(now.horizon - 12.4)) <= _DEGREES
    return expect(near and turned, f"asked for {wanted}, the agent is at {now}")


@assume(
    Topic.REFUSALS,
    "A teleport to where the agent cannot stand is refused, and the agent stays.",
    source="adapters/ai2thor/approach.py tries the next pose after a refusal",
)
def teleport_refused(room: Room) -> str:
    before = room.world.pose()
    answer = room.stand(AgentPose(before.x + 50, before.y, before.z, 0.0, 0.0))
    now = room.world.pose()
    return expect(
        not answer.success and now == before,
        f"50 m away: {said(answer)}; the agent was at {before} and is at {now}",
    )


@assume(
    Topic.SPACE,
    "A teleport takes every horizon from -30 to 60 degrees.",
    source=f"{_NAVIGATION}, HORIZON_MIN and HORIZON_MAX",
)
def horizons(room: Room) -> str:
    point, bad = _point(room), []
    for horizon in (HORIZON_MIN, 17.3, HORIZON_MAX):
        answer = room.stand(_at(point, 0.0, horizon))
        reached = room.world.pose().horizon
        if not answer.success or abs(reached - horizon) > _DEGREES:
            bad.append(f"{horizon:g}: {said(answer)}, looks at {reached:g}")
    return expect(not bad, f"not taken: {some(bad)}")


@assume(
    Topic.SPACE,
    "Yaw counts from z towards x: at yaw 90 a step ahead goes by 0.25 m along x.",
    source=f"{CONCEPTS}; {_NAVIGATION}, pose_facing",
)
def yaw_frame(room: Room) -> str:
    free = {(round(p["x"], 2), round(p["z"], 2)) for p in room.points()}
    steps = ((GRID_M, 0.0), (-GRID_M, 0.0), (0.0, GRID_M), (0.0, -GRID_M))
    for point in room.points():
        around = {(round(point["x"] + x, 2), round(point["z"] + z, 2)) for x, z in steps}
        if not around <= free:
            continue
        room.must(room.stand(_at(point, 90.0, 0.0)), "turn to yaw 90")
        before = room.world.pose()
        room.must(room.do("MoveAhead"), "step ahead")
        now = room.world.pose()
        x, z = now.x - before.x, now.z - before.z
        ahead = abs(x - GRID_M) <= _M and abs(z) <= _M
        return expect(ahead, f"a step ahead went by x {x:.2f} m, z {z:.2f} m")
    raise CannotTell("no reachable point has four others around it")


@assume(
    Topic.SPACE,
    "RotateRight turns by 90 degrees clockwise, so four turns show all of the room.",
    source="adapters/ai2thor/execution.py looks around by four turns",
)
def quarter_turns(room: Room) -> str:
    room.must(room.stand(_at(_point(room), 0.0, 0.0)), "turn to yaw 0")
    yaws: list[float] = []
    for _ in range(4):
        room.must(room.do("RotateRight"), "turn right")
        yaws.append(round(room.world.pose().rotation, 1))
    right = all(abs(_angle(yaw - 90.0 * i)) <= _DEGREES for i, yaw in enumerate(yaws, 1))
    return expect(right, f"from yaw 0, four RotateRight turned to {yaws}")


@assume(
    Topic.SPACE,
    "cameraHorizon grows when the agent looks down.",
    source=f"{METADATA}; {_NAVIGATION}, pose_facing",
)
def horizon_down(room: Room) -> str:
    room.must(room.stand(_at(_point(room), 0.0, 0.0)), "look straight ahead")
    room.must(room.do("LookDown"), "look down")
    horizon = room.world.pose().horizon
    return expect(horizon > 0, f"after LookDown from 0, cameraHorizon is {horizon:g}")


@assume(
    Topic.SPACE,
    "The camera of a standing agent is 0.675 m above the agent's position.",
    source=f"{_NAVIGATION}, CAMERA_M",
)
def camera_height(room: Room) -> str:
    camera = room.world.metadata.get("cameraPosition")
    if not camera:
        raise CannotTell("cameraPosition is not reported")
    above = float(camera["y"]) - room.world.pose().y
    return expect(abs(above - CAMERA_M) <= 0.05, f"it is {above:.3f} m above")


@assume(
    Topic.CALLS,
    "GetInteractablePoses takes points, and lists poses with numbers for x, y, z, rotation, "
    "horizon.",
    source="adapters/ai2thor/world.py, interactable_poses",
)
def poses_listed(room: Room) -> str:
    thing = room.one("Fridge", "Sink")
    points = nearest_points(room.thing(thing), room.points())
    answer = room.do(
        "GetInteractablePoses", thing, positions=[dict(at) for at in points], standings=[True]
    )
    expect(answer.success, said(answer))
    listed = list(answer.returned or ())
    keys = ("x", "y", "z", "rotation", "horizon")
    right = all(isinstance(pose.get(key), int | float) for pose in listed for key in keys)
    first = listed[0] if listed else "none"
    return expect(bool(listed) and right, f"{len(listed)} poses, the first: {first}")


@assume(
    Topic.VISIBILITY,
    "From the poses of GetInteractablePoses the thing is visible and may be used.",
    source="adapters/ai2thor/approach.py relies on them for what its own poses do not show",
)
def poses_true(room: Room) -> str:
    thing = _on_counter(room)[0]
    listed = room.poses(thing, nearest_points(room.thing(thing), room.points()))
    expect(bool(listed), f"no pose is listed for {thing}, which lies open")
    chosen, bad = listed[:: max(1, len(listed) // _POSES)], []
    for pose in chosen:
        answer = room.stand(pose)
        if not answer.success:
            bad.append(f"{pose}, {said(answer)}")
        elif not room.in_sight(thing):
            bad.append(f"{pose}, where it is not in sight")
    return expect(not bad, f"{len(chosen)} of {len(listed)} poses tried; wrong: {some(bad)}")


@assume(
    Topic.VISIBILITY,
    "A thing that lies open is in sight from a near point, with the camera turned to its position.",
    source=f"{_NAVIGATION}, pose_facing, as ALFRED's planners turn to things",
)
def turned_to_is_seen(room: Room) -> str:
    things, unseen = _on_counter(room), []
    for thing in things:
        raw, height = room.thing(thing), room.world.camera_height()
        points = nearest_points(raw, room.points())
        for pose in ranked(raw, [pose_facing(raw, at, height) for at in points], height)[:6]:
            if room.stand(pose).success and room.in_sight(thing):
                break
        else:
            unseen.append(thing)
    return expect(not unseen, f"of {len(things)} things on counters not seen: {some(unseen)}")


def _on_counter(room: Room) -> list[str]:
    """Up to eight things on counters. Raises CannotTell without any."""
    found = [
        raw["objectId"]
        for raw in room.things
        if raw["pickupable"]
        and any(place.startswith("CounterTop") for place in raw.get("parentReceptacles") or ())
    ]
    if not found:
        raise CannotTell("nothing lies on a counter")
    return found[:8]


def _at(point: dict[str, float], yaw: float, horizon: float) -> AgentPose:
    return AgentPose(point["x"], point["y"], point["z"], yaw, horizon)


def _point(room: Room) -> dict[str, float]:
    """A reachable point in the middle of the list."""
    points = room.points()
    return points[len(points) // 2]


def _angle(degrees: float) -> float:
    """An angle in [-180, 180)."""
    return (degrees + 180) % 360 - 180
