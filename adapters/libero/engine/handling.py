"""Picking up and putting down."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .body import Body, Failed
from .grasps import Grasp, find_grasps, hand_hits
from .motion import OPEN, SHUT, Pose
from .placing import Placement, Spot, distinct, placements
from .points import UP, Array, thinned

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .scene import Thing

_DOWN = -UP
#: From above, and leaning to each side.
_APPROACHES = [
    _DOWN,
    *(np.array([x, y, -0.87]) for x, y in ((0.5, 0.0), (0.0, 0.5), (0.0, -0.5), (-0.5, 0.0))),
]
_BACK, _LIFT = 0.10, 0.12
#: How many grasps get the costly checks.
_MOST_GRASPS = 24
_MOST_PLACEMENTS = 14
#: Fingers closer than this hold nothing.
_EMPTY_WIDTH = 0.002
#: A thing that rose less is not held.
_ROSE = 0.04
#: The hand opens by this much a finger to let go, in narrow places too.
_LET_GO = 0.012
_RAISES = (0.0, 0.01, 0.02, 0.03, 0.05, 0.07, 0.09, 0.12)


def centre_of(body: Body, thing: Thing, points: Array) -> Array:
    """The point that a grasp should be near: the centre of mass, at half the height."""
    return np.r_[body.scene.data.xipos[thing.body][:2], points[:, 2].mean()]


def pick_up(body: Body, thing: Thing, variation: int) -> None:
    """Grasp a thing and lift it. variation: which of the feasible grasps. Raises Failed."""
    arm = body.arm
    arm.grip(OPEN, 0.05)
    choice = _choose(body, thing, variation)
    stood = body.rotation_of(thing)
    before = body.position_of(thing)[2]
    _close_on(body, thing, choice)
    lifted = arm.move(arm.tip().moved(_LIFT * UP), 0.6) or arm.move(arm.tip().moved(UP * 0.06), 0.6)
    rose = float(body.position_of(thing)[2] - before)
    body.measured["rose"] = rose
    body.measured["width_lifted"] = arm.width()
    geoms = set(body.scene.geoms_of(thing))
    if lifted and rose > _ROSE and arm.touched_by_fingers(geoms):
        body.held, body.stood = thing.name, stood
        return
    width = arm.width()
    arm.grip(OPEN, 0.3)
    arm.go_home()
    told = f"after the lift it had risen {rose * 1000:.0f} mm, fingers {width * 1000:.1f} mm apart"
    raise Failed("slipped", thing.name, told)


def _choose(body: Body, thing: Thing, variation: int) -> tuple[Grasp, Pose, Array]:
    """A feasible grasp, its pose of the hand, and the joints before it. Raises Failed."""
    feasible = []
    blocked_by: list[int] = []
    seen = 0
    points = body.points_of(thing)
    rest = body.points_without(body.scene.geoms_of(thing))
    centre = centre_of(body, thing, points)
    for grasp in find_grasps(thinned(points, 0.002), rest, _APPROACHES, centre):
        seen += 1
        if seen > _MOST_GRASPS:
            break
        found = _reachable(body, thing, grasp, blocked_by)
        if found is not None:
            feasible.append((grasp, *found))
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


def _reachable(
    body: Body, thing: Thing, grasp: Grasp, blocked_by: list[int]
) -> tuple[Pose, Array] | None:
    pose = Pose(grasp.position, grasp.rotation)
    found = body.approach_path(pose, -_BACK * pose.approach)
    if found is None:
        return None
    turned, before, path = found
    geoms = body.scene.geoms_of(thing)
    hit = body.arm.hit([before, *path], opening=OPEN, ignored=geoms)
    if hit is not None:
        blocked_by.append(hit)
        return None
    return turned, before


def _close_on(body: Body, thing: Thing, choice: tuple[Grasp, Pose, Array]) -> None:
    """Go to a grasp and close the fingers. Raises Failed."""
    grasp, pose, _ = choice
    arm = body.arm
    body.measured["grasp_width"] = grasp.width
    body.travel(pose.backed(_BACK))
    if not arm.move(pose, 0.4):
        arm.go_home()
        raise Failed("unreachable", thing.name, "no straight line to the grasp")
    arm.grip(SHUT, 0.5)
    body.measured["width"] = arm.width()
    if arm.width() < _EMPTY_WIDTH and grasp.width > _EMPTY_WIDTH:
        arm.grip(OPEN, 0.3)
        arm.go_home()
        raise Failed("slipped", thing.name, "the fingers closed on nothing")


def put(body: Body, thing: Thing, place: Thing, relation: str, variation: int) -> None:
    """Put what is held on or inside a place. Raises Failed."""
    spot = spot_of(body, place, relation)
    tried = 0
    for placement, pose, raised in _feasible(body, thing, spot):
        if tried < variation:
            tried += 1
            continue
        body.measured["raised"] = raised
        _lower(body, thing, placement, pose)
        return
    raise Failed("no_free_spot", place.name, f"no free pose of the hand over {place.name}")


def spot_of(body: Body, place: Thing, relation: str) -> Spot:
    """Where the origin of a thing may rest on or inside a place."""
    data = body.scene.data
    if place.site is None:
        return Spot(data.xpos[place.body].copy(), np.full(2, 0.012))
    low, high = body.scene.region_box(place)
    half = np.maximum((high - low)[:2] / 2 - 0.012, 0.0)
    return Spot((low + high) / 2, half)


def _feasible(body: Body, thing: Thing, spot: Spot) -> Iterator[tuple[Placement, Pose, float]]:
    """Placements with the hand's pose, raised until the hand is free."""
    arm, geoms = body.arm, body.scene.geoms_of(thing)
    rest = body.points_without(geoms)
    rotation, origin, tip = body.rotation_of(thing), body.position_of(thing), arm.tip()
    shape = (body.points_of(thing) - origin) @ rotation
    found = placements(shape, [(body.stood, 0.0), (rotation, 0.003)], rest, spot)
    near = rest[np.linalg.norm(rest[:, :2] - spot.centre[:2], axis=1) < 0.4]
    opening = arm.width() / 2 + 0.008
    checked = 0
    for placement in distinct(found, 60):
        turn = placement.rotation @ rotation.T
        hand = Pose(placement.position + turn @ (tip.position - origin), turn @ tip.rotation)
        for raised in _RAISES:
            if not hand_hits(near, hand.position + raised * UP, hand.rotation, opening):
                break
        else:
            continue
        checked += 1
        if checked > _MOST_PLACEMENTS:
            return
        up = Placement(placement.score, placement.position + raised * UP, placement.rotation)
        if arm.joints_at(hand.moved(raised * UP), arm.home, 100) is not None:
            yield up, hand.moved(raised * UP), raised


def _lower(body: Body, thing: Thing, placement: Placement, pose: Pose) -> None:
    """Carry a thing over its place, correct how it slid in the hand, lower it and let go."""
    arm = body.arm
    body.travel(pose.moved(0.08 * UP))
    slid = placement.position - (body.position_of(thing) + pose.position - arm.tip().position)
    slid[2] = 0.0
    length = float(np.linalg.norm(slid))
    body.measured["slid"] = length
    if length > 0.04:
        slid *= 0.04 / length
    if not arm.move(pose.moved(slid), 0.3):
        raise Failed("unreachable", thing.name, "no straight line down")
    release(body)


def release(body: Body) -> None:
    """Open a little, draw the hand back, and go up."""
    arm = body.arm
    arm.grip(min(OPEN, arm.width() / 2 + _LET_GO), 0.4)
    body.held = None
    tip = arm.tip()
    back = tip.backed(0.06) if tip.approach[2] < -0.7 else tip.moved(0.06 * UP)
    arm.move(back, 0.5)
    arm.move(arm.tip().moved(0.08 * UP), 1.0)
    arm.grip(OPEN, 0.2)
