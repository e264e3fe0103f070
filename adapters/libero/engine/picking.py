"""Picking things up."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from .body import Body, Failed
from .grasps import Grasp, find_grasps
from .motion import OPEN, SHUT, Pose
from .points import UP, Array, thinned

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .scene import Thing

_DOWN = -UP
#: Leaning to each side, where the arm reaches none of the best grasps from straight above.
_LEANING = [np.array([x, y, -0.87]) for x, y in ((0.5, 0.0), (0.0, 0.5), (0.0, -0.5), (-0.5, 0.0))]
_MOST_FROM_ABOVE = 14
#: How far the hand backs off before a grasp: the first of these that is free.
_BACKS = (0.10, 0.05)
#: How far a thing is lifted: the first of these that is free.
_LIFTS = (0.12, 0.06)
#: How many grasps get the costly checks.
_MOST_GRASPS = 30
#: A thing that rose less is not held.
_ROSE = 0.04


def centre_of(body: Body, thing: Thing, points: Array) -> Array:
    """The point that a grasp should be near: the centre of mass, at half the height."""
    return np.array([*body.scene.data.xipos[thing.body][:2], points[:, 2].mean()])


def pick_up(body: Body, thing: Thing, variation: int) -> None:
    """Grasp a thing and lift it. variation: which of the feasible grasps. Raises Failed."""
    body.arm.grip(OPEN, 0.05)
    grasp, pose = _choose(body, thing, variation)
    body.measured["grasp_width"] = grasp.width
    grasp_at(body, thing, pose)


def grasp_at(body: Body, thing: Thing, pose: Pose) -> None:
    """Close the fingers at a pose and lift the thing. Raises Failed slipped if it does not come."""
    arm = body.arm
    stood, stood_at = body.rotation_of(thing), body.position_of(thing)
    body.travel(_before(body, thing, pose))
    if not arm.move(pose, 0.4):
        arm.go_home()
        raise Failed("unreachable", thing.name, "no straight line to the grasp")
    arm.grip(SHUT, 0.5)
    body.measured["width"] = arm.width()
    body.held = thing.name
    lifted = body.lift(_LIFTS) or arm.move(arm.tip().moved(_LIFTS[-1] * UP), 0.6)
    body.held = None
    rose = float(body.position_of(thing)[2] - stood_at[2])
    width = arm.width()
    body.measured["rose"], body.measured["width_lifted"] = rose, width
    if lifted and rose > _ROSE and arm.touched_by_fingers(set(body.scene.geoms_of(thing))):
        body.held, body.stood, body.stood_at = thing.name, stood, stood_at
        return
    arm.grip(OPEN, 0.3)
    arm.go_home()
    told = f"after the lift it had risen {rose * 1000:.0f} mm, fingers {width * 1000:.1f} mm apart"
    raise Failed("slipped", thing.name, told)


def grasps_of(body: Body, thing: Thing) -> Iterator[Grasp]:
    """Free grasps of a thing: the best from straight above, then leaning ones."""
    points = thinned(body.points_of(thing), 0.002)
    rest = body.points_without(body.scene.geoms_of(thing))
    centre = centre_of(body, thing, points)
    yield from islice(find_grasps(points, rest, [_DOWN], centre), _MOST_FROM_ABOVE)
    yield from find_grasps(points, rest, _LEANING, centre)


def _choose(body: Body, thing: Thing, variation: int) -> tuple[Grasp, Pose]:
    """A feasible grasp and its pose of the hand. Raises Failed."""
    feasible = []
    blocked_by: list[int] = []
    seen = 0
    for grasp in grasps_of(body, thing):
        seen += 1
        if seen > _MOST_GRASPS:
            break
        pose = reachable(body, thing, grasp, blocked_by)
        if pose is not None:
            feasible.append((grasp, pose))
            if len(feasible) > variation:
                break
    if feasible:
        return feasible[min(variation, len(feasible) - 1)]
    if seen == 0:
        raise Failed("blocked", None, "no grasp leaves the hand free of other things")
    if blocked_by:
        name = body.name_of_geom(blocked_by[0])
        raise Failed("blocked", name, f"none of {seen} grasps is free of {name or 'the room'}")
    raise Failed("unreachable", thing.name, f"no joint positions for any of {seen} grasps")


def reachable(body: Body, thing: Thing, grasp: Grasp, blocked_by: list[int]) -> Pose | None:
    """The hand's pose for a grasp, if the arm comes there from the pre-pose without a hit."""
    pose = Pose(grasp.position, grasp.rotation)
    geoms = body.scene.geoms_of(thing)
    for back in _BACKS:
        found = body.approach_path(pose, -back * pose.approach)
        if found is None:
            return None
        turned, before, path = found
        hit = body.arm.hit([before, *path], opening=OPEN, ignored=geoms)
        if hit is None:
            return turned
        blocked_by.append(hit)
        if body.arm.hit(path[-2:], opening=OPEN, ignored=geoms) is not None:
            return None
    return None


def _before(body: Body, thing: Thing, pose: Pose) -> Pose:
    """The pose from which the hand goes straight to a grasp."""
    geoms = body.scene.geoms_of(thing)
    for back in _BACKS:
        joints = body.arm.joints_at(pose.backed(back), body.arm.home, 120)
        if joints is not None and body.arm.hit([joints], opening=OPEN, ignored=geoms) is None:
            return pose.backed(back)
    return pose.backed(_BACKS[0])
