"""Picking up: a grasp that fits the thing, its place and where it goes, and a way out with it.

The way out is planned with the thing in the hand before anything moves. The robot looks again
after each motion; what it believes to hold is what is between its fingers.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import numpy as np

from ...outcomes import Reason
from ..rotation import Array
from . import body, grasps, holding, places, reaching, stands
from .driving import Mover
from .failures import Failed
from .grasps import Approach, Grasps
from .motion import SLIPPED_GAP
from .paths import NEAR, Clearance
from .places import Place
from .reaching import Blame, Plan, Poses
from .world import Held, Obstacle, Pose, Reach

#: Rounds of the search, candidates in each, and plans tried in each.
ROUNDS, CANDIDATES, PLANS = 4, 240, 3
#: Checks that all rounds together may take.
BUDGET = 6000
#: The way out, up and towards the robot, in m, by how a place is reached.
WAYS_OUT: dict[Reach, tuple[tuple[float, float], ...]] = {
    Reach.FRONT: ((0.02, 0.0), (0.03, 0.08), (0.03, 0.16), (0.03, 0.26), (0.03, 0.36)),
    Reach.ABOVE: ((0.02, 0.0), (0.07, 0.0), (0.12, 0.0)),
    Reach.DRAWER: ((0.02, 0.0), (0.06, 0.0), (0.12, 0.0), (0.18, 0.0), (0.24, 0.0)),
}
#: The hand begins so far before the thing, in m.
_BEFORE, _BEFORE_SHELF = 0.10, 0.12
#: The largest motions of a joint: to the thing, and between poses of the way out, in rad or m.
_LEAP = 0.9
#: Distances that the checks ask for before the thing, at it and on the way out, in m.
_BEFORE_FREE, _AT_THING, _CARRYING = 0.010, 0.006, 0.010
#: A thing that has moved so far while the robot came, in m, is looked for again.
_MOVED = 0.008
#: A thing that is put back is let go by so much of each finger, in m.
_RELEASE = 0.012
#: What a grasp costs that does not get into every place where the thing may go.
_NARROW_COST = 1.0


def pick(mover: Mover, thing: str, goal: Reach | None = None) -> None:
    """Pick a thing up and fold the arm. goal: how the place is reached where it goes, if known.

    Afterwards `mover.held` is what is in the hand. Raises Failed: ENCLOSED (behind a closed front),
    NOT_GRASPABLE, UNREACHABLE, BLOCKED, SLIPPED.
    """
    place = places.of_thing(mover, thing)
    places.require_open(mover.world, place)
    plan, grasp = _arrive(mover, thing, place, goal)
    mover.motion.allowed = frozenset({thing})
    try:
        _take(mover, thing, plan, place.reach, float(grasp.width[0]))
        _carry_off(mover, thing, plan, place.reach)
    finally:
        mover.motion.allowed = frozenset()


def feasible(mover: Mover, thing: str, goal: Reach | None = None) -> Failed | None:
    """Why a thing cannot be picked from where it lies, as far as plans tell; None if it can.

    Nothing moves. Ways to drive are not searched.
    """
    try:
        place = places.of_thing(mover, thing)
        places.require_open(mover.world, place)
        blame = Blame(place.front)
        for k in range(ROUNDS):
            if next(_search(mover, thing, place, goal, blame, k), None) is not None:
                return None
    except Failed as failed:
        return failed
    return blame.failure(mover.world, thing)


def _arrive(mover: Mover, thing: str, place: Place, goal: Reach | None) -> tuple[Plan, Grasps]:
    """Go where a grasp begins. The plan's joints are those to follow from there."""
    blame, last = Blame(place.front), None
    budget = mover.paths.checks + BUDGET
    for k in range(ROUNDS):
        stood = mover.world.thing(thing)
        for plan, grasp in _search(mover, thing, place, goal, blame, k):
            mover.motion.opening = float(grasp.opening[0])
            try:
                joints = reaching.arrive(mover, plan)
            except Failed as failed:
                last = failed
                continue
            moved = np.linalg.norm(mover.world.thing(thing).position - stood.position)
            if moved < _MOVED:
                return Plan(joints, plan.number), grasp
            last = Failed(Reason.BLOCKED, thing, f"it moved {moved * 1000:.0f} mm before the grasp")
            break
        if mover.paths.checks > budget:
            break
    mover.motion.opening = body.OPEN
    _fold(mover)
    raise last or blame.failure(mover.world, thing)


def _search(
    mover: Mover, thing: str, place: Place, goal: Reach | None, blame: Blame, k: int
) -> Iterator[tuple[Plan, Grasps]]:
    """Plans of round `k`, with their grasps."""
    world, generator = mover.world, mover.generator
    world.sync()
    stood, shape = world.thing(thing), world.shapes[thing]
    beside = place.over_front(world)
    approach = Approach.into(place.reach, place.outward, goal, beside)
    hands = grasps.sample(shape, stood, approach, CANDIDATES, generator)
    if not len(hands):
        raise Failed(Reason.NOT_GRASPABLE, thing, "no grasp of this shape as it lies")
    if place.reach is Reach.FRONT:
        hands = hands.take(grasps.goes_into(hands.rotations, Reach.FRONT, place.outward))
    starts = reaching.starts(mover, hands.positions, hands.rotations, place.outward, beside)
    joints, reached = reaching.solve(starts, _poses(hands, place), exact=2)
    blame.tried += len(hands)
    blame.solved += int(reached.sum())
    narrow = _NARROW_COST * ~grasps.suits(hands.rotations, goal)
    order = reaching.by_cost(mover, joints, reached, narrow + hands.cost)
    strict = reaching.strictness(k)

    def check(candidate: list[Array], index: int) -> Obstacle | None:
        return _met(mover, Held(thing, stood), hands, candidate, index, strict)

    for plan in reaching.plans(joints, order, PLANS, check, blame):
        yield plan, hands.take(np.array([plan.number]))


def _poses(hands: Grasps, place: Place) -> Poses:
    """Before the thing, at it, and out with it."""
    before = _BEFORE_SHELF if place.reach is Reach.FRONT else _BEFORE
    at = hands.positions
    up = np.array([0.0, 0.0, 1.0])
    out = [at + up * high + place.outward * far for high, far in WAYS_OUT[place.reach]]
    positions = np.stack([at - hands.rotations[:, :, 2] * before, at, *out])
    return Poses(positions, hands.rotations, (_LEAP,) * (len(positions) - 1))


def _met(
    mover: Mover, target: Held, hands: Grasps, joints: list[Array], index: int, strict: float
) -> Obstacle | None:
    """What is in the way of a candidate. target: the thing and its pose in the room."""
    opening, thing = float(hands.opening[index]), target.thing
    free = Clearance(NEAR, opening, None, frozenset({thing}))
    met = mover.paths.obstacle(joints[0], free.at(strict * _BEFORE_FREE))
    if met is None:
        near = free.at(strict * _AT_THING)
        met = reaching.first_obstacle(mover, joints[:2][::-1], near, between=4)
        # With the thing itself the first pose of the way out is not checked: there it may still
        # touch what it stood on.
        met = met or reaching.first_obstacle(mover, joints[1:3], near, between=2)
    if met is None and not stands.can_tuck(mover.paths, joints[0], Clearance(0.002)):
        met = mover.paths.met
    if met is not None:
        return met
    tcp = Pose(hands.positions[index], hands.rotations[index])
    held = Held(thing, holding.relative(tcp, target.pose))
    half = float(hands.width[index]) / 2
    carrying = Clearance(strict * _CARRYING, half, held, frozenset({thing}))
    return reaching.first_obstacle(mover, joints[3:], carrying, between=2)


def _take(mover: Mover, thing: str, plan: Plan, reach: Reach, width: float) -> None:
    """Close the fingers on the thing and take it out."""
    motion, stood = mover.motion, mover.world.thing(thing)
    try:
        motion.follow([plan.joints[1]], body.CAREFUL)
        motion.grip(body.CLOSED)
        if holding.gap(mover.world) < SLIPPED_GAP * width:
            raise Failed(Reason.SLIPPED, thing, "the fingers closed beside it")
        holding.carry(mover, holding.taken(mover.world, thing, stood), resting=True)
        motion.follow([plan.joints[2]], body.CAREFUL)
        motion.resting = False
        motion.follow(plan.joints[3:], body.CAREFUL)
        motion.hold(0.2)
        holding.look_again(mover)
    except Failed as failed:
        if failed.reason is Reason.BLOCKED and motion.carried is not None:
            _put_back(mover, thing, plan, reach)
        else:
            holding.drop(mover)
            reaching.retreat(mover, thing, [plan.joints[0]], reach)
            _fold(mover)
        raise _told(mover, thing, failed) from None


def _carry_off(mover: Mover, thing: str, plan: Plan, reach: Reach) -> None:
    """Fold the arm with the thing; where that is impossible, put it back."""
    try:
        mover.tuck()
        holding.look_again(mover)
    except Failed as failed:
        if failed.reason is Reason.SLIPPED:
            holding.drop(mover)
            _fold(mover)
        else:
            _put_back(mover, thing, plan, reach)
        raise _told(mover, thing, failed) from None


def _told(mover: Mover, thing: str, failed: Failed) -> Failed:
    """The failure with where the thing lies now."""
    where = places.lies(mover.world, thing)
    return Failed(failed.reason, failed.other, f"{failed.message}; {where}")


def _put_back(mover: Mover, thing: str, plan: Plan, reach: Reach) -> None:
    """Go back the way to where the thing stood, let it go and leave."""
    motion, way = mover.motion, plan.joints[1:]
    near = sorted(range(len(way)), key=lambda k: float(np.abs(way[k] - motion.target).max()))
    mover.world.sync()
    clearance = mover.clearance(NEAR, fingers=holding.gap(mover.world) / 2)
    free = (k for k in near if mover.paths.edge_free(motion.target, way[k], clearance))
    nearest = next(free, near[0])
    motion.resting = True
    with suppress(Failed):
        motion.follow(way[nearest::-1], body.CAREFUL)
    mover.held = None
    motion.drop()
    motion.grip(min(body.OPEN, holding.gap(mover.world) / 2 + _RELEASE))
    reaching.retreat(mover, thing, [plan.joints[0]], reach)
    motion.opening = body.OPEN
    _fold(mover)


def _fold(mover: Mover) -> None:
    """Fold the arm if that is possible: the failure before is the one to tell."""
    with suppress(Failed):
        if not mover.tucked:
            mover.tuck()
