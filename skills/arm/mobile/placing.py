"""Putting down: upright as it was taken, on a free spot, through poses that were checked.

A thing whose grasp does not get into the place is put on a worktop and taken again. The robot
leaves a thing only when it has seen that the thing is out of its hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

import numpy as np

from ...outcomes import Reason
from ..rotation import Array
from . import body, grasps, holding, inverse, picking, places, reaching, spots, stands
from .driving import Mover
from .failures import Failed
from .motion import SLIPPED_GAP
from .paths import NEAR, Clearance
from .places import Place
from .reaching import Blame, Plan, Poses
from .spots import Foot
from .world import Held, Obstacle, Pose, Reach, RoomWorld, ShapeKind, Space, about, owner

#: Rounds of the search (at least one a space), candidates in each, and plans tried in each.
ROUNDS, CANDIDATES, PLANS = 4, 240, 3
#: Tries to take a thing again from a worktop.
_REGRASPS = 3
#: Checks that all rounds together may take.
BUDGET = 6000
#: A thing is let go so far over what it will stand on, and comes from so far over that, in m.
_DROP, _OVER = 0.004, 0.03
#: Where the hand begins, up and towards the robot, in m, by how a place is reached.
_FROM = {Reach.FRONT: (0.03, 0.26), Reach.ABOVE: (0.10, 0.0), Reach.DRAWER: (0.22, 0.0)}
#: From above, a hand comes as high into what may be a basin.
_FROM_OVER_RIM = 0.22
#: Distances of the robot that the checks ask for before the place and at the spot, in m.
_BEFORE_FREE, _AT_SPOT = 0.010, 0.006
#: The largest motions of a joint: to over the spot, and down, in rad or m.
_LEAPS = (1.2, 0.5)
#: The spread of a thing's yaw about the one that suits the hand, in rad.
_TURN_SHELF, _TURN = 0.3, 0.7
#: A hand whose fingers are more level than this cosine has a direction seen from above.
_LEVEL = 0.5
#: Rim grasps let go by so much of each finger, and which gap tells them, in m.
_RIM_RELEASE, _RIM_GAP = 0.008, 0.016
#: A thing that has moved so far with the leaving hand, in m, is still in it.
_TAKEN_ALONG = 0.05


def put(mover: Mover, area: str) -> None:
    """Put what is in the hand down in or on an area, and fold the arm.

    Afterwards `mover.held` is None, or what is still in the hand. Raises Failed: CONTAINER_CLOSED,
    DOES_NOT_FIT, NO_FREE_SPOT, UNREACHABLE, BLOCKED, MISPLACED (lost on the way, or let go and not
    there), NOT_CONFIRMED (still in the hand).
    """
    targets = _targets(mover, area)
    held = _now(mover)
    if any(_serves(held, space.reach) for space in targets):
        try:
            put_into(mover, targets, area)
        except Failed as failed:
            if not _by_grasp(failed, targets[0]) or not _better_grasped(mover, targets[0].reach):
                raise
        else:
            return
    _regrasp(mover, targets)
    put_into(mover, targets, area)


def put_into(mover: Mover, targets: Sequence[Space], area: str) -> None:
    """Put what is in the hand into one of some spaces, with the grasp that it has."""
    held = _now(mover)
    targets = [space for space in targets if _serves(held, space.reach)]
    if not targets:
        raise Failed(Reason.UNREACHABLE, area, "no grasp of it from a worktop gets in there")
    space, joints = _arrive(mover, held, targets, area)
    back = _lower(mover, joints)
    _let_go(mover, held.thing, space, back)


def _targets(mover: Mover, area: str) -> list[Space]:
    """The spaces of an area that take what is in the hand."""
    world, held = mover.world, mover.held
    if held is None:
        raise Failed(Reason.EMPTY_HANDED)
    targets = [space for space in world.spaces.values() if space.area == area]
    if not targets:
        raise Failed(Reason.NOT_A_SURFACE, area)
    foot = Foot.of(world.shapes[held.thing], held)
    fitting = [space for space in targets if spots.fits(space, foot)]
    if not fitting:
        raise Failed(
            Reason.DOES_NOT_FIT, area, f"{foot.tall:.2f} m tall, {2 * foot.radius:.2f} wide"
        )
    opened = [space for space in fitting if places.is_open(world, space)]
    if not opened:
        raise Failed(Reason.CONTAINER_CLOSED, fitting[0].front, "its front is closed")
    return opened


def _now(mover: Mover) -> Held:
    """What is in the hand, looked at again. Raises Failed (MISPLACED) if it is gone."""
    try:
        return holding.look_again(mover)
    except Failed as failed:
        raise _lost(mover, failed) from None


def _lost(mover: Mover, failed: Failed) -> Failed:
    """What failed if the thing has fallen out of the hand."""
    holding.drop(mover)
    where = places.lies(mover.world, str(failed.other))
    return Failed(Reason.MISPLACED, failed.other, f"lost on the way: {failed.message}; {where}")


def pitch(held: Held) -> float:
    """How far the fingers point down when the thing stands upright, in rad."""
    return float(np.arcsin(np.clip(-(held.pose.rotation @ held.up)[2], -1.0, 1.0)))


def _serves(held: Held, reach: Reach) -> bool:
    """Whether a hand that holds a thing so gets into a place."""
    if reach is Reach.FRONT:
        return pitch(held) < grasps.STEEPEST_LEVEL
    return reach is Reach.ABOVE or pitch(held) > grasps.FLATTEST_DOWN


def _by_grasp(failed: Failed, target: Space) -> bool:
    """Whether another grasp may find a way: nothing but the place itself is in the way."""
    itself = failed.reason is Reason.BLOCKED and failed.other == target.front
    return itself or failed.reason is Reason.UNREACHABLE


def _better_grasped(mover: Mover, reach: Reach) -> bool:
    """Whether another grasp would get what is held into more places of a kind than this one."""
    held = mover.held
    if held is None or (
        reach is Reach.FRONT and mover.world.shapes[held.thing].kind is ShapeKind.BOWL
    ):
        return False
    low, high = grasps.band(reach)
    return not low <= pitch(held) <= high


def _regrasp(mover: Mover, targets: Sequence[Space]) -> None:
    """Put the thing on a worktop and take it again, so that it gets into its target."""
    held = mover.held
    assert held is not None
    foot = Foot.of(mover.world.shapes[held.thing], held)
    tops = [
        space
        for space in mover.world.spaces.values()
        if space.reach is Reach.ABOVE and space.front is None
        if spots.fits(space, foot)
    ]
    here = mover.motion.target[:2]
    tops.sort(key=lambda space: float(np.hypot(*(_middle(space)[:2] - here))))
    last: Failed | None = None
    for top in tops[:3]:
        try:
            put_into(mover, [top], top.area)
        except Failed as failed:
            if mover.held is None:
                raise
            last = failed
            continue
        _take_again(mover, held.thing, targets[0].reach, top.area)
        return
    raise last or Failed(Reason.NO_FREE_SPOT, None, "no worktop to take it again from")


def _take_again(mover: Mover, thing: str, goal: Reach, stands_on: str) -> None:
    """Take a thing that was put on a worktop; it stays there if all tries fail."""
    for number in range(_REGRASPS):
        try:
            picking.pick(mover, thing, goal)
        except Failed as failed:
            if number + 1 == _REGRASPS:
                message = f"it stands on {stands_on}; taking it again: {failed}"
                raise Failed(Reason.MISPLACED, thing, message) from None
            continue
        return


def _middle(space: Space) -> Array:
    middle: Array = space.origin + space.rotation @ ((space.low + space.high) / 2)
    return middle


def _arrive(
    mover: Mover, held: Held, targets: Sequence[Space], area: str
) -> tuple[Space, list[Array]]:
    """Go where the way down begins; the joints from there on."""
    blame, last = Blame(targets[0].front if targets else None), None
    budget = mover.paths.checks + BUDGET
    crowded = 0
    rounds = max(ROUNDS, len(targets))
    order = sorted(targets, key=lambda space: len(mover.world.things_in(space.name)))
    for k in range(rounds):
        space = order[k % len(order)]
        try:
            strict = reaching.strictness(k // len(order))
            for plan in _search(mover, held, space, blame, strict):
                try:
                    return space, reaching.arrive(mover, plan)
                except Failed as failed:
                    if failed.reason is Reason.SLIPPED:
                        raise _lost(mover, failed) from None
                    last = failed
        except Failed as failed:
            if failed.reason is not Reason.NO_FREE_SPOT:
                raise
            last, crowded = failed, crowded + 1
        if mover.paths.checks > budget:
            break
    with suppress(Failed):
        if not mover.tucked:
            mover.tuck()
    if crowded == rounds or last is None:
        raise last or blame.failure(mover.world, area)
    raise last


def _search(mover: Mover, held: Held, space: Space, blame: Blame, strict: float) -> Iterator[Plan]:
    """Plans of one round."""
    world, generator = mover.world, mover.generator
    world.sync()
    foot = Foot.of(world.shapes[held.thing], held)
    at = spots.sample(world, space, held, foot, CANDIDATES, generator)
    if not len(at):
        raise Failed(Reason.NO_FREE_SPOT, space.area, f"no free spot in {space.name}")
    place = places.of_space(space)
    rotations = _hands(mover, held, place, len(at))
    at[:, 2] += _DROP
    tcp = at - (rotations @ held.pose.position[:, None])[..., 0]
    kept = grasps.goes_into(rotations, place.reach, place.outward)
    tcp, rotations = tcp[kept], rotations[kept]
    starts = reaching.starts(mover, tcp, rotations, place.outward, place.over_front(world))
    joints, reached = reaching.solve(starts, _poses(mover, tcp, rotations, place), exact=3)
    blame.tried += len(tcp)
    blame.solved += int(reached.sum())
    order = reaching.by_cost(mover, joints, reached, np.zeros(len(tcp)))

    def check(candidate: list[Array], index: int) -> Obstacle | None:
        return _met(mover, held, candidate, strict)

    yield from reaching.plans(joints, order, PLANS, check, blame)


def _hands(mover: Mover, held: Held, place: Place, count: int) -> Array:
    """Rotations of the tcp, shape (n, 3, 3), with which the thing stands upright."""
    up = np.array([0.0, 0.0, 1.0])
    # Any rotation of the thing that brings its own up upwards; then turn it about the upright.
    axis = np.cross(held.up, up)
    sine = float(np.linalg.norm(axis))
    angle = float(np.arctan2(sine, held.up @ up))
    level = np.array([1.0, 0.0, 0.0])
    standing = about(axis / sine if sine > 1e-6 else level, angle)
    inward = np.arctan2(-place.outward[1], -place.outward[0])
    mug = mover.world.shapes[held.thing].kind is ShapeKind.MUG
    hand = standing @ held.pose.rotation.T
    fingers = hand[:, 2]
    if np.hypot(fingers[0], fingers[1]) > _LEVEL:
        spread = _TURN_SHELF if place.reach is Reach.FRONT else _TURN
        yaw = inward - np.arctan2(fingers[1], fingers[0])
        yaw = yaw + mover.generator.normal(0.0, spread, count)
    elif mug:
        # Its handle to the back: there no hand that takes it again meets it.
        yaw = inward - np.arctan2(standing[1, 0], standing[0, 0])
        yaw = yaw + mover.generator.normal(0.0, _TURN, count)
    else:
        yaw = mover.generator.uniform(-np.pi, np.pi, count)
    turns = np.array([about(up, float(one)) for one in yaw])
    rotations: Array = turns @ hand
    return rotations


def _poses(mover: Mover, tcp: Array, rotations: Array, place: Place) -> Poses:
    """Before the place, over the spot, on it."""
    up = np.array([0.0, 0.0, 1.0])
    high, far = _FROM[place.reach]
    rise = np.full(len(tcp), high)
    if place.reach is Reach.ABOVE:
        rise[mover.generator.random(len(tcp)) < 0.5] = _FROM_OVER_RIM
    before = tcp + rise[:, None] * up + place.outward * far
    return Poses(np.stack([before, tcp + up * _OVER, tcp]), rotations, _LEAPS)


def _met(mover: Mover, held: Held, joints: list[Array], strict: float) -> Obstacle | None:
    """What is in the way of a candidate."""
    fingers = holding.gap(mover.world) / 2
    carrying = Clearance(NEAR, fingers, held, frozenset({held.thing}), lowering=True)
    met = mover.paths.obstacle(joints[0], carrying.at(strict * _BEFORE_FREE))
    if met is None:
        near = carrying.at(strict * _AT_SPOT)
        met = reaching.first_obstacle(mover, joints[2:0:-1], near)
        met = met or reaching.first_obstacle(mover, joints[:2], near, between=8)
    if met is None and not stands.can_tuck(mover.paths, joints[0], carrying):
        met = mover.paths.met
    return met


def _lower(mover: Mover, joints: list[Array]) -> list[Array]:
    """Take the thing to its spot, corrected by how it lies in the hand now; the way back."""
    planned = mover.held
    held = _now(mover)
    assert planned is not None
    motion = mover.motion
    way = [_corrected(mover, at, planned, held) for at in joints[1:]]
    if not _free(mover, [joints[0], *way]):
        way = joints[1:]
    motion.allowed = frozenset({held.thing})
    try:
        motion.follow(way[:1], body.CAREFUL)
        motion.resting = True
        motion.follow(way[1:], body.CAREFUL)
        motion.hold(0.2)
    except Failed as failed:
        motion.resting = False
        if failed.reason is Reason.SLIPPED:
            failed = _lost(mover, failed)
        with suppress(Failed):
            motion.follow([joints[0]], body.CAREFUL)
            mover.tuck()
        raise failed from None
    finally:
        motion.allowed = frozenset()
    return [way[0], joints[0]]


def _free(mover: Mover, way: list[Array]) -> bool:
    """Whether the way down is free with the thing as it lies in the hand now."""
    mover.world.sync()
    clearance = Clearance(NEAR, holding.gap(mover.world) / 2, mover.held, lowering=True)
    return reaching.first_obstacle(mover, way, clearance, between=4) is None


def _corrected(mover: Mover, joints: Array, planned: Held, held: Held) -> Array:
    """The joints that bring the thing, as it lies in the hand now, to where it was planned."""
    position, rotation = inverse.tcp(joints)
    thing = Pose(position + rotation @ planned.pose.position, rotation @ planned.pose.rotation)
    turned = thing.rotation @ held.pose.rotation.T
    at = thing.position - turned @ held.pose.position
    found = inverse.solve(joints[None], at[None], turned[None], 40)
    near = float(np.abs(found.joints[0] - joints).max()) < 0.3
    return found.joints[0] if found.reached[0] and near else joints


def _let_go(mover: Mover, thing: str, space: Space, back: list[Array]) -> None:
    """Open the fingers, leave, look again and fold the arm. back: the way that the hand came."""
    motion, world, held = mover.motion, mover.world, mover.held
    assert held is not None
    gap = holding.gap(world)
    mover.held = None
    motion.drop()
    motion.allowed = frozenset({thing})
    try:
        motion.grip(gap / 2 + _RIM_RELEASE if gap < _RIM_GAP else body.OPEN)
        stood = world.thing(thing)
        reaching.retreat(mover, thing, back, space.reach)
        motion.hold(0.3)
        if _follows(world, thing, stood) or _still_around(mover, thing):
            motion.grip(body.CLOSED)
            if holding.gap(world) > SLIPPED_GAP * held.width:
                now = holding.taken(world, thing, stood)
                holding.carry(mover, now._replace(up=held.up))
                raise Failed(Reason.NOT_CONFIRMED, thing, "it is still in the hand")
    finally:
        motion.allowed = frozenset()
    motion.opening = body.OPEN
    with suppress(Failed):
        mover.tuck()
    if not places.contains(world, space, world.thing(thing).position):
        where = places.lies(world, thing)
        raise Failed(Reason.MISPLACED, thing, f"it should be in {space.name}; {where}")


def _still_around(mover: Mover, thing: str) -> bool:
    """Whether fingers that open would push a thing: the hand did not get away from it."""
    mover.world.sync()
    met = mover.paths.obstacle(mover.motion.target, Clearance(0.0, body.OPEN))
    return met is not None and owner(met.other) == thing


def _follows(world: RoomWorld, thing: str, stood: Pose) -> bool:
    """Whether a thing that was let go has come along with the hand."""
    now = world.thing(thing).position
    lifted = now[2] > stood.position[2] + 0.02
    moved = float(np.linalg.norm(now - stood.position)) > _TAKEN_ALONG
    return moved and lifted and float(np.linalg.norm(holding.in_hand(world, thing).position)) < 0.12
